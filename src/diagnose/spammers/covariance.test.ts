import { describe, expect, it } from "vitest";
import { gate, splitAccuracy } from "../../../test/datasets.ts";
import { randomCrowd, reversedLabels } from "../../../test/random-crowd.ts";
import { dawidSkene } from "../../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../../aggregate/categorical/votes/majority-vote.ts";
import { type CategoricalData, selectLabels } from "../../data/categorical.ts";
import { fromRows } from "../../data/from-rows.ts";
import { namesOf } from "../../data/names.ts";
import { symmetricEigen } from "../../math/matrix.ts";
import { spammerCrowd } from "../../reproduce/spammer-crowd.ts";
import { covarianceSpammers, scalarCovariance, signedNorm } from "./covariance.ts";

const crowd = (spammers: number, seed: number, tasks = 10_000) =>
  spammerCrowd({
    ...{ tasks, workers: 20, labelsPerTask: 0, prior: [0.25, 0.25, 0.25, 0.25], spammers },
    ...({ kind: "uniform", low: 0.5, high: 0.9, seed } as const),
  });

const without = (data: CategoricalData, workers: readonly number[]) => {
  const out = new Set(workers);
  return selectLabels(data, (i) => !out.has(data.worker[i]));
};

describe("brute force", () => {
  it("covariances are those of their definition", () => {
    const [x, y] = [
      [0, 1, 2, 2, 1, 0],
      [0, 1, 1, 2, 0, 0],
    ];
    const counts = new Float64Array(9);
    x.forEach((k, i) => {
      counts[k * 3 + y[i]]++;
    });
    const mean = (values: readonly number[]) => values.reduce((a, b) => a + b) / 6;
    const expected = mean(x.map((k, i) => (k - mean(x)) * (y[i] - mean(y))));
    expect(scalarCovariance(counts, 3)).toBeCloseTo(expected, 12);
    let square = 0;
    for (let k = 0; k < 3; k++) {
      for (let l = 0; l < 3; l++) {
        const [a, b] = [x.map((v) => (v === k ? 1 : 0)), y.map((v) => (v === l ? 1 : 0))];
        square += mean(a.map((v, i) => (v - mean(a)) * (b[i] - mean(b)))) ** 2;
      }
    }
    expect(signedNorm(counts, 3)).toBeCloseTo(Math.sqrt(square), 12);
    const two = Float64Array.of(1, 4, 5, 2);
    expect(signedNorm(two, 2)).toBeCloseTo(2 * scalarCovariance(two, 2), 12);
  });

  it("V Vᵀ, with its diagonal, has V as its leading eigenvectors", () => {
    const { data } = crowd(0.3, 2, 300);
    const { vectors, rank } = covarianceSpammers(data, { coding: "scalar" });
    const W = 20;
    const table = new Float64Array(W * W);
    for (let u = 0; u < W; u++) {
      for (let v = 0; v < u; v++) {
        const counts = new Float64Array(16);
        for (let t = 0; t < 300; t++) counts[data.label[t * W + u] * 4 + data.label[t * W + v]]++;
        table[u * W + v] = scalarCovariance(counts, 4);
      }
      for (let j = 0; j < rank; j++) table[u * W + u] += vectors[u * rank + j] ** 2;
    }
    const exact = symmetricEigen(table, W);
    for (let j = 0; j < rank; j++) {
      let square = 0;
      for (let w = 0; w < W; w++) square += vectors[w * rank + j] ** 2;
      expect(square).toBeCloseTo(Math.max(0, exact.values[j]), 4);
    }
  });
});

describe("invariants", () => {
  it("does not depend on the order of labels, nor one-hot on that of classes", () => {
    const { data } = crowd(0.4, 3, 200);
    const found = covarianceSpammers(data);
    expect(found.coding).toBe("one-hot");
    expect(covarianceSpammers(reversedLabels(data)).candidates).toEqual(found.candidates);
    const turned = { ...data, label: data.label.map((l) => (l * 3 + 1) % 4) };
    expect(covarianceSpammers(turned).candidates).toEqual(found.candidates);
  });

  it("confirms candidates only", () => {
    const { candidates, spammers, p } = covarianceSpammers(randomCrowd(1));
    expect(candidates).toEqual(expect.arrayContaining([...spammers]));
    for (const w of spammers) expect(p[w]).toBeGreaterThan(0.01);
  });
});

describe("published numbers", () => {
  gate("bluebird", "22 pruned, majority vote .8519, dawid-skene .8981", (data) => {
    const { candidates } = covarianceSpammers(data, { coding: "scalar" });
    expect(candidates.length).toBe(22);
    const rest = without(data, candidates);
    expect(splitAccuracy(data, majorityVote(rest).posterior)).toBeCloseTo(0.8519, 4);
    expect(splitAccuracy(data, dawidSkene(rest).posterior)).toBeCloseTo(0.8981, 4);
  });

  gate("web", "nearly all are candidates; the guard confirms far fewer", (data) => {
    const { candidates, spammers } = covarianceSpammers(data, { coding: "scalar" });
    expect(candidates.length).toBeGreaterThanOrEqual(175);
    expect(spammers.length).toBeLessThan(130);
  });

  it.each([
    [0.3, 0.988, 0.999],
    [0.6, 0.858, 0.989],
    [0.8, 0.586, 0.937],
  ])(
    "%d spammers: exactly they are found; MV of all labels and DS as published",
    (share, vote, ds) => {
      let [voted, fitted] = [0, 0];
      for (let seed = 0; seed < 3; seed++) {
        const { data, roles } = crowd(share, seed);
        for (const coding of seed === 0
          ? (["scalar", "one-hot"] as const)
          : (["one-hot"] as const)) {
          const { candidates } = covarianceSpammers(data, { coding });
          expect(candidates.map((w) => roles[w])).toEqual(Array(20 * share).fill("spammer"));
          if (coding === "scalar") continue;
          voted += splitAccuracy(data, majorityVote(data).posterior) / 3;
          fitted += splitAccuracy(data, dawidSkene(without(data, candidates)).posterior) / 3;
        }
      }
      // The published means are of other seeds: with 20 %, four honest workers, they differ by some hundredths.
      expect(Math.abs(voted - vote)).toBeLessThan(0.05);
      expect(Math.abs(fitted - ds)).toBeLessThan(0.03);
    },
  );

  it("without spammers k-means still finds candidates; none is confirmed", () => {
    for (let seed = 0; seed < 3; seed++) {
      const { candidates, spammers } = covarianceSpammers(crowd(0, seed).data);
      expect(candidates.length).toBeGreaterThan(0);
      expect(spammers).toEqual([]);
    }
  });
});

describe("limits", () => {
  it("copes with no labels, one worker, one class and abstentions", () => {
    expect(covarianceSpammers(fromRows([]))).toMatchObject({ candidates: [], spammers: [] });
    const one = fromRows([{ task: "a", worker: "w", label: "x" }]);
    expect(covarianceSpammers(one).candidates).toEqual([]);
    const { data } = crowd(0.3, 1, 100);
    const silent = { ...data, label: data.label.map((l, i) => (i % 7 === 0 ? 4 : l)) };
    expect(covarianceSpammers(silent).candidates.length).toBeGreaterThan(0);
    const alone = { ...data, workers: namesOf([...data.workers, "silent"]) };
    expect(covarianceSpammers(alone).p.length).toBe(21);
  });

  it("bounds the pairs it looks at, and says so", () => {
    const { data, roles } = crowd(0.3, 1, 2000);
    const found = covarianceSpammers(data, { mostPairs: 50_000 });
    expect(found.sampled).toBe(true);
    expect(found.candidates.every((w) => roles[w] === "spammer")).toBe(true);
    for (const rank of [1.5, 0, -1]) {
      expect(() => covarianceSpammers(data, { rank })).toThrow(`at least 1, not ${rank}`);
    }
  });
});
