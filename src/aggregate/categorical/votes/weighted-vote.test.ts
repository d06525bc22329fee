import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { fixtureA, randomCrowd } from "../../../../test/random-crowd.ts";
import { namesOf } from "../../../data/names.ts";
import { majorityVote } from "./majority-vote.ts";
import { wawa } from "./wawa.ts";
import { linearWeight, oneCoinWeight, weightedVote } from "./weighted-vote.ts";

const close = (values: ArrayLike<number>, digits = 12) =>
  Array.from(values, (value) => expect.closeTo(value, digits));

describe("invariants", () => {
  it("is the majority vote where all weights are equal", () => {
    const data = randomCrowd(1);
    const weights = new Float64Array(data.workers.length).fill(0.7);
    const { posterior, score } = weightedVote(data, {}, { weights });
    expect([...posterior]).toEqual(close(majorityVote(data).posterior));
    expect(score.reduce((sum, x) => sum + x, 0)).toBeCloseTo(0.7 * data.label.length, 9);
  });

  it("takes a negative weight as a vote against", () => {
    const data = randomCrowd(2, { classes: 2 });
    const weights = Float64Array.from(data.workers, (_, w) => 1 + w / 3);
    const liar = weights.map((weight, w) => (w === 0 ? -weight : weight));
    const lies = { ...data, label: data.label.map((l, i) => (data.worker[i] === 0 ? 1 - l : l)) };
    const { consensus, posterior, notes } = weightedVote(lies, {}, { weights: liar });
    expect(consensus).toEqual(weightedVote(data, {}, { weights }).consensus);
    expect(Math.min(...posterior)).toBeGreaterThan(0);
    expect(notes.join()).toContain("Some weights are negative");
  });

  it("applies the skills of wawa like wawa", () => {
    const data = randomCrowd(3);
    const { skill, posterior } = wawa(data);
    expect([...weightedVote(data, {}, { weights: skill }).posterior]).toEqual(close(posterior));
  });
});

describe("brute force", () => {
  it.each([2, 4])("with the best weights is Bayes' rule for one-coin workers (K = %i)", (K) => {
    const data = randomCrowd(4, { classes: K });
    const accuracy = Array.from(data.workers, (_, w) => 0.15 + w / 10);
    const weights = Float64Array.from(accuracy, (p) => oneCoinWeight(p, K));
    const { posterior } = weightedVote(data, { posterior: "softmax" }, { weights });
    for (let t = 0; t < data.tasks.length; t++) {
      const products = Array.from(data.classes, (_, k) =>
        [...data.label.keys()]
          .filter((i) => data.task[i] === t)
          .map((i) => [data.label[i], accuracy[data.worker[i]]])
          .reduce((product, [l, p]) => product * (l === k ? p : (1 - p) / (K - 1)), 1),
      );
      const total = products.reduce((a, b) => a + b);
      expect([...posterior.subarray(t * K, (t + 1) * K)]).toEqual(
        close(products.map((product) => product / total)),
      );
    }
  });

  it("the straight line touches the best weight at a guess", () => {
    for (const K of [2, 3, 7]) {
      const slope = (f: (p: number, K: number) => number) =>
        (f(1 / K + 1e-6, K) - f(1 / K - 1e-6, K)) / 2e-6;
      expect(oneCoinWeight(1 / K, K)).toBeCloseTo(0, 12);
      expect(linearWeight(1 / K, K)).toBeCloseTo(0, 12);
      expect(slope(oneCoinWeight)).toBeCloseTo((K / (K - 1)) * slope(linearWeight), 4);
    }
  });
});

describe("published numbers", () => {
  // Equal weights must repeat the column of the majority vote.
  accuracyGates({ rte: 0.8969, web: 0.7307, weather: 0.8822 }, 1e-4, (data) =>
    weightedVote(data, {}, { weights: new Float64Array(data.workers.length).fill(2) }),
  );

  it("adds up fixture A", () => {
    const { score, posterior } = weightedVote(
      fixtureA(),
      {},
      { weights: Float64Array.of(3, 1, 2) },
    );
    expect([...score]).toEqual([4, 2, 0, 6, 5, 1, 0, 4, 2, 0]);
    expect([...posterior.subarray(0, 2)]).toEqual(close([2 / 3, 1 / 3]));
  });
});

describe("limits", () => {
  const data = fixtureA();
  const weights = Float64Array.of(1, Number.NaN, 0.5);

  it("refuses a missing weight, and says whose", () => {
    expect(() => weightedVote(data, {}, { weights })).toThrow('worker "1" has no weight');
  });

  it("leaves the worker out, or takes the default", () => {
    const task0 = (withoutWeight: "ignore" | "default", defaultWeight = 1) => [
      ...weightedVote(data, { withoutWeight, defaultWeight }, { weights }).score.subarray(0, 2),
    ];
    expect(task0("ignore")).toEqual([1, 0.5]);
    expect(task0("default")).toEqual([2, 0.5]);
    expect(task0("default", 0.25)).toEqual([1.25, 0.5]);
  });

  it("does not ask for the weight of a worker without labels", () => {
    const silent = { ...data, workers: namesOf([...data.workers, "silent"]) };
    const four = Float64Array.of(1, 1, 1, Number.NaN);
    expect(weightedVote(silent, {}, { weights: four }).score[0]).toBe(2);
  });

  it("refuses what it cannot add up, and no weights at all", () => {
    const infinite = Float64Array.of(1, 1, Infinity);
    expect(() => weightedVote(data, {}, { weights: infinite })).toThrow(/"2" is Infinity/);
    expect(() => weightedVote(data)).toThrow("weighted-vote needs known.weights");
  });

  it("gives a perfect and a hopeless worker finite weights", () => {
    expect(oneCoinWeight(1, 3)).toBeGreaterThan(20);
    expect(oneCoinWeight(1, 3)).toBeLessThan(30);
    expect(oneCoinWeight(0, 3)).toBeLessThan(-20);
    expect(oneCoinWeight(0.5, 1)).toBe(0);
  });

  it("keeps a task nobody of weight labelled open", () => {
    const zero = Float64Array.of(1, 1, 0);
    const { posterior } = weightedVote(data, {}, { weights: zero });
    expect([...posterior.subarray(8)]).toEqual([0.5, 0.5]);
  });
});
