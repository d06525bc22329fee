import { describe, expect, it } from "vitest";
import { fixture, numericGates, numericLaws } from "../../../test/numeric-checks.ts";
import { randomNumbers } from "../../../test/random-answers.ts";
import { fromRows } from "../../data/from-rows.ts";
import { chiSquareQuantile } from "../../math/incomplete.ts";
import { catdNumeric } from "./catd-numeric.ts";
import { median } from "./median.ts";

const close = (values: readonly number[], digits = 6) =>
  values.map((x) => expect.closeTo(x, digits));

const exact = { tolerance: 1e-12, maxIterations: 100000 };

it("the fixture", () => {
  const { value, weight } = catdNumeric(fixture, exact);
  expect([...value]).toEqual(close([1.625822, 3.139802, 4.5]));
  expect([...weight]).toEqual(close([18.696807, 18.696807, 1.075619]));
});

describe("brute force", () => {
  it("one turn is the definition: weights from the medians, values from the weights", () => {
    const data = randomNumbers(2, { tasks: 9, workers: 6, answers: 3 });
    const { tasks, workers, task, worker, value } = data;
    const rows = Array.from(value.keys());
    const middle = median(data).value;
    const mean = Array.from(tasks, (_, t) => {
      const own = rows.filter((i) => task[i] === t);
      return own.reduce((sum, i) => sum + value[i], 0) / own.length;
    });
    const within = rows.reduce((sum, i) => sum + (value[i] - mean[task[i]]) ** 2, 0);
    const pooled = within / (rows.length - tasks.length);
    const weight = Array.from(workers, (_, w) => {
      const own = rows.filter((i) => worker[i] === w);
      const squares = own.reduce((sum, i) => sum + (value[i] - middle[task[i]]) ** 2, 0) / pooled;
      return chiSquareQuantile(0.9, own.length) / Math.max(squares, 0.5);
    });
    const expected = Array.from(tasks, (_, t) => {
      const own = rows.filter((i) => task[i] === t);
      const total = own.reduce((sum, i) => sum + weight[worker[i]], 0);
      return own.reduce((sum, i) => sum + (weight[worker[i]] / total) * value[i], 0);
    });
    const found = catdNumeric(data, { alpha: 0.2, maxIterations: 1 });
    expect([...found.weight]).toEqual(close(weight, 9));
    expect([...found.value]).toEqual(close(expected, 9));
  });

  it("its values and weights fit each other in the end", () => {
    const data = randomNumbers(4);
    const { value, converged } = catdNumeric(data, exact);
    const again = catdNumeric(data, { ...exact, maxIterations: 2000 });
    expect(converged).toBe(true);
    expect(again.value).toEqual(value);
  });
});

describe("few answers", () => {
  // Worker a has one answer, which is the median; b and c have twenty with errors.
  const rows = Array.from({ length: 20 }, (_, t) => [
    ...(t === 0 ? [{ task: "t0", worker: "a", value: 0 }] : []),
    { task: `t${t}`, worker: "b", value: t % 2 === 0 ? 1 : -1 },
    { task: `t${t}`, worker: "c", value: t % 2 === 0 ? -1 : 1 },
  ]).flat();
  const data = fromRows(rows, { kind: "numeric" });

  it("without an error count for much only in the form of the paper", () => {
    const share = (weight: Float64Array) => weight[0] / (weight[0] + weight[1] + weight[2]);
    expect(share(catdNumeric(data, { paper: true }).weight)).toBeGreaterThan(0.999);
    expect(share(catdNumeric(data).weight)).toBeLessThan(0.9);
  });
});

describe("laws", () => {
  numericLaws(catdNumeric);
  numericLaws(catdNumeric, { alpha: 0.5 });
});

numericGates(catdNumeric, {
  emotion: [12.2438, 19.051, 0.6723],
  num_video: [0.0457, 0.0574, 0.9969],
  num_truth100: [27.1126, 33.4062, 0.3793],
});

it("has no intervals", () => {
  expect([...catdNumeric(fixture).high]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});
