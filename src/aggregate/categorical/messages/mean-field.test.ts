import { describe, expect, it } from "vitest";
import { accuracyGates, splitAccuracy } from "../../../../test/datasets.ts";
import { allTruths } from "../../../../test/enumerate-workers.ts";
import { expectRows, largestDifference } from "../../../../test/expect-numbers.ts";
import { degenerateCrowds, randomCrowd } from "../../../../test/random-crowd.ts";
import { clip } from "../../../belief/task-priors.ts";
import { evenRows } from "../../../belief/worker-prior.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { namesOf } from "../../../data/names.ts";
import { digamma, logGamma } from "../../../math/gamma.ts";
import { regularCrowd } from "../../../simulate/regular.ts";
import { ibcc } from "../bayesian/ibcc.ts";
import { dawidSkene } from "../em/dawid-skene.ts";
import { oneCoin } from "../em/one-coin.ts";
import { predict } from "../predict.ts";
import { load, save } from "../save.ts";
import { majorityVote } from "../votes/majority-vote.ts";
import { createMeanField, meanField } from "./mean-field.ts";

const priors = ["one-coin", "two-coin"] as const;
const shapes = [
  [2, 1],
  [0.5, 0.25],
  [1e-3, 1e-3],
] as const;

describe.each(priors)("invariants, %s", (workerPrior) => {
  it.each(shapes)("never lowers its bound (prior counts %s and %s)", (right, wrong) => {
    for (let seed = 0; seed < 20; seed++) {
      for (const start of ["votes", "uniform"] as const) {
        const data = randomCrowd(seed, { classes: 2 + (seed % 3) });
        const options = { workerPrior, right, wrong, start, tolerance: 0, maxIterations: 60 };
        let last = -Infinity;
        for (const { objective } of meanField.steps(data, options)) {
          expect(objective).toBeGreaterThanOrEqual(last - 1e-9);
          last = objective;
        }
      }
    }
  });

  it("ends where its updates change nothing, whether it starts there or from the votes", () => {
    const data = randomCrowd(2);
    const end = meanField(data, { workerPrior, tolerance: 0, maxIterations: 500 });
    const again = meanField(data, { workerPrior, maxIterations: 1 }, { start: end.posterior });
    expect(largestDifference(again.posterior, end.posterior)).toBeLessThan(1e-9);
  });

  it("takes a worker's past as prior counts", () => {
    const data = randomCrowd(1);
    const history = new Float64Array(8 * 9);
    for (let k = 0; k < 3; k++) history[k * 4] = 1e6;
    expect(meanField(data, { workerPrior }, { history }).skill[0]).toBeGreaterThan(0.999);
  });

  it("permutes its answers with workers, tasks and classes, to 1e-10", () => {
    const data = randomCrowd(4);
    const turned = reversed(data);
    const [a, b] = [data, turned].map((each) => meanField(each, { workerPrior, tolerance: 0 }));
    expect(largestDifference(Float64Array.from(b.posterior).reverse(), a.posterior)).toBeLessThan(
      1e-10,
    );
    expect(largestDifference(Float64Array.from(b.skill).reverse(), a.skill)).toBeLessThan(1e-10);
  });

  it("is saved and predicts like the others", () => {
    const data = randomCrowd(3, { tasks: 200 });
    const result = meanField(data, { workerPrior });
    expect(load(save(result))).toEqual(result);
    const { consensus } = predict(data, result);
    const same = consensus.filter((k, t) => k === result.consensus[t]).length;
    expect(same).toBeGreaterThan(190);
  });
});

describe("brute force", () => {
  it.each(priors)("has the bound that the definition gives (%s)", (workerPrior) => {
    for (let seed = 0; seed < 6; seed++) {
      const data = randomCrowd(seed, { tasks: 12, classes: 2 + (seed % 3) });
      const K = data.classes.length;
      const { posterior, trace } = meanField(data, { workerPrior, maxIterations: 3 });
      const counts = evenRows({ K, L: K }, 2, 1).counts;
      const bound =
        workerPrior === "one-coin"
          ? coinBound(data, posterior, 2, 1)
          : rowsBound(data, posterior, counts);
      expect(trace.at(-1)).toBeCloseTo(bound, 9);
    }
  });

  it.each(priors)("stays below the log evidence of all truths, and near it (%s)", (workerPrior) => {
    for (let seed = 0; seed < 6; seed++) {
      const data = randomCrowd(seed, { tasks: 4, workers: 3, classes: 2 + (seed % 2) });
      const K = data.classes.length;
      const h = new Float64Array(4 * K).fill(1 / K);
      const prior =
        workerPrior === "one-coin"
          ? ({ kind: "one-coin", right: 2, wrong: 1 } as const)
          : evenRows({ K, L: K }, 2, 1);
      const { logEvidence } = allTruths(data, prior, h);
      const bound = meanField(data, { workerPrior }).trace.at(-1) ?? 0;
      expect(bound).toBeLessThanOrEqual(logEvidence + 1e-9);
      expect(bound).toBeGreaterThan(logEvidence - 2);
    }
  });

  it("has, with two coins, the fixed point of iBCC with a fixed class prior", () => {
    for (const seed of [1, 2, 3]) {
      const data = randomCrowd(seed);
      const settings = { right: 4, wrong: 1, tolerance: 0, maxIterations: 2000 };
      const ours = meanField(data, { workerPrior: "two-coin", ...settings });
      const same = { prior: "uniform", diagonal: 4, offDiagonal: 1, maxIterations: 1 } as const;
      const theirs = ibcc(data, same, { start: ours.posterior });
      expect(largestDifference(ours.posterior, theirs.posterior)).toBeLessThan(1e-10);
      expect(largestDifference(ours.confusion, theirs.confusion)).toBeLessThan(1e-10);
      expect(ours.trace.at(-1)).toBeCloseTo(theirs.trace.at(-1) ?? 0, 9);
    }
  });
});

describe("averaging rates (AMF)", () => {
  const settings = { averaging: "rates", tolerance: 0, maxIterations: 3000 } as const;

  it("is with one coin the EM of one-coin with as many pseudo-labels", () => {
    for (const seed of [1, 2, 3]) {
      const data = randomCrowd(seed, { classes: 1 + seed });
      const prior = { right: 2, wrong: 1 } as const;
      const ours = meanField(data, { ...settings, ...prior });
      const steps = { tolerance: 0, maxIterations: 1, comparePriors: false } as const;
      const theirs = oneCoin(data, { ...prior, ...steps }, { start: ours.posterior });
      expect(largestDifference(ours.posterior, theirs.posterior)).toBeLessThan(1e-9);
      expect(largestDifference(ours.skill, theirs.skill)).toBeLessThan(1e-9);
    }
  });

  it("is with two coins the EM of dawid-skene with as much smoothing", () => {
    const data = randomCrowd(2);
    const ours = meanField(data, { ...settings, workerPrior: "two-coin", right: 0.5, wrong: 0.5 });
    const same = { smoothing: 0.5, prior: "uniform", maxIterations: 1, tolerance: 0 } as const;
    const theirs = dawidSkene(data, same, { start: ours.posterior });
    expect(largestDifference(ours.posterior, theirs.posterior)).toBeLessThan(1e-9);
    expect(largestDifference(ours.confusion, theirs.confusion)).toBeLessThan(1e-9);
  });

  it.each(priors)("never lowers its objective (%s)", (workerPrior) => {
    for (let seed = 0; seed < 10; seed++) {
      const data = randomCrowd(seed, { classes: 2 + (seed % 3) });
      const { trace } = meanField(data, { ...settings, workerPrior, maxIterations: 60 });
      for (let i = 1; i < trace.length; i++) {
        expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1] - 1e-9 * Math.abs(trace[i]));
      }
    }
  });

  it("comes near mean field as workers give more labels", () => {
    const [few, many] = [{ tasks: 20 }, { tasks: 2000 }].map((shape) => {
      const data = randomCrowd(4, shape);
      return largestDifference(meanField(data).skill, meanField(data, settings).skill);
    });
    expect(many).toBeLessThan(0.1 * few);
  });

  // Measured; mean field itself has .7222 and .9250.
  accuracyGates({ bluebird: 0.7222, rte: 0.925 }, 0.003, (data) =>
    meanField(data, { averaging: "rates" }),
  );
});

describe("published numbers", () => {
  accuracyGates({ bluebird: 0.7222, rte: 0.925 }, 0.003, (data) => meanField(data));

  it("falls to chance with two coins, one extreme spammer and a prior near chance", () => {
    for (let seed = 0; seed < 10; seed++) {
      const { data } = regularCrowd({ spammers: 1, seed });
      const options = { workerPrior: "two-coin", right: 2, wrong: 1.4 } as const;
      const { posterior, skill } = meanField(data, options);
      expect(splitAccuracy(data, posterior)).toBeLessThan(0.56);
      // It follows the spammer, as one who is always right or always wrong.
      expect(Math.abs((skill.at(-1) ?? 0) - 0.5)).toBeGreaterThan(0.45);
      expect(splitAccuracy(data, majorityVote(data).posterior)).toBeGreaterThan(0.64);
    }
  });
});

describe("limits", () => {
  it.each(priors)("becomes the majority vote when the prior is strong (%s)", (workerPrior) => {
    const data = randomCrowd(5);
    const [K, right, wrong] = [3, 2e9, 1e9];
    const { posterior } = meanField(data, { workerPrior, right, wrong });
    // Each label multiplies the odds of its class by that of the prior's means.
    const odds = workerPrior === "one-coin" ? (right / wrong) * (K - 1) : right / wrong;
    const votes = new Float64Array(posterior.length);
    data.label.forEach((l, i) => {
      votes[data.task[i] * K + l]++;
    });
    for (let from = 0; from < votes.length; from += K) {
      const row = votes.subarray(from, from + K).map((n) => odds ** n);
      const total = row.reduce((sum, p) => sum + p, 0);
      row.forEach((p, k) => {
        expect(posterior[from + k]).toBeCloseTo(p / total, 6);
      });
    }
    const { consensus } = majorityVote(data, { ties: "abstain" });
    consensus.forEach((k, t) => {
      if (k >= 0)
        expect(Math.max(...posterior.subarray(t * K, t * K + K))).toBe(posterior[t * K + k]);
    });
  });

  it("says so when a symmetric prior and a uniform start leave nothing to learn from", () => {
    const data = randomCrowd(1, { classes: 2 });
    const options = { right: 1, wrong: 1 } as const;
    const stuck = meanField(data, { ...options, start: "uniform" });
    expect([...stuck.posterior].every((p) => p === 0.5)).toBe(true);
    expect(stuck.notes.join(" ")).toMatch(/labels tell nothing/);
    expect(meanField(data, options).notes.join(" ")).not.toMatch(/labels tell nothing/);
    expect(meanField(data, { start: "uniform" }).notes.join(" ")).not.toMatch(/labels tell/);
  });

  it.each(priors)("copes with what is missing or all alike, from 2 to 10 classes (%s)", (kind) => {
    for (let K = 2; K <= 10; K++) {
      for (const data of degenerateCrowds(K)) {
        const { posterior, confusion } = meanField(data, { workerPrior: kind });
        expectRows(posterior, K);
        expectRows(confusion, K);
      }
    }
  });
});

it("starts from the vote shares, unless told to start from the prior", () => {
  const data = randomCrowd(6);
  const h = new Float64Array(120).fill(1 / 3);
  const model = createMeanField(data, { kind: "one-coin", right: 2, wrong: 1 });
  model.update(h);
  const uniform = meanField(data, { start: "uniform", maxIterations: 1 });
  expect(uniform.posterior).toEqual(model.posterior);
  model.startFrom(majorityVote(data).posterior);
  model.update(h);
  expect(meanField(data, { maxIterations: 1 }).posterior).toEqual(model.posterior);
  expect(uniform.posterior).not.toEqual(model.posterior);
  model.restart();
  model.update(h);
  expect(uniform.posterior).toEqual(model.posterior);
});

describe("the engine", () => {
  const data = randomCrowd(3, { classes: 2 });
  const sure = (p: number) =>
    Float64Array.from({ length: 80 }, (_, at) => (at % 2 === 0 ? p : 1 - p));

  it("begins at the prior, and goes on from where it is with another h", () => {
    const model = createMeanField(data, { kind: "one-coin", right: 2, wrong: 1 });
    const h = sure(0.5);
    for (let update = 0; update < 400; update++) model.update(h);
    const end = meanField(data, { start: "uniform", tolerance: 0, maxIterations: 400 });
    expect(largestDifference(model.posterior, end.posterior)).toBeLessThan(1e-12);
    expect(largestDifference(model.confusion(), end.confusion)).toBeLessThan(1e-12);
    const before = model.bound(sure(0.6));
    expect(model.update(sure(0.6))).toBeGreaterThan(0);
    expect(model.bound(sure(0.6))).toBeGreaterThanOrEqual(before);
  });

  it("hears the h of each task", () => {
    const model = createMeanField(data, { kind: "one-coin", right: 2, wrong: 1 });
    model.update(clip(sure(1), 2, 0.999999));
    expect(Math.min(...model.posterior.filter((_, at) => at % 2 === 0))).toBeGreaterThan(0.99);
  });
});

/** What the tasks add to a bound, with a uniform prior. */
function taskBound(q: Float64Array, K: number): number {
  return q.reduce((sum, p) => (p > 0 ? sum + p * (Math.log(1 / K) - Math.log(p)) : sum), 0);
}

/** The bound of one coin, term by term. */
function coinBound(
  { workers, classes, task, worker, label }: CategoricalData,
  q: Float64Array,
  a: number,
  b: number,
): number {
  const K = classes.length;
  let bound = taskBound(q, K);
  [...workers].forEach((_, w) => {
    let [A, B] = [a, b];
    label.forEach((l, i) => {
      if (worker[i] !== w) return;
      A += q[task[i] * K + l];
      B += 1 - q[task[i] * K + l];
    });
    const right = digamma(A) - digamma(A + B);
    const wrong = digamma(B) - digamma(A + B);
    label.forEach((l, i) => {
      if (worker[i] !== w) return;
      const p = q[task[i] * K + l];
      bound += p * right + (1 - p) * (wrong - Math.log(K - 1));
    });
    bound -= divergence([A, B], [a, b]);
  });
  return bound;
}

/** The bound of rows, term by term. */
function rowsBound(
  { workers, classes, task, worker, label }: CategoricalData,
  q: Float64Array,
  alpha: Float64Array,
): number {
  const K = classes.length;
  let bound = taskBound(q, K);
  [...workers].forEach((_, w) => {
    for (let k = 0; k < K; k++) {
      const before = [...alpha.subarray(k * K, (k + 1) * K)];
      const row = [...before];
      label.forEach((l, i) => {
        if (worker[i] === w) row[l] += q[task[i] * K + k];
      });
      const total = row.reduce((sum, x) => sum + x, 0);
      label.forEach((l, i) => {
        if (worker[i] === w) bound += q[task[i] * K + k] * (digamma(row[l]) - digamma(total));
      });
      bound -= divergence(row, before);
    }
  });
  return bound;
}

/** KL(Dirichlet(a) || Dirichlet(b)). */
function divergence(a: readonly number[], b: readonly number[]): number {
  const sum = (x: readonly number[]) => x.reduce((total, each) => total + each, 0);
  let kl = logGamma(sum(a)) - logGamma(sum(b));
  a.forEach((each, i) => {
    kl += logGamma(b[i]) - logGamma(each) + (each - b[i]) * (digamma(each) - digamma(sum(a)));
  });
  return kl;
}

/** All names in reverse order. */
function reversed(data: CategoricalData): CategoricalData {
  const [T, W, K] = [data.tasks.length, data.workers.length, data.classes.length];
  return {
    ...data,
    tasks: namesOf([...data.tasks].reverse()),
    workers: namesOf([...data.workers].reverse()),
    classes: namesOf([...data.classes].reverse()),
    task: data.task.map((t) => T - 1 - t),
    worker: data.worker.map((w) => W - 1 - w),
    label: data.label.map((l) => K - 1 - l),
    gold: data.gold.map((k) => (k < 0 ? k : K - 1 - k)).reverse(),
  };
}
