import { describe, expect, it } from "vitest";
import { fixture, numericGates, numericLaws } from "../../../test/numeric-checks.ts";
import { randomNumbers } from "../../../test/random-answers.ts";
import type { NumericData } from "../../data/numeric.ts";
import { looWeight } from "./loo-weight.ts";
import { mean } from "./mean.ts";

const close = (values: readonly number[], digits = 9) =>
  values.map((x) => expect.closeTo(x, digits));

it("the fixture", () => {
  expect([...looWeight(fixture).value]).toEqual(close([2.811679, 4.450429, 4.491136], 6));
});

/** From the definition: each answer beside the mean of the others. */
function bruteForce({ tasks, workers, task, worker, value }: NumericData, prior: number): number[] {
  const rows = Array.from(value.keys());
  const errors = rows.flatMap((i) => {
    const others = rows.filter((j) => j !== i && task[j] === task[i]);
    if (others.length === 0) return [];
    const middle = others.reduce((sum, j) => sum + value[j], 0) / others.length;
    return [{ worker: worker[i], square: (value[i] - middle) ** 2 }];
  });
  const m = errors.reduce((sum, { square }) => sum + square, 0) / errors.length;
  const weights = Array.from(workers, (_, w) => {
    const own = errors.filter((error) => error.worker === w);
    return (own.length + prior) / (own.reduce((s, { square }) => s + square, 0) + prior * m);
  });
  return Array.from(tasks, (_, t) => {
    const own = rows.filter((i) => task[i] === t);
    const total = own.reduce((sum, i) => sum + weights[worker[i]], 0);
    return own.reduce((sum, i) => sum + weights[worker[i]] * value[i], 0) / total;
  });
}

/** Tasks with one to four answers: were all alike, a factor of the errors would not show. */
function unevenNumbers(seed: number): NumericData {
  const { task, worker, value, ...data } = randomNumbers(seed);
  const rows = Array.from(task.keys()).filter((i) => i % 4 <= task[i] % 4);
  const pick = (ids: Int32Array) => Int32Array.from(rows, (i) => ids[i]);
  const own = Float64Array.from(rows, (i) => value[i]);
  return { ...data, task: pick(task), worker: pick(worker), value: own };
}

describe("brute force", () => {
  it.each([0, 1, 20])("is the definition, prior %d", (prior) => {
    for (let seed = 0; seed < 5; seed++) {
      const data = unevenNumbers(seed);
      expect([...looWeight(data, { prior }).value]).toEqual(close(bruteForce(data, prior)));
    }
  });

  it("tends to the mean as the prior grows", () => {
    const data = randomNumbers(7);
    expect([...looWeight(data, { prior: 1e12 }).value]).toEqual(close([...mean(data).value], 8));
  });
});

describe("laws", () => {
  numericLaws(looWeight);
  numericLaws(looWeight, { prior: 0 });
});

numericGates(looWeight, {
  emotion: [11.762, 17.9133, 0.7009],
  num_video: [0.0412, 0.0509, 0.9975],
  num_truth100: [25.9661, 31.6311, 0.4908],
});

it("has no intervals", () => {
  expect([...looWeight(fixture).high]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});
