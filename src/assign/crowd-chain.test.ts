import { describe, expect, it } from "vitest";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { selectLabels } from "../data/categorical.ts";
import { createRandom } from "../math/random.ts";
import { confusionCrowd } from "../simulate/confusion.ts";
import { oneCoinCrowd } from "../simulate/one-coin.ts";
import { createCrowdChain, sharpen } from "./crowd-chain.ts";

const { data, confusion = new Float64Array(0) } = confusionCrowd({
  ...{ tasks: 400, workers: 8, labelsPerTask: 8, classes: 3, seed: 2 },
});
const start = dawidSkene(data, { shrinkage: 4 }).posterior;

describe("a chain of crowds", () => {
  it("draws rows around how workers label, if all classes are known", () => {
    const chain = createCrowdChain(data, start, data.gold, createRandom(1));
    const means = new Float64Array(chain.rows.length);
    for (let sweep = 0; sweep < 60; sweep++) {
      chain.sweep();
      for (let j = 0; j < means.length; j++) means[j] += chain.rows[j] / 60;
      expect(chain.truth).toEqual(data.gold);
    }
    let furthest = 0;
    for (let j = 0; j < means.length; j++) {
      furthest = Math.max(furthest, Math.abs(means[j] - confusion[j]));
    }
    // About 133 labels per row: four standard deviations.
    expect(furthest).toBeLessThan(0.17);
    for (let row = 0; row < 8 * 3; row++) {
      const sum = chain.rows.subarray(3 * row, 3 * row + 3).reduce((all, p) => all + p, 0);
      expect(sum).toBeCloseTo(1, 9);
    }
  });

  it("is as sure of classes as it is right, if none is known", () => {
    const { data: few } = oneCoinCrowd({ tasks: 1500, workers: 40, labelsPerTask: 4, seed: 3 });
    const chain = createCrowdChain(
      few,
      dawidSkene(few, { shrinkage: 4 }).posterior,
      undefined,
      createRandom(2),
    );
    for (let sweep = 0; sweep < 60; sweep++) chain.sweep();
    let [right, believed] = [0, 0];
    const [logs, p] = [new Float64Array(2), new Float64Array(2)];
    for (let sweep = 0; sweep < 40; sweep++) {
      chain.sweep();
      for (let t = 0; t < 1500; t++) {
        chain.weigh(t, logs);
        sharpen(logs, 0, 1, p);
        believed += Math.max(p[0], p[1]) / (40 * 1500);
        if (p[few.gold[t]] > 0.5) right += 1 / (40 * 1500);
      }
    }
    expect(Math.abs(right - believed)).toBeLessThan(0.03);
    expect(right).toBeGreaterThan(0.7);
  });

  it("leaves tasks without labels out, and draws the same again", () => {
    const some = selectLabels(data, (i) => data.task[i] > 4);
    const draw = () => {
      const chain = createCrowdChain(some, start, undefined, createRandom(5));
      for (let sweep = 0; sweep < 7; sweep++) chain.sweep();
      return [chain.truth.slice(), chain.rows.slice()];
    };
    const [truth, rows] = draw();
    expect(truth.slice(0, 5)).toEqual(new Int32Array(5).fill(-1));
    expect(draw()).toEqual([truth, rows]);
  });
});

it("sharpens by a power, however small the logs", () => {
  const p = sharpen(Float64Array.of(-1000, -1001), 0, 2, new Float64Array(2));
  expect(p[0]).toBeCloseTo(1 / (1 + Math.exp(-2)), 12);
  expect(sharpen(Float64Array.of(3, -8), 0, 0, new Float64Array(2))).toEqual(
    Float64Array.of(0.5, 0.5),
  );
});
