import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dirichlet } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { clip, taskPriors } from "./task-priors.ts";

describe("clip", () => {
  it("holds two classes between 1 - c and c", () => {
    const h = Float64Array.of(0.97, 0.03, 0.2, 0.8, 0, 1);
    expect([...clip(h, 2, 0.9)].map((p) => p.toFixed(12))).toEqual(
      [0.9, 0.1, 0.2, 0.8, 0.1, 0.9].map((p) => p.toFixed(12)),
    );
  });

  it("makes everything uniform at 1/K, and changes nothing at 1", () => {
    for (let K = 1; K <= 10; K++) {
      const h = drawn(K, 0.3);
      for (const p of clip(h.slice(), K, 1 / K)) expect(p).toBeCloseTo(1 / K, 12);
      expect(clip(h.slice(), K, 1)).toEqual(h);
    }
  });

  it("keeps sums and order, lets nothing above c, and lifts all below it alike", () => {
    for (const c of [0.3, 0.4, 0.55, 0.9]) {
      const K = 4;
      const h = drawn(K, 0.4);
      const clipped = clip(h.slice(), K, c);
      for (let from = 0; from < h.length; from += K) {
        const row = clipped.subarray(from, from + K);
        expect(row.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
        expect(Math.max(...row)).toBeLessThanOrEqual(c + 1e-12);
        const lifts = Array.from(row, (p, k) => p - h[from + k]).filter(
          (_, k) => row[k] < c - 1e-12,
        );
        expect(Math.max(...lifts) - Math.min(...lifts)).toBeLessThan(1e-12);
      }
    }
  });

  it("goes on where the excess of one class lifts another above c", () => {
    // One pass gives .4, .5, .1, and repeated passes only come nearer to what this is at once.
    expect([...clip(Float64Array.of(0.6, 0.4, 0), 3, 0.4)].map((p) => p.toFixed(12))).toEqual(
      [0.4, 0.4, 0.2].map((p) => p.toFixed(12)),
    );
  });
});

describe("taskPriors", () => {
  const data = randomCrowd(1, { tasks: 3, workers: 2, classes: 2 });

  it("is the prior, unless a task has its own", () => {
    const factor = Float64Array.of(0.7, 0.3);
    expect([...taskPriors(data, {}, factor)]).toEqual([0.7, 0.3, 0.7, 0.3, 0.7, 0.3]);
    const taskPrior = Float64Array.of(1, 3, 2, 2, 1, 0);
    const own = taskPriors(data, { taskPrior }, Float64Array.of(1, 1));
    expect([...own]).toEqual([0.25, 0.75, 0.5, 0.5, 1, 0]);
  });

  it("multiplies by soft gold, and is certain of gold", () => {
    const evidence = Float64Array.of(1, 1, 3, 7, 1, 1);
    const gold = Int32Array.of(-1, -1, 1);
    const h = taskPriors(data, { evidence, gold }, Float64Array.of(0.7, 0.3));
    expect([...h]).toEqual([0.7, 0.3, 0.5, 0.5, 0, 1].map((p) => expect.closeTo(p, 12)));
  });
});

function drawn(K: number, alpha: number): Float64Array {
  const random = createRandom(K).split("clip");
  const h = new Float64Array(50 * K);
  for (let from = 0; from < h.length; from += K) {
    dirichlet(random, new Float64Array(K).fill(alpha), h.subarray(from, from + K));
  }
  return h;
}
