import { describe, expect, it } from "vitest";
import { accuracyGates, splitAccuracy } from "../../../../test/datasets.ts";
import { drawCrowd, randomCrowd } from "../../../../test/random-crowd.ts";
import { expectIsland, expectVote, spectralInvariants } from "../../../../test/spectral-crowds.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { createRandom } from "../../../math/random.ts";
import { oracle } from "../bayesian/oracle.ts";
import { dalvi } from "./dalvi.ts";
import { sml } from "./sml.ts";
import { imbalanceByMoments } from "./two-class-rates.ts";

describe("invariants", () => {
  spectralInvariants(sml);

  it("finds how common a class is and how well workers see it, the better the more tasks", () => {
    const error = (tasks: number) => {
      let sum = 0;
      for (let seed = 0; seed < 4; seed++) {
        const shape = { tasks, workers: 8, classes: 2, rate: 0.8, skill: [0.5, 0.9] } as const;
        const { data, confusion } = drawCrowd(seed, shape);
        const { sensitivity, specificity } = sml(data);
        for (let w = 0; w < 8; w++) {
          sum += Math.abs(sensitivity[2 * w] - confusion[4 * w]);
          sum += Math.abs(specificity[2 * w] - confusion[4 * w + 3]);
        }
      }
      return sum / 64;
    };
    const [few, many] = [error(500), error(8000)];
    // Sixteen times the tasks, a fourth of the error.
    expect(many).toBeLessThan(few / 2.5);
    expect(many).toBeLessThan(0.02);
  });

  it("sees through workers who favour a class, where products of labels do not", () => {
    // Two thirds say the first class of nearly everything; the rest are good.
    const data = favouring(11);
    expect(splitAccuracy(data, sml(data).posterior)).toBeGreaterThan(
      splitAccuracy(data, dalvi(data).posterior) + 0.1,
    );
  });
});

describe("brute force", () => {
  it.each([-0.5, 0, 0.3])("is exact on all patterns, each as often as expected (b = %s)", (b) => {
    const sensitivity = [0.9, 0.6, 0.75, 0.55, 0.3];
    const specificity = [0.7, 0.95, 0.6, 0.8, 0.6];
    const data = population(sensitivity, specificity, b);
    for (const pairs of ["weighted", "zero"] as const) {
      const found = sml(data, { pairs, tolerance: 1e-12 });
      expect(found.imbalance[0]).toBeCloseTo(b, 8);
      for (let w = 0; w < 5; w++) {
        expect(found.sensitivity[2 * w]).toBeCloseTo(sensitivity[w], 8);
        expect(found.specificity[2 * w]).toBeCloseTo(specificity[w], 8);
        expect(found.sensitivity[2 * w + 1]).toBeCloseTo(specificity[w], 8);
      }
    }
  });

  it("finds the class shares by their likelihood too", () => {
    const data = favouring(3, 6000, 0.7);
    const shares = data.gold.filter((k) => k === 0).length / 6000;
    for (const imbalance of ["scan", "moments"] as const) {
      const found = sml(data, { imbalance }).imbalance;
      expect(Math.abs((1 + found[0]) / 2 - shares)).toBeLessThan(0.03);
      expect(found[1]).toBe(-found[0]);
    }
  });

  it("sums third moments over all triples of workers", () => {
    const data = randomCrowd(3, { classes: 2, tasks: 30, workers: 6 });
    const sign = Float64Array.from(data.label, (l) => (l === 0 ? 1 : -1));
    const v = Float64Array.from({ length: 6 }, (_, w) => 0.2 + 0.1 * w);
    const a = tripleSlope(data, sign, v);
    expect(imbalanceByMoments({ data, sign, v })).toBeCloseTo(-a / Math.sqrt(4 + a * a), 9);
  });

  it("votes by odds as the oracle does who knows these rates", () => {
    const data = randomCrowd(2, { classes: 2 });
    const result = sml(data, { vote: "odds" });
    const confusion = new Float64Array(8 * 4);
    for (let w = 0; w < 8; w++) {
      const [sees, denies] = [result.sensitivity[2 * w], result.specificity[2 * w]];
      confusion.set([sees, 1 - sees, 1 - denies, denies], 4 * w);
    }
    const prior = result.imbalance.map((b) => (1 + b) / 2);
    const { posterior } = oracle(data, {}, { confusion, prior });
    expect([...result.posterior]).toEqual(Array.from(posterior, (p) => expect.closeTo(p, 9)));
  });
});

describe("published numbers", () => {
  accuracyGates({ bluebird: 0.8611, rte: 0.8575 }, 0.02, (data) => sml(data, { pairs: "zero" }));
  // What the weights by common tasks change, and the vote by odds: measured here.
  accuracyGates({ bluebird: 0.8611, rte: 0.9263 }, 0.003, (data) => sml(data));
  accuracyGates({ bluebird: 0.8981, rte: 0.9275, web: 0.8624 }, 0.003, (data) =>
    sml(data, { vote: "odds" }),
  );
});

describe("limits", () => {
  it("answers per part of the crowd that the rest does not reach", () => expectIsland(sml));
  it("votes where each worker has one label", () => expectVote(sml));

  it("scans for the class shares where no task has three workers, and says so", () => {
    const rows = ["awx", "avx", "bwy", "bvy", "cwx", "cvy", "dwy", "dvy"].map(
      ([task, worker, label]) => ({ task, worker, label }),
    );
    const { imbalance, notes } = sml(fromRows(rows));
    expect(imbalance.every(Number.isFinite)).toBe(true);
    expect(notes.join()).toMatch(/No task has three workers/);
  });

  it("keeps rates from certainty", () => {
    const { sensitivity, specificity } = sml(randomCrowd(5, { skill: [1, 1], classes: 2 }));
    expect(Math.max(...sensitivity, ...specificity)).toBeLessThanOrEqual(0.99);
  });
});

/** Every pattern of labels as a task, weighted by how probable it is, times a large number. */
function population(
  sensitivity: readonly number[],
  specificity: readonly number[],
  b: number,
): CategoricalData {
  const W = sensitivity.length;
  const rows: { task: string; worker: string; label: string; weight: number }[] = [];
  for (let pattern = 0; pattern < 2 ** W; pattern++) {
    let [yes, no] = [(1 + b) / 2, (1 - b) / 2];
    for (let w = 0; w < W; w++) {
      const says = (pattern >> w) & 1;
      yes *= says ? sensitivity[w] : 1 - sensitivity[w];
      no *= says ? 1 - specificity[w] : specificity[w];
    }
    for (let w = 0; w < W; w++) {
      const label = (pattern >> w) & 1 ? "a" : "b";
      rows.push({ task: `t${pattern}`, worker: `w${w}`, label, weight: 1e9 * (yes + no) });
    }
  }
  const weight = Float64Array.from(rows, (row) => row.weight);
  return { ...fromRows(rows, { classes: ["a", "b"] }), weight };
}

/** Least squares of T = a · v · v · v over triples, each as often as it shares a task. */
function tripleSlope(
  { task, worker, tasks }: CategoricalData,
  sign: Float64Array,
  v: Float64Array,
) {
  const labels = [...sign.keys()];
  const mean = Array.from(v, (_, w) => {
    const own = labels.filter((i) => worker[i] === w);
    return own.reduce((sum, i) => sum + sign[i], 0) / own.length;
  });
  let [above, below] = [0, 0];
  for (let t = 0; t < tasks.length; t++) {
    const here = labels.filter((i) => task[i] === t);
    for (const i of here) {
      for (const j of here) {
        for (const l of here) {
          if (!(i < j && j < l)) continue;
          const triple = [i, j, l];
          const product = triple.reduce((p, e) => p * v[worker[e]], 1);
          above += product * triple.reduce((p, e) => p * (sign[e] - mean[worker[e]]), 1);
          below += product * product;
        }
      }
    }
  }
  return above / below;
}

function favouring(seed: number, tasks = 400, often = 0.5): CategoricalData {
  const random = createRandom(seed);
  const rows: { task: string; worker: string; label: string }[] = [];
  const gold: [string, string][] = [];
  for (let t = 0; t < tasks; t++) {
    const yes = random.next() < often;
    gold.push([`t${t}`, yes ? "yes" : "no"]);
    for (let w = 0; w < 12; w++) {
      const rate = w < 8 ? (yes ? 0.95 : 0.85) : yes ? 0.8 : 0.2;
      rows.push({ task: `t${t}`, worker: `w${w}`, label: random.next() < rate ? "yes" : "no" });
    }
  }
  return fromRows(rows, { gold });
}
