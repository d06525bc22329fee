import { describe, expect, it } from "vitest";
import { fixture, numericGates, numericLaws } from "../../../test/numeric-checks.ts";
import { fromRows } from "../../data/from-rows.ts";
import { normal } from "../../math/distributions.ts";
import { studentQuantile } from "../../math/incomplete.ts";
import { createRandom } from "../../math/random.ts";
import { mean } from "./mean.ts";
import { trimmedMean } from "./trimmed-mean.ts";

const task = (values: readonly number[]) =>
  fromRows(
    values.map((value, i) => ({ task: "a", worker: `w${i}`, value })),
    { kind: "numeric" },
  );

describe("brute force", () => {
  it("drops answers at both ends", () => {
    expect(trimmedMean(task([50, 1, 2, 3, 4, 5, 6, 7, 8, -90])).value[0]).toBe(4.5);
    expect([...trimmedMean(fixture, { trim: 0.34 }).value]).toEqual([2, 3, 4.5]);
  });

  it("drops 29 of a hundred, although .29 · 100 is rounded to less", () => {
    const values = Array.from({ length: 100 }, (_, i) => (i === 28 ? -1e6 : i === 0 ? 28 : i));
    const more = values.map((x) => (x === 28 ? 28.9 : x));
    const [one, two] = [values, more].map((each) => trimmedMean(task(each), { trim: 0.29 }));
    expect(one.value[0]).toBe((29 + 70) / 2);
    expect(two.value[0]).toBe(one.value[0]);
  });

  it("has the interval of Tukey and McLaughlin", () => {
    const { value, sd, low, high } = trimmedMean(task([9, 1, 4, 6, 30]), { trim: 0.2 });
    // Kept 4, 6, 9; winsorised 4, 4, 6, 9, 9.
    const moved = [4, 4, 6, 9, 9];
    const middle = moved.reduce((sum, x) => sum + x, 0) / 5;
    const squares = moved.reduce((sum, x) => sum + (x - middle) ** 2, 0);
    const se = Math.sqrt(squares / 4) / (0.6 * Math.sqrt(5));
    expect(value[0]).toBeCloseTo(19 / 3, 12);
    expect(sd[0]).toBeCloseTo(se, 12);
    expect(high[0] - low[0]).toBeCloseTo(2 * studentQuantile(0.975, 2) * se, 10);
  });

  it("is the mean if nothing is dropped", () => {
    expect(trimmedMean(fixture, { trim: 0 }).high).toEqual(mean(fixture).high);
  });
});

describe("laws", () => {
  numericLaws(trimmedMean);
  numericLaws(trimmedMean, { trim: 0.3 });
});

numericGates(trimmedMean, {
  emotion: [11.9293, 18.615, 0.7178],
  num_video: [0.0667, 0.0846, 0.9939],
  num_truth100: [25.9007, 31.7466, 0.4804],
});

describe("intervals", () => {
  it.each([
    [5, 0.948],
    [10, 0.942],
    [20, 0.947],
  ])("of %d normal answers hold the truth in a share of %d", (d, expected) => {
    const random = createRandom(d);
    const trials = 6000;
    let held = 0;
    for (let i = 0; i < trials; i++) {
      const { low, high } = trimmedMean(task(Array.from({ length: d }, () => normal(random))));
      if (low[0] <= 0 && 0 <= high[0]) held++;
    }
    // Three standard errors of 6,000 trials, and as many of the figure beside it.
    expect(Math.abs(held / trials - expected)).toBeLessThan(0.012);
  });
});

describe("limits", () => {
  it("refuses to drop half of the answers at each end", () => {
    expect(() => trimmedMean(fixture, { trim: 0.5 })).toThrow(/at most 0.49/);
  });
});
