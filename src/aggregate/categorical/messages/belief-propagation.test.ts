import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { allTruths, enumeratedMessages } from "../../../../test/enumerate-workers.ts";
import { expectRows, largestDifference } from "../../../../test/expect-numbers.ts";
import { degenerateCrowds, randomCrowd } from "../../../../test/random-crowd.ts";
import { evenRows, type WorkerPrior, withPast } from "../../../belief/worker-prior.ts";
import { type CategoricalData, selectLabels } from "../../../data/categorical.ts";
import { labelsPerWorker } from "../../../data/crowd-data.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { namesOf } from "../../../data/names.ts";
import { integer } from "../../../math/distributions.ts";
import { gaussJacobi } from "../../../math/gauss-jacobi.ts";
import { createRandom, type Random } from "../../../math/random.ts";
import { regularCrowd } from "../../../simulate/regular.ts";
import { predict } from "../predict.ts";
import { load, save } from "../save.ts";
import { beliefPropagation, createBeliefPropagation } from "./belief-propagation.ts";

const coin = (right: number, wrong: number): WorkerPrior => ({ kind: "one-coin", right, wrong });
const rows = (right: number, wrong: number, K = 2): WorkerPrior =>
  evenRows({ K, L: K }, right, wrong);
const hammers: WorkerPrior = {
  kind: "mixture",
  parts: [
    { share: 0.6, skill: 0.95 },
    { share: 0.3, skill: 0.5 },
    { share: 0.1, skill: 0.05 },
  ],
};
const twoKinds: WorkerPrior = {
  kind: "mixture",
  parts: [
    { share: 0.7, right: 8, wrong: 1 },
    { share: 0.3, right: 3, wrong: 3 },
  ],
};
const tables: WorkerPrior = {
  kind: "tables",
  parts: [
    { share: 0.8, confusion: Float64Array.of(0.9, 0.1, 0.3, 0.7) },
    { share: 0.2, confusion: Float64Array.of(0.5, 0.5, 0.5, 0.5) },
  ],
};

describe("brute force, without loops", () => {
  it.each([
    ["one coin", coin(2, 1), 2],
    ["one coin, sparse", coin(0.2, 0.1), 2],
    ["one coin, three classes", coin(2, 1), 3],
    ["two coins", rows(2, 1), 2],
    ["two coins, sparse", rows(0.5, 0.25), 2],
    ["three skills", hammers, 2],
    ["two kinds of skills", twoKinds, 2],
    ["two confusions", tables, 2],
  ])("gives the posterior and evidence of all truths (%s)", (_, prior, K) => {
    for (let seed = 0; seed < 8; seed++) {
      const data = randomGraph(seed, { labels: K === 2 ? 14 : 9, K, loops: 0 });
      const h = randomPriors(data, seed);
      const exact = allTruths(data, prior, h);
      const model = createBeliefPropagation(data, prior);
      const posterior = new Float64Array(h.length);
      for (let sweep = 0; sweep < 20; sweep++) model.sweep(h);
      model.beliefs(h, posterior);
      expect(largestDifference(posterior, exact.posterior)).toBeLessThan(1e-12);
      expect(model.evidence(h)).toBeCloseTo(exact.logEvidence, 11);
    }
  });

  it("gives the posterior mean of each skill", () => {
    const data = randomGraph(3, { labels: 12, K: 2, loops: 0 });
    const h = randomPriors(data, 3);
    const model = createBeliefPropagation(data, coin(2, 1));
    for (let sweep = 0; sweep < 20; sweep++) model.sweep(h);
    const { confusion } = model.workers(h);
    const whole = allTruths(data, coin(2, 1), h).logEvidence;
    [...data.workers].forEach((_, w) => {
      // One more right label of a worker has the mean of their skill as its probability.
      const more = {
        ...data,
        tasks: namesOf([...data.tasks, "sure"]),
        task: Int32Array.of(...data.task, data.tasks.length),
        worker: Int32Array.of(...data.worker, w),
        label: Int32Array.of(...data.label, 0),
      };
      const { logEvidence } = allTruths(more, coin(2, 1), Float64Array.of(...h, 1, 0));
      expect(confusion[w * 4]).toBeCloseTo(Math.exp(logEvidence - whole), 12);
    });
  });

  it("takes a worker's past as if it had labelled as many known tasks before", () => {
    for (const prior of [coin(2, 1), rows(2, 1), hammers, twoKinds, tables]) {
      const data = randomGraph(5, { labels: 12, K: 2, loops: 0 });
      const h = randomPriors(data, 5);
      const history = new Float64Array(data.workers.length * 4);
      history.set([3, 1, 2, 4]);
      const model = createBeliefPropagation(data, prior, { history });
      const posterior = new Float64Array(h.length);
      for (let sweep = 0; sweep < 20; sweep++) model.sweep(h);
      model.beliefs(h, posterior);
      const past = "000 001 002 013 105 106 117 118 119 11a".split(" ");
      const before = past.map(([k, l, name]) => ({ truth: Number(k), label: Number(l), name }));
      const known: CategoricalData = {
        ...data,
        tasks: namesOf([...data.tasks, ...before.map(({ name }) => `known-${name}`)]),
        task: Int32Array.of(...data.task, ...before.map((_, i) => data.tasks.length + i)),
        worker: Int32Array.of(...data.worker, ...before.map(() => 0)),
        label: Int32Array.of(...data.label, ...before.map(({ label }) => label)),
      };
      const sure = before.flatMap(({ truth }) => (truth === 0 ? [1, 0] : [0, 1]));
      const longer = Float64Array.of(...h, ...sure);
      const other = createBeliefPropagation(known, prior);
      const expected = new Float64Array(longer.length);
      for (let sweep = 0; sweep < 20; sweep++) other.sweep(longer);
      other.beliefs(longer, expected);
      expect(largestDifference(posterior, expected.slice(0, h.length))).toBeLessThan(1e-11);
    }
    const prior = withPast(coin(2, 1), Float64Array.of(3, 1, 2, 4), { K: 2, L: 2 });
    expect(prior).toEqual(coin(9, 4));
  });
});

describe("brute force, with loops", () => {
  it.each([
    ["one coin", coin(2, 1), 2],
    ["one coin, sparse", coin(0.5, 0.25), 2],
    ["one coin, three classes", coin(2, 1), 3],
    ["two coins", rows(2, 1), 2],
    ["two coins, sparse", rows(0.5, 0.25), 2],
    ["three skills", hammers, 2],
  ])("sends the messages of a sum over all classes of all other tasks (%s)", (_, prior, K) => {
    for (let seed = 0; seed < 6; seed++) {
      for (const loops of [0, 4, 10]) {
        const data = randomGraph(seed, { labels: K === 2 ? 16 : 10, K, loops });
        expect(Math.max(...labelsPerWorker(data))).toBeLessThanOrEqual(8);
        const h = randomPriors(data, seed);
        const expected = enumeratedMessages(data, prior, h, 5);
        for (const integral of ["quadrature", "poly"] as const) {
          const model = createBeliefPropagation(data, prior, { integral });
          const posterior = new Float64Array(h.length);
          for (let sweep = 0; sweep < 5; sweep++) model.sweep(h);
          model.beliefs(h, posterior);
          expect(largestDifference(posterior, expected)).toBeLessThan(1e-10);
        }
      }
    }
  });

  it("agrees with quadrature by draws as well as draws can", () => {
    const data = randomGraph(2, { labels: 16, K: 2, loops: 4 });
    const h = randomPriors(data, 2);
    for (const prior of [coin(2, 1), coin(0.5, 0.25), rows(2, 1)]) {
      const believed = (settings: object) => {
        const model = createBeliefPropagation(data, prior, settings);
        for (let sweep = 0; sweep < 10; sweep++) model.sweep(h);
        const posterior = new Float64Array(h.length);
        model.beliefs(h, posterior);
        return posterior;
      };
      const exact = believed({});
      const runs = Array.from({ length: 30 }, (_, seed) =>
        believed({ integral: "mc", samples: 2000, random: createRandom(seed) }),
      );
      exact.forEach((p, at) => {
        const values = runs.map((posterior) => posterior[at]);
        const mean = values.reduce((sum, x) => sum + x, 0) / 30;
        const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 29;
        expect(Math.abs(mean - p)).toBeLessThan(4 * Math.sqrt(variance / 30));
      });
    }
  });

  it("draws rows of more than two rates, and comes near the messages of all classes", () => {
    const data = randomGraph(1, { labels: 10, K: 3, loops: 3 });
    const h = randomPriors(data, 1);
    const expected = enumeratedMessages(data, rows(2, 1, 3), h, 6);
    const random = createRandom(1);
    const model = createBeliefPropagation(data, rows(2, 1, 3), { samples: 40_000, random });
    const posterior = new Float64Array(h.length);
    for (let sweep = 0; sweep < 6; sweep++) model.sweep(h);
    model.beliefs(h, posterior);
    expect(largestDifference(posterior, expected)).toBeLessThan(0.01);
  });

  it("agrees with polynomials for workers with hundreds of labels, sure or not", () => {
    for (const [right, wrong] of [
      [2, 1],
      [0.2, 0.1],
      [40, 3],
    ]) {
      for (const sure of [0.5, 0.8, 1 - 1e-9]) {
        const data = randomCrowd(4, { tasks: 390, workers: 4, classes: 2, rate: 0.9 });
        expect(Math.max(...labelsPerWorker(data))).toBeGreaterThan(340);
        const h = new Float64Array(780).map((_, at) =>
          at % 2 === data.gold[at >> 1] ? sure : 1 - sure,
        );
        const [a, b] = (["quadrature", "poly"] as const).map((integral) => {
          const model = createBeliefPropagation(data, coin(right, wrong), { integral });
          const posterior = new Float64Array(780);
          for (let sweep = 0; sweep < 4; sweep++) model.sweep(h);
          model.beliefs(h, posterior);
          return posterior;
        });
        expect(largestDifference(a, b)).toBeLessThan(1e-7);
      }
    }
  });
});

describe("one worker with very many labels", () => {
  /** Every task has this one label, so that the answer is exact and has one integral per task. */
  function star(n: number, sure: number, accuracy: number) {
    const random = createRandom(n).split("star");
    const label = Int32Array.from({ length: n }, () => integer(random, 2));
    const h = new Float64Array(2 * n);
    label.forEach((l, t) => {
      const seems = random.next() < accuracy ? l : 1 - l;
      h[2 * t + seems] = sure * (0.9 + 0.1 * random.next());
      h[2 * t + 1 - seems] = 1 - h[2 * t + seems];
    });
    const task = Int32Array.from({ length: n }, (_, t) => t);
    const pairs = Array.from(task, (t) => [t, 0] as const);
    return { data: { ...graphOf(pairs, n, 1, 2, random), label }, h };
  }

  /** P(class 0) of each task, from nodes that are exact for any number of labels up to `n`. */
  function exactly(data: CategoricalData, h: Float64Array, nodes: readonly Node[]): Float64Array {
    const rate = ({ confusion }: Node, k: number, t: number) => confusion[2 * k + data.label[t]];
    const logs = nodes.map((node) =>
      [...data.tasks].reduce(
        (sum, _, t) =>
          sum + Math.log(h[2 * t] * rate(node, 0, t) + h[2 * t + 1] * rate(node, 1, t)),
        Math.log(node.weight),
      ),
    );
    const top = logs.reduce((most, log) => Math.max(most, log), -Infinity);
    const belief = new Float64Array(h.length);
    [...data.tasks].forEach((_, t) => {
      nodes.forEach((node, s) => {
        const c = h[2 * t] * rate(node, 0, t) + h[2 * t + 1] * rate(node, 1, t);
        const rest = Math.exp(logs[s] - top) / c;
        for (const k of [0, 1]) belief[2 * t + k] += rest * h[2 * t + k] * rate(node, k, t);
      });
      const total = belief[2 * t] + belief[2 * t + 1];
      for (const k of [0, 1]) belief[2 * t + k] /= total;
    });
    return belief;
  }

  interface Node {
    readonly confusion: readonly number[];
    readonly weight: number;
  }

  it.each([
    [0.6, 0.7],
    [0.9, 0.95],
    [1 - 1e-9, 0.8],
    [1 - 1e-9, 1],
  ])("is as good as exact sums (tasks sure by %s, %s agreed with)", (sure, accuracy) => {
    for (const [a, b] of [
      [2, 1],
      [0.2, 0.1],
    ]) {
      const many = star(1600, sure, accuracy);
      const { nodes, weights } = gaussJacobi(801, a, b);
      const coins = Array.from(nodes, (q, s) => ({
        confusion: [q, 1 - q, 1 - q, q],
        weight: weights[s],
      }));
      expect(gap(many, coin(a, b), coins)).toBeLessThan(1e-7);
      const some = star(150, sure, accuracy);
      const side = gaussJacobi(76, a, b);
      const grid = Array.from(side.nodes, (x, i) =>
        Array.from(side.nodes, (y, j) => ({
          confusion: [x, 1 - x, 1 - y, y],
          weight: side.weights[i] * side.weights[j],
        })),
      ).flat();
      expect(gap(some, rows(a, b), grid)).toBeLessThan(1e-7);
    }
  });

  function gap(
    { data, h }: ReturnType<typeof star>,
    prior: WorkerPrior,
    nodes: readonly Node[],
  ): number {
    const model = createBeliefPropagation(data, prior);
    const posterior = new Float64Array(h.length);
    for (let sweep = 0; sweep < 2; sweep++) model.sweep(h);
    model.beliefs(h, posterior);
    return largestDifference(posterior, exactly(data, h, nodes));
  }
});

describe("published numbers", () => {
  // The tree of the golden table: task, worker, label.
  const tree = fromRows(
    "000 100 110 211 221 321 420 430".split(" ").map(([task, worker, label]) => {
      return { task, worker, label };
    }),
    { classes: ["0", "1"] },
  );

  it.each([
    ["one-coin", 2, 1, [0.293103, 0.172414, 0.844828, 0.734483, 0.172414]],
    ["two-coin", 2, 1, [0.329851, 0.183314, 0.840727, 0.711935, 0.163137]],
    ["one-coin", 0.5, 0.25, [0.216079, 0.128137, 0.892999, 0.823586, 0.128137]],
    ["two-coin", 0.5, 0.25, [0.312928, 0.138794, 0.903603, 0.803258, 0.110747]],
    ["one-coin", 1, 1, [0.5, 0.5, 0.5, 0.5, 0.5]],
    ["two-coin", 1, 1, [0.5, 0.5, 0.5, 0.5, 0.5]],
  ] as const)("repeats the golden tree (%s, %s and %s)", (workerPrior, right, wrong, expected) => {
    const options = { workerPrior, right, wrong, tolerance: 0, maxIterations: 10 };
    const { posterior } = beliefPropagation(tree, options);
    expected.forEach((p, t) => {
      expect(Math.abs(posterior[2 * t + 1] - p)).toBeLessThan(1e-6);
    });
    const prior = workerPrior === "one-coin" ? coin(right, wrong) : rows(right, wrong);
    const exact = allTruths(tree, prior, new Float64Array(10).fill(0.5));
    expect(largestDifference(posterior, exact.posterior)).toBeLessThan(1e-12);
  });

  accuracyGates({ bluebird: 0.7222, rte: 0.925 }, 0.003, (data) => beliefPropagation(data));
});

describe("limits", () => {
  const settings = [
    { workerPrior: "one-coin" },
    { workerPrior: "one-coin", integral: "poly" },
    { workerPrior: "one-coin", integral: "mc", samples: 50 },
    { workerPrior: "one-coin", damping: 0.3 },
    { workerPrior: "two-coin", samples: 50 },
    { workerPrior: "mixture" },
  ] as const;

  it.each(settings)(
    "copes with what is missing or all alike, from 2 to 10 classes (%o)",
    (each) => {
      for (let K = 2; K <= 10; K++) {
        for (const data of degenerateCrowds(K)) {
          const { posterior, confusion, trace } = beliefPropagation(data, each);
          expectRows(posterior, K);
          expectRows(confusion, K);
          expect(trace.every(Number.isFinite)).toBe(true);
        }
      }
    },
  );

  it.each(settings)(
    "permutes its answers with workers, tasks and classes, to 1e-10 (%o)",
    (each) => {
      const data = randomCrowd(4, { classes: 2 });
      // Drawn rows are not symmetric in the classes.
      const turned = reversed(data, "samples" in each ? 1 : 2);
      const [a, b] = [data, turned].map((one) =>
        beliefPropagation(one, { ...each, maxIterations: 8 }),
      );
      const back = Float64Array.from(b.posterior, (_, at) => {
        const t = data.tasks.length - 1 - (at >> 1);
        return b.posterior[2 * t + ("samples" in each ? at % 2 : 1 - (at % 2))];
      });
      expect(largestDifference(back, a.posterior)).toBeLessThan(1e-10);
      expect(largestDifference(Float64Array.from(b.skill).reverse(), a.skill)).toBeLessThan(1e-10);
    },
  );

  it("sends the prior mean where a worker gave one label", () => {
    const data = fromRows([{ task: "a", worker: "w", label: "x" }], { classes: ["x", "y", "z"] });
    expect([...beliefPropagation(data, { right: 3, wrong: 1 }).posterior]).toEqual(
      [0.75, 0.125, 0.125].map((p) => expect.closeTo(p, 12)),
    );
  });

  it("becomes a weighted vote when the prior is strong", () => {
    const data = randomCrowd(5);
    const { posterior } = beliefPropagation(data, { right: 3e9, wrong: 1e9 });
    const votes = new Float64Array(posterior.length);
    data.label.forEach((l, i) => {
      votes[data.task[i] * 3 + l]++;
    });
    for (let from = 0; from < votes.length; from += 3) {
      const row = votes.subarray(from, from + 3).map((n) => 6 ** n);
      const total = row.reduce((sum, p) => sum + p, 0);
      row.forEach((p, k) => {
        expect(posterior[from + k]).toBeCloseTo(p / total, 6);
      });
    }
  });

  it("says so when the prior is at chance and the tasks are uniform", () => {
    const two = randomCrowd(1, { classes: 2 });
    const four = randomCrowd(1, { classes: 4 });
    const notes = (data: CategoricalData, options: object, known = {}) =>
      beliefPropagation(data, options, known).notes.join(" ");
    const halves = { hammers: 0.4, spammers: 0.2, hammerSkill: 1, adversarySkill: 0 };
    for (const options of [
      { right: 1, wrong: 1 },
      { right: 0.3, wrong: 0.3, integral: "poly" },
      { right: 2, wrong: 2, workerPrior: "two-coin" },
      { workerPrior: "mixture", ...halves },
    ] as const) {
      expect(notes(two, options)).toMatch(/labels tell nothing/);
      const { posterior } = beliefPropagation(two, options);
      for (const p of posterior) expect(p).toBeCloseTo(0.5, 12);
    }
    expect(notes(four, { right: 1, wrong: 3 })).toMatch(/labels tell nothing/);
    expect(notes(four, { right: 1, wrong: 1 })).not.toMatch(/labels tell nothing/);
    const prior = Float64Array.of(0.6, 0.4);
    expect(notes(two, { right: 1, wrong: 1 }, { prior })).not.toMatch(/labels tell nothing/);
    expect(notes(two, {})).not.toMatch(/labels tell nothing/);
  });

  it("says what stands in for what was asked", () => {
    const three = randomCrowd(1, { tasks: 8, workers: 30, rate: 0.1 });
    expect(beliefPropagation(three, { workerPrior: "two-coin" }).notes.join(" ")).toMatch(
      /draws from the prior stand for it/,
    );
    const two = randomCrowd(1, { classes: 2 });
    expect(
      beliefPropagation(two, { workerPrior: "mixture", integral: "poly" }).notes.join(" "),
    ).toMatch(/quadrature was used/);
    expect(() =>
      beliefPropagation(two, { workerPrior: "mixture", hammers: 0.8, spammers: 0.3 }),
    ).toThrow(/at most 1 together, not 1.1/);
  });

  it("says when too few draws fit workers with many labels", () => {
    const many = randomCrowd(1, { tasks: 300, workers: 5, rate: 1 });
    expect(beliefPropagation(many, { workerPrior: "two-coin" }).notes.join(" ")).toMatch(
      /Of 400 draws from the prior fewer than 10 fit/,
    );
    const few = regularCrowd({ tasks: 100 }).data;
    expect(beliefPropagation(few, { integral: "mc" }).notes.join(" ")).not.toMatch(/draws/);
  });

  it("draws anew for each sweep when asked, and then stops at 0.03", () => {
    const { data } = regularCrowd({ tasks: 200 });
    const h = new Float64Array(400).fill(0.5);
    const [once, anew] = (["run", "sweep"] as const).map((resample) => {
      const model = createBeliefPropagation(data, coin(2, 1), {
        integral: "mc",
        samples: 1000,
        resample,
        random: createRandom(0),
      });
      for (let sweep = 0; sweep < 40; sweep++) model.sweep(h);
      return model.sweep(h);
    });
    expect(once).toBeLessThan(1e-6);
    expect(anew).toBeGreaterThan(1e-3);
    const options = { integral: "mc", samples: 2000, resample: "sweep" } as const;
    const { converged, posterior } = beliefPropagation(data, options);
    expect(converged).toBe(true);
    expect(largestDifference(posterior, beliefPropagation(data).posterior)).toBeLessThan(0.1);
  });

  it("settles with damping where it settles without, on the same beliefs", () => {
    const { data } = regularCrowd({ tasks: 200 });
    const [plain, damped] = [0, 0.5].map((damping) =>
      beliefPropagation(data, { damping, tolerance: 1e-12, maxIterations: 1000 }),
    );
    expect(damped.converged).toBe(true);
    expect(largestDifference(plain.posterior, damped.posterior)).toBeLessThan(1e-9);
    const short = beliefPropagation(data, { maxIterations: 2 });
    expect(short.notes.join(" ")).toMatch(/a damping of 0.3 may settle them/);
  });

  it("takes labels of any weight", () => {
    const data = randomCrowd(2);
    const weight = new Float64Array(data.label.length).map((_, i) => [0, 0.3, 1, 2.5][i % 4]);
    for (const workerPrior of ["one-coin", "two-coin"] as const) {
      const { posterior } = beliefPropagation({ ...data, weight }, { workerPrior });
      expectRows(posterior, 3);
    }
    const none = selectLabels(data, (i) => weight[i] === 1);
    const zeros = { ...data, weight: weight.map((x) => (x === 1 ? 1 : 0)) };
    const options = { tolerance: 0, maxIterations: 20 };
    expect(
      largestDifference(
        beliefPropagation(zeros, options).posterior,
        beliefPropagation(none, options).posterior,
      ),
    ).toBeLessThan(1e-9);
  });

  it("is saved and predicts like the others", () => {
    const data = randomCrowd(3, { tasks: 200 });
    const result = beliefPropagation(data);
    expect(load(save(result))).toEqual(result);
    const same = predict(data, result).consensus.filter((k, t) => k === result.consensus[t]);
    expect(same.length).toBeGreaterThan(190);
  });
});

describe("the engine", () => {
  const { data } = regularCrowd({ tasks: 200 });
  const uniform = new Float64Array(400).fill(0.5);
  const tilted = uniform.map((_, at) => (at % 2 === 0 ? 0.6 : 0.4));
  const settle = (model: ReturnType<typeof createBeliefPropagation>, h: Float64Array) => {
    let sweeps = 1;
    while (model.sweep(h) > 1e-10) sweeps++;
    const posterior = new Float64Array(h.length);
    model.beliefs(h, posterior);
    return { sweeps, posterior };
  };

  it.each([
    ["one coin", coin(2, 1)],
    ["two coins", rows(2, 1)],
  ])("goes on from its messages with another h, and restarts as new (%s)", (_, prior) => {
    const model = createBeliefPropagation(data, prior);
    const cold = settle(createBeliefPropagation(data, prior), tilted);
    settle(model, uniform);
    const near = tilted.map((p) => 0.5 + (p - 0.5) * 0.99);
    settle(model, near);
    const warm = settle(model, tilted);
    expect(warm.sweeps).toBeLessThan(cold.sweeps);
    expect(largestDifference(warm.posterior, cold.posterior)).toBeLessThan(1e-8);
    model.restart();
    expect(settle(model, tilted)).toEqual(cold);
  });
});

interface GraphShape {
  readonly labels: number;
  readonly K: number;
  /** Labels that close a loop, as far as there is room. */
  readonly loops: number;
}

/** Labels at random on a tree of tasks and workers, then some that close loops; at most 8 per worker. */
function randomGraph(seed: number, { labels, K, loops }: GraphShape): CategoricalData {
  const random = createRandom(seed).split("graph");
  const pairs: [task: number, worker: number][] = [[0, 0]];
  let [T, W] = [1, 1];
  const room = (w: number) => pairs.filter(([, other]) => other === w).length < 8;
  while (pairs.length < labels) {
    if (random.next() < 0.5) pairs.push([integer(random, T), W++]);
    else {
      const w = integer(random, W);
      if (room(w)) pairs.push([T++, w]);
    }
  }
  for (let attempt = 0; attempt < loops; attempt++) {
    const [t, w] = [integer(random, T), integer(random, W)];
    if (room(w) && !pairs.some(([a, b]) => a === t && b === w)) pairs.push([t, w]);
  }
  return graphOf(pairs, T, W, K, random);
}

function graphOf(
  pairs: readonly (readonly [number, number])[],
  T: number,
  W: number,
  K: number,
  random: Random,
): CategoricalData {
  const names = (letter: string, n: number) => Array.from({ length: n }, (_, i) => `${letter}${i}`);
  return {
    kind: "categorical",
    tasks: namesOf(names("t", T)),
    workers: namesOf(names("w", W)),
    classes: namesOf(names("c", K)),
    task: Int32Array.from(pairs, ([t]) => t),
    worker: Int32Array.from(pairs, ([, w]) => w),
    label: Int32Array.from(pairs, () => integer(random, K)),
    gold: new Int32Array(T).fill(-1),
    notes: [],
  };
}

function randomPriors({ tasks, classes }: CategoricalData, seed: number): Float64Array {
  const K = classes.length;
  const random = createRandom(seed).split("h");
  const h = new Float64Array(tasks.length * K).map(() => 0.2 + random.next());
  for (let from = 0; from < h.length; from += K) {
    const total = h.subarray(from, from + K).reduce((sum, p) => sum + p, 0);
    for (let k = from; k < from + K; k++) h[k] /= total;
  }
  return h;
}

/** Tasks and workers in reverse order; with two sides turned, classes as well. */
function reversed(data: CategoricalData, sides: number): CategoricalData {
  const [T, W, K] = [data.tasks.length, data.workers.length, data.classes.length];
  const turned = {
    ...data,
    tasks: namesOf([...data.tasks].reverse()),
    workers: namesOf([...data.workers].reverse()),
    task: data.task.map((t) => T - 1 - t),
    worker: data.worker.map((w) => W - 1 - w),
    gold: Int32Array.from(data.gold).reverse(),
  };
  if (sides === 1) return turned;
  return {
    ...turned,
    classes: namesOf([...data.classes].reverse()),
    label: data.label.map((l) => K - 1 - l),
    gold: turned.gold.map((k) => (k < 0 ? k : K - 1 - k)),
  };
}
