/**
 * Flip rates: judge u swaps winner and loser with probability e[u]; a tie stays a tie.
 *
 *   P(answer x of u) = (1 - e[u]) · P(x) + e[u] · P(x with winner and loser swapped)
 *   win : loss : tie = exp(d/2) : exp(-d/2) : nu,    d = score[left] - score[right] + advantage of the left side
 *
 * Maximum of the log-likelihood with the prior 1.8 log(1 - e) + .2 log e of each judge, a ridge on the scores and
 * log nu ~ N(0, 4), by EM: r = P(not swapped | answer), e[u] = (.2 + sum of 1 - r) / (2 + n[u]) over decided answers, and
 * Davidson's fit to answers that count r as they are and 1 - r swapped.
 *
 * The rate of a judge who gave a large share of the answers comes from a fit without him. Losses for training on
 * preferences that correct for a flip rate should take these rates.
 *
 * Davidson (1970), J. Am. Stat. Assoc. 65(329), 317–328. https://doi.org/10.1080/01621459.1970.10481082
 * Chen, Bennett, Collins-Thompson & Horvitz (2013), WSDM, 193–202. https://doi.org/10.1145/2433396.2433420
 */
import type { PairwiseData } from "../../data/pairwise.ts";
import { drain, type Steps } from "../../method.ts";
import {
  type Answers,
  alternate,
  answersOf,
  answersPerJudge,
  countsOf,
  EQUAL,
  FIRST,
  type JudgeModel,
  withoutHeavy,
  zeroOf,
} from "./judge-em.ts";
import { bothSides, boundNote, collapse, partsOf } from "./pairs.ts";
import { type PairwiseResult, type RankingOf, ranker } from "./ranker.ts";
import { climb, type Fit, fitOf, type Point, ridge, startOf } from "./score-fit.ts";
import { davidson, half } from "./tie-models.ts";

/** What the model of flip rates returns. */
export interface FlipRate extends PairwiseResult {
  /** Probability that each judge swaps winner and loser; for judges with more than 5 % of the answers from a fit without them. */
  readonly flip: Float64Array;
  /** 1 - `flip`. */
  readonly reliability: Float64Array;
  /** How common ties are: nu of Davidson's model; 0 without any. */
  readonly tie: number;
  /** What standing on the left adds to a score. */
  readonly left: number;
}

/** The prior of a flip rate as counts: answers kept, answers swapped. */
const [KEPT, SWAPPED] = [1.8, 0.2];

/** Flip rates: judges who swap winner and loser with a probability of their own, with ties and an advantage of the left side. */
export const flipRate = ranker(
  {
    id: "flip-rate",
    title: "Flip rates",
    summary:
      "Judges swap winner and loser with a probability of their own; ties and the left side have a parameter each.",
    paper: {
      authors: "X. Chen, P. N. Bennett, K. Collins-Thompson, E. Horvitz",
      year: 2013,
      title: "Pairwise ranking aggregation in a crowdsourced setting",
      url: "https://doi.org/10.1145/2433396.2433420",
    },
    family: "judges",
    cost: "O(N) per iteration",
    memory: ({ classes }) => 64 * classes,
    options: {
      penalty: {
        default: 0.1,
        min: 1e-6,
        help: "Strength of the penalty on squared scores.",
      },
      left: {
        default: true,
        help: "Fit an advantage of the left side, the same for all judges.",
      },
      maxIterations: {
        default: 500,
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
  function* (data, options): Steps<RankingOf<FlipRate>> {
    const { fit, pairs, decided, at, e, trace, converged } = yield* fitFlips(data, options);
    const flip = yield* withoutHeavy(
      data,
      answersPerJudge(decided, e.length),
      e,
      (without) => fitFlips(data, options, without),
      (others, u) => flipUnder(others.fit, others.at, decided, u),
    );
    const tie = fit.model === davidson ? Math.exp(at.x) : 0;
    return {
      score: at.score,
      sd: new Float64Array(data.items.length).fill(Number.NaN),
      flip,
      reliability: flip.map((x) => 1 - x),
      tie,
      left: at.left,
      answering: { ties: "davidson", tie, left: at.left, flip: e },
      trace,
      converged,
      notes: boundNote(pairs, data.items.length, options.penalty),
    };
  },
);

/** The options that the model needs. */
interface Settings {
  readonly penalty: number;
  readonly left: boolean;
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** Fits scores and flip rates, without the answers of some judges. */
function* fitFlips(
  data: PairwiseData,
  options: Settings,
  without: ReadonlySet<number> = new Set(),
) {
  const pairs = collapse(data, { sides: true });
  const answers = answersOf(data, pairs, without);
  const counts = countsOf(pairs, answers);
  const task = {
    id: "flip-rate",
    pairs: counts,
    parts: partsOf(data),
    model: counts.tied.some((count) => count > 0) ? davidson : half,
    prior: ridge(options.penalty),
    left: options.left && bothSides(counts),
  };
  const fit = fitOf(task, data.items.length);
  const e = new Float64Array(data.workers.length).fill(SWAPPED / (KEPT + SWAPPED));
  const limits = { maxIterations: 100, tolerance: options.tolerance };
  const start = drain(climb(fit, startOf(fit, data.items.length), limits)).at;
  const judges = flipModel(answers, fit, e);
  const { at, trace, converged } = yield* alternate(fit, judges, start, options);
  const decided = decidedOnly(answers);
  const count = answersPerJudge(decided, e.length);
  // Scores and judges turned together fit nearly as well; most answers are taken not to be swapped.
  const turned = count.reduce((sum, n, u) => sum + n * (0.5 - e[u]), 0) < 0;
  return {
    pairs,
    fit,
    decided,
    at: turned ? { ...at, score: at.score.map((s) => -s), left: -at.left } : at,
    e: turned ? e.map((x) => 1 - x) : e,
    trace,
    converged,
  };
}

/** Ties tell nothing of flips: they weigh nothing. */
function decidedOnly(answers: Answers): Answers {
  const { outcome, weight } = answers;
  return { ...answers, weight: weight.map((w, i) => (outcome[i] === EQUAL ? 0 : w)) };
}

/** P(first wins), P(second wins) and P(tie) of each pair where nobody swaps. */
function chancesAt({ pairs: { first, second }, model }: Fit, { score, x, left }: Point) {
  const [win, lose, tie] = [0, 1, 2].map(() => new Float64Array(first.length));
  for (let p = 0; p < first.length; p++) {
    const lead = score[first[p]] - score[second[p]] + left;
    const forth = model.chances(lead, x);
    win[p] = forth.win;
    tie[p] = forth.tie;
    lose[p] = model.chances(-lead, x).win;
  }
  return { win, lose, tie };
}

/** Judges who swap with probability e; the soft counts go into the pairs. */
function flipModel(
  { judge, pair, outcome, weight }: Answers,
  fit: Fit,
  e: Float64Array,
): JudgeModel {
  const { won, lost } = fit.pairs;
  const swapped = new Float64Array(e.length);
  const count = new Float64Array(e.length);
  return {
    expect(at) {
      const { win, lose, tie } = chancesAt(fit, at);
      for (const sums of [won, lost, swapped, count]) sums.fill(0);
      let objective = 0;
      for (let i = 0; i < pair.length; i++) {
        const [p, u] = [pair[i], judge[i]];
        if (outcome[i] === EQUAL) {
          objective += weight[i] * Math.log(tie[p]);
          continue;
        }
        const [said, other] = outcome[i] === FIRST ? [win[p], lose[p]] : [lose[p], win[p]];
        const all = (1 - e[u]) * said + e[u] * other;
        const r = ((1 - e[u]) * said) / all;
        objective += weight[i] * Math.log(all);
        swapped[u] += weight[i] * (1 - r);
        count[u] += weight[i];
        won[p] += weight[i] * (outcome[i] === FIRST ? r : 1 - r);
        lost[p] += weight[i] * (outcome[i] === FIRST ? 1 - r : r);
      }
      for (const x of e) objective += KEPT * Math.log(1 - x) + SWAPPED * Math.log(x);
      return objective;
    },
    maximise() {
      for (let u = 0; u < e.length; u++) {
        e[u] = (SWAPPED + swapped[u]) / (KEPT + SWAPPED + count[u]);
      }
    },
  };
}

/** The flip rate of a judge under what others' answers gave: the maximum of his likelihood and the prior. */
function flipUnder(
  fit: Fit,
  at: Point,
  { judge, pair, outcome, weight }: Answers,
  u: number,
): number {
  const { win, lose } = chancesAt(fit, at);
  const rows = Array.from(judge.keys()).filter((i) => judge[i] === u && weight[i] > 0);
  return zeroOf((e) => {
    let slope = SWAPPED / e - KEPT / (1 - e);
    for (const i of rows) {
      const p = pair[i];
      const [said, other] = outcome[i] === FIRST ? [win[p], lose[p]] : [lose[p], win[p]];
      slope += (weight[i] * (other - said)) / ((1 - e) * said + e * other);
    }
    return slope;
  });
}
