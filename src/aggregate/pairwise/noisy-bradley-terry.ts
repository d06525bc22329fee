/**
 * Noisy Bradley–Terry: judge u answers by the scores with probability k[u], and otherwise without looking, the left
 * item with probability q[u].
 *
 *   P(u chooses the left item) = k[u] · logistic(score[left] - score[right]) + (1 - k[u]) · q[u]
 *
 * Maximum of the log-likelihood of all decided comparisons with priors as counts (4 attentive answers and 1 other, one
 * to each side) and the opponent with score 0 of CrowdBT, by EM: r = P(answered by the scores | answer),
 *
 *   k[u] = (4 + sum r) / (5 + n[u]),    q[u] = (1 + sum over left answers of 1 - r) / (2 + sum of 1 - r)
 *
 * and scores by Bradley–Terry with weights r. Items that stand on the left because they are better cannot be told from
 * judges who like the left side: then it refuses.
 *
 * Ustalov, Pavlichenko & Tseitlin (2024), J. Open Source Softw. 9(96), 6227. https://doi.org/10.21105/joss.06227
 */
import { LEFT, type PairwiseData, RIGHT } from "../../data/pairwise.ts";
import { CrowdError } from "../../error.ts";
import { drain, type Steps } from "../../method.ts";
import {
  type Answers,
  alternate,
  answersOf,
  countsOf,
  FIRST,
  type JudgeModel,
  tiesNote,
} from "./judge-em.ts";
import { boundNote, collapse, type Pairs, partsOf } from "./pairs.ts";
import { type PairwiseResult, type RankingOf, ranker } from "./ranker.ts";
import { climb, type Fit, opponent, startOf } from "./score-fit.ts";
import { half, logistic } from "./tie-models.ts";

/** What noisy Bradley–Terry returns. */
export interface NoisyBradleyTerry extends PairwiseResult {
  /** Probability that each judge answers by the scores; the prior's for those who chose one side nearly always. */
  readonly reliability: Float64Array;
  /** Probability that each judge's other answers choose the left item. */
  readonly position: Float64Array;
  /** `one-sided` for judges who chose one side nearly always, although the scores expect otherwise. */
  readonly flags: readonly (readonly string[])[];
}

/** The prior as counts: answers by the scores, others, and others to either side. */
const [BY_SCORES, BLIND, SIDE] = [4, 1, 1];

/** Noisy Bradley–Terry: some answers do not look at the items, and lean to one side. */
export const noisyBradleyTerry = ranker(
  {
    id: "noisy-bradley-terry",
    title: "Noisy Bradley–Terry",
    summary:
      "Bradley–Terry with judges who now and then choose a side without looking at the items.",
    paper: {
      authors: "D. Ustalov, N. Pavlichenko, B. Tseitlin",
      year: 2024,
      title: "Learning from crowds with Crowd-Kit",
      url: "https://doi.org/10.21105/joss.06227",
    },
    family: "judges",
    cost: "O(N + K³) per iteration for K items of a component, K² memory",
    memory: ({ classes }) => 16 * classes ** 2,
    options: {
      penalty: {
        default: 0.5,
        min: 1e-6,
        help: "Comparisons that each item won and lost against an opponent with score 0.",
      },
      maxIterations: {
        default: 1000,
        min: 1,
        integer: true,
        help: "Maximum number of EM steps.",
      },
      tolerance: {
        default: 1e-8,
        min: 0,
        help: "Largest change of a score at which to stop.",
      },
    },
  },
  function* (data, options): Steps<RankingOf<NoisyBradleyTerry>> {
    checkSides(data);
    const pairs = collapse(data, { ties: "drop", sides: true });
    const answers = answersOf(data, pairs);
    const fit: Fit = {
      id: "noisy-bradley-terry",
      pairs: countsOf(pairs, answers),
      parts: partsOf("noisy-bradley-terry", data),
      model: half,
      prior: opponent(options.penalty),
      left: false,
    };
    const k = new Float64Array(data.workers.length).fill(BY_SCORES / (BY_SCORES + BLIND));
    const q = new Float64Array(data.workers.length).fill(0.5);
    const judges = noisyModel(answers, fit.pairs, k, q);
    const limits = { maxIterations: 100, tolerance: options.tolerance };
    const start = drain(climb(fit, startOf(fit, data.items.length), limits)).at;
    const { at, trace, converged } = yield* alternate(fit, judges, start, options);
    const oneSided = oneSidedJudges(data, at.score);
    const flags = oneSided.map((flag) => (flag ? ["one-sided"] : []));
    const some = oneSided.filter(Boolean).length;
    return {
      score: at.score,
      sd: new Float64Array(data.items.length).fill(Number.NaN),
      reliability: k.map((p, u) => (oneSided[u] ? BY_SCORES / (BY_SCORES + BLIND) : p)),
      position: q,
      flags,
      answering: { attention: k, side: q },
      trace,
      converged,
      notes: [
        ...tiesNote(data),
        ...boundNote(pairs, data.items.length, options.penalty),
        ...(some > 0
          ? [`${some} workers chose one side nearly always: their reliability is the prior's.`]
          : []),
      ],
    };
  },
);

/** Judges who answer by the scores with probability k; the counts of such answers go into the pairs. */
function noisyModel(
  { judge, pair, outcome, weight }: Answers,
  { first, second, won, lost }: Pairs,
  k: Float64Array,
  q: Float64Array,
): JudgeModel {
  const [looked, blind, blindLeft, count] = [0, 1, 2, 3].map(() => new Float64Array(k.length));
  return {
    expect({ score }) {
      for (const sums of [won, lost, looked, blind, blindLeft, count]) sums.fill(0);
      let objective = 0;
      for (let i = 0; i < pair.length; i++) {
        const [p, u] = [pair[i], judge[i]];
        const left = outcome[i] === FIRST;
        const lead = score[first[p]] - score[second[p]];
        const byScores = k[u] * logistic(left ? lead : -lead);
        const all = byScores + (1 - k[u]) * (left ? q[u] : 1 - q[u]);
        const r = byScores / all;
        objective += weight[i] * Math.log(all);
        looked[u] += weight[i] * r;
        blind[u] += weight[i] * (1 - r);
        if (left) blindLeft[u] += weight[i] * (1 - r);
        count[u] += weight[i];
        (left ? won : lost)[p] += weight[i] * r;
      }
      for (let u = 0; u < k.length; u++) {
        objective += BY_SCORES * Math.log(k[u]) + BLIND * Math.log(1 - k[u]);
        objective += SIDE * (Math.log(q[u]) + Math.log(1 - q[u]));
      }
      return objective;
    },
    maximise() {
      for (let u = 0; u < k.length; u++) {
        k[u] = (BY_SCORES + looked[u]) / (BY_SCORES + BLIND + count[u]);
        q[u] = (SIDE + blindLeft[u]) / (2 * SIDE + blind[u]);
      }
    },
  };
}

/** Refuses comparisons in which the side and the better item cannot be told apart. */
function checkSides({ items, left, right, label }: PairwiseData): void {
  const lefts = label.filter((l) => l === LEFT).length;
  const rights = label.filter((l) => l === RIGHT).length;
  const share = Math.max(lefts, rights) / Math.max(1, label.length);
  if (share <= 0.6) return;
  const seen = new Set<number>();
  for (let i = 0; i < label.length; i++) seen.add(left[i] * items.length + right[i]);
  for (const key of seen) {
    const [a, b] = [Math.floor(key / items.length), key % items.length];
    if (seen.has(b * items.length + a)) return;
  }
  throw new CrowdError(
    "not-supported",
    `noisy-bradley-terry: the ${lefts > rights ? "left" : "right"} item won ` +
      `${Math.round(100 * share)} % of the comparisons, and no pair was shown in both orders: ` +
      "a better item cannot be told from a better side. Use crowd-bt, or show pairs in random order.",
  );
}

/** Judges with ten decided answers or more, 95 % of them on one side, of which the scores expect 80 % at most. */
function oneSidedJudges(
  { workers, worker, left, right, label }: PairwiseData,
  score: Float64Array,
): boolean[] {
  const [n, lefts, expected] = [0, 1, 2].map(() => new Float64Array(workers.length));
  for (let i = 0; i < label.length; i++) {
    if (label[i] !== LEFT && label[i] !== RIGHT) continue;
    n[worker[i]]++;
    if (label[i] === LEFT) lefts[worker[i]]++;
    expected[worker[i]] += logistic(score[left[i]] - score[right[i]]);
  }
  return Array.from(n, (all, u) => {
    const onLeft = 2 * lefts[u] >= all;
    const share = (onLeft ? lefts[u] : all - lefts[u]) / all;
    const usual = (onLeft ? expected[u] : all - expected[u]) / all;
    return all >= 10 && share >= 0.95 && usual <= 0.8;
  });
}
