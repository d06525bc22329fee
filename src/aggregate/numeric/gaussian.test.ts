import { describe, expect, it } from "vitest";
import { loadNumeric, withSet } from "../../../test/datasets.ts";
import {
  coverage,
  expectRise,
  fixture,
  maximumOf,
  numericGates,
  numericLaws,
} from "../../../test/numeric-checks.ts";
import { randomNumbers } from "../../../test/random-answers.ts";
import type { NumericData } from "../../data/numeric.ts";
import { gaussian } from "./gaussian.ts";

const exact = { tolerance: 1e-12, maxIterations: 100000 };
/** Pooled variance of the fixture. */
const POOLED = 187 / 30;

const close = (values: readonly number[], digits = 6) =>
  values.map((x) => expect.closeTo(x, digits));

describe("the fixture", () => {
  it("by EM", () => {
    const { value, noise, trace } = gaussian(fixture, { ...exact, fit: "em" });
    expect([...value]).toEqual(close([2.56924, 4.178287, 4.488512]));
    expect(Array.from(noise, (s) => s * s)).toEqual(close([5.346305, 5.106143, 8.471015], 5));
    // In units of the pooled variance: the answers less the tasks, and six per worker.
    const units = ((8 - 3 + 6 * 3) / 2) * Math.log(POOLED);
    expect((trace.at(-1) ?? 0) - units).toBeCloseTo(-38.350837, 5);
  });

  it("by EM, with offsets", () => {
    const { value, offset } = gaussian(fixture, { ...exact, fit: "em", bias: true });
    expect([...value]).toEqual(close([2.981777, 4.63635, 5.613406]));
    expect([...offset]).toEqual(close([-1.115648, -1.119561, 2.235209]));
  });

  it("by variational Bayes", () => {
    const { value, noise, weight, trace, low, high } = gaussian(fixture, exact);
    expect([...value]).toEqual(close([2.972151, 4.634849, 4.498831]));
    expect(Array.from(noise, (s) => s * s)).toEqual(close([6.131114, 6.102505, 6.295345], 5));
    expect(weight[0] / weight[2]).toBeCloseTo(6.295345 / 6.131114, 6);
    const units = ((8 - 3) / 2) * Math.log(POOLED);
    expect((trace.at(-1) ?? 0) - units).toBeCloseTo(-13.140369, 5);
    expect(Array.from(high, (x, t) => (x - low[t]) / 2)).toEqual(
      close([2.841631, 2.841631, 3.465014]),
    );
  });

  it("by variational Bayes, with offsets", () => {
    const { value } = gaussian(fixture, { ...exact, bias: true });
    expect([...value]).toEqual(close([3.000037, 4.666966, 5.995157], 5));
  });
});

/** The log marginal likelihood of section 2.2 with log priors, from log s² and offsets, and its values. */
function marginal(
  { task, worker, value, tasks, workers }: NumericData,
  pooled: number,
  bias: boolean,
  x: Float64Array,
): { objective: number; values: number[] } {
  const W = workers.length;
  const s2 = (w: number) => Math.exp(x[w]);
  const b = (w: number) => (bias ? x[W + w] : 0);
  let objective = 0;
  const values = Array.from(tasks, (_, t) => {
    let [A, B, C] = [0, 0, 0];
    task.forEach((each, i) => {
      if (each !== t) return;
      const e = value[i] - b(worker[i]);
      A += 1 / s2(worker[i]);
      B += e / s2(worker[i]);
      C += (e * e) / s2(worker[i]);
      objective -= 0.5 * Math.log(2 * Math.PI * s2(worker[i]));
    });
    objective += -0.5 * C + (0.5 * B * B) / A - 0.5 * Math.log(A / (2 * Math.PI));
    return B / A;
  });
  for (let w = 0; w < W; w++)
    objective -= 3 * x[w] + (3 * pooled) / s2(w) + b(w) ** 2 / (2 * pooled);
  return { objective, values };
}

/** Pooled variance, from its definition. */
function pooledOf({ task, value, tasks }: NumericData): number {
  let squares = 0;
  for (let t = 0; t < tasks.length; t++) {
    const own = value.filter((_, i) => task[i] === t);
    const mean = own.reduce((sum, y) => sum + y, 0) / own.length;
    for (const y of own) squares += (y - mean) ** 2;
  }
  return squares / (value.length - tasks.length);
}

describe("brute force", () => {
  it.each([
    ["the fixture", fixture, false],
    ["the fixture, with offsets", fixture, true],
    ["a random crowd", randomNumbers(3, { tasks: 12, workers: 4, answers: 3 }), false],
    ["a random crowd, with offsets", randomNumbers(3, { tasks: 12, workers: 4, answers: 3 }), true],
  ] as const)("EM finds the maximum of the marginal likelihood: %s", (_, data, bias) => {
    const pooled = pooledOf(data);
    const W = data.workers.length;
    const start = new Float64Array(bias ? 2 * W : W).fill(0, W).fill(Math.log(pooled), 0, W);
    const best = maximumOf((x) => marginal(data, pooled, bias, x).objective, start);
    const { value, noise, offset } = gaussian(data, { ...exact, fit: "em", bias });
    expect([...value]).toEqual(close(marginal(data, pooled, bias, best).values, 5));
    expect(Array.from(noise, (s) => Math.log(s * s))).toEqual(close([...best.slice(0, W)], 5));
    if (bias) {
      expect([...offset]).toEqual(close([...best.slice(W)], 5));
      expect(offset.reduce((sum, b) => sum + b, 0)).toBeCloseTo(0, 10);
    }
  });

  it.each([
    {},
    { bias: true },
    { fit: "em" },
    { fit: "em", bias: true },
    { fit: "em", valuePrior: "normal" },
    { valuePrior: "normal" },
    { valuePrior: "normal", bias: true },
    { valuePrior: "normal", scale: true },
    { valuePrior: "normal", scale: true, bias: true },
  ] as const)("the objective never falls: %j", (options) => {
    for (let seed = 0; seed < 5; seed++) expectRise(gaussian(randomNumbers(seed), options).trace);
  });
});

describe("laws", () => {
  numericLaws(gaussian);
  numericLaws(gaussian, { bias: true, tolerance: 1e-11, maxIterations: 1e5 });
  numericLaws(gaussian, { fit: "em", tolerance: 1e-11, maxIterations: 1e5 });
  const stretched = { scale: true, bias: true, valuePrior: "normal" } as const;
  numericLaws(gaussian, { ...stretched, tolerance: 1e-8, maxIterations: 300 });
});

const gate = (options: Parameters<typeof gaussian>[1]) => (data: NumericData) =>
  gaussian(data, options);

numericGates(gaussian, {
  emotion: [11.9545, 18.4578, 0.6844],
  num_video: [0.0414, 0.0516, 0.9974],
  num_truth100: [25.9664, 31.596, 0.4915],
});
numericGates(
  gate({ bias: true }),
  {
    emotion: [12.6179, 18.2194, 0.6799],
    num_video: [0.0362, 0.0466, 0.9978],
    num_truth100: [25.9724, 31.4541, 0.4834],
  },
  ", with offsets",
);
numericGates(
  gate({ fit: "em" }),
  {
    emotion: [11.9345, 18.4101, 0.6855],
    num_video: [0.0399, 0.0498, 0.9974],
    num_truth100: [26.0227, 31.8443, 0.4846],
  },
  " by EM",
);
numericGates(
  gate({ fit: "em", bias: true }),
  {
    emotion: [12.6767, 18.1839, 0.6798],
    num_video: [0.0355, 0.0456, 0.9978],
    num_truth100: [26.1836, 31.7749, 0.465],
  },
  " by EM, with offsets",
);
numericGates(
  gate({ fit: "em", valuePrior: "normal" }),
  {
    emotion: [12.5039, 19.0569, 0.6858],
    num_video: [0.0422, 0.0531, 0.9974],
    num_truth100: [27.5084, 32.7342, 0.4858],
  },
  " by EM, normal values",
);

numericGates(
  gate({ scale: true, bias: true, valuePrior: "normal", tolerance: 1e-8, maxIterations: 5000 }),
  {
    emotion: [13.1416, 18.5449, 0.705],
    num_video: [0.0508, 0.0632, 0.9975],
    num_truth100: [27.2033, 32.3029, 0.498],
  },
  ", with stretches and offsets",
);

describe("workers", () => {
  withSet("num_video", "the planted outliers are the noisiest", () => {
    const { workers, noise } = gaussian(loadNumeric("num_video"));
    const order = Array.from(noise.keys()).sort((v, w) => noise[w] - noise[v]);
    expect(order.slice(0, 4).map((w) => String(workers.at(w)))).toEqual(["4", "11", "7", "12"]);
    expect(order.slice(0, 5).map((w) => noise[w] ** 2)).toEqual(
      close([3.26, 2.55, 2.5, 2.08, 1.04], 1),
    );
  });
});

describe("intervals", () => {
  it.each([
    [0.953, { tasks: 50, workers: 21, answers: 5, noise: [0.3, 1.5] }, 0],
    [0.959, { tasks: 100, workers: 11, answers: 5, noise: [0.2, 2] }, 0.5],
  ] as const)("hold the truth in a share of %d: %j, offsets %d", (expected, design, offset) => {
    const share = coverage((data) => gaussian(data, { bias: offset > 0 }), 60, design, offset);
    // Tasks of a crowd share its workers' errors: more than the standard error of as many tasks.
    expect(Math.abs(share - expected)).toBeLessThan(0.02);
  });
});

describe("limits", () => {
  it("refuses to learn stretches without normal values under Bayes", () => {
    expect(() => gaussian(fixture, { scale: true })).toThrow(/scale needs/);
    expect(() => gaussian(fixture, { scale: true, fit: "em", valuePrior: "normal" })).toThrow(
      /scale needs/,
    );
  });

  it("says that offsets of workers without common tasks do not compare", () => {
    const apart = randomNumbers(1, { workers: 10, answers: 2 });
    const said = (notes: readonly string[]) => notes.filter((note) => /^Workers form/.test(note));
    expect(said(gaussian(apart).notes)).toEqual([]);
    for (const fit of ["bayes", "em"] as const) {
      expect(gaussian(apart, { fit, bias: true }).notes[0]).toMatch(/^Workers form 5 groups/);
    }
    const joined = gaussian(randomNumbers(1, { workers: 11 }), { bias: true });
    expect(said(joined.notes)).toEqual([]);
  });

  it("says that there is nothing to learn if no two answers differ", () => {
    expect(gaussian({ ...fixture, value: fixture.value.map(() => 3) }).notes).toEqual([
      "All answers are the same: there is nothing to learn about workers.",
    ]);
    const { notes, high } = gaussian({
      ...fixture,
      value: Float64Array.from(fixture.task, (t) => t),
    });
    expect([...notes, high[0]]).toEqual([
      "No task has two answers that differ: there is nothing to learn about workers.",
      Number.NaN,
    ]);
  });
});
