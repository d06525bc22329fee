import { describe, expect, it } from "vitest";
import {
  coverage,
  expectRise,
  fixture,
  maximumOf,
  numericGates,
  numericLaws,
} from "../../../test/numeric-checks.ts";
import { randomNumbers } from "../../../test/random-answers.ts";
import { evaluateValues } from "../../evaluate/numeric.ts";
import { gaussian } from "./gaussian.ts";
import { studentT } from "./student-t.ts";

const exact = { tolerance: 1e-12, maxIterations: 100000 };
const close = (values: readonly number[], digits = 6) =>
  values.map((x) => expect.closeTo(x, digits));

it("the fixture", () => {
  const { value, noise } = studentT(fixture, exact);
  expect([...value]).toEqual(close([2.426435, 3.939974, 4.491066]));
  expect(Array.from(noise, (s) => s * s)).toEqual(close([5.277298, 5.073779, 8.0825], 5));
});

/** The bound of the fixture from its definition, by values, log variances of values, log s² and offsets. */
function boundOf(x: Float64Array, bias: boolean): number {
  const { task, worker, value } = fixture;
  const pooled = 187 / 30;
  let sum = 0;
  value.forEach((y, i) => {
    const [t, w] = [task[i], worker[i]];
    const s2 = Math.exp(x[6 + w]);
    const miss = (y - x[t] - (bias ? x[9 + w] : 0)) ** 2 + Math.exp(x[3 + t]);
    sum += -2.5 * Math.log(1 + miss / (4 * s2)) - 0.5 * Math.log(s2);
  });
  for (let k = 0; k < 3; k++) {
    sum += x[3 + k] / 2 - 3 * x[6 + k] - (3 * pooled) / Math.exp(x[6 + k]);
    if (bias) sum -= x[9 + k] ** 2 / (2 * pooled);
  }
  return sum;
}

describe("brute force", () => {
  it.each([false, true])("finds the maximum of the bound, bias %s", (bias) => {
    const start = Float64Array.of(3, 4.7, 4.5, 0, 0, 0, 1.8, 1.8, 1.8, ...(bias ? [0, 0, 0] : []));
    const best = maximumOf((x) => boundOf(x, bias), start);
    const { value, noise, offset } = studentT(fixture, { ...exact, bias });
    expect([...value]).toEqual(close([...best.slice(0, 3)], 5));
    expect(Array.from(noise, (s) => Math.log(s * s))).toEqual(close([...best.slice(6, 9)], 5));
    if (bias) expect([...offset]).toEqual(close([...best.slice(9)], 5));
  });

  it.each([{}, { bias: true }, { freedom: 1 }])("the objective never falls: %j", (options) => {
    for (let seed = 0; seed < 5; seed++) expectRise(studentT(randomNumbers(seed), options).trace);
  });

  it("tends to Gaussian workers as the freedom grows", () => {
    const data = randomNumbers(2);
    const { value } = gaussian(data, { fit: "em" });
    expect([...studentT(data, { freedom: 1e9 }).value]).toEqual(close([...value], 5));
  });
});

describe("laws", () => {
  numericLaws(studentT, { tolerance: 1e-11, maxIterations: 1e5 });
  numericLaws(studentT, { bias: true, tolerance: 1e-11, maxIterations: 1e5 });
});

numericGates(studentT, {
  emotion: [13.2451, 21.1031, 0.6912],
  num_video: [0.0702, 0.0886, 0.9963],
  num_truth100: [26.3886, 32.7052, 0.4443],
});

it("intervals hold the truth of normal answers in 93 to 99 of 100", () => {
  const share = coverage(studentT, 40, { tasks: 50, workers: 21, answers: 5, noise: [0.3, 1.5] });
  expect(share).toBeGreaterThan(0.93);
  expect(share).toBeLessThan(0.99);
});

it("slips do less harm than to Gaussian workers", () => {
  const data = randomNumbers(4, { tasks: 60, workers: 7, answers: 5, noise: [0.1, 0.3] });
  const slipped = { ...data, value: data.value.map((y, i) => (i % 13 === 0 ? y + 5 : y)) };
  const [robust, plain] = [studentT, gaussian].map((method) =>
    evaluateValues({ ...method(slipped), gold: data.gold }),
  );
  expect(robust.rmse).toBeLessThan(0.5 * plain.rmse);
});
