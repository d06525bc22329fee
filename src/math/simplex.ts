/**
 * The nearest probabilities to any numbers, in the Euclidean sense.
 *
 * The answer is max(v - θ, 0) with the one θ that makes it sum to 1. Sorted from the largest, θ is
 * settled by the longest run of values that stay above it. O(n log n).
 *
 * Held, Wolfe & Crowder (1974), Math. Programming 6, 62–88. https://doi.org/10.1007/BF01580223
 */
import { CrowdError } from "../error.ts";

/** Replaces values[from..to) by the nearest point whose entries are at least 0 and sum to 1. */
export function projectToSimplex(values: Float64Array, from = 0, to = values.length): void {
  if (from >= to) return;
  let max = -Infinity;
  for (let i = from; i < to; i++) {
    if (!Number.isFinite(values[i])) {
      const found = `value ${i} must be finite, not ${values[i]}`;
      throw new CrowdError("bad-data", `projectToSimplex: ${found}.`);
    }
    if (values[i] > max) max = values[i];
  }
  // Adding a constant changes nothing, and with a largest value of 0 no digit is lost to θ.
  for (let i = from; i < to; i++) values[i] -= max;
  const sorted = values.slice(from, to).sort();
  let sum = 0;
  let threshold = 0;
  for (let count = 1; count <= sorted.length; count++) {
    const value = sorted[sorted.length - count];
    const candidate = (sum + value - 1) / count;
    if (value <= candidate) break;
    sum += value;
    threshold = candidate;
  }
  for (let i = from; i < to; i++) values[i] = Math.max(0, values[i] - threshold);
}
