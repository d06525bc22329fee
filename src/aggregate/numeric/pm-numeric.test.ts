import { describe, expect, it } from "vitest";
import { fixture, numericGates, numericLaws } from "../../../test/numeric-checks.ts";
import { randomNumbers } from "../../../test/random-answers.ts";
import { fromRows } from "../../data/from-rows.ts";
import { median } from "./median.ts";
import { pmNumeric } from "./pm-numeric.ts";

const close = (values: readonly number[], digits = 6) =>
  values.map((x) => expect.closeTo(x, digits));

it("the fixture", () => {
  const { value, weight } = pmNumeric(fixture, { tolerance: 1e-12, maxIterations: 100000 });
  expect([...value]).toEqual(close([1.5, 3, 4.5]));
  expect([...weight]).toEqual(close([2.223107, 2.223107, 0]));
});

describe("brute force", () => {
  it("one turn is the definition: weights from the medians, values from the weights", () => {
    const data = randomNumbers(2, { tasks: 9, workers: 6, answers: 3 });
    const { tasks, workers, task, worker, value } = data;
    const rows = Array.from(value.keys());
    const middle = median(data).value;
    const spread = Array.from(tasks, (_, t) => {
      const own = rows.filter((i) => task[i] === t).map((i) => value[i]);
      const mean = own.reduce((sum, y) => sum + y, 0) / own.length;
      return Math.sqrt(own.reduce((sum, y) => sum + (y - mean) ** 2, 0) / own.length);
    });
    const distance = rows.map((i) => (value[i] - middle[task[i]]) ** 2 / spread[task[i]]);
    const usual = distance.reduce((sum, d) => sum + d, 0) / rows.length;
    const mean = Array.from(workers, (_, w) => {
      const own = rows.filter((i) => worker[i] === w);
      return (own.reduce((sum, i) => sum + distance[i], 0) + usual) / (own.length + 1);
    });
    const weight = mean.map((each) => Math.log(Math.max(...mean) / each));
    const expected = Array.from(tasks, (_, t) => {
      const own = rows.filter((i) => task[i] === t);
      const total = own.reduce((sum, i) => sum + weight[worker[i]], 0);
      return own.reduce((sum, i) => sum + (weight[worker[i]] / total) * value[i], 0);
    });
    const found = pmNumeric(data, { maxIterations: 1 });
    expect([...found.weight]).toEqual(close(weight, 9));
    expect([...found.value]).toEqual(close(expected, 9));
  });
});

describe("a task whose workers have no weight", () => {
  // Worker c is the worst, and alone with d on task s.
  const rows = [
    ...[1, 2, 3].flatMap((t) => [
      { task: `t${t}`, worker: "a", value: t },
      { task: `t${t}`, worker: "b", value: t + 0.1 },
      { task: `t${t}`, worker: "c", value: t + 5 * (-1) ** t },
    ]),
    { task: "s", worker: "c", value: 4 },
  ];

  it("takes its plain mean", () => {
    const data = fromRows([...rows, { task: "s", worker: "c", value: 6 }], {
      kind: "numeric",
      repeats: "all",
    });
    const { value, weight } = pmNumeric(data);
    expect(weight[2]).toBe(0);
    expect(value[3]).toBeCloseTo(5, 12);
  });
});

describe("laws", () => {
  numericLaws(pmNumeric);
});

numericGates(pmNumeric, {
  emotion: [11.8237, 18.1903, 0.6982],
  num_video: [0.0239, 0.0294, 0.9989],
  num_truth100: [26.0902, 32.1188, 0.4878],
});

it("has no intervals", () => {
  expect([...pmNumeric(fixture).high]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});
