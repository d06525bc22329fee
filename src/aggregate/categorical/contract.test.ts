import { describe, expect, it } from "vitest";
import { doubledLabels, randomCrowd } from "../../../test/random-crowd.ts";
import { auto } from "../../auto/auto.ts";
import type { Known } from "../../belief/known.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { fromRows } from "../../data/from-rows.ts";
import { namesOf } from "../../data/names.ts";
import { toPlain } from "../../data/plain.ts";
import { createRandom } from "../../math/random.ts";
import type { AnyAggregator } from "./aggregator.ts";
import { aggregators } from "./index.ts";

// What every categorical aggregator promises. A new one is tested by being in the list.
describe.each(
  [auto as AnyAggregator, ...aggregators].map((method) => [method.id, method] as const),
)("%s", (_, method) => {
  const crowds = [0, 1, 2].map((seed) =>
    randomCrowd(seed, { classes: needsTwo(method) ? 2 : 2 + seed }),
  );

  it("gives each task probabilities that sum to one", () => {
    for (const data of crowds) expectSound(data, method(data, {}, needs(method, data)));
  });

  it("gives the same answer twice", () => {
    for (const data of crowds) {
      const known = needs(method, data);
      expect(method(data, {}, known)).toEqual(method(data, {}, known));
    }
  });

  it("leaves its input alone", () => {
    const [data] = crowds;
    const before = structuredClone(toPlain(data));
    method(data, {}, needs(method, data));
    expect(toPlain(data)).toEqual(before);
  });

  it("does not care about the order of the labels", () => {
    for (const data of crowds) {
      const order = shuffled(data.label.length, 7);
      const pick = (column: Int32Array) => column.map((_, i) => column[order[i]]);
      const mixed = {
        ...data,
        task: pick(data.task),
        worker: pick(data.worker),
        label: pick(data.label),
      };
      const known = needs(method, data);
      expectClose(method(mixed, {}, known).posterior, method(data, {}, known).posterior);
    }
  });

  it("does not care how workers and tasks are numbered", () => {
    for (const data of crowds) {
      const workers = shuffled(data.workers.length, 3);
      const tasks = shuffled(data.tasks.length, 4);
      const renumbered: CategoricalData = {
        ...data,
        workers: namesOf(permuted([...data.workers], workers)),
        tasks: namesOf(permuted([...data.tasks], tasks)),
        worker: data.worker.map((w) => workers[w]),
        task: data.task.map((t) => tasks[t]),
        gold: permutedRows(data.gold, tasks, 1),
      };
      const K = data.classes.length;
      const plain = method(data, {}, needs(method, data));
      const other = method(renumbered, {}, needs(method, renumbered));
      expectClose(other.posterior, permutedRows(plain.posterior, tasks, K));
      expectClose(other.skill, permutedRows(plain.skill, workers, 1));
    }
  });

  it("does not care what workers and tasks are called", () => {
    const sparse = randomCrowd(8, { tasks: 60, workers: 15, rate: 0.15, classes: 2 });
    for (const data of [...crowds, sparse]) {
      const renamed: CategoricalData = {
        ...data,
        workers: namesOf(Array.from(data.workers, (_, w) => `${(w * 7919) % 101}-${w}`)),
        tasks: namesOf(Array.from(data.tasks, (_, t) => String((t * 7919) % 1009))),
      };
      const plain = method(data, {}, needs(method, data));
      const other = method(renamed, {}, needs(method, data));
      expectClose(other.posterior, plain.posterior, 1e-6);
      expect([...other.tasks]).toEqual([...renamed.tasks]);
    }
  });

  it("calls no answer surer than the crowd is right that rests on one label of an unknown worker", () => {
    const data = withLoneLabels(randomCrowd(9, { classes: 2, skill: [0.6, 0.9] }), 10);
    const { confidence, posterior, consensus } = method(data, {}, needs(method, data));
    const first = data.tasks.length - 10;
    // Workers are right with .6 to .9, and agree as if with about .75.
    confidence.forEach((p, t) => {
      expect(p).toBeLessThanOrEqual(posterior[2 * t + Math.max(0, consensus[t])] + 1e-12);
      if (t >= first) expect(p).toBeLessThan(0.85);
    });
  });

  it("gives no answer to a task that nobody labelled", () => {
    const data = randomCrowd(4, { classes: 2 });
    const more = {
      ...data,
      tasks: namesOf([...data.tasks, "new"]),
      gold: Int32Array.of(...data.gold, -1),
    };
    const { consensus, posterior, notes } = method(more, {}, needs(method, more));
    if (method.needs === "predictions") return;
    expect(consensus[data.tasks.length]).toBe(-1);
    expect(posterior.at(-1)).toBeGreaterThan(0);
    expect(notes.join()).toMatch(/1 task has no label/);
  });

  it("answers with renamed classes when classes are renamed", () => {
    for (const data of crowds) {
      const K = data.classes.length;
      const classes = shuffled(K, 5);
      const renamed: CategoricalData = {
        ...data,
        classes: namesOf(permuted([...data.classes], classes)),
        label: data.label.map((l) => classes[l]),
        gold: data.gold.map((k) => (k < 0 ? k : classes[k])),
      };
      const plain = method(data, { ties: "abstain" }, needs(method, data));
      const other = method(renamed, { ties: "abstain" }, needs(method, renamed));
      const expected = plain.posterior.map((_, at) => {
        const k = classes.indexOf(at % K);
        return plain.posterior[Math.floor(at / K) * K + k];
      });
      expectClose(other.posterior, expected, 1e-7);
    }
  });

  it("finds the truth where everybody is right", () => {
    const data = randomCrowd(5, { skill: [1, 1], classes: needsTwo(method) ? 2 : 3 });
    const { consensus, skill } = method(data, {}, needs(method, data));
    expect(consensus).toEqual(data.gold);
    for (const s of skill) expect(s).toBeGreaterThan(0.5);
  });

  it("copes with one label, one worker, one class, and with nothing", () => {
    const rows = [{ task: "a", worker: "w", label: "yes" }];
    for (const data of [
      fromRows(rows, { classes: needsTwo(method) ? ["no", "yes"] : ["yes"], gold: [["a", "yes"]] }),
      fromRows(rows, { classes: ["no", "yes"], gold: [["a", "yes"]] }),
      fromRows([]),
    ]) {
      expectSound(data, method(data, {}, needs(method, data)));
    }
  });

  it("keeps classes nobody used, tasks nobody labelled and workers who said nothing", () => {
    const base = randomCrowd(6, { classes: 2 });
    const extra = needsTwo(method) ? [] : ["c9"];
    const data = {
      ...base,
      classes: namesOf([...base.classes, ...extra]),
      tasks: namesOf([...base.tasks, "unlabelled"]),
      workers: namesOf([...base.workers, "silent"]),
      gold: Int32Array.of(...base.gold, -1),
    };
    const result = method(data, {}, needs(method, data));
    expectSound(data, result);
    expect(result.support.at(-1)).toBe(0);
  });

  it("does not underflow with thousands of labels on a task", () => {
    const data = randomCrowd(0, {
      tasks: 6,
      workers: 3000,
      classes: 2,
      rate: 1,
      skill: [0.3, 0.7],
    });
    expectSound(data, method(data, {}, needs(method, data)));
  });

  it("says which option is wrong, and what was given", () => {
    expect(() => method(crowds[0], { ties: "coin" }, needs(method, crowds[0]))).toThrow(
      `${method.id}: ties must be one of prior, first, last, random, abstain, not coin.`,
    );
    expect(() => method(crowds[0], { misspelt: 1 })).toThrow(
      `${method.id} has no option "misspelt".`,
    );
  });

  it("leaves abstentions out, and says so", () => {
    const [data] = crowds;
    const K = data.classes.length;
    const rows = { ...data, label: data.label.map((l, i) => (i % 7 === 0 ? K : l)) };
    const result = method(rows, {}, needs(method, rows));
    expectSound(rows, result);
    expect(result.notes.join(" ")).toMatch(/abstentions were left out/);
  });

  if (method.needs !== "gold") {
    it("keeps the class of tasks with gold", () => {
      for (const data of crowds) {
        const gold = data.gold.map((k, t) => (t % 3 === 0 ? k : -1));
        const { consensus } = method(data, {}, { ...needs(method, data), gold });
        for (let t = 0; t < gold.length; t += 3) expect(consensus[t]).toBe(gold[t]);
      }
    });
  }

  it("uses what is known of workers, tasks and classes, or says that it does not", () => {
    const [data] = crowds;
    const [K, T] = [data.classes.length, data.tasks.length];
    const tilted = (_: number, at: number) => (at % K === 0 ? 0.8 : 0.2);
    const more: readonly [Known, RegExp][] = [
      [{ history: new Float64Array(data.workers.length * K * K).map(tilted) }, /workers' history/],
      [{ prior: new Float64Array(K).map(tilted) }, /the class prior/],
      [{ taskPrior: new Float64Array(T * K).map(tilted) }, /the priors of tasks/],
      [{ evidence: new Float64Array(T * K).map(tilted) }, /evidence on tasks/],
    ];
    const usual = method(data, {}, needs(method, data));
    for (const [known, words] of more) {
      const told = method(data, {}, { ...needs(method, data), ...known });
      const used = told.posterior.some((p, at) => Math.abs(p - usual.posterior[at]) > 1e-12);
      expect(used || words.test(told.notes.join()), words.source).toBe(true);
    }
  });

  it("refuses what is known in the wrong size", () => {
    const [data] = crowds;
    expect(() => method(data, {}, { ...needs(method, data), gold: new Int32Array(1) })).toThrow(
      /known.gold must hold 40 numbers, not 1/,
    );
  });

  if (method.probabilistic) {
    it("obeys a prior for each task", () => {
      const [data] = crowds;
      const K = data.classes.length;
      const taskPrior = new Float64Array(data.tasks.length * K).map((_, at) =>
        at % K === 1 ? 1 - 1e-12 : 1e-12,
      );
      const { consensus } = method(data, {}, { ...needs(method, data), taskPrior });
      expect(consensus.filter((k) => k === 1).length).toBeGreaterThan(0.9 * data.tasks.length);
    });

    it("takes a given prior, and soft gold", () => {
      const [data] = crowds;
      const K = data.classes.length;
      const prior = new Float64Array(K).map((_, k) => (k === 0 ? 0.7 : 0.3 / (K - 1)));
      const evidence = new Float64Array(data.tasks.length * K).fill(1);
      evidence.set(
        new Float64Array(K).map((_, k) => (k === 1 ? 1 : 0)),
        0,
      );
      const result = method(data, {}, { ...needs(method, data), prior, evidence });
      expectSound(data, result);
      expect(result.consensus[0]).toBe(1);
      expectClose(result.prior, prior, 1e-6);
    });

    it("models abstentions when asked", () => {
      const [data] = crowds;
      const K = data.classes.length;
      const rows = { ...data, label: data.label.map((l, i) => (i % 7 === 0 ? K : l)) };
      const result = method(rows, { abstentions: "model" }, needs(method, rows, K + 1));
      expectSound(rows, result);
      expect(result.given).toBe(K + 1);
    });

    it("counts a label of weight two like two labels", () => {
      const [data] = crowds;
      const { doubled, weighted } = doubledLabels(data);
      const known = needs(method, data);
      expectClose(
        method(weighted, {}, known).posterior,
        method(doubled, {}, known).posterior,
        1e-7,
      );
    });
  }
});

/** What a method cannot do without, made from the crowd's own gold. */
function needs(method: AnyAggregator, data: CategoricalData, L = data.classes.length): Known {
  const K = data.classes.length;
  if (method.needs === "weights") return { weights: new Float64Array(data.workers.length).fill(1) };
  if (method.needs === "gold") return { gold: data.gold };
  if (method.needs === "predictions") {
    const predictions = new Float64Array(data.tasks.length * K).map((_, at) =>
      data.gold[Math.floor(at / K)] === at % K ? 0.5 : 0.2,
    );
    return { predictions };
  }
  if (method.needs === "links")
    return { links: { from: new Int32Array(0), to: new Int32Array(0) } };
  if (method.needs !== "confusion") return {};
  const confusion = new Float64Array(data.workers.length * K * L).map((_, at) =>
    at % L === Math.floor(at / L) % K ? 0.7 : 0.3 / Math.max(1, L - 1),
  );
  for (let row = 0; row < confusion.length; row += L) {
    const total = confusion.subarray(row, row + L).reduce((a, b) => a + b, 0);
    for (let l = 0; l < L; l++) confusion[row + l] /= total;
  }
  return { confusion };
}

function needsTwo(method: AnyAggregator): boolean {
  return method.summary.startsWith("Two classes");
}

function expectSound(data: CategoricalData, result: ReturnType<AnyAggregator>): void {
  const K = data.classes.length;
  const L = result.given;
  expect(result.posterior.length).toBe(data.tasks.length * K);
  for (let t = 0; t < data.tasks.length; t++)
    expectShares(result.posterior.subarray(t * K, (t + 1) * K));
  if (K > 0) expectShares(result.prior);
  for (let row = 0; result.confusion && row < result.confusion.length; row += L) {
    expectShares(result.confusion.subarray(row, row + L));
  }
  expect(result.skill.length).toBe(data.workers.length);
  expect(result.skill.every(Number.isFinite)).toBe(true);
  expect(result.trace.every(Number.isFinite)).toBe(true);
  expect(result.iterations).toBe(result.trace.length);
  expect(result.consensus.length).toBe(data.tasks.length);
}

function expectShares(row: Float64Array): void {
  expect(Math.min(...row)).toBeGreaterThanOrEqual(0);
  expect(Math.abs(row.reduce((a, b) => a + b, 0) - 1)).toBeLessThan(1e-12);
}

function expectClose(actual: Float64Array, expected: ArrayLike<number>, tolerance = 1e-9): void {
  expect(actual.length).toBe(expected.length);
  let worst = 0;
  for (let i = 0; i < actual.length; i++)
    worst = Math.max(worst, Math.abs(actual[i] - expected[i]));
  expect(worst).toBeLessThan(tolerance);
}

/** A permutation of 0..n-1: where each goes. */
function shuffled(n: number, seed: number): Int32Array {
  const random = createRandom(seed);
  const order = Int32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

function permuted(names: readonly string[], to: Int32Array): string[] {
  const moved = [...names];
  names.forEach((name, i) => {
    moved[to[i]] = name;
  });
  return moved;
}

function permutedRows<A extends Float64Array | Int32Array>(
  rows: A,
  to: Int32Array,
  width: number,
): A {
  const moved = rows.slice() as A;
  to.forEach((j, i) => {
    moved.set(rows.subarray(i * width, (i + 1) * width), j * width);
  });
  return moved;
}

/** Adds tasks with one label each, by workers who gave no other. */
function withLoneLabels(data: CategoricalData, count: number): CategoricalData {
  const more = (letter: string) => Array.from({ length: count }, (_, i) => `${letter}-lone-${i}`);
  const [T, W] = [data.tasks.length, data.workers.length];
  const added = Array.from({ length: count }, (_, i) => i);
  return {
    ...data,
    tasks: namesOf([...data.tasks, ...more("t")]),
    workers: namesOf([...data.workers, ...more("w")]),
    task: Int32Array.of(...data.task, ...added.map((i) => T + i)),
    worker: Int32Array.of(...data.worker, ...added.map((i) => W + i)),
    label: Int32Array.of(...data.label, ...added.map((i) => i % 2)),
    gold: Int32Array.of(...data.gold, ...added.map(() => -1)),
  };
}
