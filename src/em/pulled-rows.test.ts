import { describe, expect, it } from "vitest";
import { dirichlet } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { pulledCoins, pulledRows } from "./pulled-rows.ts";

function objective(counts: Float64Array, pull: number, K: number, L: number, rows: Float64Array) {
  let sum = 0;
  for (let l = 0; l < L; l++) {
    let mean = 0;
    for (let k = 0; k < K; k++) mean += rows[k * L + l] / K;
    for (let k = 0; k < K; k++) {
      const at = k * L + l;
      sum += counts[at] * Math.log(rows[at]) - (pull / 2) * (rows[at] - mean) ** 2;
    }
  }
  return sum;
}

const random = createRandom(1).split("pulled");
const drawn = (n: number, size: number) =>
  Float64Array.from({ length: n }, () => 0.1 + size * random.next());

describe("brute force", () => {
  it("two classes: no nearby sensitivity and specificity is better", () => {
    for (const strength of [0, 1, 30, 1000]) {
      const counts = drawn(4, 40);
      const rows = new Float64Array(4);
      pulledCoins(counts, strength, rows);
      // (a + b − 1)² is Σ (rate − mean)² for two classes.
      const best = objective(counts, strength, 2, 2, rows);
      for (const [da, db] of [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
        [1, -1],
        [-1, 1],
      ]) {
        const [a, b] = [rows[3] + 1e-3 * da, rows[0] + 1e-3 * db];
        const near = Float64Array.of(b, 1 - b, 1 - a, a);
        expect(objective(counts, strength, 2, 2, near)).toBeLessThan(best);
      }
    }
  });

  it("the general form is the same for two classes", () => {
    for (const strength of [0, 1, 30]) {
      const counts = drawn(4, 40);
      const [coins, rows] = [new Float64Array(4), new Float64Array(4).fill(0.5)];
      pulledCoins(counts, strength, coins);
      for (let i = 0; i < 50; i++) pulledRows(counts, strength, 2, 2, rows);
      coins.forEach((rate, at) => {
        expect(rows[at]).toBeCloseTo(rate, 8);
      });
    }
  });

  it("three classes: no drawn table nearby is better, and every sweep climbs", () => {
    for (const pull of [0, 5, 200]) {
      const counts = drawn(12, 30);
      const rows = new Float64Array(12).fill(0.25);
      let last = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < 50; i++) {
        pulledRows(counts, pull, 3, 4, rows);
        const now = objective(counts, pull, 3, 4, rows);
        expect(now).toBeGreaterThanOrEqual(last - 1e-9);
        last = now;
      }
      for (let draw = 0; draw < 200; draw++) {
        const other = new Float64Array(12);
        for (let k = 0; k < 3; k++) {
          dirichlet(random, new Float64Array(4).fill(1), other.subarray(k * 4, k * 4 + 4));
        }
        const near = rows.map((rate, at) => 0.99 * rate + 0.01 * other[at]);
        expect(objective(counts, pull, 3, 4, near)).toBeLessThanOrEqual(last + 1e-9);
      }
    }
  });
});

describe("limits", () => {
  it("without a pull rates are shares, with a huge one all rows are equal", () => {
    const counts = Float64Array.of(8, 2, 3, 1, 6, 3, 2, 2, 16);
    const rows = new Float64Array(9).fill(1 / 3);
    pulledRows(counts, 0, 3, 3, rows);
    expect(rows[0]).toBeCloseTo(8 / 13, 12);
    pulledRows(counts, 1e9, 3, 3, rows.fill(1 / 3));
    expect(Math.abs(rows[0] - rows[3])).toBeLessThan(1e-6);
  });
});
