import { describe, expect, it } from "vitest";
import { loadSimilarities, withSet } from "../../../test/datasets.ts";
import { fixture, plantedBlocks, rand, similarityLaws } from "../../../test/similarity-checks.ts";
import { evaluateClusters } from "../../evaluate/similarity.ts";
import { crowdClusters } from "./crowd-clusters.ts";
import { certain, frameOf } from "./frame.ts";
import { softClusters } from "./soft-clusters.ts";
import { createSoftModel } from "./soft-model.ts";

describe("laws", () => similarityLaws(softClusters));

it("begins at the fixture's likelihood, and climbs", () => {
  const start = certain(Int32Array.of(0, 0, 0, 1, 1), 2, 0.8);
  const { objective } = createSoftModel(frameOf(fixture), 2, start).slope();
  expect(objective).toBeCloseTo(-6.535182, 5);
  const { trace } = softClusters(fixture, { clusters: 2 });
  expect(trace[0]).toBeCloseTo(-6.535182, 5);
  expect(trace.at(-1)).toBeGreaterThan(trace[0]);
});

it("has the gradient of its objective", () => {
  const data = plantedBlocks(3, { items: 12, perItem: 4, workers: 3 });
  const { membership } = crowdClusters(data, { clusters: 3, maxIterations: 2 });
  const model = createSoftModel(frameOf(data), 3, membership);
  const { parameters: x } = model;
  // The rates are moved apart, so that the penalty is not at its top.
  x.forEach((_, at) => {
    x[at] += Math.sin(at) / 3;
  });
  const gradient = model.slope().gradient.slice();
  const free = x.length - 2 * data.workers.length;
  for (let at = 0; at < x.length; at++) {
    const [value, h] = [x[at], 1e-5];
    const objective = (moved: number) => {
      x[at] = moved;
      return model.slope().objective;
    };
    const slope = (objective(value + h) - objective(value - h)) / (2 * h);
    x[at] = value;
    // The means over workers count as constants; what they add to the slope sums to nothing.
    expect(gradient[at]).toBeCloseTo(slope, at < free ? 6 : 5);
  }
});

it("has the skills of crowd-clusters, since its own rates absorb what workers get wrong", () => {
  const data = plantedBlocks(1);
  const soft = softClusters(data, { clusters: 3 });
  expect([...soft.skill]).toEqual([...crowdClusters(data, { clusters: 3 }).skill]);
  expect(Math.min(...soft.alike)).toBeGreaterThan(0.95);
});

it("finds planted clusters: mean adjusted Rand index .960", () => {
  const scores = [1, 2, 3, 4, 5].map((seed) => {
    const data = plantedBlocks(seed);
    return rand(data, softClusters(data, { clusters: 3 }));
  });
  expect(Math.abs(scores.reduce((a, b) => a + b, 0) / 5 - 0.96)).toBeLessThan(0.045);
});

withSet("same_dogs3", "adjusted Rand index .5647, NMI .5250", () => {
  const data = loadSimilarities("same_dogs3");
  const { adjustedRand, nmi } = evaluateClusters({
    ...softClusters(data, { clusters: 3 }),
    gold: data.gold,
  });
  expect(Math.abs(adjustedRand.value - 0.5647)).toBeLessThanOrEqual(0.005);
  expect(Math.abs(nmi - 0.525)).toBeLessThanOrEqual(0.005);
});
