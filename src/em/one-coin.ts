/**
 * M step of one skill per worker: right labels over all labels, with pseudo-labels of both kinds.
 *
 *   skill[w] = (hits[w] + right + pastRight[w]) / (labels[w] + right + wrong + past[w])
 */
import { FLOOR } from "../belief/shares.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { createClassPrior, expectClasses, openTask } from "./class-prior.ts";
import type { LiveContext, LiveModel } from "./live.ts";

/** What is believed of workers before their labels are seen. */
export interface CoinSettings {
  /** Right and wrong pseudo-labels per worker. */
  readonly right: number;
  readonly wrong: number;
}

/** Right labels and all labels of each worker's past. */
export interface CoinPast {
  readonly right: Float64Array;
  readonly all: Float64Array;
}

/** Counts the labels of each worker's past; abstentions do not count. */
export function coinPast(
  history: Float64Array | undefined,
  W: number,
  K: number,
  L: number,
): CoinPast {
  const right = new Float64Array(W);
  const all = new Float64Array(W);
  for (let w = 0; history && w < W; w++) {
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < K; l++) all[w] += history[(w * K + k) * L + l];
      right[w] += history[(w * K + k) * L + k];
    }
  }
  return { right, all };
}

/**
 * Returns the skill of worker `w`, whose expected right labels are the sum of hits[from..to) and who
 * gave `labels` labels that name one of K classes. A worker who came after the past has none.
 */
export function estimateSkill(
  hits: Float64Array,
  from: number,
  to: number,
  labels: number,
  w: number,
  { right, wrong }: CoinSettings,
  past: CoinPast,
  K: number,
): number {
  let sum = right + (past.right[w] ?? 0);
  for (let at = from; at < to; at++) sum += hits[at];
  const all = right + wrong + (past.all[w] ?? 0) + labels;
  return clipSkill(all > 0 ? sum / all : 1 / K);
}

/** Keeps a skill away from 0 and 1, so that its logarithms are finite. */
export function clipSkill(skill: number): number {
  return Math.min(1 - FLOOR, Math.max(FLOOR, skill));
}

/** Returns by how much a label of a worker multiplies the odds of its class. */
export function oddsRatio(skill: number, K: number): number {
  // One class leaves nothing to be wrong about.
  return K > 1 ? (skill * (K - 1)) / (1 - skill) : 1;
}

/**
 * Adds to `sum` what a worker's labels and pseudo-labels contribute to the objective beyond their odds
 * ratios: every label as if it were wrong, and the log density of the skill.
 */
export function addSkillDensity(
  sum: number,
  skill: number,
  labels: number,
  w: number,
  { right, wrong }: CoinSettings,
  past: CoinPast,
  K: number,
): number {
  const pastRight = past.right[w] ?? 0;
  const logWrong = Math.log((1 - skill) / (K - 1));
  let objective = sum + labels * logWrong;
  objective += (right + pastRight) * Math.log(skill);
  objective += (wrong + (past.all[w] ?? 0) - pastRight) * logWrong;
  return objective;
}

/** Statistics per worker: expected right labels, and all labels that name a class. */
const CELLS = 2;

/** Returns the model in the form that live inference keeps up to date. */
export function liveCoin(
  options: CoinSettings & { readonly prior: "learn" | "uniform" },
  { K, L, known }: LiveContext,
): LiveModel {
  const prior = createClassPrior({ classes: { length: K } }, known, options.prior);
  const past = coinPast(known.history, (known.history?.length ?? 0) / (K * L), K, L);
  const skillOf = (statistics: Float64Array, w: number): number => {
    const at = w * CELLS;
    return estimateSkill(statistics, at, at + 1, statistics[at + 1], w, options, past, K);
  };
  return {
    cells: CELLS,
    width: CELLS,
    pools: false,
    prior: prior.shares,
    mass: (label, weight) => (label < K ? weight : 0),
    unit: (label, belief, at, into) => countHit(belief[at + label], into),
    learn: (totals) => prior.update(totals.tasks),
    open: (base, at, scores) => openTask(prior.factor, base, at, scores),
    hear(statistics, w, label, weight, scores) {
      if (label < K) scores[label] += weight * Math.log(oddsRatio(skillOf(statistics, w), K));
    },
    close: (scores) => {
      normalizeLog(scores, 0, K);
    },
    skills: (statistics, W) => Float64Array.from({ length: W }, (_, w) => skillOf(statistics, w)),
    objective(statistics, W, totals) {
      let sum = expectClasses(totals.tasks, prior.factor) + prior.logDensity();
      for (let w = 0; K > 1 && w < W; w++) {
        const skill = skillOf(statistics, w);
        sum += statistics[w * CELLS] * Math.log(oddsRatio(skill, K));
        sum = addSkillDensity(sum, skill, statistics[w * CELLS + 1], w, options, past, K);
      }
      return sum;
    },
  };
}

/** Writes a label's probability of being right, and one for the label itself; returns cell 0. */
export function countHit(right: number, into: Float64Array): number {
  into[0] = right;
  into[1] = 1;
  return 0;
}
