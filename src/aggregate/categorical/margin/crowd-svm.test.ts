import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { allDirichletTruths } from "../../../../test/enumerate-dirichlet.ts";
import { largestDifference } from "../../../../test/expect-numbers.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { mean } from "../../../math/statistics.ts";
import { ibccGibbs } from "../bayesian/ibcc-gibbs.ts";
import { load, save } from "../save.ts";
import { crowdSvm } from "./crowd-svm.ts";

describe("invariants", () => {
  it.each(["singly", "together"] as const)(
    "is ibcc-gibbs without penalty, to the bit (%s)",
    (draws) => {
      const chain = { chains: 3, burnIn: 20, samples: 60, seed: 4 } as const;
      const counts = { diagonal: 2, offDiagonal: 0.5, classCount: 0.7 };
      for (const seed of [0, 1, 2]) {
        const data = randomCrowd(seed, { classes: 2 + seed });
        // The two start elsewhere, unless they are told where to.
        const known = { start: new Float64Array(40 * (2 + seed)).fill(1 / (2 + seed)) };
        const plain = ibccGibbs(data, { ...chain, ...counts }, known);
        const svm = crowdSvm(data, { ...chain, ...counts, draws, penalty: 0 }, known);
        expect(svm.posterior).toEqual(plain.posterior);
        expect(svm.confusion).toEqual(plain.confusion);
        expect(svm.rHat).toEqual(plain.rHat);
      }
    },
  );

  it("draws other numbers with another seed, but says the same", () => {
    const data = randomCrowd(1, { skill: [0.7, 0.9] });
    const [a, b] = [0, 1].map((seed) => crowdSvm(data, { seed, samples: 2000 }));
    expect(a.posterior).not.toEqual(b.posterior);
    expect(largestDifference(a.posterior, b.posterior)).toBeLessThan(0.2);
  });

  it("gives weights below 0 to who misleads, and lets the others have theirs", () => {
    const crowd = randomCrowd(5, { classes: 2, tasks: 100, skill: [0.8, 0.9], rate: 1 });
    const label = crowd.label.map((l, i) => (crowd.worker[i] === 0 ? 1 - l : l));
    const { weights, consensus } = crowdSvm({ ...crowd, label });
    expect(weights[0]).toBeLessThan(0);
    expect(mean(weights.subarray(1))).toBeGreaterThan(0.1);
    expect(consensus.filter((k, t) => k === crowd.gold[t]).length).toBeGreaterThan(97);
  });

  it("is saved and loaded", () => {
    const result = crowdSvm(randomCrowd(3), { samples: 40 });
    expect(load(save(result))).toEqual(result);
  });
});

describe("brute force", () => {
  const thorough = { chains: 40, burnIn: 50, samples: 20_000, seed: 1, diagonal: 3 } as const;
  const margins = [
    { penalty: 0.4, margin: 1, variance: 1 },
    { penalty: 1, margin: 0.5, variance: 0.5 },
  ];

  it.each([
    [0, { tasks: 3, workers: 2, classes: 2 }, "singly"],
    [0, { tasks: 3, workers: 2, classes: 2 }, "together"],
    [4, { tasks: 2, workers: 3, classes: 2 }, "together"],
    [1, { tasks: 3, workers: 2, classes: 3 }, "singly"],
    [2, { tasks: 3, workers: 2, classes: 3 }, "singly"],
    [3, { tasks: 3, workers: 2, classes: 4 }, "singly"],
    [6, { tasks: 2, workers: 3, classes: 3 }, "singly"],
  ] as const)("agrees with all truths and weights: crowd %s, %o, %s", (seed, shape, draws) => {
    const data = randomCrowd(seed, { ...shape, rate: 0.9 });
    for (const margin of shape.workers > 2 ? [margins[0]] : margins) {
      const exact = allTruths(data, margin);
      const found = crowdSvm(data, { ...thorough, ...margin, draws });
      found.posterior.forEach((p, at) => {
        expect(Math.abs(p - exact.posterior[at])).toBeLessThanOrEqual(
          3.5 * found.standardError[at] + 1e-3,
        );
        expect(found.standardError[at]).toBeLessThan(0.02);
      });
      expect(largestDifference(found.weights, exact.weights)).toBeLessThan(0.06);
      expect(Math.abs(mean(found.trace) - exact.meanLogJoint)).toBeLessThan(0.06);
    }
  });

  it("asks something of the classes: without the margin they are believed less or more", () => {
    const data = randomCrowd(3, { tasks: 3, workers: 2, classes: 4, rate: 0.9 });
    const counts = { diagonal: 3, offDiagonal: 1, classCount: 1 };
    const without = allDirichletTruths(data, counts).posterior;
    expect(largestDifference(allTruths(data, margins[0]).posterior, without)).toBeGreaterThan(0.05);
  });

  it("is off where more than two classes have their weights drawn together, and says so", () => {
    const data = randomCrowd(2, { tasks: 3, workers: 2, classes: 3, rate: 0.9 });
    const margin = { penalty: 1, margin: 1, variance: 1 };
    const found = crowdSvm(data, { ...thorough, ...margin, draws: "together" });
    expect(mean(found.trace)).toBeLessThan(allTruths(data, margin).meanLogJoint - 1);
    expect(found.notes.join()).toMatch(/joint draws of the weights are approximate/);
  });
});

describe("measured numbers", () => {
  // Nothing published could be checked; these are our own.
  const measured = { bluebird: 0.9074, temp: 0.9416, weather_amt: 0.8567, web: 0.8911 };
  accuracyGates(measured, 0.003, (data) => crowdSvm(data));
});

describe("limits", () => {
  it("refuses a matrix that is too large, and tells of a large one", () => {
    const chain = (n: number) =>
      fromRows(
        Array.from({ length: n }, (_, i) => ({
          task: `t${i}`,
          worker: `w${i}`,
          label: `${i % 2}`,
        })),
      );
    const short = { chains: 1, burnIn: 0, samples: 4 } as const;
    expect(() => crowdSvm(chain(4001), { draws: "together" })).toThrow(
      /a matrix of 4001 × 4001.*257 MB.*Use draws: singly/,
    );
    expect(crowdSvm(chain(4001), short).notes.join()).not.toMatch(/matrix/);
    const large = crowdSvm(chain(1001), { ...short, draws: "together" });
    expect(large.notes.join()).toMatch(/a matrix of 1001 × 1001: 17 MB/);
  });

  it("says when chains disagree", () => {
    const { notes, converged } = crowdSvm(randomCrowd(1));
    expect(converged).toBe(false);
    expect(notes.join(" ")).toMatch(/The chains disagree: R-hat is/);
  });
});

interface Margin {
  readonly penalty: number;
  readonly margin: number;
  readonly variance: number;
}

/** Sums over all truths, with prior and confusions integrated out and weights summed over a grid. */
function allTruths(data: CategoricalData, { penalty, margin, variance }: Margin) {
  const [T, K, W] = [data.tasks.length, data.classes.length, data.workers.length];
  const truths = Array.from({ length: K ** T }, (_, code) =>
    Array.from(data.tasks, (_, t) => Math.floor(code / K ** t) % K),
  );
  const counts = { diagonal: 3, offDiagonal: 1, classCount: 1 };
  const evidence = truths.map((truth) =>
    Math.exp(
      allDirichletTruths(data, counts, (other) => other.every((k, t) => k === truth[t]))
        .logEvidence,
    ),
  );
  const mass = new Float64Array(truths.length);
  const pull = Array.from({ length: truths.length }, () => new Float64Array(W));
  const logs = new Float64Array(truths.length);
  const step = (W > 2 ? 0.2 : 0.05) * Math.sqrt(variance);
  const side = 2 * Math.ceil((6 * Math.sqrt(variance)) / step) + 1;
  for (let code = 0; code < side ** W; code++) {
    const weights = Array.from(
      data.workers,
      (_, w) => ((Math.floor(code / side ** w) % side) - (side - 1) / 2) * step,
    );
    const scores = new Float64Array(T * K);
    data.label.forEach((l, i) => {
      scores[data.task[i] * K + l] += weights[data.worker[i]];
    });
    const short = scores.map((s, at) => {
      const rivals = [...scores.subarray(at - (at % K), at - (at % K) + K)].filter(
        (_, k) => k !== at % K,
      );
      return Math.max(0, margin - s + Math.max(...rivals));
    });
    const prior =
      weights.reduce((p, x) => p * Math.exp((-x * x) / (2 * variance)), 1) *
      (step / Math.sqrt(2 * Math.PI * variance)) ** W;
    truths.forEach((truth, i) => {
      const cost = truth.reduce((sum, k, t) => sum + 2 * penalty * short[t * K + k], 0);
      const p = prior * Math.exp(-cost) * evidence[i];
      mass[i] += p;
      const density = Math.log(prior) - W * Math.log(step) - cost + Math.log(evidence[i]);
      logs[i] += p > 0 ? p * density : 0;
      weights.forEach((x, w) => {
        pull[i][w] += p * x;
      });
    });
  }
  const total = mass.reduce((a, b) => a + b, 0);
  const posterior = new Float64Array(T * K);
  truths.forEach((truth, i) => {
    truth.forEach((k, t) => {
      posterior[t * K + k] += mass[i] / total;
    });
  });
  const weights = Float64Array.from(
    data.workers,
    (_, w) => pull.reduce((sum, row) => sum + row[w], 0) / total,
  );
  return { posterior, weights, meanLogJoint: logs.reduce((a, b) => a + b, 0) / total };
}
