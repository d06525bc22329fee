import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mean, pearson, quantile, ranks, spearman, variance } from "./statistics.ts";

const list = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 });

describe("published numbers", () => {
  // R 4: x <- c(2, 4, 4, 4, 5, 5, 7, 9); mean(x); var(x); quantile(x, c(.1, .25, .5, .9))
  it("repeats what R gives for a small list", () => {
    const x = [2, 4, 4, 4, 5, 5, 7, 9];
    expect(mean(x)).toBe(5);
    expect(variance(x)).toBeCloseTo(4.571428571428571, 14);
    expect([0.1, 0.25, 0.5, 0.9].map((p) => quantile(x, p))).toEqual([
      expect.closeTo(3.4, 12),
      4,
      4.5,
      expect.closeTo(7.6, 12),
    ]);
  });

  it("repeats correlations that can be worked out by hand", () => {
    expect(pearson([1, 2, 3, 4], [1, 3, 2, 4])).toBeCloseTo(0.8, 14);
    expect(spearman([1, 2, 3, 4], [10, 1000, 100, 10_000])).toBeCloseTo(0.8, 14);
    // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / √(4.5 · 5).
    expect(spearman([1, 2, 2, 3], [1, 2, 3, 4])).toBeCloseTo(Math.sqrt(0.9), 14);
  });

  it("gives equal values the mean of their ranks", () => {
    expect([...ranks([30, 10, 20, 20, 10, 10])]).toEqual([6, 2, 4.5, 4.5, 2, 2]);
    expect([...ranks([])]).toEqual([]);
  });
});

describe("invariants", () => {
  it("keeps the mean and every quantile between the smallest and the largest", () => {
    fc.assert(
      fc.property(list, fc.double({ min: 0, max: 1, noNaN: true }), (values, p) => {
        const sorted = Float64Array.from(values).sort();
        const [low, high] = [sorted[0], sorted[sorted.length - 1]];
        for (const x of [mean(values), quantile(sorted, p)]) {
          expect(x).toBeGreaterThanOrEqual(low - 1e-9);
          expect(x).toBeLessThanOrEqual(high + 1e-9);
        }
        expect(quantile(sorted, 0)).toBe(low);
        expect(quantile(sorted, 1)).toBe(high);
      }),
    );
  });

  it("has a variance that ignores shifts and squares scales", () => {
    const short = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2 });
    fc.assert(
      fc.property(short, (values) => {
        const v = variance(values);
        expect(variance(values.map((x) => x + 1e9))).toBeCloseTo(v, 6);
        expect(variance(values.map((x) => 3 * x))).toBeCloseTo(9 * v, 6);
      }),
    );
  });

  it("has correlations that are symmetric, within one, and one with oneself", () => {
    const pairs = fc.array(fc.tuple(fc.integer(), fc.integer()), { minLength: 2 });
    fc.assert(
      fc.property(pairs, (rows) => {
        const x = rows.map(([a]) => a);
        const y = rows.map(([, b]) => b);
        for (const correlate of [pearson, spearman]) {
          const r = correlate(x, y);
          expect(Math.abs(r)).toBeLessThanOrEqual(1);
          expect(correlate(y, x)).toBeCloseTo(r, 12);
          expect(
            correlate(
              x,
              y.map((v) => -v),
            ),
          ).toBeCloseTo(-r, 12);
          expect(correlate(x, x)).toBeLessThanOrEqual(1);
          expect(correlate(x, x)).toBeCloseTo(new Set(x).size > 1 ? 1 : 0, 12);
        }
      }),
    );
  });

  it("has ranks that sum to n (n + 1) / 2", () => {
    fc.assert(
      fc.property(list, (values) => {
        const n = values.length;
        expect(ranks(values).reduce((a, b) => a + b)).toBe((n * (n + 1)) / 2);
      }),
    );
  });
});

describe("limits", () => {
  it("adds without losing digits, and without overflow", () => {
    expect(mean(new Array(10).fill(0.1))).toBe(0.1);
    expect(mean([1e100, 1, -1e100])).toBe(1 / 3);
    expect(mean([1.5e308, 1.5e308])).toBe(1.5e308);
    expect(variance([0.1, 0.1, 0.1])).toBe(0);
    expect(pearson([1e200, -1e200, 3e200], [1e-200, -1e-200, 3e-200])).toBeCloseTo(1, 14);
  });

  it("has no spread in one value and no correlation with a constant", () => {
    expect(variance([3])).toBe(0);
    expect(pearson([0.1, 0.1, 0.1], [1, 2, 3])).toBe(0);
    expect(spearman([5], [7])).toBe(0);
  });

  it("takes infinite values in a quantile, unless it must mix them", () => {
    expect(quantile([1, Infinity, Infinity], 0.75)).toBe(Infinity);
    expect(quantile([-Infinity, 1], 1)).toBe(1);
    expect(() => quantile([-Infinity, 1], 0.5)).toThrow("none lies between -Infinity and 1.");
  });

  it("says what is wrong with a list", () => {
    for (const f of [mean, variance]) expect(() => f([])).toThrow("the list is empty.");
    expect(() => pearson([], [])).toThrow("pearson: the list is empty.");
    expect(() => spearman([], [])).toThrow("the list is empty.");
    expect(() => quantile([], 0.5)).toThrow("quantile: the list is empty.");
    expect(() => quantile([1], 2)).toThrow("quantile: p must be between 0 and 1, not 2.");
    expect(() => mean([1, Number.NaN])).toThrow("mean: value 1 must be finite, not NaN.");
    expect(() => ranks([Number.NaN])).toThrow("ranks: value 0 must be finite, not NaN.");
    expect(() => pearson([1, 2], [1])).toThrow("must be equally long, not 2 and 1.");
  });
});
