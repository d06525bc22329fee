import { describe, expect, it } from "vitest";
import { loadSimilarities, withSet } from "../../../test/datasets.ts";
import {
  fixture,
  partitionOf,
  plantedBlocks,
  rand,
  similarityLaws,
} from "../../../test/similarity-checks.ts";
import { evaluateClusters } from "../../evaluate/similarity.ts";
import { symmetricEigen } from "../../math/matrix.ts";
import { frameOf } from "./frame.ts";
import { embed } from "./spectral.ts";
import { spectralClusters } from "./spectral-clusters.ts";

describe("laws", () => similarityLaws(spectralClusters));

it("is the fixture", () => {
  expect(embed(frameOf(fixture), 1)[0].values[0]).toBeCloseTo(0.432889, 6);
  expect(partitionOf(spectralClusters(fixture, { clusters: 2 }))).toEqual(["0 1 2", "3 4"]);
});

it("finds the eigenvectors of the matrix of its definition, written out or not", () => {
  const data = plantedBlocks(2);
  const N = data.items.length;
  const mean = data.label.reduce((a, b) => a + b, 0) / data.label.length;
  const degree = Array.from(
    data.items,
    (_, i) => [...data.left, ...data.right].filter((x) => x === i).length,
  );
  const matrix = new Float64Array(N * N);
  data.label.forEach((said, i) => {
    const [l, r] = [data.left[i], data.right[i]];
    const value = (said - mean) / Math.sqrt(degree[l] * degree[r]);
    matrix[l * N + r] += value;
    matrix[r * N + l] += value;
  });
  const { values } = symmetricEigen(matrix, N);
  const [found] = embed(frameOf(data), 3);
  for (let j = 0; j < 3; j++) expect(found.values[j]).toBeCloseTo(values[j], 9);
});

it("finds planted clusters: mean adjusted Rand index .972, and .824 with poor workers", () => {
  const mean = (options: object) =>
    [1, 2, 3, 4, 5].reduce((sum, seed) => {
      const data = plantedBlocks(seed, options);
      return sum + rand(data, spectralClusters(data, { clusters: 3 })) / 5;
    }, 0);
  expect(Math.abs(mean({}) - 0.972)).toBeLessThan(0.045);
  expect(Math.abs(mean({ workers: 30, poor: 6 }) - 0.824)).toBeLessThan(0.12);
});

withSet("same_dogs3", "adjusted Rand index .5102, NMI .4720", () => {
  const data = loadSimilarities("same_dogs3");
  const { adjustedRand, nmi } = evaluateClusters({
    ...spectralClusters(data, { clusters: 3 }),
    gold: data.gold,
  });
  expect(Math.abs(adjustedRand.value - 0.5102)).toBeLessThanOrEqual(0.005);
  expect(Math.abs(nmi - 0.472)).toBeLessThanOrEqual(0.005);
});
