/**
 * Whether 95 % intervals hold the truth: one interval of each of many crowds with seeds of their own, so that intervals are
 * independent. Held to one point over at least 5,000 intervals.
 */
import { describe, expect, it } from "vitest";
import { namesOf } from "../../data/names.ts";
import type { NumericData } from "../../data/numeric.ts";
import { gamma, normal } from "../../math/distributions.ts";
import { createRandom, type Random } from "../../math/random.ts";
import type { NumericResult } from "./estimator.ts";
import { gaussian } from "./gaussian.ts";
import { mean } from "./mean.ts";
import { median } from "./median.ts";
import { ok2019 } from "./ok-2019.ts";
import { studentT } from "./student-t.ts";
import { trimmedMean } from "./trimmed-mean.ts";

interface Design {
  readonly tasks: number;
  readonly workers: number;
  readonly answers: number;
  /** Least and largest noise of a worker. */
  readonly noise: readonly [number, number];
  /** Standard deviation of offsets. */
  readonly offset: number;
  readonly error?: (random: Random) => number;
}

/** A crowd with true values; each task has workers drawn at random. */
function crowd(seed: string, { tasks: T, workers: W, answers, ...design }: Design) {
  const random = createRandom(77).split(seed);
  const { noise, offset, error = normal } = design;
  const sizes = Array.from({ length: W }, () => noise[0] + (noise[1] - noise[0]) * random.next());
  const shifts = sizes.map(() => offset * normal(random));
  const truth = Float64Array.from({ length: T }, () => 2 * normal(random));
  const [task, worker, value]: number[][] = [[], [], []];
  for (let t = 0; t < T; t++) {
    const order = Array.from({ length: W }, (_, w) => [random.next(), w]).sort(
      (a, b) => a[0] - b[0],
    );
    for (const [, w] of order.slice(0, answers)) {
      task.push(t);
      worker.push(w);
      value.push(truth[t] + shifts[w] + sizes[w] * error(random));
    }
  }
  const data: NumericData = {
    kind: "numeric",
    tasks: namesOf(Array.from(truth, (_, t) => `t${t}`)),
    workers: namesOf(sizes.map((_, w) => `w${w}`)),
    task: Int32Array.from(task),
    worker: Int32Array.from(worker),
    value: Float64Array.from(value),
    gold: truth,
    notes: [],
  };
  return data;
}

/** The share of crowds in which the interval of the first task holds its value. */
function covered(
  run: (data: NumericData) => NumericResult,
  title: string,
  design: Design,
  crowds: number,
): number {
  let held = 0;
  for (let c = 0; c < crowds; c++) {
    const data = crowd(`${title} ${c}`, design);
    const { low, high } = run(data);
    if (low[0] <= data.gold[0] && data.gold[0] <= high[0]) held++;
  }
  return held / crowds;
}

const alone = (answers: number): Design => ({
  tasks: 1,
  workers: answers,
  answers,
  noise: [1, 1],
  offset: 0,
});

/** Coverage over several designs pooled. */
function pooled(
  run: (data: NumericData) => NumericResult,
  title: string,
  designs: readonly Design[],
  crowds: number,
): number {
  const each = designs.map((design, k) => covered(run, `${title} ${k}`, design, crowds));
  return each.reduce((sum, x) => sum + x, 0) / each.length;
}

/** Error of Student's t with four degrees of freedom. */
const heavy = (random: Random) => normal(random) / Math.sqrt(gamma(random, 2) / 2);

const unlike: Design[] = [
  { tasks: 100, workers: 10, answers: 5, noise: [0.2, 2], offset: 0 },
  { tasks: 30, workers: 8, answers: 3, noise: [0.2, 2], offset: 0 },
  { tasks: 50, workers: 20, answers: 5, noise: [0.3, 1.5], offset: 0 },
  { tasks: 40, workers: 30, answers: 4, noise: [0.5, 0.5], offset: 0 },
];
const shifted: Design[] = [
  { tasks: 100, workers: 10, answers: 5, noise: [0.2, 2], offset: 0.5 },
  { tasks: 30, workers: 8, answers: 4, noise: [0.3, 1], offset: 0.5 },
  { tasks: 60, workers: 25, answers: 5, noise: [0.3, 1], offset: 0.5 },
];

/** Looser than the default, to save time: no end of an interval moves by a thousandth of its width. */
const quick = { tolerance: 1e-5 };

describe("95 % intervals hold the truth, within one point", () => {
  it.each([
    ["mean", mean, [3, 5, 10]],
    ["trimmed-mean", (data: NumericData) => trimmedMean(data), [5, 10, 20]],
  ] as const)("%s", (title, run, sizes) => {
    expect(Math.abs(pooled(run, title, sizes.map(alone), 4000) - 0.95)).toBeLessThan(0.01);
  });

  it("gaussian", () => {
    const share = pooled((data) => gaussian(data, quick), "gaussian", unlike, 1250);
    expect(Math.abs(share - 0.95)).toBeLessThan(0.01);
  });

  it("gaussian with offsets", () => {
    const run = (data: NumericData) => gaussian(data, { ...quick, bias: true });
    expect(Math.abs(pooled(run, "bias", shifted, 1700) - 0.95)).toBeLessThan(0.01);
  });
});

/** Those that are known to miss it: how far they do. */
describe("intervals that are wider or narrower than 95 %", () => {
  it("median: between order statistics, which have no level of exactly 95 %", () => {
    // With 10 answers the second and the ninth: 1 - 2 · 11 / 1024; with 20 the sixth and the fifteenth.
    expect(Math.abs(pooled(median, "median", [alone(10)], 4000) - 0.9785)).toBeLessThan(0.01);
    expect(Math.abs(pooled(median, "median", [alone(20)], 4000) - 0.9586)).toBeLessThan(0.01);
    expect(Math.abs(pooled(median, "median", [alone(5)], 4000) - 0.967)).toBeLessThan(0.01);
  });

  it("student-t: a little too wide", () => {
    const designs = unlike.map((design) => ({ ...design, error: heavy }));
    const share = pooled((data) => studentT(data, quick), "student-t", designs, 300);
    expect([share > 0.95, share < 0.98]).toEqual([true, true]);
  });

  it("ok-2019: approximate", () => {
    const design = { tasks: 15, workers: 6, answers: 3, noise: [0.3, 1.5], offset: 0 } as const;
    const share = pooled((data) => ok2019(data, { tolerance: 1e-3 }), "ok-2019", [design], 200);
    expect([share > 0.88, share < 0.98]).toEqual([true, true]);
  });
});
