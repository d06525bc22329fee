import { describe, expect, it } from "vitest";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { createRandom } from "../math/random.ts";
import { createEngine, type Engine, twinEngine } from "./engine.ts";
import { createCoin, createExpectation, type Labels } from "./expectation.ts";
import { createTeam } from "./team.ts";

describe.each([1, 2, 3, 4, 5, 8, 11])("with %i classes", (K) => {
  it.each([false, true])("the WASM kernel and its twin agree to 1e-12 (base: %s)", (based) => {
    const labels = randomLabels(K, based);
    const [wasm, twin] = [createEngine(), twinEngine].map((engine) => {
      const model = createExpectation(labels, engine);
      model.startFromVotes();
      const steps = [] as number[];
      for (let step = 0; step < 3; step++) {
        fillRates(model.counts, model.rates, labels);
        steps.push(model.infer(shares(K)), model.change());
      }
      return { steps, ...copied(model), counts: model.counts.slice() };
    });
    expect(createEngine().name).toBe("wasm");
    expectClose(wasm.posterior, twin.posterior);
    expectClose(wasm.totals, twin.totals, 1e-10);
    expectClose(wasm.counts, twin.counts, 1e-10);
    expectClose(wasm.steps, twin.steps, 1e-8);
  });

  it.each([false, true])("so do those of one-coin models (base: %s)", (based) => {
    const labels = randomLabels(K, based);
    const [wasm, twin] = [createEngine(), twinEngine].map((engine) => {
      const model = createCoin(labels, engine);
      model.startFromVotes();
      model.ratios.forEach((_, row) => {
        model.ratios[row] = 0.5 + model.hits[row];
      });
      return {
        steps: [model.infer(shares(K)), model.change()],
        ...copied(model),
        hits: model.hits.slice(),
      };
    });
    expectClose(wasm.posterior, twin.posterior);
    expectClose(wasm.totals, twin.totals, 1e-10);
    expectClose(wasm.hits, twin.hits, 1e-10);
    expectClose(wasm.steps, twin.steps, 1e-8);
  });
});

it("gives the posterior and likelihood of the definition", () => {
  const labels = randomLabels(3, true);
  const model = createExpectation(labels, createEngine());
  model.startFromVotes();
  fillRates(model.counts, model.rates, labels);
  const rates = model.rates.slice();
  const logLikelihood = model.infer(shares(3));
  let expected = 0;
  for (let t = 0; t < labels.tasks; t++) {
    const logs = [0, 1, 2].map((k) => {
      let log = Math.log(shares(3)[k]) + Math.log(labels.base?.[t * 3 + k] ?? 1);
      for (let i = 0; i < labels.task.length; i++) {
        if (labels.task[i] !== t) continue;
        log += Math.log(rates[(labels.worker[i] * labels.given + labels.label[i]) * 3 + k]);
      }
      return log;
    });
    const top = Math.max(...logs);
    const sum = logs.reduce((total, log) => total + Math.exp(log - top), 0);
    expected += top + Math.log(sum);
    logs.forEach((log, k) => {
      expect(model.posterior[t * 3 + k]).toBeCloseTo(Math.exp(log - top) / sum, 12);
    });
  }
  expect(logLikelihood).toBeCloseTo(expected, 7);
});

it("adds up in segments as in one piece", () => {
  // Enough labels for several segments; the twin sums them in the same order.
  const labels = randomLabels(2, false, 60_000, 300_000);
  const [wasm, twin] = [createEngine(), twinEngine].map((engine) => {
    const model = createExpectation(labels, engine);
    model.startFromVotes();
    return copied(model);
  });
  expectClose(wasm.totals, twin.totals, 1e-8);
  expect(wasm.totals.reduce((a, b) => a + b)).toBeCloseTo(60_000, 6);
});

describe.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])("with weights and %i classes", (K) => {
  it.each([
    ["ordinary", false],
    ["ordinary", true],
    ["extreme", false],
    ["extreme", true],
  ] as const)("the WASM kernels and their twins agree to 1e-12 (%s, base: %s)", (kind, based) => {
    const labels = withWeights(randomLabels(K, based, 700, 6000), kind);
    for (const model of models) {
      const [wasm, twin] = [createEngine(), twinEngine].map((engine) =>
        step(model, labels, engine),
      );
      expectSame(wasm.votes, twin.votes);
      expectSame(wasm.voteCounts, twin.voteCounts);
      expectSame(wasm.posterior, twin.posterior);
      expectSame(wasm.counts, twin.counts);
      expectSame(wasm.totals, twin.totals);
      expectSame([wasm.log], [twin.log]);
      expectClose([wasm.change], [twin.change]);
      expect(Number.isFinite(wasm.log)).toBe(true);
    }
  });

  it("weights of one give what labels without weights give", () => {
    const labels = randomLabels(K, true);
    const weight = new Float64Array(labels.task.length).fill(1);
    for (const model of models) expectClosest(model, { ...labels, weight }, labels, 1e-12);
  });

  it("a weight of two counts like the same label given twice", () => {
    const labels = randomLabels(K, true);
    const twice = (column: Int32Array) => {
      const both = new Int32Array(2 * column.length);
      both.set(column);
      both.set(column, column.length);
      return both;
    };
    const { task, worker, label } = labels;
    const doubled = {
      ...labels,
      task: twice(task),
      worker: twice(worker),
      label: twice(label),
    };
    const weight = new Float64Array(task.length).fill(2);
    for (const model of models) expectClosest(model, { ...labels, weight }, doubled, 1e-10);
  });

  it("a weight of zero counts like no label", () => {
    const labels = withWeights(randomLabels(K, true), "ordinary");
    const kept = Int32Array.from(labels.task.keys()).filter((i) => labels.weight[i] > 0);
    expect(kept.length).toBeLessThan(labels.task.length);
    const fewer = {
      ...labels,
      task: kept.map((i) => labels.task[i]),
      worker: kept.map((i) => labels.worker[i]),
      label: kept.map((i) => labels.label[i]),
      weight: Float64Array.from(kept, (i) => labels.weight[i]),
    };
    for (const model of models) {
      expectBits(step(model, labels, createEngine()), step(model, fewer, createEngine()));
    }
  });
});

it("gives the posterior, counts and likelihood of the definition with weights", () => {
  const K = 3;
  const labels = withWeights(randomLabels(K, true), "ordinary");
  const { task, worker, label, weight, given: L } = labels;
  const base = Float64Array.from(labels.base ?? [], (x, at) => (at % 7 === 0 ? 0 : x));
  for (const model of models) {
    const { rates, posterior, counts, log } = step(model, { ...labels, base }, createEngine());
    const perClass = counts.length > 7 * L;
    const cell = (i: number, k: number) =>
      perClass ? (worker[i] * L + label[i]) * K + k : worker[i] * L + label[i];
    const speaks = (i: number, k: number) => perClass || label[i] === k;
    const scores = base.map((x, at) => Math.log(shares(K)[at % K] * x));
    for (let i = 0; i < task.length; i++) {
      for (let k = 0; k < K; k++) {
        if (speaks(i, k)) scores[task[i] * K + k] += weight[i] * Math.log(rates[cell(i, k)]);
      }
    }
    const expected = scores.slice();
    const logLikelihood = sumOf(labels.tasks, (t) => normalizeLog(expected, t * K, (t + 1) * K));
    const expectedCounts = new Float64Array(counts.length);
    for (let i = 0; i < task.length; i++) {
      for (let k = 0; k < K; k++) {
        if (speaks(i, k)) expectedCounts[cell(i, k)] += weight[i] * expected[task[i] * K + k];
      }
    }
    expectClose(posterior, expected);
    expectClose(counts, expectedCounts);
    expectSame([log], [logLikelihood]);
  }
});

it.each([2, 3, 4])("gives a class of base 0 posterior 0 under any weights (%i classes)", (K) => {
  const labels = withWeights(randomLabels(K, true), "extreme");
  const gold = Float64Array.from({ length: labels.tasks * K }, (_, at) =>
    at % K === Math.floor(at / K) % K ? 1 : 0,
  );
  const prior = new Float64Array(K).fill(1e-10);
  prior[0] = 1 - (K - 1) * 1e-10;
  for (const model of models) {
    const { posterior, log } = step(model, { ...labels, base: gold }, createEngine(), prior);
    expect(posterior).toEqual(gold);
    expect(Number.isFinite(log)).toBe(true);
  }
});

it("does not underflow with thousands of weighted labels on one task", () => {
  // For each class half of the labels, so that only the prior tells the classes apart.
  const N = 6000;
  const labels = {
    task: new Int32Array(N),
    worker: new Int32Array(N),
    tasks: 1,
    workers: 1,
    label: Int32Array.from({ length: N }, (_, i) => i % 2),
    weight: Float64Array.from({ length: N }, (_, i) => 0.5 + ((i >> 1) % 64) / 64),
    classes: 2,
    given: 2,
  };
  const prior = Float64Array.of(0.25, 0.75);
  const total = labels.weight.reduce((sum, w) => sum + w, 0);
  const table = createExpectation(labels, createEngine());
  table.rates.set([0.9, 0.01, 0.01, 0.9]);
  expect(table.infer(prior)).toBeCloseTo((total / 2) * Math.log(0.9 * 0.01), 6);
  expectClose(table.posterior, prior, 1e-9);
  expectClose(
    table.counts,
    [0, 1, 2, 3].map((at) => (total / 2) * prior[at % 2]),
    1e-9,
  );
  const coin = createCoin(labels, createEngine());
  coin.ratios.fill(1e10);
  expect(coin.infer(prior)).toBeCloseTo((total / 2) * Math.log(1e10), 6);
  expectClose(coin.posterior, prior, 1e-9);
});

it("keeps weighted labels in WASM memory, and shares their work in a team with the same bits", () => {
  const labels = withWeights(randomLabels(3, true, 60_000, 300_000), "ordinary");
  const team = createTeam(3);
  if (!team) throw new Error("no shared WASM memory");
  for (const model of models) {
    const { posterior, table } = model(labels, createEngine());
    expect(posterior.buffer).toBe(table.buffer);
    expectBits(step(model, labels, team), step(model, labels, createEngine()));
  }
});

/** Both models, with their tables under the same names. */
const models = [
  (labels: Labels, engine: Engine) => {
    const model = createExpectation(labels, engine);
    const draw = (u: number) => (u < 0.1 ? 1e-10 : u);
    return { ...model, table: model.rates, draw };
  },
  (labels: Labels, engine: Engine) => {
    const model = createCoin(labels, engine);
    const draw = (u: number) => (u < 0.1 ? 1e-10 : u > 0.9 ? 1e11 : 4 * u);
    return { ...model, table: model.ratios, counts: model.hits, draw };
  },
];

/** Runs one E step from the votes, under rates that depend neither on the weights nor on the engine. */
function step(
  create: (typeof models)[number],
  labels: Labels,
  engine: Engine,
  prior = shares(labels.classes),
) {
  const model = create(labels, engine);
  model.startFromVotes();
  const start = { votes: model.posterior.slice(), voteCounts: model.counts.slice() };
  const random = createRandom(labels.classes).split("rates");
  for (let at = 0; at < model.table.length; at++) model.table[at] = model.draw(random.next());
  const log = model.infer(prior);
  return {
    ...start,
    log,
    change: model.change(),
    rates: model.table.slice(),
    posterior: model.posterior.slice(),
    totals: model.totals.slice(),
    counts: model.counts.slice(),
  };
}

/** Adds weights: around 1 and some 0, or, if extreme, of all sizes. */
function withWeights(labels: Labels, kind: "ordinary" | "extreme") {
  const random = createRandom(labels.classes).split(kind);
  const sizes = [0, 1e-300, 1e-3, 1, 30, 1e6, 1e300];
  const draw = {
    ordinary: () => (random.next() < 0.1 ? 0 : 0.5 + random.next()),
    extreme: () => sizes[Math.floor(random.next() * sizes.length)],
  };
  return { ...labels, weight: Float64Array.from(labels.task, draw[kind]) };
}

/** Checks the bits of everything; an equality of large arrays would take minutes to fail. */
function expectBits(actual: ReturnType<typeof step>, expected: ReturnType<typeof step>): void {
  expect([actual.log, actual.change]).toEqual([expected.log, expected.change]);
  for (const name of ["votes", "voteCounts", "posterior", "totals", "counts"] as const) {
    expect(actual[name].length).toBe(expected[name].length);
    expect(actual[name].findIndex((x, at) => !Object.is(x, expected[name][at]))).toBe(-1);
  }
}

/** Checks that two sets of labels lead to the same E step, as far as a tolerance allows. */
function expectClosest(
  model: (typeof models)[number],
  weighted: Labels,
  plain: Labels,
  tolerance: number,
): void {
  const [a, b] = [weighted, plain].map((labels) => step(model, labels, createEngine()));
  expectClose(a.votes, b.votes, tolerance);
  expectClose(a.voteCounts, b.voteCounts, tolerance);
  expectClose(a.posterior, b.posterior, tolerance);
  expectClose(a.totals, b.totals, tolerance);
  expectClose(a.counts, b.counts, tolerance);
  expectClose([a.log, a.change], [b.log, b.change], tolerance);
}

function sumOf(n: number, term: (i: number) => number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += term(i);
  return sum;
}

/** Tasks with none to hundreds of labels, so that rescaling is met; some rates are tiny. */
function randomLabels(K: number, based: boolean, T = 30, N = 2000): Labels {
  const random = createRandom(K).split("labels");
  const draw = (n: number) => Math.floor(random.next() * n);
  const column = (make: () => number) => Int32Array.from({ length: N }, make);
  return {
    task: column(() => Math.floor(random.next() ** 2 * T)),
    worker: column(() => draw(7)),
    label: column(() => draw(K + 1)),
    tasks: T,
    workers: 7,
    classes: K,
    given: K + 1,
    base: based ? Float64Array.from({ length: T * K }, () => 0.01 + random.next()) : undefined,
  };
}

function fillRates(counts: Float64Array, rates: Float64Array, { classes: K }: Labels): void {
  rates.forEach((_, at) => {
    rates[at] = Math.max(1e-10, counts[at] / 300) * (at % K === 0 ? 1e-8 : 1);
  });
}

function shares(K: number): Float64Array {
  return new Float64Array(K).map((_, k) => (2 * (k + 1)) / (K * (K + 1)));
}

function copied({ posterior, totals }: { posterior: Float64Array; totals: Float64Array }) {
  return { posterior: posterior.slice(), totals: totals.slice() };
}

function expectClose(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance = 1e-12,
): void {
  expect(actual.length).toBe(expected.length);
  let worst = 0;
  for (let i = 0; i < actual.length; i++) {
    worst = Math.max(worst, Math.abs(actual[i] - expected[i]) / Math.max(1, Math.abs(expected[i])));
  }
  expect(worst).toBeLessThanOrEqual(tolerance);
}

/** Checks each number to a relative tolerance, so that a posterior of 1e-200 is checked too. */
function expectSame(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(actual.length).toBe(expected.length);
  let worst = 0;
  for (let i = 0; i < actual.length; i++) {
    if (actual[i] === expected[i]) continue;
    worst = Math.max(worst, Math.abs(actual[i] - expected[i]) / Math.abs(expected[i]));
    if (Number.isNaN(actual[i])) worst = Infinity;
  }
  expect(worst).toBeLessThanOrEqual(1e-12);
}
