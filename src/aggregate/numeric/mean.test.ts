import { describe, expect, it } from "vitest";
import { loadNumeric, withSet } from "../../../test/datasets.ts";
import { randomNumbers } from "../../../test/random-answers.ts";
import { fromRows } from "../../data/from-rows.ts";
import { evaluateValues } from "../../evaluate/numeric.ts";
import { mean } from "./mean.ts";

/** Fixture N1 of the numeric spec. */
const fixture = [
  ["A", "x", 1],
  ["A", "y", 2],
  ["A", "z", 6],
  ["B", "x", 3],
  ["B", "y", 3],
  ["B", "z", 8],
  ["C", "x", 5],
  ["C", "y", 4],
].map(([task, worker, value]) => ({ task, worker, value: Number(value) }));

describe("brute force", () => {
  it("is the mean of each task's answers, with Student's interval", () => {
    const { value, sd, low, high } = mean(fromRows(fixture, { kind: "numeric" }));
    expect(value[0]).toBe(3);
    expect(value[1]).toBeCloseTo(14 / 3, 12);
    expect(value[2]).toBe(4.5);
    // Answers 1, 2, 6: s.d. sqrt(7), t(0.975; 2) = 4.302652729911275.
    const half = 4.302652729911275 * Math.sqrt(7 / 3);
    expect([sd[0], low[0], high[0]]).toEqual([
      expect.closeTo(Math.sqrt(7 / 3), 12),
      expect.closeTo(3 - half, 9),
      expect.closeTo(3 + half, 9),
    ]);
  });

  it("takes a weight of 2 for the same answer given twice", () => {
    const rows = fixture.map((row, i) => ({ ...row, weight: i % 2 === 0 ? 2 : 1 }));
    const twice = fixture.flatMap((row, i) => (i % 2 === 0 ? [row, row] : [row]));
    const weighted = mean(fromRows(rows, { kind: "numeric" }));
    const repeated = mean(fromRows(twice, { kind: "numeric", repeats: "all" }));
    expect([...weighted.value]).toEqual([...repeated.value].map((x) => expect.closeTo(x, 12)));
    expect([...weighted.high]).toEqual([...repeated.high].map((x) => expect.closeTo(x, 9)));
  });

  it("says how far each worker is off", () => {
    const { bias, error, workload } = mean(fromRows(fixture, { kind: "numeric" }));
    const misses = [1 - 3, 3 - 14 / 3, 5 - 4.5];
    expect(bias[0]).toBeCloseTo((misses[0] + misses[1] + misses[2]) / 3, 12);
    expect(error[0]).toBeCloseTo(Math.sqrt(misses.reduce((s, x) => s + x * x, 0) / 3), 12);
    expect([...workload]).toEqual([3, 3, 2]);
  });
});

describe("published numbers", () => {
  for (const [name, mae, rmse, rho] of [
    ["emotion", 12.022, 17.8353, 0.7078],
    ["num_video", 0.135, 0.1666, 0.9919],
    ["num_truth100", 26.0403, 31.519, 0.4856],
  ] as const) {
    withSet(name, `MAE ${mae}, RMSE ${rmse}`, () => {
      const data = loadNumeric(name);
      const found = evaluateValues({ ...mean(data), gold: data.gold });
      expect(Math.abs(found.mae.value - mae)).toBeLessThan(5e-4);
      expect(Math.abs(found.rmse - rmse)).toBeLessThan(5e-4);
      expect(Math.abs(found.spearman - rho)).toBeLessThan(2e-3);
    });
  }
});

describe("intervals", () => {
  it("hold the truth in 95 of 100 tasks where answers are normal", () => {
    let [held, all] = [0, 0];
    for (let seed = 0; seed < 40; seed++) {
      const data = randomNumbers(seed, { tasks: 150, noise: [0.7, 0.7] });
      const { low, high } = mean(data);
      data.gold.forEach((truth, t) => {
        all++;
        if (low[t] <= truth && truth <= high[t]) held++;
      });
    }
    // 6,000 intervals: a standard error of .0028.
    expect(Math.abs(held / all - 0.95)).toBeLessThan(0.01);
  });
});

describe("limits", () => {
  it("gives one answer back, without an interval", () => {
    const { value, low } = mean(
      fromRows([{ task: "a", worker: "w", value: 7 }], { kind: "numeric" }),
    );
    expect([value[0], low[0]]).toEqual([7, Number.NaN]);
  });

  it("gives answers that are all the same back to the last digit, without an interval", () => {
    const rows = ["x", "y", "z"].map((worker) => ({ task: "a", worker, value: 0.1 }));
    const { value, sd, high } = mean(fromRows(rows, { kind: "numeric" }));
    expect([value[0], sd[0], high[0]]).toEqual([0.1, Number.NaN, Number.NaN]);
  });

  it("keeps known values as they are", () => {
    const data = fromRows(fixture, { kind: "numeric" });
    const gold = Float64Array.of(Number.NaN, 10, Number.NaN);
    const { value, low, high, sd } = mean(data, {}, { gold });
    expect([value[0], value[1], low[1], high[1], sd[1]]).toEqual([3, 10, 10, 10, 0]);
  });

  it("has nothing to say of a task whose answers weigh nothing", () => {
    const rows = [{ task: "a", worker: "w", value: 7, weight: 0 }];
    expect(mean(fromRows(rows, { kind: "numeric" })).value[0]).toBeNaN();
  });
});
