import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logSumExp, normalizeLog } from "./log-sum-exp.ts";

const logs = fc.array(fc.double({ min: -700, max: 700, noNaN: true }), { minLength: 1 });

describe("logSumExp", () => {
  it("equals the log of the sum where that can be computed", () => {
    const values = fc.array(fc.double({ min: -30, max: 30, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, (x) => {
        const sum = x.reduce((total, value) => total + Math.exp(value), 0);
        expect(logSumExp(x)).toBeCloseTo(Math.log(sum), 12);
      }),
    );
  });

  it("moves along when a constant is added", () => {
    fc.assert(
      fc.property(logs, fc.double({ min: -1e6, max: 1e6, noNaN: true }), (x, shift) => {
        const moved = x.map((value) => value + shift);
        expect(Math.abs(logSumExp(moved) - logSumExp(x) - shift)).toBeLessThan(1e-8);
      }),
    );
  });

  it("neither overflows nor underflows", () => {
    expect(logSumExp([1000, 1000])).toBeCloseTo(1000 + Math.LN2, 12);
    expect(logSumExp([-1000, -1000, -1e308])).toBeCloseTo(-1000 + Math.LN2, 12);
  });

  it("adds only the part it is asked for", () => {
    expect(logSumExp([9, 0, 0, 9], 1, 3)).toBeCloseTo(Math.LN2, 14);
    expect(logSumExp([0, 0, 9], 0, 2)).toBeCloseTo(Math.LN2, 14);
  });

  it("knows zero and infinity", () => {
    expect(logSumExp([])).toBe(-Infinity);
    expect(logSumExp([1, 2], 1, 1)).toBe(-Infinity);
    expect(logSumExp([-Infinity, -Infinity])).toBe(-Infinity);
    expect(logSumExp([-Infinity, 3])).toBe(3);
    expect(logSumExp([Infinity, 3, Infinity, -Infinity])).toBe(Infinity);
  });

  it("refuses what is not a number", () => {
    for (const rest of [[], [0], [Infinity], [-Infinity]]) {
      expect(() => logSumExp([...rest, Number.NaN])).toThrow(
        `logSumExp: value ${rest.length} must be a number, not NaN.`,
      );
    }
  });
});

describe("normalizeLog", () => {
  it("makes probabilities in proportion, and returns what they summed to", () => {
    fc.assert(
      fc.property(logs, (x) => {
        const values = Float64Array.of(7, ...x, 7);
        const total = normalizeLog(values, 1, x.length + 1);
        expect(total).toBeCloseTo(logSumExp(x), 12);
        const inner = values.slice(1, -1);
        expect(inner.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
        for (const [i, p] of inner.entries()) expect(p).toBeCloseTo(Math.exp(x[i] - total), 12);
        expect([values[0], values[x.length + 1]]).toEqual([7, 7]);
      }),
    );
  });

  it("knows nothing where everything is impossible", () => {
    const values = new Float64Array(4).fill(-Infinity);
    expect(normalizeLog(values, 0, 4)).toBe(-Infinity);
    expect([...values]).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  it("lets the infinite share everything", () => {
    const values = Float64Array.of(Infinity, 0, Infinity, -Infinity);
    expect(normalizeLog(values, 0, 4)).toBe(Infinity);
    expect([...values]).toEqual([0.5, 0, 0.5, 0]);
  });

  it("copes with one value and with none", () => {
    const values = Float64Array.of(-1e5);
    expect(normalizeLog(values, 0, 0)).toBe(-Infinity);
    expect(normalizeLog(values, 0, 1)).toBe(-1e5);
    expect([...values]).toEqual([1]);
  });

  it("refuses what is not a number", () => {
    for (const rest of [[], [0], [Infinity], [-Infinity]]) {
      const values = Float64Array.of(...rest, Number.NaN);
      expect(() => normalizeLog(values, 0, values.length)).toThrow(
        `normalizeLog: value ${rest.length} must be a number, not NaN.`,
      );
    }
  });
});
