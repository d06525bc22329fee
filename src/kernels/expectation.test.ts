import { describe, expect, it } from "vitest";
import { createRandom } from "../math/random.ts";
import { createEngine, twinEngine } from "./engine.ts";
import { createCoin, createExpectation, type Labels } from "./expectation.ts";

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

it("counts a label of weight two like two labels", () => {
  const labels = randomLabels(3, false);
  const twice = (column: Int32Array) => Int32Array.of(...column, ...column);
  const doubled = {
    ...labels,
    task: twice(labels.task),
    worker: twice(labels.worker),
    label: twice(labels.label),
  };
  const weighted = { ...labels, weight: new Float64Array(labels.task.length).fill(2) };
  const [a, b] = [doubled, weighted].map((each) => {
    const model = createExpectation(each, createEngine());
    model.startFromVotes();
    fillRates(model.counts, model.rates, each);
    return { log: model.infer(shares(3)), ...copied(model), counts: model.counts.slice() };
  });
  expectClose(a.posterior, b.posterior);
  expectClose(a.counts, b.counts, 1e-9);
  expect(a.log).toBeCloseTo(b.log, 8);
});

it("takes weights of any size", () => {
  const labels = randomLabels(3, true);
  const heavy = { ...labels, weight: new Float64Array(labels.task.length).fill(5000) };
  const model = createExpectation(heavy, createEngine());
  model.startFromVotes();
  fillRates(
    model.counts.map((count) => count / 5000),
    model.rates,
    heavy,
  );
  expect(Number.isFinite(model.infer(shares(3)))).toBe(true);
  expect(model.posterior.every((p) => p >= 0 && p <= 1)).toBe(true);
  const coin = createCoin(heavy, createEngine());
  coin.ratios.fill(1e6);
  expect(Number.isFinite(coin.infer(shares(3)))).toBe(true);
  expect(coin.posterior.every((p) => p >= 0 && p <= 1)).toBe(true);
});

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
