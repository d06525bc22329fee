import { describe, expect, it } from "vitest";
import { loadNumeric, withSet } from "../../../test/datasets.ts";
import { fromRows } from "../../data/from-rows.ts";
import { evaluateValues } from "../../evaluate/numeric.ts";
import { normal } from "../../math/distributions.ts";
import { createRandom } from "../../math/random.ts";
import { median } from "./median.ts";

const task = (values: readonly number[], weights?: readonly number[]) =>
  fromRows(
    values.map((value, i) => ({
      task: "a",
      worker: `w${i}`,
      value,
      ...(weights && { weight: weights[i] }),
    })),
    { kind: "numeric" },
  );

describe("brute force", () => {
  it.each([
    [[1, 2, 6], 2],
    [[3, 3, 8], 3],
    [[5, 4], 4.5],
    [[9, 1, 5, 2], 3.5],
  ])("of %j is %d", (values, expected) => {
    expect(median(task(values)).value[0]).toBe(expected);
  });

  it("takes order statistics from six answers on", () => {
    // d = 6: 2 · P(Bin(6, 1/2) ≤ 0) = 1/32 ≤ .05, and 2 · P(… ≤ 1) = 7/32 is more.
    const { low, high } = median(task([1, 2, 3, 4, 5, 60]));
    expect([low[0], high[0]]).toEqual([1, 60]);
    // d = 9: 2 · P(Bin(9, 1/2) ≤ 1) = 20/512 ≤ .05.
    const nine = median(task([1, 2, 3, 4, 5, 6, 7, 8, 9]));
    expect([nine.low[0], nine.high[0]]).toEqual([2, 8]);
  });

  it("takes a weight for so many answers", () => {
    expect(median(task([1, 5, 9], [1, 1, 3])).value[0]).toBe(9);
    expect(median(task([1, 5, 9], [1, 1, 2])).value[0]).toBe(7);
  });
});

describe("published numbers", () => {
  for (const [name, mae, rmse] of [
    ["emotion", 13.5293, 21.2641],
    ["num_video", 0.2556, 0.3079],
    ["num_truth100", 26.4958, 33.5587],
  ] as const) {
    withSet(name, `MAE ${mae}, RMSE ${rmse}`, () => {
      const data = loadNumeric(name);
      const found = evaluateValues({ ...median(data), gold: data.gold });
      expect(Math.abs(found.mae.value - mae)).toBeLessThan(5e-4);
      expect(Math.abs(found.rmse - rmse)).toBeLessThan(5e-4);
    });
  }
});

describe("intervals", () => {
  it.each([
    [5, 0.967],
    [10, 0.979],
    [20, 0.958],
  ])("of %d normal answers hold the truth in a share of %d", (d, expected) => {
    const random = createRandom(d);
    const trials = 6000;
    let held = 0;
    for (let i = 0; i < trials; i++) {
      const { low, high } = median(task(Array.from({ length: d }, () => normal(random))));
      if (low[0] <= 0 && 0 <= high[0]) held++;
    }
    // Three standard errors of 6,000 trials, and as many of the figure beside it.
    expect(Math.abs(held / trials - expected)).toBeLessThan(0.012);
  });
});

describe("limits", () => {
  it("is not moved by a wild answer", () => {
    expect(median(task([1, 2, 1e300])).value[0]).toBe(2);
  });
});
