import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import { quantile } from "../math/statistics.ts";
import { krippendorffAlpha } from "./krippendorff.ts";

const options = { interval: "hayes-krippendorff" } as const;

describe("invariants", () => {
  it("surrounds the value, is narrower than the interval over tasks, and says so", () => {
    for (let seed = 0; seed < 5; seed++) {
      const data = randomCrowd(seed, { tasks: 60, rate: 1 });
      for (const distance of ["nominal", "ordinal", "interval", "ratio"] as const) {
        const pairs = krippendorffAlpha(data, { ...options, distance });
        const tasks = krippendorffAlpha(data, { distance });
        expect(pairs.low).toBeLessThan(pairs.value);
        expect(pairs.high).toBeGreaterThan(pairs.value);
        expect(pairs.high - pairs.low).toBeLessThan(tasks.high - tasks.low);
        expect(pairs.notes.at(-1)).toContain("too narrow");
      }
    }
  });
});

describe("brute force", () => {
  it("is that of pairs of labels drawn one by one, with De as it is", () => {
    const data = {
      ...randomCrowd(2, { tasks: 25, workers: 3, rate: 1 }),
      classes: namesOf(["1", "2", "5"]),
    };
    const value = [1, 2, 5];
    const lists = Array.from(data.tasks, (_, t) =>
      [...data.label].filter((_, i) => data.task[i] === t),
    );
    // Three labels per task: three pairs, each with the same weight.
    const gaps = lists.flatMap(([a, b, c]) =>
      [
        [a, b],
        [b, c],
        [a, c],
      ].map(([x, y]) => (value[x] - value[y]) ** 2),
    );
    const all = lists.flat();
    let between = 0;
    for (const x of all) for (const y of all) between += (value[x] - value[y]) ** 2;
    const expected = between / (all.length * (all.length - 1));
    const random = createRandom(9).split("one by one");
    const drawn = Float64Array.from({ length: 4000 }, () => {
      let sum = 0;
      for (let i = 0; i < gaps.length; i++) sum += gaps[Math.floor(random.next() * gaps.length)];
      return 1 - sum / gaps.length / expected;
    }).sort();
    const found = krippendorffAlpha(data, { ...options, distance: "interval", draws: 4000 });
    const width = quantile(drawn, 0.975) - quantile(drawn, 0.025);
    // Quantiles of 4000 draws are off by about a fortieth of the width.
    expect(Math.abs(found.low - quantile(drawn, 0.025))).toBeLessThan(0.06 * width);
    expect(Math.abs(found.high - quantile(drawn, 0.975))).toBeLessThan(0.06 * width);
  });
});

describe("published numbers", () => {
  it("two classes: the interval of a binomial share of the pairs", () => {
    const data = randomCrowd(3, { tasks: 100, workers: 4, classes: 2, rate: 1 });
    const { value, low, high } = krippendorffAlpha(data, { ...options, draws: 4000 });
    const ones = data.label.reduce((sum, l) => sum + l, 0);
    const expected = (2 * ones * (400 - ones)) / 400 / 399;
    const share = (1 - value) * expected;
    const reach = (1.96 * Math.sqrt((share * (1 - share)) / 600)) / expected;
    expect(Math.abs(value - low - reach)).toBeLessThan(0.1 * reach);
    expect(Math.abs(high - value - reach)).toBeLessThan(0.1 * reach);
  });
});

describe("limits", () => {
  it("leaves what is not defined alone", () => {
    const apart = fromRows([
      { task: "s", worker: "v", label: "x" },
      { task: "t", worker: "w", label: "y" },
    ]);
    expect(krippendorffAlpha(apart, options)).toMatchObject({ defined: false, interval: "none" });
  });
});
