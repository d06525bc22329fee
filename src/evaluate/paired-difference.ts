/** Whether one method is better than another on the same tasks: the mean difference, with an interval. */
import { CrowdError } from "../error.ts";
import { binomial } from "../math/distributions.ts";
import { createRandom, type Random } from "../math/random.ts";
import { quantile } from "../math/statistics.ts";
import type { Interval } from "./accuracy.ts";

/** Mean difference of two methods over the same tasks, with a 95 % interval. */
export interface Difference extends Interval {
  /** Share of bootstrap draws on the other side of 0, twice the smaller: a two-sided p-value. */
  readonly p: number;
  readonly tasks: number;
}

/**
 * Mean of a − b over tasks, by bootstrap of tasks. Scores are one number per task (credits, losses);
 * equal differences are drawn together, so accuracies of any size take no time.
 */
export function pairedDifference(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  { draws = 2000, seed = 0, level = 0.95 }: { draws?: number; seed?: number; level?: number } = {},
): Difference {
  if (a.length !== b.length || a.length === 0) {
    throw new CrowdError(
      "bad-data",
      `Two methods are compared on the same tasks, at least one: not on ${a.length} and ${b.length}.`,
    );
  }
  const counts = new Map<number, number>();
  for (let t = 0; t < a.length; t++) {
    // Differences that only rounding tells apart are one.
    const gap = Math.round((a[t] - b[t]) * 1e9) / 1e9;
    counts.set(gap, (counts.get(gap) ?? 0) + 1);
  }
  const gaps = [...counts].sort(([x], [y]) => x - y);
  const mean = gaps.reduce((sum, [gap, n]) => sum + gap * n, 0) / a.length;
  const random = createRandom(seed).split("paired");
  const drawn = Float64Array.from({ length: draws }, () => redraw(gaps, a.length, random)).sort();
  const tail = (1 - level) / 2;
  const below = drawn.filter((x) => x <= 0).length / draws;
  const above = drawn.filter((x) => x >= 0).length / draws;
  return {
    value: mean,
    low: Math.min(mean, quantile(drawn, tail)),
    high: Math.max(mean, quantile(drawn, 1 - tail)),
    p: Math.min(1, 2 * Math.min(below, above)),
    tasks: a.length,
  };
}

/** The mean of n tasks drawn anew: a multinomial over the distinct differences. */
function redraw(gaps: readonly (readonly [number, number])[], n: number, random: Random): number {
  let [left, mass, sum] = [n, n, 0];
  for (const [gap, count] of gaps) {
    const taken = count >= mass ? left : binomial(random, left, count / mass);
    sum += gap * taken;
    left -= taken;
    mass -= count;
  }
  return sum / n;
}
