import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maximiseOnInterval } from "./golden-section.ts";

describe("maximiseOnInterval", () => {
  it("finds the peak of a parabola, or the nearer end", () => {
    const number = fc.double({ min: -100, max: 100, noNaN: true });
    fc.assert(
      fc.property(number, number, number, (peak, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const { x, value } = maximiseOnInterval((at) => -((at - peak) ** 2), low, high);
        const best = Math.max(low, Math.min(high, peak));
        // Away from the peak a parabola hides changes of the square root of its rounding.
        expect(Math.abs(x - best)).toBeLessThan(1e-6);
        expect(value).toBe(-((x - peak) ** 2));
      }),
    );
  });

  it("finds the peaks of other concave functions", () => {
    const likelihood = (p: number) => 7 * Math.log(p) + 3 * Math.log1p(-p);
    expect(maximiseOnInterval(likelihood, 0, 1).x).toBeCloseTo(0.7, 7);
    expect(maximiseOnInterval((x) => -Math.abs(x - 0.123), -1, 1).x).toBeCloseTo(0.123, 9);
    expect(maximiseOnInterval((x) => x - Math.exp(x), -50, 50).x).toBeCloseTo(0, 7);
  });

  it("looks at both ends", () => {
    expect(maximiseOnInterval((x) => x, 2, 5)).toEqual({ x: 5, value: 5 });
    expect(maximiseOnInterval((x) => -x, 2, 5)).toEqual({ x: 2, value: -2 });
    expect(maximiseOnInterval((x) => x, 3, 3)).toEqual({ x: 3, value: 3 });
  });

  it("prefers the smaller of equals", () => {
    expect(maximiseOnInterval(() => 4, -1, 1)).toEqual({ x: -1, value: 4 });
  });

  it("takes NaN for the worst", () => {
    const { x } = maximiseOnInterval((at) => (at > 2 ? Number.NaN : at), 0, 4);
    expect(x).toBeCloseTo(2, 8);
    expect(maximiseOnInterval(() => Number.NaN, 0, 1)).toEqual({ x: 0, value: -Infinity });
  });

  it("stops at the asked width, and at the last digit", () => {
    let calls = 0;
    const count = (x: number) => {
      calls++;
      return -((x - 0.3) ** 2);
    };
    maximiseOnInterval(count, 0, 1, 1e-3);
    expect(calls).toBeLessThan(25);
    const number = fc.double({ min: -1e9, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(number, number, number, (a, b, peak) => {
        calls = 0;
        const f = (x: number) => count(x) * 0 - Math.abs(x - peak);
        maximiseOnInterval(f, Math.min(a, b), Math.max(a, b), 0);
        // An interval of doubles shrinks by 0.618 at most 2100 / log₂ 1.618 times.
        expect(calls).toBeLessThan(3100);
      }),
    );
  });

  it("refuses what is no interval", () => {
    expect(() => maximiseOnInterval((x) => x, 2, 1)).toThrow(
      "maximiseOnInterval: low must be at most high and both finite, not 2 and 1.",
    );
    expect(() => maximiseOnInterval((x) => x, 0, Infinity)).toThrow("not 0 and Infinity.");
    expect(() => maximiseOnInterval((x) => x, Number.NaN, 1)).toThrow("not NaN and 1.");
  });
});
