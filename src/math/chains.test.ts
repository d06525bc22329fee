import { describe, expect, it } from "vitest";
import { effectiveSize, splitRHat } from "./chains.ts";
import { normal } from "./distributions.ts";
import { createRandom } from "./random.ts";

/** Chains x[i] = r·x[i - 1] + noise from their stationary distribution, moved by `shift` each. */
function autoregressive(r: number, chains: number, length: number, shift = 0): Float64Array[] {
  return Array.from({ length: chains }, (_, c) => {
    const random = createRandom(c).split("chain");
    const spread = Math.sqrt(1 - r * r);
    let x = normal(random);
    return Float64Array.from({ length }, () => {
      x = r * x + spread * normal(random);
      return x + c * shift;
    });
  });
}

describe("splitRHat", () => {
  it("follows its formula", () => {
    // Halves 1 3, 2 4, 5 7, 6 8: variance 2 within each, means 2, 3, 6, 7 with variance 17/3.
    const expected = Math.sqrt((0.5 * 2 + 17 / 3) / 2);
    expect(splitRHat([Float64Array.of(1, 3, 2, 4), [5, 7, 6, 8]])).toBeCloseTo(expected, 12);
    // The draw in the middle of an odd number belongs to no half.
    expect(splitRHat([Float64Array.of(1, 3, 99, 2, 4), [5, 7, 99, 6, 8]])).toBeCloseTo(
      expected,
      12,
    );
  });

  it("is near one for chains alike, and far from it for a chain elsewhere or drifting", () => {
    expect(splitRHat(autoregressive(0, 4, 1000))).toBeLessThan(1.01);
    expect(splitRHat(autoregressive(0, 4, 1000, 1))).toBeGreaterThan(1.3);
    const drift = autoregressive(0, 1, 1000).map((chain) => chain.map((x, i) => x + i / 250));
    expect(splitRHat(drift)).toBeGreaterThan(1.3);
  });

  it("has a value where nothing moves", () => {
    expect(splitRHat([Array(8).fill(3), Array(8).fill(3)])).toBe(1);
    expect(splitRHat([Array(8).fill(3), Array(8).fill(4)])).toBe(Infinity);
  });

  it("refuses too few draws, and chains of different lengths", () => {
    expect(() => splitRHat([[1, 2, 3]])).toThrow("at least four draws");
    expect(() => splitRHat([Array(8).fill(3), Array(9).fill(4)])).toThrow("not 8, 9");
    expect(() => splitRHat([])).toThrow("not none");
  });
});

describe("effectiveSize", () => {
  it.each([0, 0.5, 0.9])("is n·(1 - r)/(1 + r) for autocorrelation %s", (r) => {
    const expected = (4 * 20_000 * (1 - r)) / (1 + r);
    const ratio = effectiveSize(autoregressive(r, 4, 20_000)) / expected;
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(1.1);
  });

  it("is small where chains disagree, and all draws where nothing moves", () => {
    expect(effectiveSize(autoregressive(0, 4, 1000, 3))).toBeLessThan(20);
    expect(effectiveSize([Array(8).fill(3), Array(8).fill(3)])).toBe(16);
  });

  it("stays finite for draws that swing to and fro", () => {
    const swing = Float64Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 1 : -1));
    expect(effectiveSize([swing])).toBeLessThanOrEqual(200);
  });
});
