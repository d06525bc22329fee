import { describe, expect, it } from "vitest";
import { drawCrowd, randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { voteShares } from "../belief/votes.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import {
  countLabels,
  countsToConfusion,
  infer,
  inferFromLogs,
  toEvidence,
  voteEvidence,
} from "./evidence.ts";

const close = (values: Iterable<number>, digits = 12) =>
  Array.from(values, (value) => expect.closeTo(value, digits));

describe("infer", () => {
  const shape = { tasks: 20, workers: 5, classes: 3, rate: 0.5, skill: [0.5, 0.9] as const };
  const { data, confusion } = drawCrowd(1, shape);
  const K = 3;
  const f = voteShares(data).map((_, at) => (at % K === 0 ? 0.2 : 0.4));

  it("is the classifier times the product of what workers say, and normalised", () => {
    const q = new Float64Array(f.length);
    const likelihood = infer(data, f, toEvidence(confusion), q);
    const exact = f.slice();
    data.label.forEach((l, i) => {
      for (let k = 0; k < K; k++)
        exact[data.task[i] * K + k] *= confusion[(data.worker[i] * K + k) * K + l];
    });
    let total = 0;
    for (let from = 0; from < exact.length; from += K) {
      const sum = exact[from] + exact[from + 1] + exact[from + 2];
      total += Math.log(sum);
      for (let k = from; k < from + K; k++) exact[k] /= sum;
    }
    expect([...q]).toEqual(close(exact));
    expect(likelihood).toBeCloseTo(total, 10);
  });

  it("takes logarithms as well, down to where exponentials are 0", () => {
    const logs = Float64Array.from(f, Math.log);
    const q = new Float64Array(f.length);
    const likelihood = infer(data, f, toEvidence(confusion), q);
    expect(inferFromLogs(data, toEvidence(confusion), logs)).toBeCloseTo(likelihood, 10);
    expect([...logs]).toEqual(close(q));
    const far = Float64Array.of(-2000, -2001);
    const lone = {
      ...data,
      classes: namesOf(["a", "b"]),
      task: new Int32Array(),
      label: new Int32Array(),
    };
    expect(inferFromLogs(lone, new Float64Array(), far)).toBeCloseTo(
      -2000 + Math.log1p(1 / Math.E),
    );
    expect(far[0]).toBeCloseTo(1 / (1 + 1 / Math.E), 12);
  });

  it("leaves the classifier alone where there are no labels, and floors it where asked to", () => {
    const none = {
      ...data,
      task: new Int32Array(),
      worker: new Int32Array(),
      label: new Int32Array(),
    };
    const q = new Float64Array(6);
    infer(none, [0.2, 0.3, 0.5, 0, 0, 1], new Float64Array(), q, 0.01);
    expect([...q]).toEqual(close([0.2, 0.3, 0.5, 0.01 / 1.02, 0.01 / 1.02, 1 / 1.02]));
  });

  it("does not underflow with three thousand labels on a task", () => {
    const crowd = randomCrowd(0, { tasks: 4, workers: 3000, classes: 3, skill: [0.4, 0.5] });
    const q = voteShares(crowd);
    const confusion = new Float64Array(3000 * 9);
    countLabels(crowd, q, confusion);
    countsToConfusion(confusion, 3, 0);
    expect(infer(crowd, q, toEvidence(confusion), q)).toBeLessThan(-1000);
    expect(q.every(Number.isFinite)).toBe(true);
  });
});

describe("counting", () => {
  // Worker a labels both tasks, b only the second; nobody says "z".
  const data = fromRows(
    [
      { task: "1", worker: "a", label: "x" },
      { task: "2", worker: "a", label: "y" },
      { task: "2", worker: "b", label: "y" },
    ],
    { classes: ["x", "y", "z"] },
  );
  const q = [0.5, 0.5, 0, 0.25, 0.75, 0];

  it("adds up beliefs, by what the worker said", () => {
    const counts = new Float64Array(18).fill(7);
    countLabels(data, q, counts);
    expect([...counts]).toEqual([
      0.5, 0.25, 0, 0.5, 0.75, 0, 0, 0, 0, 0, 0.25, 0, 0, 0.75, 0, 0, 0, 0,
    ]);
  });

  it("makes rows that sum to one, a row of nothing even", () => {
    const counts = Float64Array.of(3, 1, 0, 0, 0, 0);
    countsToConfusion(counts, 3, 0);
    expect([...counts]).toEqual(close([0.75, 0.25, 0, 1 / 3, 1 / 3, 1 / 3]));
    const smoothed = Float64Array.of(3, 1, 0);
    countsToConfusion(smoothed, 3, 1);
    expect([...smoothed]).toEqual(close([4 / 7, 2 / 7, 1 / 7]));
  });

  it("starts Max-MIG from each worker's own tasks, missing labels left out", () => {
    const eps = 1e-4;
    const expected = [
      0.5 / 0.75,
      0.25 / 0.75,
      0,
      0.5 / 1.25,
      0.75 / 1.25,
      0,
      0,
      0,
      0,
      // The second worker saw the second task only: nothing of the first is in the denominator.
      0,
      1,
      0,
      0,
      1,
      0,
      0,
      0,
      0,
    ].map((share) => Math.log(share + eps));
    expect([...voteEvidence(data, Float64Array.from(q), eps)]).toEqual(close(expected));
  });
});

describe("EM", () => {
  it("is Dawid–Skene with a known prior where the classifier says the same of every task", () => {
    for (const smoothing of [0.01, 1]) {
      const data = randomCrowd(5, { tasks: 60, workers: 8 });
      const prior = Float64Array.of(0.2, 0.3, 0.5);
      const reference = dawidSkene(data, { smoothing, tolerance: 0, maxIterations: 30 }, { prior });
      const { q, confusion, likelihoods } = climb(data, prior, voteShares(data), 30, smoothing);
      expect([...q]).toEqual(close(reference.posterior, 10));
      expect([...confusion]).toEqual(close(reference.confusion, 10));
      const penalty = confusion.reduce((sum, p) => sum + smoothing * Math.log(p), 0);
      expect((likelihoods.at(-1) ?? 0) + penalty).toBeCloseTo(reference.trace.at(-1) ?? 0, 8);
    }
  });
});

describe("a coin and its copies (Cao et al., example E.2)", () => {
  // Every combination of truth and coin once: expectations over the population are means over these.
  const rows = [0, 1, 2, 3].flatMap((t) =>
    Array.from({ length: 101 }, (_, w) => ({
      task: `t${t}`,
      worker: `w${w}`,
      label: String(w === 0 ? t >> 1 : t & 1),
    })),
  );
  const data = fromRows(rows, { classes: ["0", "1"] });

  it("the true classifier reaches 100 log 1/2, the constant one log 1/4: likelihood prefers the coin", () => {
    const truth = Float64Array.from([1, 0, 1, 0, 0, 1, 0, 1]);
    const told = climb(data, truth, truth, 5, 0);
    expect((told.likelihoods.at(-1) ?? 0) / 4).toBeCloseTo(100 * Math.log(0.5), 6);
    // The best of many starts: a search over all confusions with a classifier that knows nothing.
    let best = -Infinity;
    for (let seed = 0; seed < 50; seed++) {
      const random = createRandom(seed).split("start");
      const start = Float64Array.from({ length: 8 }, () => random.next());
      for (let t = 0; t < 8; t += 2) start[t + 1] = 1 - start[t];
      const { likelihoods, q } = climb(data, [0.5, 0.5], start, 50, 0);
      const last = (likelihoods.at(-1) ?? 0) / 4;
      if (last > best) {
        best = last;
        // Whoever calls the coin the truth wins.
        expect(Math.abs(q[0] - q[2])).toBeCloseTo(1, 6);
        expect(q[0]).toBeCloseTo(q[4], 6);
      }
    }
    expect(best).toBeCloseTo(Math.log(0.25), 6);
  });
});

/** EM from a posterior with a classifier that does not learn: the same for all tasks, or one row per task. */
function climb(
  data: CategoricalData,
  f: ArrayLike<number>,
  start: Float64Array,
  iterations: number,
  smoothing: number,
) {
  const K = data.classes.length;
  const all = Float64Array.from(start, (_, at) => f[f.length === K ? at % K : at]);
  const q = start.slice();
  const confusion = new Float64Array(data.workers.length * K * K);
  const likelihoods: number[] = [];
  for (let n = 0; n < iterations; n++) {
    countLabels(data, q, confusion);
    countsToConfusion(confusion, K, smoothing);
    likelihoods.push(infer(data, all, toEvidence(confusion), q, 0));
  }
  return { q, confusion, likelihoods };
}
