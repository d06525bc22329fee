import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  betaQuantile,
  chiSquareCdf,
  chiSquareQuantile,
  incompleteBeta,
  incompleteGamma,
  normalCdf,
  normalQuantile,
  studentCdf,
  studentQuantile,
  wilsonInterval,
} from "./incomplete.ts";

// Every table was made with mpmath 1.4 at 40 to 60 digits and rounded: the distribution functions
// by summing the positive series of the hypergeometric functions, the quantiles by bisecting them.
// SciPy 1.17 agrees except in far tails, where its gammainc can be off by 1e-6 and its inverse beta
// by orders of magnitude.
describe("published numbers", () => {
  it.each([
    [0.3, 2, 5, 0.579825],
    [0.5, 0.5, 0.5, 0.5],
    [1e-10, 0.5, 3, 1.874999999875e-5],
    [0.999, 0.5, 0.5, 0.9798649583666225],
    [0.2, 10, 0.5, 1.9949824936130947e-8],
    [0.99, 100, 1, 0.3660323412732292],
    [0.9, 50, 50, 1],
    [0.1, 50, 50, 3.2321822349737532e-24],
    [0.5, 1000, 1010, 0.5882698275437275],
    [0.4995, 1e6, 1e6, 0.07864957758090163],
    [0.501, 1e6, 1e6, 0.9976611505930685],
    [0.999999, 1e6, 0.5, 0.15729915515583529],
    [0.9999, 1e6, 30, 5.866182430295049e-17],
    [3e-7, 0.5, 1e6, 0.5614219510262887],
    [0.01, 0.01, 0.01, 0.47762076141618703],
    [0.25, 300000, 1e6, 1],
    [0.2, 7.5, 20000, 1],
  ])("incompleteBeta(%s, %s, %s) is %s", (x, a, b, expected) => {
    expect(relative(incompleteBeta(x, a, b), expected)).toBeLessThan(1e-12);
  });

  it.each([
    [0.025, 3, 9, 0.06021773417290664],
    [0.975, 3, 9, 0.5177558523601726],
    [0.5, 0.5, 0.5, 0.5],
    [1e-10, 0.5, 0.5, 2.4674011002723397e-20],
    [1e-12, 5, 2, 0.0027833732636848296],
    [0.999999, 2, 30, 0.4216888868848549],
    [0.01, 10000, 20000, 0.327018393875707],
    [0.3, 0.01, 0.02, 2.0289416312650609e-35],
    [1e-150, 2.2, 97.2, 1.0060856847265258e-70],
    [0.025, 1e6, 0.5, 0.9999974880594332],
  ])("betaQuantile(%s, %s, %s) is %s", (p, a, b, expected) => {
    expect(relative(betaQuantile(p, a, b), expected)).toBeLessThan(1e-12);
  });

  it.each([
    [0.5, 0.1, 0.345279153981423],
    [0.5, 30, 0.9999999999999906],
    [0.01, 1e-8, 0.8365102546852333],
    [1, 1, 0.6321205588285577],
    [3, 10, 0.9972306042844884],
    [10, 3, 0.0011024881301154798],
    [100, 100, 0.5132987982791487],
    [100, 150, 0.9999940754596646],
    [10000, 9800, 0.022207543813969693],
    [1e6, 1e6, 0.5001329807608725],
    [1e6, 995000, 2.749580359270071e-7],
    [1e6, 1.004e6, 0.9999676545526865],
    [887787.6488636056, 882646.2213999453, 2.2898190499421692e-8],
  ])("incompleteGamma(%s, %s) is %s", (a, x, expected) => {
    expect(relative(incompleteGamma(a, x), expected)).toBeLessThan(1e-12);
    expect(chiSquareCdf(2 * x, 2 * a)).toBe(incompleteGamma(a, x));
  });

  it.each([
    [0.975, 10, 20.483177350807395],
    [0.025, 10, 3.246972780236841],
    [0.5, 1, 0.4549364231195728],
    [1e-10, 1, 1.5707963267948968e-20],
    [0.999999, 3, 30.664849706154268],
    [0.95, 0.5, 2.420232274889524],
    [1e-200, 7, 2.901634052425924e-57],
    [0.01, 20000, 19537.673713393182],
    [0.99, 20000, 20468.20875831611],
  ])("chiSquareQuantile(%s, %s) is %s", (p, df, expected) => {
    expect(relative(chiSquareQuantile(p, df), expected)).toBeLessThan(1e-12);
  });

  it.each([
    [-37.5, 4.605353009581955e-308],
    [-20, 2.7536241186062337e-89],
    [-8, 6.220960574271784e-16],
    [-3, 0.0013498980316300946],
    [-1.959963984540054, 0.025000000000000012],
    [-0.5, 0.3085375387259869],
    [-1e-9, 0.49999999960105773],
    [0.3, 0.6179114221889527],
    [1, 0.8413447460685429],
    [2.5, 0.9937903346742238],
    [5, 0.9999997133484281],
    [8, 0.9999999999999993],
  ])("normalCdf(%s) is %s", (z, expected) => {
    expect(relative(normalCdf(z), expected)).toBeLessThan(1e-12);
  });

  it.each([
    [1e-300, -37.0470962993612],
    [1e-20, -9.262340089798407],
    [0.001, -3.0902323061678136],
    [0.025, -1.9599639845400543],
    [0.3, -0.5244005127080408],
    [0.4999, -0.00025066283008800747],
    [0.6, 0.2533471031357997],
    [0.975, 1.9599639845400538],
    [0.9999999, 5.199337582290661],
  ])("normalQuantile(%s) is %s", (p, expected) => {
    expect(relative(normalQuantile(p), expected)).toBeLessThan(1e-12);
  });

  it.each([
    [-2, 1, 0.14758361765043326],
    [-12.7, 1, 0.02501216384467208],
    [0.3, 2.5, 0.6063288142524014],
    [-4, 30, 0.00019092281804187843],
    [2, 30, 0.9726874775185085],
    [-1e-5, 7, 0.49999615008549175],
    [-1.9201461014370087, 4396059.5, 0.02741975604815518],
    [-25, 1000, 7.601770691660639e-108],
    [-1e8, 0.5, 3.207009754142229e-5],
  ])("studentCdf(%s, %s) is %s", (t, df, expected) => {
    expect(relative(studentCdf(t, df), expected)).toBeLessThan(1e-12);
  });

  it.each([
    [0.975, 1, 12.706204736174692],
    [0.975, 4, 2.7764451051977934],
    [0.025, 30, -2.042272456301238],
    [0.6, 2.5, 0.2814595127485476],
    [1e-10, 5, -156.82559270889433],
    [0.999, 1e6, 3.0902404563165193],
    [0.500001, 10, 2.569978035007506e-6],
    [0.01, 0.5, -1028.4910104716218],
  ])("studentQuantile(%s, %s) is %s", (p, df, expected) => {
    expect(relative(studentQuantile(p, df), expected)).toBeLessThan(1e-12);
  });

  it.each([
    [0, 10, 0, 0.27753279986288926],
    [3, 10, 0.10779126740630102, 0.6032218525388546],
    [10, 10, 0.7224672001371107, 1],
    [81, 263, 0.2552885198782742, 0.36620957698280004],
    [1, 1e6, 1.7652457674537147e-7, 5.664911804311443e-6],
  ])("wilsonInterval(%s, %s) is %s to %s", (successes, n, low, high) => {
    const found = wilsonInterval(successes, n);
    expect(relative(found.low, low)).toBeLessThan(1e-12);
    expect(relative(found.high, high)).toBeLessThan(1e-12);
  });
});

describe("brute force", () => {
  it("adds up binomial probabilities", () => {
    const [n, p] = [12, 0.3];
    let sum = 0;
    let chosen = 1;
    for (let k = 0; k < n; k++) {
      sum += chosen * p ** k * (1 - p) ** (n - k);
      expect(incompleteBeta(1 - p, n - k, k + 1)).toBeCloseTo(sum, 13);
      chosen *= (n - k) / (k + 1);
    }
  });

  it("adds up Poisson probabilities", () => {
    let sum = 0;
    let term = Math.exp(-4.5);
    for (let k = 0; k < 20; k++) {
      sum += term;
      expect(1 - incompleteGamma(k + 1, 4.5)).toBeCloseTo(sum, 13);
      term *= 4.5 / (k + 1);
    }
  });

  it("has closed forms for Student's t with one and two degrees of freedom", () => {
    for (const t of [-30, -2, -0.1, 0, 0.7, 5]) {
      expect(studentCdf(t, 1)).toBeCloseTo(0.5 + Math.atan(t) / Math.PI, 14);
      expect(studentCdf(t, 2)).toBeCloseTo(0.5 + t / (2 * Math.sqrt(2 + t * t)), 14);
    }
  });
});

describe("invariants", () => {
  const shape = fc.double({ min: -2, max: 6, noNaN: true }).map((e) => 10 ** e);
  const probability = fc.oneof(
    fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true }),
    fc.double({ min: -100, max: -1, noNaN: true }).map((e) => 10 ** e),
  );
  const few = { numRuns: 300 };

  it("returns from the beta quantile to where it came from", () => {
    fc.assert(
      fc.property(probability, shape, shape, (p, a, b) => {
        const x = betaQuantile(p, a, b);
        expect(x >= 0 && x <= 1).toBe(true);
        // Closer to the ends than this, the neighbouring doubles are far apart in probability.
        if (x < 1e-300 || x > 1 - 1e-6) return;
        // x is good to 1e-14, and the tail moves less than 1e5 times as fast as x.
        expect(relative(incompleteBeta(x, a, b), p)).toBeLessThan(1e-9);
      }),
      few,
    );
  });

  it("returns from the other quantiles to where it came from", () => {
    fc.assert(
      fc.property(probability, shape, (p, df) => {
        const x = chiSquareQuantile(p, df);
        if (x > 1e-300) expect(relative(chiSquareCdf(x, df), p)).toBeLessThan(1e-9);
        expect(relative(normalCdf(normalQuantile(p)), p)).toBeLessThan(1e-12);
        const t = studentQuantile(p, df);
        if (Math.abs(t) < 1e150) expect(relative(studentCdf(t, df), p)).toBeLessThan(1e-9);
      }),
      few,
    );
  });

  it("gives the two sides of a beta that add up to one", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), shape, shape, (x, a, b) => {
        const y = 1 - x;
        if (1 - y !== x) return; // x itself lost digits, and with large a they matter
        expect(incompleteBeta(x, a, b) + incompleteBeta(y, b, a)).toBeCloseTo(1, 12);
      }),
      few,
    );
  });

  it("never falls as x grows", () => {
    fc.assert(
      fc.property(shape, shape, (a, b) => {
        let last = 0;
        const center = a / (a + b);
        for (let step = -8; step <= 8; step++) {
          const x = center + (step / 8) * Math.min(center, 1 - center);
          const found = incompleteBeta(x, a, b);
          expect(found).toBeGreaterThanOrEqual(last - 1e-14);
          expect(found).toBeLessThanOrEqual(1);
          last = found;
        }
      }),
      few,
    );
  });

  it("turns into the normal as the degrees of freedom grow", () => {
    expect(studentQuantile(0.9, Infinity)).toBe(normalQuantile(0.9));
    expect(studentCdf(-1.5, Infinity)).toBe(normalCdf(-1.5));
    expect(studentQuantile(0.9, 1e7)).toBeCloseTo(normalQuantile(0.9), 6);
    expect(studentCdf(-1.5, 1e7)).toBeCloseTo(normalCdf(-1.5), 6);
  });

  it("keeps Wilson's interval around the rate and inside 0 to 1", () => {
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.nat(1000),
        fc.double({ min: 0.01, max: 0.999, noNaN: true }),
        (s, f, level) => {
          const { low, high } = wilsonInterval(s, s + f, level);
          const rate = s + f === 0 ? 0.5 : s / (s + f);
          expect(low).toBeGreaterThanOrEqual(0);
          expect(low).toBeLessThanOrEqual(rate);
          expect(high).toBeGreaterThanOrEqual(rate);
          expect(high).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe("limits", () => {
  it("never makes NaN of any shapes it accepts", () => {
    const shape = fc.double({ min: -10, max: 10, noNaN: true }).map((e) => 10 ** e);
    const probability = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(shape, shape, probability, (a, b, p) => {
        const found = [
          incompleteBeta(p, a, b),
          betaQuantile(p, a, b),
          incompleteGamma(a, b),
          chiSquareQuantile(p, a),
          studentCdf(-b, a),
          studentQuantile(p, a),
        ];
        expect(found.some(Number.isNaN)).toBe(false);
      }),
    );
  });

  it("is 0 below and 1 above where a distribution lives", () => {
    expect([incompleteBeta(-1, 2, 3), incompleteBeta(0, 2, 3)]).toEqual([0, 0]);
    expect([incompleteBeta(1, 2, 3), incompleteBeta(7, 2, 3)]).toEqual([1, 1]);
    expect([incompleteGamma(2, -1), incompleteGamma(2, 0), incompleteGamma(2, 1e9)]).toEqual([
      0, 0, 1,
    ]);
    expect([incompleteGamma(2, Infinity), chiSquareCdf(0, 4)]).toEqual([1, 0]);
    expect([normalCdf(-Infinity), normalCdf(0), normalCdf(Infinity)]).toEqual([0, 0.5, 1]);
    expect([studentCdf(-Infinity, 3), studentCdf(0, 3), studentCdf(Infinity, 3)]).toEqual([
      0, 0.5, 1,
    ]);
  });

  it("has quantiles at 0, a half and 1", () => {
    expect([betaQuantile(0, 2, 3), betaQuantile(1, 2, 3)]).toEqual([0, 1]);
    expect([chiSquareQuantile(0, 4), chiSquareQuantile(1, 4)]).toEqual([0, Infinity]);
    expect([normalQuantile(0), normalQuantile(1)]).toEqual([-Infinity, Infinity]);
    expect(normalQuantile(0.5)).toBeCloseTo(0, 15);
    expect([studentQuantile(0, 3), studentQuantile(0.5, 3)]).toEqual([-Infinity, 0]);
    expect(studentQuantile(1, 3)).toBe(Infinity);
  });

  it("knows nothing of a rate that was never tried", () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
    expect(wilsonInterval(0, 5).low).toBe(0);
    expect(wilsonInterval(5, 5).high).toBe(1);
  });

  it("says which argument is wrong", () => {
    expect(() => incompleteBeta(0.5, 0, 1)).toThrow("a shape must be from 1e-10 to 1e10, not 0.");
    expect(() => incompleteBeta(Number.NaN, 1, 1)).toThrow("incompleteBeta: x must be a number");
    expect(() => incompleteGamma(-1, 1)).toThrow("incompleteGamma: a shape must be from 1e-10");
    expect(() => betaQuantile(1.5, 1, 1)).toThrow(
      "betaQuantile: p must be between 0 and 1, not 1.5.",
    );
    expect(() => normalQuantile(Number.NaN)).toThrow("normalQuantile: p must be between 0 and 1");
    expect(() => normalCdf(Number.NaN)).toThrow("normalCdf: z must be a number, not NaN.");
    expect(() => studentQuantile(0.5, -1)).toThrow("studentQuantile: a shape must be from 1e-10");
    expect(() => wilsonInterval(3, 2)).toThrow("wilsonInterval: successes must be 0 to n, not 3.");
    expect(() => wilsonInterval(1, 2, 1)).toThrow("level must be between 0 and 1, not 1.");
  });
});

function relative(found: number, expected: number): number {
  return found === expected ? 0 : Math.abs(found - expected) / Math.abs(expected);
}
