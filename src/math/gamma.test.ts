import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digamma, logBeta, logGamma, logMultivariateBeta, trigamma } from "./gamma.ts";

// x, log Γ(x), ψ(x), ψ′(x) with 60 digits by mpmath 1.4 (loggamma, digamma, polygamma), rounded.
const reference = [
  [0.001, 6.907178885383853, -1000.5755719318103, 1000001.6425331958],
  [0.01, 4.599479878042022, -100.56088545786866, 10001.621213528313],
  [0.1, 2.252712651734206, -10.423754940411076, 101.43329915079275],
  [0.5, 0.5723649429247001, -1.9635100260214235, 4.934802200544679],
  [1, 0, -0.5772156649015329, 1.6449340668482264],
  [1.25, -0.09827183642181316, -0.22745353337626542, 1.1973291545071107],
  [1.4616321449683622, -0.12148629053584961, -9.241265521729427e-17, 0.9676722454476212],
  [2, 0, 0.42278433509846713, 0.6449340668482264],
  [2.5, 0.2846828704729192, 0.7031566406452432, 0.49035775610023485],
  [3.75, 1.4868155785934172, 1.1825373886117962, 0.3053398526902531],
  [6.999, 6.577378504451513, 1.8726307781540714, 0.15356871203197223],
  [7, 6.579251212010101, 1.8727843350984672, 0.15354517795933756],
  [10.5, 13.940625219403763, 2.3030010342976865, 0.09991695605912673],
  [33.3, 82.60372358165495, 3.490467238520243, 0.030485444095338887],
  [100, 359.1342053695754, 4.600161852738087, 0.010050166663333571],
  [1234.5, 7550.550901077895, 7.118016231827998, 0.0008103727271269667],
  [1e6, 12815504.569147613, 13.815510057964191, 1.0000005000001667e-6],
  [1e10, 220258509288.81058, 23.025850929890456, 1.00000000005e-10],
  [1e15, 3.3538776394910668e16, 34.538776394910684, 1.0000000000000005e-15],
];

describe("published numbers", () => {
  it.each(reference)("agrees with mpmath at %s", (x, logarithm, first, second) => {
    expect(away(logGamma(x), logarithm)).toBeLessThan(1e-14);
    expect(away(digamma(x), first)).toBeLessThan(1e-14);
    expect(away(trigamma(x), second)).toBeLessThan(1e-14);
  });

  it("repeats the constants everyone knows", () => {
    expect(digamma(1)).toBeCloseTo(-0.5772156649015329, 14);
    expect(digamma(0.5)).toBeCloseTo(-1.9635100260214235, 14);
    expect(digamma(0.1)).toBeCloseTo(-10.42375494041108, 13);
    expect(logGamma(0.5)).toBeCloseTo(0.5723649429247001, 14);
    expect(trigamma(1)).toBeCloseTo(Math.PI ** 2 / 6, 14);
  });

  // a, b, log Γ(a) + log Γ(b) - log Γ(a + b) with 60 digits by mpmath, rounded.
  it.each([
    [0.001, 0.001, 7.600900817008347],
    [0.5, 0.5, 1.1447298858494002],
    [1, 3, -1.0986122886681098],
    [0.01, 50, 4.560458971309088],
    [2.5, 7.5, -4.982780372849818],
    [30, 40, -48.30174909591612],
    [1e6, 1, -13.815510557964274],
    [1e6, 0.5, -6.335390211057437],
    [1e6, 2e6, -1909548.290968533],
    [1e12, 3, -82.1999161672287],
  ])("gives log B(%s, %s) as mpmath does", (a, b, expected) => {
    expect(away(logBeta(a, b), expected)).toBeLessThan(1e-14);
    expect(logBeta(b, a)).toBe(logBeta(a, b));
  });

  // alpha, Σ log Γ(alpha) - log Γ(Σ alpha) with 60 digits by mpmath, rounded.
  it.each<[number[], number]>([
    [[1, 1, 1], -Math.LN2],
    [[0.5, 0.5, 0.5, 0.5], 2.2894597716988003],
    [[0.01, 0.02, 3], 8.472423833282672],
    [[10, 200, 3000], -817.7521223600837],
    [[1e6, 1, 1], -27.631022115928047],
  ])("gives log B(%s) as mpmath does", (alpha, expected) => {
    expect(away(logMultivariateBeta(alpha), expected)).toBeLessThan(1e-14);
    expect(away(logMultivariateBeta([9, ...alpha, 9], 1, alpha.length + 1), expected)).toBeLessThan(
      1e-14,
    );
  });
});

describe("invariants", () => {
  const positive = fc.double({ min: 1e-3, max: 1e6, noNaN: true });

  it("follows the recurrences from x to x + 1", () => {
    fc.assert(
      fc.property(positive, (x) => {
        expect(away(logGamma(x + 1), logGamma(x) + Math.log(x))).toBeLessThan(1e-13);
        // Rounding of x + 1 itself moves the result by ψ′ times half a unit in its last digit.
        expect(away(digamma(x + 1), digamma(x) + 1 / x)).toBeLessThan(1e-12);
        expect(away(trigamma(x + 1), trigamma(x) - 1 / (x * x))).toBeLessThan(1e-9);
      }),
    );
  });

  it("has digamma as the slope of logGamma, and trigamma as the slope of digamma", () => {
    for (const x of [0.3, 1, 2.2, 6.99999, 7.00001, 40]) {
      const h = 1e-5 * x;
      expect((logGamma(x + h) - logGamma(x - h)) / (2 * h)).toBeCloseTo(digamma(x), 7);
      expect((digamma(x + h) - digamma(x - h)) / (2 * h)).toBeCloseTo(trigamma(x), 7);
    }
  });

  it("has no step where the recurrence gives way to the series", () => {
    const below = 7 - 2 ** -50;
    for (const f of [logGamma, digamma, trigamma]) expect(away(f(below), f(7))).toBeLessThan(1e-14);
  });
});

describe("limits", () => {
  it("has its poles at 0", () => {
    expect(logGamma(0)).toBe(Infinity);
    expect(digamma(0)).toBe(-Infinity);
    expect(trigamma(0)).toBe(Infinity);
    expect(logBeta(0, 3)).toBe(Infinity);
    expect(logMultivariateBeta([2, 0, 3])).toBe(Infinity);
  });

  it("stays sane at the ends of the double range", () => {
    expect(logGamma(1e-300)).toBeCloseTo(300 * Math.LN10, 10);
    expect(logGamma(Infinity)).toBe(Infinity);
    expect(logGamma(1e306)).toBe(Infinity);
    expect(digamma(1e300)).toBeCloseTo(300 * Math.LN10, 10);
    expect(digamma(1e-300)).toBeCloseTo(-1e300, -288);
    expect(trigamma(1e300)).toBeCloseTo(0, 15);
  });

  it("refuses what has no logarithm", () => {
    expect(() => logGamma(-1)).toThrow("logGamma: the argument must be at least 0, not -1.");
    expect(() => digamma(Number.NaN)).toThrow("digamma: the argument must be at least 0, not NaN.");
    expect(() => logBeta(-2, 3)).toThrow("logBeta: the argument must be at least 0, not -2.");
    expect(() => logMultivariateBeta([1, -2])).toThrow("at least 0, not -2.");
    expect(() => logMultivariateBeta([])).toThrow("logMultivariateBeta: alpha is empty.");
    expect(() => logMultivariateBeta([1, Infinity])).toThrow("alpha is infinite");
  });
});

/** Relative error where the expected number is large, absolute where it is small. */
function away(found: number, expected: number): number {
  return Math.abs(found - expected) / Math.max(1, Math.abs(expected));
}
