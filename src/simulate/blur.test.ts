import { describe, expect, it } from "vitest";
import { fromMatrix } from "../data/features.ts";
import { createRandom } from "../math/random.ts";
import { blur } from "./blur.ts";
import { gaussFeatures } from "./features.ts";
import { readAll } from "./rows.ts";

describe("of rows of numbers", () => {
  const T = 40_000;
  const truth = Int32Array.from({ length: T }, (_, t) => t % 2);
  const sharp = gaussFeatures(truth, 2, { separation: 3, dimensions: 1 }, createRandom(1));

  it("shrinks the distance between classes and leaves the noise as it is", () => {
    for (const radius of [2, 8, 32]) {
      const rows = readAll(blur(sharp, radius, createRandom(2)));
      const mean = [0, 0];
      rows.forEach((x, t) => {
        mean[truth[t]] += (2 * x) / T;
      });
      const variance = rows.reduce((sum, x, t) => sum + (x - mean[truth[t]]) ** 2 / T, 0);
      expect(Math.abs(Math.abs(mean[0] - mean[1]) - 3 * Math.exp(-radius / 8))).toBeLessThan(0.03);
      expect(Math.abs(variance - 1)).toBeLessThan(0.03);
    }
  });

  it("gives a row the same numbers whenever it is read", () => {
    const soft = blur(sharp, 8, createRandom(2));
    const all = readAll(soft);
    const some = new Float32Array(3);
    soft.read([7, 2, 7], some);
    expect([...some]).toEqual([all[7], all[2], all[7]]);
  });

  it("is nothing at 0, and refuses less", () => {
    expect(blur(sharp, 0, createRandom(2))).toBe(sharp);
    expect(() => blur(sharp, -1, createRandom(2))).toThrow("at least 0, not -1");
  });
});

describe("of images", () => {
  const dot = new Float32Array(2 * 21 * 31);
  dot[10 * 31 + 15] = 1;
  const image = fromMatrix(["a"], [2, 21, 31], dot);

  it("makes a Gaussian of a dot, in its own channel", () => {
    const soft = readAll(blur(image, 2, createRandom(0)));
    expect(soft.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 5);
    expect(soft.subarray(21 * 31).every((x) => x === 0)).toBe(true);
    const at = (y: number, x: number) => soft[y * 31 + x];
    for (const [dy, dx] of [
      [0, 3],
      [3, 0],
      [2, -4],
    ]) {
      const expected = Math.exp(-(dy * dy + dx * dx) / 8);
      expect(at(10 + dy, 15 + dx) / at(10, 15)).toBeCloseTo(expected, 5);
    }
  });

  it("leaves a plain image plain, up to its edges", () => {
    const plain = fromMatrix(["a"], [1, 5, 4], new Float32Array(20).fill(0.25));
    for (const x of readAll(blur(plain, 32, createRandom(0)))) expect(x).toBeCloseTo(0.25, 6);
  });
});
