import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { enumerate } from "../../../../test/enumerate.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { namesOf } from "../../../data/names.ts";
import { digamma, logBeta, logMultivariateBeta } from "../../../math/gamma.ts";
import { majorityVote } from "../votes/majority-vote.ts";
import { mace } from "./mace.ts";

describe("invariants", () => {
  it.each(["em", "vb"] as const)("never lowers its objective (%s)", (variant) => {
    for (let seed = 0; seed < 10; seed++) {
      const data = randomCrowd(seed, { classes: 2 + (seed % 3), skill: [0.2, 0.9] });
      const K = data.classes.length;
      const history = new Float64Array(8 * K * K).fill(seed % 2);
      const options = { variant, prior: "learn", restarts: 3, tolerance: 0 } as const;
      const { trace } = mace(data, options, { history, priorCounts: new Float64Array(K).fill(1) });
      for (let i = 1; i < trace.length; i++) {
        expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1] - 1e-9 * Math.abs(trace[i]));
      }
    }
  });

  it("keeps its parameters and doubles its objective when every task comes twice (em)", () => {
    const data = randomCrowd(2);
    const twice = (column: Int32Array, shift: number) =>
      Int32Array.of(...column, ...column.map((x) => x + shift));
    const doubled: CategoricalData = {
      ...data,
      tasks: namesOf([...data.tasks, ...Array.from(data.tasks, (name) => `${name}'`)]),
      task: twice(data.task, data.tasks.length),
      worker: twice(data.worker, 0),
      label: twice(data.label, 0),
      gold: twice(data.gold, 0),
    };
    const options = { variant: "em", restarts: 1, tolerance: 0, maxIterations: 3000 } as const;
    // Random starts differ, so both go on to the end from the votes.
    const start = majorityVote(data).posterior;
    const one = mace(data, { ...options, smoothing: 0.01 }, { start });
    const two = mace(
      doubled,
      { ...options, smoothing: 0.02 },
      { start: Float64Array.of(...start, ...start) },
    );
    one.confusion.forEach((rate, at) => {
      expect(two.confusion[at]).toBeCloseTo(rate, 6);
    });
    expect(two.trace.at(-1)).toBeCloseTo(2 * (one.trace.at(-1) ?? 0), 6);
  });

  it("restarts from different points, and keeps the best", () => {
    const data = randomCrowd(1, { tasks: 20, skill: [0.3, 0.6] });
    const { objectives, trace } = mace(data, { maxIterations: 3, restarts: 8 });
    expect(new Set(objectives).size).toBe(8);
    expect(trace.at(-1)).toBe(Math.max(...objectives));
    const other = mace(data, { maxIterations: 3, restarts: 8, seed: 1 });
    expect(other.objectives).not.toEqual(objectives);
    // The first restarts are the same, however many follow.
    const fewer = mace(data, { maxIterations: 3, restarts: 4 });
    expect(fewer.objectives).toEqual(objectives.subarray(0, 4));
  });

  it("starts from a given posterior", () => {
    const one = { maxIterations: 1, restarts: 1 };
    let gained = 0;
    for (let seed = 5; seed < 10; seed++) {
      const data = randomCrowd(seed, { skill: [0.3, 0.5] });
      const start = new Float64Array(120);
      data.gold.forEach((k, t) => {
        start[t * 3 + k] = 1;
      });
      const right = ({ consensus }: { consensus: Int32Array }) =>
        consensus.filter((k, t) => k === data.gold[t]).length;
      gained += right(mace(data, one, { start })) - right(mace(data, one));
    }
    expect(gained).toBeGreaterThan(5);
  });

  it("takes a worker's past as labels of known class", () => {
    const data = randomCrowd(1);
    const history = new Float64Array(8 * 9);
    for (let k = 0; k < 3; k++) history[k * 4] = 1000;
    for (let k = 0; k < 3; k++) history[9 + 3 * k + 1] = 1000;
    const { skill, habit } = mace(data, {}, { history });
    expect(skill[0]).toBeGreaterThan(0.98);
    expect(skill[1]).toBeLessThan(0.05);
    expect(habit[4]).toBeGreaterThan(0.95);
  });

  it("hears nothing of the class in an abstention, and counts it", () => {
    const data = randomCrowd(4);
    const silent = { ...data, label: data.label.map((l, i) => (i % 5 === 0 ? 3 : l)) };
    // Random starts differ, so both go on to the end from the votes.
    const start = majorityVote(silent).posterior;
    const options = { restarts: 1, tolerance: 0, maxIterations: 3000 };
    const modelled = mace(silent, { ...options, abstentions: "model" }, { start });
    const dropped = mace(silent, options, { start });
    expect([...modelled.posterior]).toEqual(
      [...dropped.posterior].map((p) => expect.closeTo(p, 6)),
    );
    const own = [...silent.label.keys()].filter((i) => silent.worker[i] === 0);
    const rate = own.filter((i) => silent.label[i] === 3).length / own.length;
    expect(modelled.confusion[3]).toBeCloseTo(rate, 12);
  });
});

describe("brute force", () => {
  it("matches a sum over every possible truth (em)", () => {
    const data = randomCrowd(3, { tasks: 6, workers: 3, classes: 3 });
    const { prior, confusion, posterior, trace, skill, habit } = mace(data, {
      variant: "em",
      smoothing: 0.3,
    });
    const exact = enumerate(data, prior, confusion);
    expect([...posterior]).toEqual(exact.posterior.map((p) => expect.closeTo(p, 10)));
    let penalty = 0;
    for (const t of skill) penalty += 0.1 * (Math.log(t) + Math.log(1 - t));
    for (const p of habit) penalty += 0.1 * Math.log(p);
    expect(trace.at(-1)).toBeCloseTo(exact.logLikelihood + penalty, 9);
  });

  it("has the confusion it says: knows, or answers by habit", () => {
    const data = randomCrowd(3);
    const { confusion, skill, habit } = mace(data, { restarts: 1 });
    confusion.forEach((rate, at) => {
      const [w, k, l] = [Math.floor(at / 9), Math.floor(at / 3) % 3, at % 3];
      const known = k === l ? skill[w] : 0;
      expect(rate).toBeCloseTo(known + (1 - skill[w]) * habit[w * 3 + l], 12);
    });
  });

  it("stays below the evidence, and close to it (vb)", () => {
    const data = randomCrowd(2, { tasks: 4, workers: 2, classes: 2, rate: 0.8 });
    const options = { skillPrior: 0.7, habitPrior: 2 };
    const { trace } = mace(data, { ...options, maxIterations: 500, tolerance: 0 });
    const evidence = logEvidence(data, options.skillPrior, options.habitPrior);
    expect(trace.at(-1)).toBeLessThan(evidence);
    expect(trace.at(-1)).toBeGreaterThan(evidence - 2);
  });

  it("has the posterior of exp E[log] of its parameters (vb)", () => {
    const data = randomCrowd(3, { skill: [0.3, 0.8] });
    const [W, K] = [data.workers.length, data.classes.length];
    const { posterior, skill, habit } = mace(data, { restarts: 1 });
    const expLog = (count: number, total: number) => Math.exp(digamma(count) - digamma(total));
    // The means give back the counts that they were made from, and these the expectations.
    const factors = Array.from({ length: W }, (_, w) => {
      const n = data.worker.filter((v) => v === w).length;
      const known = skill[w] * (n + 1);
      const spam = (1 - skill[w]) * (n + 1);
      const total = spam - 0.5 + 10 * K;
      const spams = expLog(spam, n + 1);
      const labels = Array.from(
        data.classes,
        (_, l) => spams * expLog(habit[w * K + l] * total, total),
      );
      return { knows: expLog(known, n + 1), labels };
    });
    for (let t = 0; t < data.tasks.length; t++) {
      const row = Array.from(data.classes, (_, k) =>
        [...data.label.keys()]
          .filter((i) => data.task[i] === t)
          .map((i) => ({ l: data.label[i], ...factors[data.worker[i]] }))
          .reduce((p, { l, knows, labels }) => p * (labels[l] + (l === k ? knows : 0)), 1),
      );
      const total = row.reduce((a, b) => a + b);
      for (let k = 0; k < K; k++) expect(posterior[t * K + k]).toBeCloseTo(row[k] / total, 9);
    }
  });

  it("says how uncertain each task is", () => {
    const data = randomCrowd(3, { skill: [0.3, 0.6] });
    const { posterior, entropy } = mace(data, { restarts: 1 });
    entropy.forEach((nats, t) => {
      const row = [...posterior.subarray(t * 3, t * 3 + 3)];
      const exact = -row.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
      expect(nats).toBeCloseTo(exact, 12);
    });
  });
});

describe("published numbers", () => {
  accuracyGates(
    {
      bluebird: 0.8611,
      rte: 0.9263,
      web: 0.8387,
      product: 0.8184,
      possent: 0.957,
      weather: 0.8833,
      weather_amt: 0.8567,
      sp: 0.9178,
      sp_amt: 0.946,
      zencrowd_in: 0.7172,
      zencrowd_us: 0.8049,
    },
    0.015,
    (data) => mace(data),
  );
});

describe("limits", () => {
  it.each(["em", "vb"] as const)("finds who always says the same (%s)", (variant) => {
    const data = randomCrowd(1, { tasks: 200, skill: [0.6, 0.9] });
    const label = data.label.map((l, i) => (data.worker[i] === 0 ? 1 : l));
    const { skill, habit } = mace({ ...data, label }, { variant });
    expect(skill[0]).toBeLessThan(0.1);
    expect(habit[1]).toBeGreaterThan(0.75);
    expect(Math.min(...skill.subarray(1))).toBeGreaterThan(0.3);
  });

  it("calls a worker without labels per coin", () => {
    const data = randomCrowd(1);
    const { skill, habit } = mace({ ...data, workers: namesOf([...data.workers, "silent"]) });
    expect(skill.at(-1)).toBe(0.5);
    expect([...habit.subarray(24)]).toEqual(
      [1 / 3, 1 / 3, 1 / 3].map((p) => expect.closeTo(p, 12)),
    );
  });
});

/** log P(labels): every truth, and for each every way in which labels were known or spammed. */
function logEvidence(data: CategoricalData, a: number, c: number): number {
  const K = data.classes.length;
  const T = data.tasks.length;
  const N = data.label.length;
  let total = 0;
  for (let code = 0; code < K ** T; code++) {
    const truth = Array.from(data.tasks, (_, t) => Math.floor(code / K ** t) % K);
    for (let mask = 0; mask < 2 ** N; mask++) {
      const known = Array.from(data.workers, () => 0);
      const spam = Array.from(data.workers, () => new Array<number>(K).fill(0));
      let possible = true;
      for (let i = 0; i < N; i++) {
        if ((mask >> i) & 1) {
          known[data.worker[i]]++;
          possible &&= data.label[i] === truth[data.task[i]];
        } else spam[data.worker[i]][data.label[i]]++;
      }
      if (!possible) continue;
      let log = -T * Math.log(K);
      for (let w = 0; w < known.length; w++) {
        const spammed = spam[w].reduce((x, y) => x + y);
        log += logBeta(known[w] + a, spammed + a) - logBeta(a, a);
        log += logMultivariateBeta(spam[w].map((n) => n + c));
        log -= logMultivariateBeta(new Array<number>(K).fill(c));
      }
      total += Math.exp(log);
    }
  }
  return Math.log(total);
}
