import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Features, fromMatrix } from "./features.ts";
import { namesOf } from "./names.ts";
import { featureStatistics } from "./standardise.ts";

const names = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);

/** Mean and standard deviation from the definition, in two passes. */
function definition(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value / values.length, 0);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2 / values.length, 0);
  return { mean, scale: Math.sqrt(variance) };
}

describe("featureStatistics", () => {
  it("is the mean and the spread of each column", () => {
    const value = fc.float({ min: -1000, max: 1000, noNaN: true });
    const rows = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(rows, (rows) => {
        const features = fromMatrix(names(rows.length), [3], Float32Array.from(rows.flat()));
        const { mean, scale } = featureStatistics(features);
        for (let j = 0; j < 3; j++) {
          const expected = definition(rows.map((row) => row[j]));
          expect(mean[j]).toBeCloseTo(expected.mean, 9);
          const same = rows.every((row) => row[j] === rows[0][j]);
          // Sums of squares up to 1e6 carry errors of 1e-10, whose root is 1e-5.
          expect(Math.abs(scale[j] - (same ? 1 : expected.scale))).toBeLessThan(1e-5);
        }
      }),
    );
  });

  it("is taken over the given rows only, which may come twice", () => {
    const features = fromMatrix(names(4), [1], Float32Array.of(1, 3, 100, 5));
    const { mean, scale } = featureStatistics(features, [0, 1, 3, 3]);
    expect(mean[0]).toBeCloseTo(3.5, 12);
    expect(scale[0]).toBeCloseTo(Math.sqrt((6.25 + 0.25 + 2.25 + 2.25) / 4), 12);
  });

  it("gives constant columns the scale 1 and lists them", () => {
    const matrix = Float32Array.from({ length: 30 * 12 }, (_, i) =>
      i % 12 === 5 ? Math.floor(i / 12) : 0.1 * (i % 12),
    );
    const { mean, scale, notes } = featureStatistics(fromMatrix(names(30), [12], matrix));
    expect([...scale].filter((value) => value === 1)).toHaveLength(11);
    expect(mean[3]).toBe(Math.fround(0.1 * 3));
    expect(notes).toEqual([
      "The same in every row: 11 of 12 columns (counted from 0): 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, …. " +
        "They carry no information.",
    ]);
  });

  it("takes a single row for constant", () => {
    const { mean, scale, notes } = featureStatistics(
      fromMatrix(["a"], [2], Float32Array.of(7, 1e30)),
    );
    expect([...mean]).toEqual([7, Math.fround(1e30)]);
    expect([...scale]).toEqual([1, 1]);
    expect(notes[0]).toContain("2 of 2 columns");
  });

  it("keeps a small spread on a huge offset, even after an outlier", () => {
    // Near 1e8 the floats are 8 apart; squares of 1e16 would leave nothing of a spread of 8.
    const N = 10_000;
    const matrix = new Float32Array(N * 2);
    for (let i = 0; i < N; i++)
      matrix.set([1e8 + 8 * (i % 3), i === 0 ? 0 : 1e8 + 8 * (i % 3)], 2 * i);
    const all = featureStatistics(fromMatrix(names(N), [2], matrix));
    const first = definition(Array.from({ length: N }, (_, i) => 8 * (i % 3)));
    expect(all.mean[0]).toBeCloseTo(1e8 + first.mean, 6);
    expect(all.scale[0]).toBeCloseTo(first.scale, 8);
    const rest = Array.from({ length: N - 1 }, (_, i) => i + 1);
    expect(featureStatistics(fromMatrix(names(N), [2], matrix), rest).scale[1]).toBeCloseTo(
      definition(rest.map((i) => 8 * (i % 3))).scale,
      8,
    );
    // One outlier of 1e8 among N has a spread of 1e8 √(N - 1) / N, with which the 8s are added up.
    expect(all.scale[1] / ((1e8 * Math.sqrt(N - 1)) / N)).toBeCloseTo(1, 6);
  });

  it("works by channel for images", () => {
    const size = 2 * 5 * 7;
    const matrix = Float32Array.from(
      { length: 9 * size },
      (_, i) => Math.sin(i) + (i % size < 35 ? 0 : 4),
    );
    const { mean, scale } = featureStatistics(fromMatrix(names(9), [2, 5, 7], matrix));
    for (const channel of [0, 1]) {
      const values = [...matrix].filter((_, i) => Math.floor((i % size) / 35) === channel);
      const expected = definition(values);
      expect(mean[channel]).toBeCloseTo(expected.mean, 12);
      expect(scale[channel]).toBeCloseTo(expected.scale, 12);
    }
  });

  it("finds no spread in images of one colour", () => {
    const matrix = new Float32Array(3 * 2 * 49).fill(0.1);
    const { scale, notes } = featureStatistics(fromMatrix(names(3), [2, 7, 7], matrix));
    expect([...scale]).toEqual([1, 1]);
    expect(notes[0]).toContain("2 of 2 channels");
  });

  it("never asks for more than a chunk at a time, and for every row once", () => {
    const asked: number[] = [];
    let most = 0;
    const features: Features = {
      tasks: namesOf(names(1000)),
      shape: [100_000],
      read(rows, into) {
        asked.push(...Array.from(rows));
        most = Math.max(most, into.length);
        for (let i = 0; i < rows.length; i++) into.fill(rows[i], i * 100_000, (i + 1) * 100_000);
      },
    };
    const { mean, scale } = featureStatistics(features);
    expect(asked).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    expect(most).toBeLessThanOrEqual(2 ** 18);
    expect(mean[99_999]).toBeCloseTo(499.5, 9);
    expect(scale[0]).toBeCloseTo(Math.sqrt((1e6 - 1) / 12), 9);
  });

  it("refuses nothing, and what is no number", () => {
    expect(() => featureStatistics(fromMatrix([], [2], new Float32Array(0)))).toThrow(
      "There are no features to take the mean of.",
    );
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const features = fromMatrix(["a", "b"], [2], Float32Array.of(1, 2, 3, bad));
      expect(() => featureStatistics(features)).toThrow("column 1 holds NaN or an infinite number");
    }
  });
});
