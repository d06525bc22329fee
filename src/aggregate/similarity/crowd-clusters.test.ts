import { describe, expect, it } from "vitest";
import { loadSimilarities, withSet } from "../../../test/datasets.ts";
import {
  fixture,
  near,
  plantedBlocks,
  rand,
  rowsOf,
  similarityLaws,
} from "../../../test/similarity-checks.ts";
import { fromRows } from "../../data/from-rows.ts";
import { evaluateClusters } from "../../evaluate/similarity.ts";
import { logBeta, logMultivariateBeta } from "../../math/gamma.ts";
import { logSumExp } from "../../math/log-sum-exp.ts";
import { drain } from "../../method.ts";
import { chooseClusters } from "./cluster-count.ts";
import { crowdClusters } from "./crowd-clusters.ts";
import { frameOf } from "./frame.ts";

describe("laws", () => similarityLaws(crowdClusters));

const first = (result: { readonly membership: Float64Array }) =>
  Array.from({ length: 5 }, (_, i) => result.membership[i * 2]);

it("is the fixture after one iteration, after two and at the end", () => {
  const one = crowdClusters(fixture, { clusters: 2, maxIterations: 1 });
  expect(one.trace[0]).toBeCloseTo(-9.801052, 5);
  expect(first(one)).toEqual(near([0.755363, 0.826812, 0.826435, 0.195923, 0.245744], 5));
  const two = crowdClusters(fixture, { clusters: 2, maxIterations: 2 });
  expect(two.trace[1]).toBeCloseTo(-9.755914, 5);
  expect(first(two)).toEqual(near([0.74377, 0.840895, 0.840363, 0.200946, 0.262966], 5));
  const last = crowdClusters(fixture, { clusters: 2, tolerance: 0 });
  expect(last.trace.at(-1)).toBeCloseTo(-7.80308, 5);
  expect(first(last)).toEqual(near([0.990386, 0.999916, 0.999917, 0.000065, 0.001723], 5));
});

it("has an objective that does not fall once the crowd's rates are kept, below the log evidence", () => {
  const { trace } = crowdClusters(fixture, { clusters: 2, tolerance: 0 });
  for (let i = 21; i < trace.length; i++)
    expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1] - 1e-9);
  const crowd = crowdAtEnd();
  expect(trace.at(-1)).toBeLessThan(logEvidence(crowd.alike, crowd.apart));
});

/** The rates of the crowd that the fixture ends with, from the rates of a worker without answers. */
function crowdAtEnd() {
  const rows = [
    ...rowsOf(fixture),
    { worker: "idle", left: "0", right: "1", label: "same", weight: 0 },
  ];
  const { alike, apart } = crowdClusters(fromRows(rows, { kind: "similarity" }), {
    clusters: 2,
    tolerance: 0,
  });
  return { alike: alike[3], apart: apart[3] };
}

/** Sum over all assignments of the fixture's items, with rates and sizes integrated out. */
function logEvidence(a: number, b: number): number {
  const prior = [10 * a, 10 * (1 - a), 10 * b, 10 * (1 - b)];
  const logs = Array.from({ length: 2 ** 5 }, (_, z) => {
    const cluster = (i: number) => (z >> i) & 1;
    const counts = new Float64Array(12);
    fixture.label.forEach((said, i) => {
      const apart = cluster(fixture.left[i]) === cluster(fixture.right[i]) ? 0 : 2;
      counts[fixture.worker[i] * 4 + apart + (said ? 0 : 1)]++;
    });
    const sizes = [0, 1].map((c) => 1 + [0, 1, 2, 3, 4].filter((i) => cluster(i) === c).length);
    let log = logMultivariateBeta(sizes) - logMultivariateBeta([1, 1]);
    for (let at = 0; at < 12; at += 2) {
      const [x, y] = [prior[at % 4], prior[(at % 4) + 1]];
      log += logBeta(counts[at] + x, counts[at + 1] + y) - logBeta(x, y);
    }
    return log;
  });
  return logSumExp(logs);
}

it("warns where same and different look swapped", () => {
  for (const blocks of [2, 3, 4]) {
    const data = plantedBlocks(blocks, { items: 60, blocks, right: 0.1 });
    expect(crowdClusters(data, { clusters: blocks }).notes.join()).toContain("swapped");
    expect(crowdClusters(data).notes.join()).toContain("swapped");
    const noise = plantedBlocks(blocks, { items: 60, blocks, right: 0.5 });
    expect(crowdClusters(noise).notes.join()).not.toContain("swapped");
  }
  expect(
    crowdClusters(plantedBlocks(1, { items: 40 }), { clusters: 3 }).notes.join(),
  ).not.toContain("swapped");
});

it("finds planted clusters and workers: mean adjusted Rand index .988, .964 with poor workers", () => {
  const fits = (options: object) =>
    [1, 2, 3, 4, 5].map((seed) => {
      const data = plantedBlocks(seed, options);
      const result = crowdClusters(data, { clusters: 3 });
      return { data, result, score: rand(data, result) };
    });
  const mean = (list: readonly number[]) => list.reduce((sum, x) => sum + x / list.length, 0);
  const good = fits({});
  expect(Math.abs(mean(good.map(({ score }) => score)) - 0.988)).toBeLessThan(0.045);
  expect(Math.abs(mean(good.map(({ result }) => mean([...result.alike]))) - 0.903)).toBeLessThan(
    0.03,
  );
  expect(Math.abs(mean(good.map(({ result }) => mean([...result.apart]))) - 0.101)).toBeLessThan(
    0.03,
  );
  const mixed = fits({ workers: 30, poor: 6 });
  expect(Math.abs(mean(mixed.map(({ score }) => score)) - 0.964)).toBeLessThan(0.06);
  for (const { data, result } of mixed) {
    const skill = (name: (w: number) => boolean) =>
      mean([...result.skill].filter((_, w) => name(Number(data.workers.at(w).slice(1)))));
    expect(skill((w) => w < 6)).toBeLessThan(skill((w) => w >= 6) - 0.1);
  }
});

it("chooses three planted clusters", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const data = plantedBlocks(seed);
    const tried = drain(chooseClusters(data, frameOf(data)));
    expect(tried.toSorted((a, b) => b.score - a.score)[0].clusters).toBe(3);
    expect(tried).toHaveLength(5);
  }
});

withSet("same_dogs3", "adjusted Rand index .5336, NMI .5072, objective -5320.03", () => {
  const data = loadSimilarities("same_dogs3");
  const result = crowdClusters(data, { clusters: 3 });
  const { adjustedRand, nmi, accuracy } = evaluateClusters({ ...result, gold: data.gold });
  expect(Math.abs(adjustedRand.value - 0.5336)).toBeLessThanOrEqual(0.005);
  expect(Math.abs(nmi - 0.5072)).toBeLessThanOrEqual(0.005);
  expect(Math.abs(accuracy - 0.799)).toBeLessThanOrEqual(0.005);
  expect(result.trace.at(-1)).toBeCloseTo(-5320.03, 1);
  expect(result.iterations).toBe(43);
  const sure = result.confidence.reduce((sum, p) => sum + p / data.items.length, 0);
  expect(Math.abs(sure - 0.99)).toBeLessThanOrEqual(0.005);
});

withSet("same_dogs3", "hidden answers by the number of clusters: -.5466 with 3", () => {
  const data = loadSimilarities("same_dogs3");
  const tried = drain(
    chooseClusters(
      data,
      frameOf(data),
      data.label.map((_, i) => i % 5),
    ),
  );
  const expected = [-0.6202, -0.5694, -0.5466, -0.5754, -0.5711];
  expect(tried.map(({ clusters }) => clusters)).toEqual([1, 2, 3, 4, 5]);
  tried.forEach(({ score }, at) => {
    expect(Math.abs(score - expected[at])).toBeLessThanOrEqual(0.005);
  });
});
