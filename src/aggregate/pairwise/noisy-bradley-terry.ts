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
import { CrowdError, plural } from "../../error.ts";
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
import { boundNote, collapse, type Pairs, type Part, partsOf } from "./pairs.ts";
import { centredDiagonal, MOST_ERRORS } from "./profiled-errors.ts";
import { type PairwiseResult, type RankingOf, ranker } from "./ranker.ts";
import { climb, fitOf, opponent, startOf } from "./score-fit.ts";
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
    cost: "O(N) per iteration, O(K³) once for the errors of up to 2,000 items K",
    memory: ({ classes }) => 16 * Math.min(classes, MOST_ERRORS) ** 2,
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
    const task = {
      id: "noisy-bradley-terry",
      pairs: countsOf(pairs, answers),
      parts: partsOf(data),
      model: half,
      prior: opponent(options.penalty),
      left: false,
    };
    const fit = fitOf(task, data.items.length);
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
      sd: noisyErrors(fit.pairs, answers, fit.parts, { score: at.score, k, q }, options.penalty),
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
          ? [
              `${plural(some, "worker", "workers")} chose one side nearly always: the reliability is that of the prior.`,
            ]
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

/** Scores and the two numbers of each judge. */
interface Noisy {
  readonly score: Float64Array;
  readonly k: Float64Array;
  readonly q: Float64Array;
}

/** Second derivatives of one judge's answers: between scores and k, scores and q, and of k and q; signs turned. */
interface JudgeBends {
  readonly withK: Map<number, number>;
  readonly withQ: Map<number, number>;
  kk: number;
  qq: number;
  kq: number;
}

/**
 * Standard errors from the information of the scores once k and q of every judge are maximised over, as in crowd-bt, with
 * two numbers per judge instead of one.
 */
function noisyErrors(
  { first, second }: Pairs,
  { judge, pair, outcome, weight }: Answers,
  parts: readonly Part[],
  { score, k, q }: Noisy,
  penalty: number,
): Float64Array {
  const n = score.length;
  if (n > MOST_ERRORS) return new Float64Array(n).fill(Number.NaN);
  const S = new Float64Array(n * n);
  score.forEach((s, i) => {
    S[i * n + i] = 2 * penalty * logistic(s) * logistic(-s);
  });
  const judges = Array.from(
    k,
    (p, u): JudgeBends => ({
      withK: new Map(),
      withQ: new Map(),
      kk: BY_SCORES / p ** 2 + BLIND / (1 - p) ** 2,
      qq: SIDE / q[u] ** 2 + SIDE / (1 - q[u]) ** 2,
      kq: 0,
    }),
  );
  for (let i = 0; i < pair.length; i++) {
    const [u, left] = [judge[i], outcome[i] === FIRST];
    const [a, b] = left ? [first[pair[i]], second[pair[i]]] : [second[pair[i]], first[pair[i]]];
    const p = logistic(score[a] - score[b]);
    const blind = left ? q[u] : 1 - q[u];
    const all = k[u] * p + (1 - k[u]) * blind;
    const byLead = (k[u] * p * (1 - p)) / all;
    const byK = (p - blind) / all;
    const byQ = ((left ? 1 : -1) * (1 - k[u])) / all;
    const bend = weight[i] * (byLead ** 2 - byLead * (1 - 2 * p));
    S[a * n + a] += bend;
    S[b * n + b] += bend;
    S[a * n + b] -= bend;
    S[b * n + a] -= bend;
    const own = judges[u];
    addTo(own.withK, a, b, weight[i] * (byLead * byK - (p * (1 - p)) / all));
    addTo(own.withQ, a, b, weight[i] * byLead * byQ);
    own.kk += weight[i] * byK ** 2;
    own.qq += weight[i] * byQ ** 2;
    own.kq += weight[i] * (byK * byQ + (left ? 1 : -1) / all);
  }
  for (const own of judges) takeOff(S, n, own);
  return centredDiagonal(S, n, parts);
}

function addTo(row: Map<number, number>, a: number, b: number, x: number): void {
  row.set(a, (row.get(a) ?? 0) + x);
  row.set(b, (row.get(b) ?? 0) - x);
}

/** S -= Bᵀ D⁻¹ B of one judge; a judge whose D is no information takes nothing off. */
function takeOff(S: Float64Array, n: number, { withK, withQ, kk, qq, kq }: JudgeBends): void {
  const determinant = kk * qq - kq * kq;
  if (!(determinant > 0)) return;
  for (const [a, ka] of withK) {
    const qa = withQ.get(a) ?? 0;
    for (const [b, kb] of withK) {
      const qb = withQ.get(b) ?? 0;
      const taken = qq * ka * kb - kq * (ka * qb + qa * kb) + kk * qa * qb;
      S[a * n + b] -= taken / determinant;
    }
  }
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
