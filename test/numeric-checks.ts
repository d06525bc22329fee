/** What the tests of numeric methods share: a fixture, the laws that all of them keep, gates on public sets. */
import { describe, expect, it } from "vitest";
import type { NumericKnown, NumericResult } from "../src/aggregate/numeric/estimator.ts";
import { fromRows, type ValueRow } from "../src/data/from-rows.ts";
import type { NumericData } from "../src/data/numeric.ts";
import { evaluateValues } from "../src/evaluate/numeric.ts";
import { normal } from "../src/math/distributions.ts";
import { minimise } from "../src/math/lbfgs.ts";
import { createRandom } from "../src/math/random.ts";
import { loadNumeric, withSet } from "./datasets.ts";
import { randomNumbers } from "./random-answers.ts";

type Fit = (data: NumericData, options?: object, known?: NumericKnown) => NumericResult;

/** Fixture N1: three workers, three tasks, one answer missing. */
const fixtureRows: readonly ValueRow[] = (
  [
    ["A", "x", 1],
    ["A", "y", 2],
    ["A", "z", 6],
    ["B", "x", 3],
    ["B", "y", 3],
    ["B", "z", 8],
    ["C", "x", 5],
    ["C", "y", 4],
  ] as const
).map(([task, worker, value]) => ({ task, worker, value }));

export const fixture = fromRows(fixtureRows, { kind: "numeric" });

const rowsOf = ({ tasks, workers, task, worker, value }: NumericData): ValueRow[] =>
  Array.from(value, (x, i) => ({
    task: tasks.at(task[i]),
    worker: workers.at(worker[i]),
    value: x,
  }));

const read = (rows: readonly ValueRow[]) => fromRows(rows, { kind: "numeric", repeats: "all" });

const near = (values: ArrayLike<number>, digits = 7) =>
  Array.from(values, (x) => (Number.isNaN(x) ? Number.NaN : expect.closeTo(x, digits)));

/** Tests what holds for every numeric method, whatever its options. */
export function numericLaws(run: Fit, options: object = {}): void {
  const data = randomNumbers(5, { tasks: 25, workers: 7 });
  const found = run(data, options);

  it.each([
    [3, -40],
    [-0.01, 2],
    [1e150, 0],
    [1e-150, 0],
  ])("follows y → %d · y + %d", (a, c) => {
    const moved = run({ ...data, value: data.value.map((y) => a * y + c) }, options);
    expect([...moved.value.map((y) => (y - c) / a)]).toEqual(near(found.value, 6));
    expect([...moved.sd.map((sd) => sd / Math.abs(a))]).toEqual(near(found.sd, 6));
    const [low, high] = a > 0 ? [moved.low, moved.high] : [moved.high, moved.low];
    expect([...low.map((y) => (y - c) / a)]).toEqual(near(found.low, 5));
    expect([...high.map((y) => (y - c) / a)]).toEqual(near(found.high, 5));
  });

  it("does not depend on the order of rows or on names", () => {
    const rows = rowsOf(data)
      .map((row) => ({ ...row, worker: `z${9 - Number(String(row.worker).slice(1))}` }))
      .reverse();
    const turned = run(read(rows), options);
    const at = new Map(Array.from(turned.tasks, (name, t) => [name, t]));
    const order = Array.from(data.tasks, (name) => at.get(name) ?? -1);
    expect(order.map((t) => turned.value[t])).toEqual(near(found.value));
    expect(order.map((t) => turned.high[t])).toEqual(near(found.high));
  });

  it("gives the same bits twice", () => {
    expect(run(data, options).value).toEqual(found.value);
  });

  it("takes a weight of 2 for the same answer given twice", () => {
    const rows = rowsOf(data);
    const weighted = read(rows.map((row, i) => ({ ...row, weight: i % 3 === 0 ? 2 : 1 })));
    const repeated = read(rows.flatMap((row, i) => (i % 3 === 0 ? [row, row] : [row])));
    const [one, two] = [weighted, repeated].map((each) => run(each, options));
    expect([...one.value]).toEqual(near(two.value, 6));
    expect([...one.high]).toEqual(near(two.high, 6));
  });

  degenerate(run, options);
}

/** Tests crowds that have too little to learn from. */
function degenerate(run: Fit, options: object): void {
  it("gives the answers of a single worker back", () => {
    const { value } = run(read([1, 5, 7].map((y) => ({ task: `t${y}`, worker: "w", value: y }))), {
      ...options,
    });
    expect([...value]).toEqual(near([1, 5, 7], 9));
  });

  it("gives one answer per task back", () => {
    const rows = [1, 5, 7, 7].map((y, i) => ({ task: `t${i}`, worker: `w${i}`, value: y }));
    expect([...run(read(rows), options).value]).toEqual(near([1, 5, 7, 7], 9));
  });

  it("gives one answer back, and one that all agree on, without an interval", () => {
    for (const n of [1, 2, 6]) {
      const rows = Array.from({ length: n }, (_, i) => ({
        task: `t${i % 2}`,
        worker: `w${i % 3}`,
        value: 0.1,
      }));
      const { value, low, high, sd } = run(read(rows), options);
      for (const each of value) expect(each).toBe(0.1);
      for (const each of [...low, ...high, ...sd]) expect(each).toBeNaN();
    }
  });

  it("has no value for a task whose answers weigh nothing", () => {
    const rows = fixtureRows.map((row) => ({ ...row, weight: row.task === "B" ? 0 : 1 }));
    const { value, low } = run(read(rows), options);
    expect([value[0], value[1], value[2], low[1]]).toEqual([
      expect.any(Number),
      Number.NaN,
      expect.any(Number),
      Number.NaN,
    ]);
    expect(value[0]).not.toBeNaN();
    const none = run(read(rows.map((row) => ({ ...row, weight: 0 }))), options);
    expect([...none.value]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });

  it("keeps known values as they are", () => {
    const gold = Float64Array.of(Number.NaN, 10, Number.NaN);
    const { value, low, high, sd } = run(fixture, options, { gold });
    expect([value[1], low[1], high[1], sd[1]]).toEqual([10, 10, 10, 0]);
  });
}

/** MAE, RMSE and Spearman's correlation of a set. */
type Figures = readonly [mae: number, rmse: number, spearman: number];

/** Tests the errors on the public sets: within .0005, Spearman on emotion, which has near-ties, within .002. */
export function numericGates(
  run: Fit,
  sets: { readonly emotion: Figures; readonly num_video: Figures; readonly num_truth100: Figures },
  title = "",
): void {
  describe(`public sets${title}`, () => {
    for (const [name, [mae, rmse, rho]] of Object.entries(sets)) {
      withSet(name, `MAE ${mae}, RMSE ${rmse}, Spearman ${rho}`, () => {
        const data = loadNumeric(name);
        const found = evaluateValues({ ...run(data), gold: data.gold });
        expect(Math.abs(found.mae.value - mae)).toBeLessThan(5.5e-4);
        expect(Math.abs(found.rmse - rmse)).toBeLessThan(5.5e-4);
        expect(Math.abs(found.spearman - rho)).toBeLessThan(name === "emotion" ? 2e-3 : 5.5e-4);
      });
    }
  });
}

/** Tests that the objective never falls but by rounding. */
export function expectRise(trace: Float64Array): void {
  expect(trace.length).toBeGreaterThan(1);
  for (let i = 1; i < trace.length; i++) {
    expect(trace[i] - trace[i - 1]).toBeGreaterThan(-1e-9 * Math.abs(trace[i]));
  }
}

/** Finds the maximum of a function of a few numbers by its differences, knowing nothing else of it. */
export function maximumOf(f: (x: Float64Array) => number, start: Float64Array): Float64Array {
  return minimise(
    (x, gradient) => {
      for (let k = 0; k < x.length; k++) {
        const [up, down] = [1e-5, -1e-5].map((h) =>
          f(x.map((each, j) => each + (j === k ? h : 0))),
        );
        gradient[k] = -(up - down) / 2e-5;
      }
      return -f(x);
    },
    start,
    { tolerance: 1e-10, maxIterations: 5000 },
  ).x;
}

/** Returns the share of intervals that hold the truth, over crowds of which each worker may have an offset. */
export function coverage(
  run: Fit,
  crowds: number,
  design: Parameters<typeof randomNumbers>[1],
  offset = 0,
): number {
  let [held, all] = [0, 0];
  for (let seed = 0; seed < crowds; seed++) {
    const data = randomNumbers(seed, design);
    const random = createRandom(seed).split("offsets");
    const shift = Array.from(data.workers, () => offset * normal(random));
    const { low, high } = run({
      ...data,
      value: data.value.map((y, i) => y + shift[data.worker[i]]),
    });
    data.gold.forEach((truth, t) => {
      all++;
      if (low[t] <= truth && truth <= high[t]) held++;
    });
  }
  return held / all;
}
