import { describe, expect, it } from "vitest";
import { loadSet, printedAccuracies, splitAccuracy, withSet } from "../../../../test/datasets.ts";
import { expectRising, largestDifference } from "../../../../test/expect-numbers.ts";
import { doubledLabels, randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { load, save } from "../save.ts";
import { majorityVote } from "../votes/majority-vote.ts";
import { bwa } from "./bwa.ts";

describe("invariants", () => {
  it.each([
    [15, 1],
    [2, 1],
    [0.5, 0.1],
  ])("never lowers its density (strength %s, pull %s)", (strength, pull) => {
    for (let seed = 0; seed < 10; seed++) {
      const data = randomCrowd(seed, { classes: 2 + (seed % 3) });
      expectRising(bwa.steps(data, { strength, pull, tolerance: 0 }));
    }
  });

  it("has scores of two classes that mirror each other", () => {
    const { score } = bwa(randomCrowd(1, { classes: 2 }));
    for (let at = 0; at < score.length; at += 2) {
      expect(score[at] + score[at + 1]).toBeCloseTo(1, 9);
    }
  });

  it("counts a label of weight two like two labels, and is saved", () => {
    const { doubled, weighted } = doubledLabels(randomCrowd(2));
    const result = bwa(weighted);
    const other = bwa(doubled);
    expect(largestDifference(result.score, other.score)).toBeLessThan(1e-12);
    expect(load(save(result))).toEqual(result);
  });
});

describe("brute force", () => {
  it("repeats its definition, pair by pair", () => {
    for (const seed of [1, 2, 3]) {
      const data = randomCrowd(seed, { tasks: 15, workers: 5 });
      const { score, precision } = bwa(data, { maxIterations: 4, tolerance: 0 });
      for (let k = 0; k < 3; k++) {
        const { z, v } = naive(data, k, 4);
        z.forEach((value, t) => {
          expect(score[t * 3 + k]).toBeCloseTo(value, 10);
        });
        v.forEach((value, w) => {
          expect(precision[w * 3 + k]).toBeCloseTo(value, 8);
        });
      }
    }
  });

  it("ends at the largest density: no average, weight or mean betters it", () => {
    const data = randomCrowd(4, { tasks: 12, workers: 5, classes: 2 });
    const end = bwa(data, { tolerance: 0, maxIterations: 500 });
    const again = bwa(data, { tolerance: 0, maxIterations: 501 });
    expect(largestDifference(end.score, again.score)).toBeLessThan(1e-9);
  });
});

describe("published numbers", () => {
  // What the authors print, to every digit.
  printedAccuracies(
    {
      bluebird: 0.759259,
      rte: 0.9275,
      web: 0.822465,
      product: 0.919423,
      possent: 0.956,
      weather: 0.893333,
      weather_amt: 0.86,
      sp: 0.916983,
      sp_amt: 0.946,
      fact_eval: 0.887153,
    },
    (data) => bwa(data),
  );

  // Here workers contradict themselves, and the authors' tables hold one label per worker and task.
  withSet("zencrowd_us", "accuracy 0.910784 with the first of a worker's labels on a task", () => {
    const data = loadSet("zencrowd_us", "first");
    const actual = splitAccuracy(data, bwa(data).posterior);
    expect(Math.abs(actual - 0.910784)).toBeLessThanOrEqual(0.003);
  });
});

describe("limits", () => {
  it("becomes the majority vote as the prior gets strong", () => {
    const data = randomCrowd(3, { tasks: 100 });
    const strong = bwa(data, { strength: 1e9, ties: "abstain" });
    const votes = majorityVote(data, { ties: "abstain" });
    const K = 3;
    votes.consensus.forEach((k, t) => {
      if (k >= 0) expect(strong.consensus[t]).toBe(k);
    });
    // All weights are alike.
    for (let k = 0; k < K; k++) {
      const own = strong.precision.filter((_, at) => at % K === k);
      expect(Math.max(...own) / Math.min(...own)).toBeCloseTo(1, 5);
    }
  });

  it("keeps gold in every iteration, so that it teaches who is precise", () => {
    const data = randomCrowd(5, { tasks: 120, classes: 2, skill: [0.3, 0.9] });
    const gold = data.gold.map((k, t) => (t < 60 ? k : -1));
    const rest = (posterior: Float64Array) => {
      const held = { ...data, gold: data.gold.map((k, t) => (t < 60 ? -1 : k)) };
      return splitAccuracy(held, posterior);
    };
    const taught = bwa(data, { strength: 1 }, { gold });
    expect(rest(taught.posterior)).toBeGreaterThan(rest(bwa(data, { strength: 1 }).posterior));
    for (let t = 0; t < 60; t++) expect(taught.score[2 * t + gold[t]]).toBe(1);
  });
});

/** Sums over all tasks and workers, from the formulas alone. */
function naive(data: CategoricalData, k: number, rounds: number): { z: number[]; v: number[] } {
  const { tasks, workers, classes, task, worker, label } = data;
  const K = classes.length;
  const entries = Array.from(label, (l, i) => ({ t: task[i], w: worker[i], y: l === k ? 1 : 0 }));
  const of = (t: number) => entries.filter((e) => e.t === t);
  let z = Array.from(tasks, (_, t) => of(t).reduce((sum, e) => sum + e.y, 0) / of(t).length);
  const varied = z.reduce((sum, p, t) => sum + of(t).length * p * (1 - p), 0);
  const b = ((15 * varied) / entries.length) * 4 * (1 - 1 / K);
  let v: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const mu = z.reduce((sum, p) => sum + p, 0) / z.length;
    v = Array.from(workers, (_, w) => {
      const own = entries.filter((e) => e.w === w);
      return (15 + own.length) / (b + own.reduce((sum, e) => sum + (z[e.t] - e.y) ** 2, 0));
    });
    z = Array.from(tasks, (_, t) => {
      const said = of(t).reduce((sum, e) => sum + v[e.w] * e.y, 0);
      return (mu + said) / (1 + of(t).reduce((sum, e) => sum + v[e.w], 0));
    });
  }
  return { z, v };
}
