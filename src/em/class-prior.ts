/** M step of P(class): learnt from the posterior, uniform, or given; and what is known of single tasks. */

import type { Known } from "../belief/known.ts";
import { sharesOf } from "../belief/shares.ts";

export const priorOption = {
  prior: {
    default: "learn",
    choices: ["learn", "uniform"],
    help: "Class prior: learned, or uniform. A known prior overrides both.",
  },
} as const;

export interface ClassPrior {
  /** P(class). */
  readonly shares: Float64Array;
  /** What the E step multiplies: `shares`, or ones where each task has a prior of its own. */
  readonly factor: Float64Array;
  /** Learns from the summed posteriors, unless it is fixed. */
  update(totals: Float64Array): void;
  /** Log density of the pseudo-tasks under `shares`, without its constant. */
  logDensity(): number;
}

/** What a prior over classes is made for: anything with a list of classes. */
export interface HasClasses {
  readonly classes: { readonly length: number };
}

export function createClassPrior(
  data: HasClasses,
  known: Known,
  rule: "learn" | "uniform",
): ClassPrior {
  const K = data.classes.length;
  const shares = known.prior ? new Float64Array(K) : new Float64Array(K).fill(1 / K);
  if (known.prior) sharesOf(known.prior, shares);
  const factor = known.taskPrior ? new Float64Array(K).fill(1) : shares;
  const pseudo = known.priorCounts ?? new Float64Array(K);
  const without = uncounted(known, K);
  const fixed = known.prior !== undefined || rule === "uniform";
  return {
    shares,
    factor,
    update(totals) {
      // With a prior for each task this one is only reported.
      if (fixed && !known.taskPrior) return;
      estimateShares(totals, without, pseudo, shares);
    },
    logDensity: () => (fixed || known.taskPrior ? 0 : sharesLogDensity(pseudo, shares)),
  };
}

/** Returns the tasks of each class that do not count: gold chosen by class does not say how common it is. */
export function uncounted(known: Known, K: number): Float64Array {
  const without = new Float64Array(K);
  if (known.gold && known.goldInPrior === false)
    for (const k of known.gold) if (k >= 0) without[k]++;
  return without;
}

/** Writes P(class) from the expected tasks of each class, less `without`, plus pseudo-tasks. */
export function estimateShares(
  totals: Float64Array,
  without: Float64Array,
  pseudo: Float64Array,
  shares: Float64Array,
): void {
  sharesOf(
    totals.map((total, k) => Math.max(0, total - without[k]) + pseudo[k]),
    shares,
  );
}

/** Returns the log density of the pseudo-tasks under `shares`, without its constant. */
export function sharesLogDensity(pseudo: Float64Array, shares: Float64Array): number {
  return pseudo.reduce((sum, a, k) => sum + a * Math.log(shares[k]), 0);
}

/** Returns the expected log-likelihood of the classes: Σ totals · log factor. */
export function expectClasses(totals: Float64Array, factor: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < totals.length; k++) {
    if (totals[k] > 0) sum += totals[k] * Math.log(factor[k]);
  }
  return sum;
}

/** Writes the logs of prior times base[at + class] to scores[class]. */
export function openTask(
  factor: Float64Array,
  base: Float64Array | undefined,
  at: number,
  scores: Float64Array,
): void {
  for (let k = 0; k < factor.length; k++) {
    scores[k] = Math.log(base ? factor[k] * base[at + k] : factor[k]);
  }
}
