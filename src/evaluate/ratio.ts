/** Scores that are ratios of sums over tasks, such as F1. */
import type { Interval } from "./accuracy.ts";

/** A ratio of sums with an interval over tasks, and what each task adds to it. */
export function ratioOverTasks(
  above: readonly number[],
  below: readonly number[],
): { interval: Interval; credits: Float64Array } {
  const n = above.length;
  const sum = (list: readonly number[]) => list.reduce((total, x) => total + x, 0);
  const whole = sum(below);
  const value = sum(above) / whole;
  const misses = above.map((x, i) => (x - value * below[i]) / whole);
  const half =
    1.96 * Math.sqrt((n / (n - 1)) * misses.reduce((squares, miss) => squares + miss * miss, 0));
  return {
    interval: { value, low: Math.max(0, value - half), high: Math.min(1, value + half) },
    credits: Float64Array.from(misses, (miss) => value + n * miss),
  };
}
