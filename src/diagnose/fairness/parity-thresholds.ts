/**
 * One threshold on probabilities per group, so that shares of positive answers differ by at most a target and the expected
 * number of errors is least.
 *
 *   minimise  Σ_t (positive: 1 − p[t], negative: p[t])   with   max_a share[a] − min_a share[a] ≤ gap
 *
 * In each group, tasks are sorted by probability and the threshold falls between two different ones. Expected errors are
 * convex in the number of positives, so that within a band of shares the best cut is the one nearest to probability ½.
 * The lower end of the band runs over all shares that some cut gives. O(T G log T), exact.
 *
 * Parity of answers is not fairness of errors: if the classes truly differ between groups, it makes more errors.
 *
 * Hardt, Price & Srebro (2016), NeurIPS. https://arxiv.org/abs/1610.02413
 */
import { CrowdError } from "../../error.ts";
import { maxOf, minOf } from "../../math/lists.ts";
import { groupingOf } from "./attributes.ts";

/** The threshold of one group. */
export interface GroupThreshold {
  readonly group: string;
  readonly tasks: number;
  /** A task is positive if its probability is at least this; 2 if none is. */
  readonly threshold: number;
  /** Share of positive tasks. */
  readonly share: number;
}

/** Thresholds that meet a parity target. */
export interface ParityThresholds {
  readonly thresholds: readonly GroupThreshold[];
  /** 1 for positive, 0 for negative, -1 for tasks without a group. */
  readonly positive: Int32Array;
  /** The largest difference between shares of groups. */
  readonly gap: number;
  /** Expected share of wrong answers, if the probabilities are right; and with a threshold of ½ for all. */
  readonly expectedError: number;
  readonly freeError: number;
}

/** The places where a threshold can be: from no positives to all, with expected errors. */
interface Cuts {
  readonly tasks: number;
  readonly shares: number[];
  readonly errors: number[];
  readonly thresholds: number[];
  /** The cut with the fewest expected errors. */
  readonly best: number;
}

/** Finds the thresholds for probabilities of the positive class; `groups[task]` by name. */
export function parityThresholds(
  probability: ArrayLike<number>,
  groups: readonly string[],
  { gap }: { readonly gap: number },
): ParityThresholds {
  const p = Array.from(probability);
  if (!(gap >= 0)) {
    throw new CrowdError("bad-option", `parityThresholds: gap must be at least 0, not ${gap}.`);
  }
  const wrong = p.findIndex((each) => !(each >= 0 && each <= 1));
  if (wrong >= 0) {
    throw new CrowdError(
      "bad-data",
      `parityThresholds: the probability of task ${wrong} is ${p[wrong]}. Give one from 0 to 1 per task.`,
    );
  }
  const { names, of } = groupingOf("task", groups, p.length);
  const all = names.map((_, g) => cutsOf(p.filter((__, t) => of[t] === g)));
  const chosen = sweep(all, gap);
  const shares = all.map(({ shares: list }, g) => list[chosen[g]]);
  const thresholds = all.map((cuts, g) => cuts.thresholds[chosen[g]]);
  const total = all.reduce((sum, { tasks }) => sum + tasks, 0);
  const errors = (at: (g: number) => number) =>
    all.reduce((sum, cuts, g) => sum + cuts.errors[at(g)], 0) / total;
  return {
    thresholds: names.map((group, g) => ({
      group,
      tasks: all[g].tasks,
      threshold: thresholds[g],
      share: shares[g],
    })),
    positive: Int32Array.from(p, (each, t) => (of[t] < 0 ? -1 : Number(each >= thresholds[of[t]]))),
    gap: maxOf(shares) - minOf(shares),
    expectedError: errors((g) => chosen[g]),
    freeError: errors((g) => all[g].best),
  };
}

function cutsOf(values: readonly number[]): Cuts {
  const sorted = values.toSorted((a, b) => b - a);
  const n = sorted.length;
  const cuts = { tasks: n, shares: [0], errors: [0], thresholds: [2], best: 0 };
  let error = sorted.reduce((sum, each) => sum + each, 0);
  cuts.errors[0] = error;
  for (let m = 1; m <= n; m++) {
    error += 1 - 2 * sorted[m - 1];
    if (m < n && sorted[m] === sorted[m - 1]) continue;
    cuts.shares.push(m / n);
    cuts.errors.push(error);
    cuts.thresholds.push(sorted[m - 1]);
    if (error < cuts.errors[cuts.best] - 1e-12) cuts.best = cuts.errors.length - 1;
  }
  return cuts;
}

/** Returns the cut of each group with the fewest errors in all whose shares lie within one band. */
function sweep(all: readonly Cuts[], gap: number): number[] {
  const lows = [...new Set(all.flatMap(({ shares }) => shares))];
  let [best, least]: [number[], number] = [all.map(() => 0), Infinity];
  for (const low of lows) {
    let errors = 0;
    const chosen = all.map((cuts) => {
      const from = firstAtLeast(cuts.shares, low - 1e-12);
      const to = firstAtLeast(cuts.shares, low + gap + 1e-12) - 1;
      const at = Math.max(from, Math.min(to, cuts.best));
      errors += from <= to ? cuts.errors[at] : Infinity;
      return at;
    });
    if (errors < least - 1e-12) [best, least] = [chosen, errors];
  }
  return best;
}

/** Returns the first index of an ascending list with at least this value, its length if there is none. */
function firstAtLeast(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] >= value) high = middle;
    else low = middle + 1;
  }
  return low;
}
