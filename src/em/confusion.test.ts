import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { normaliseTable } from "../belief/confusion-table.ts";
import { normalise } from "../belief/votes.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { createRandom, type Random } from "../math/random.ts";
import {
  createPseudo,
  estimateLabelRates,
  estimatePooled,
  expectLabels,
  liveConfusion,
  logDensity,
  packed,
  sumWorkers,
} from "./confusion.ts";

const [K, L] = [3, 4];
const sizes = { K, L };

/** A crowd that also abstains, a belief about its tasks, and a past of all but the last worker. */
function situation(seed: number) {
  const random = createRandom(seed).split("em");
  const crowd = randomCrowd(seed, { tasks: 20, workers: 5, classes: K });
  const data = { ...crowd, label: crowd.label.map((l) => (random.next() < 0.1 ? K : l)) };
  const W = data.workers.length;
  const posterior = normalise(some(random, data.tasks.length * K), K);
  const history = some(random, (W - 1) * K * L);
  const shape = { workers: W, classes: K, given: L };
  return { data, W, posterior, history, shape, counts: count(data, posterior) };
}

/** Expected counts from their definition, one cell at a time. */
function count({ task, worker, label, workers }: CategoricalData, posterior: Float64Array) {
  const counts = new Float64Array(workers.length * L * K);
  for (let w = 0; w < workers.length; w++) {
    for (let l = 0; l < L; l++) {
      for (let k = 0; k < K; k++) {
        for (let i = 0; i < label.length; i++) {
          if (worker[i] === w && label[i] === l)
            counts[(w * L + l) * K + k] += posterior[task[i] * K + k];
        }
      }
    }
  }
  return counts;
}

describe("brute force", () => {
  it("makes rates of counts, smoothing, shrinkage and history", () => {
    for (let seed = 0; seed < 5; seed++) {
      const { W, counts, history, shape } = situation(seed);
      const settings = { smoothing: 0.3, shrinkage: 2 };
      const pooled = new Float64Array(K * L);
      estimatePooled(sumWorkers(counts, shape), settings.smoothing, sizes, pooled);
      const rates = new Float64Array(W * L * K);
      normaliseTable(counts, createPseudo(settings, pooled, history, sizes), shape, rates);
      const all = (k: number, l: number) =>
        sum(W, (w) => counts[(w * L + l) * K + k]) + settings.smoothing;
      const cell = (w: number, k: number, l: number) =>
        counts[(w * L + l) * K + k] +
        settings.smoothing +
        (settings.shrinkage * all(k, l)) / sum(L, (other) => all(k, other)) +
        (w < W - 1 ? history[(w * K + k) * L + l] : 0);
      for (let w = 0; w < W; w++) {
        for (let k = 0; k < K; k++) {
          for (let l = 0; l < L; l++) {
            const expected = cell(w, k, l) / sum(L, (other) => cell(w, k, other));
            expect(rates[(w * L + l) * K + k]).toBeCloseTo(expected, 13);
          }
        }
      }
    }
  });

  it("gives one label the column that all labels of all workers have", () => {
    for (const smoothing of [0, 0.01]) {
      const { W, counts, history, shape } = situation(1);
      // A class that the first worker never met is a guess.
      for (let l = 0; l < L; l++) counts[l * K] = 0;
      const pseudo = createPseudo({ smoothing, shrinkage: 0 }, new Float64Array(K * L), undefined, {
        K,
        L,
      });
      const past = createPseudo(
        { smoothing, shrinkage: 0 },
        new Float64Array(K * L),
        history,
        sizes,
      );
      for (const each of [pseudo, past]) {
        const rates = new Float64Array(W * L * K);
        normaliseTable(counts, each, shape, rates);
        const said = new Float64Array(K);
        for (let w = 0; w < W; w++) {
          for (let l = 0; l < L; l++) {
            estimateLabelRates(counts, w * L * K, each, w, l, sizes, said);
            expect(said).toEqual(rates.slice((w * L + l) * K, (w * L + l + 1) * K));
          }
        }
      }
    }
  });

  it("adds up the log density and the expected log-likelihood", () => {
    const { data, W, counts, posterior, history, shape } = situation(2);
    const pseudo = createPseudo(
      { smoothing: 0.2, shrinkage: 0 },
      new Float64Array(K * L),
      history,
      sizes,
    );
    const rates = new Float64Array(W * L * K);
    normaliseTable(counts, pseudo, shape, rates);
    let [density, likelihood] = [0, 0];
    for (let w = 0; w < W; w++) {
      for (let k = 0; k < K; k++) {
        for (let l = 0; l < L; l++) {
          density += pseudo(w, k, l) * Math.log(rates[(w * L + l) * K + k]);
        }
      }
    }
    for (let i = 0; i < data.label.length; i++) {
      for (let k = 0; k < K; k++) {
        const rate = rates[(data.worker[i] * L + data.label[i]) * K + k];
        likelihood += posterior[data.task[i] * K + k] * Math.log(rate);
      }
    }
    expect(logDensity(rates, pseudo, shape)).toBeCloseTo(density, 10);
    expect(expectLabels(counts, rates)).toBeCloseTo(likelihood, 10);
  });
});

describe("invariants", () => {
  it("maximises the expected log-likelihood and log density", () => {
    const { W, counts, history, shape } = situation(3);
    const pooled = new Float64Array(K * L);
    const pseudo = createPseudo({ smoothing: 0.1, shrinkage: 0 }, pooled, history, sizes);
    const rates = new Float64Array(W * L * K);
    normaliseTable(counts, pseudo, shape, rates);
    const value = (table: Float64Array) =>
      expectLabels(counts, table) + logDensity(table, pseudo, shape);
    const best = value(rates);
    const random = createRandom(4);
    for (let attempt = 0; attempt < 50; attempt++) {
      const other = rates.map((rate) => rate * Math.exp(0.2 * (random.next() - 0.5)));
      for (let w = 0; w < W; w++) {
        for (let k = 0; k < K; k++) {
          const total = sum(L, (l) => other[(w * L + l) * K + k]);
          for (let l = 0; l < L; l++) other[(w * L + l) * K + k] /= total;
        }
      }
      expect(value(other)).toBeLessThan(best);
    }
  });

  it("keeps the same statistics whether or not there is room for abstentions", () => {
    const { W, counts } = situation(5);
    const context = { K, L: K, known: {} };
    const options = { smoothing: 0.01, shrinkage: 1, prior: "learn" } as const;
    const spoken = packed(counts, W, L * K, K * K);
    const totals = (cells: number) => ({
      tasks: Float64Array.of(3, 4, 5),
      labels: new Float64Array(K + 1),
      pooled: sumWorkers(cells === K * K ? spoken : counts, {
        workers: W,
        classes: K,
        given: cells / K,
      }),
    });
    const [tight, roomy] = [K, L].map((room) => liveConfusion(options, { ...context, room }));
    for (const model of [tight, roomy]) model.learn(totals(model.cells));
    expect(roomy.skills(counts, W)).toEqual(tight.skills(spoken, W));
    expect(roomy.objective(counts, W, totals(L * K))).toBe(
      tight.objective(spoken, W, totals(K * K)),
    );
    const [a, b] = [new Float64Array(K), new Float64Array(K)];
    tight.hear(spoken, 2, 1, 0.7, a);
    roomy.hear(counts, 2, 1, 0.7, b);
    expect(a).toEqual(b);
  });
});

function some(random: Random, n: number): Float64Array {
  return Float64Array.from({ length: n }, () => 0.05 + random.next());
}

function sum(n: number, term: (i: number) => number): number {
  return Array.from({ length: n }, (_, i) => term(i)).reduce((total, x) => total + x, 0);
}
