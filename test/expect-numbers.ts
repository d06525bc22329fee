import { expect } from "vitest";

/** Every row of K numbers is a distribution, to 1e-12. */
export function expectRows(values: Float64Array, K: number): void {
  for (let from = 0; from < values.length; from += K) {
    const row = values.subarray(from, from + K);
    expect(row.every((p) => p >= 0 && p <= 1)).toBe(true);
    expect(Math.abs(row.reduce((sum, p) => sum + p, 0) - 1)).toBeLessThan(1e-12);
  }
}

/** The largest difference between two arrays of the same length. */
export function largestDifference(a: Float64Array, b: Float64Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
}

/** No step lowers the objective by more than rounding. */
export function expectRising(steps: Iterable<{ readonly objective: number }>): void {
  let last = -Infinity;
  for (const { objective } of steps) {
    expect(objective).toBeGreaterThanOrEqual(last - 1e-9 * Math.abs(last));
    last = objective;
  }
}
