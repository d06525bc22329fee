import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { cohenKappa, kappaOfTable, meanCohenKappa } from "./cohen.ts";

const weights = ["identity", "linear", "quadratic", "ordinal"] as const;

/** Two workers whose labels make the table. */
function fromTable(table: readonly (readonly number[])[]): CategoricalData {
  let t = 0;
  return fromRows(
    table.flatMap((row, k) =>
      row.flatMap((count, l) =>
        Array.from({ length: count }, () => {
          const task = `t${t++}`;
          return [
            { task, worker: "a", label: `${k}` },
            { task, worker: "b", label: `${l}` },
          ];
        }).flat(),
      ),
    ),
  );
}

const three = fromTable([
  [20, 5, 1],
  [3, 15, 6],
  [1, 4, 25],
]);

/** Kappa from the labels of shared tasks and all pairs of one's labels with the other's. */
function brute(data: CategoricalData, a: number, b: number, w: (typeof weights)[number]) {
  const K = data.classes.length;
  const agree = (k: number, l: number) => {
    const d = Math.abs(k - l);
    if (w === "identity") return d === 0 ? 1 : 0;
    if (w === "linear") return 1 - d / (K - 1);
    return w === "quadratic" ? 1 - (d / (K - 1)) ** 2 : 1 - (d * (d + 1)) / (K * (K - 1));
  };
  const of = (worker: number, t: number) =>
    [...data.label].find((_, i) => data.worker[i] === worker && data.task[i] === t);
  const shared = [...data.tasks].flatMap((_, t) => {
    const [k, l] = [of(a, t), of(b, t)];
    return k === undefined || l === undefined ? [] : [[k, l]];
  });
  const n = shared.length;
  const po = shared.reduce((sum, [k, l]) => sum + agree(k, l), 0) / n;
  let pe = 0;
  for (const [k] of shared) for (const [, l] of shared) pe += agree(k, l) / n ** 2;
  return { n, value: (po - pe) / (1 - pe) };
}

describe("invariants", () => {
  it("is the same from either side, and 1 of a worker with themselves", () => {
    const data = randomCrowd(1);
    for (const w of weights) {
      const [ab, ba] = [
        cohenKappa(data, "w0", "w1", { weights: w }),
        cohenKappa(data, "w1", "w0", { weights: w }),
      ];
      expect(ab.value).toBeCloseTo(ba.value, 12);
      expect(ab.se).toBeCloseTo(ba.se, 12);
      expect(cohenKappa(data, "w0", "w0", { weights: w }).value).toBeCloseTo(1, 12);
    }
  });

  it("the mean's error is that of one pair where there is one pair", () => {
    const alone = cohenKappa(three, "a", "b");
    const mean = meanCohenKappa(three);
    expect(mean).toMatchObject({ pairs: 1, tasks: 80 });
    expect(mean.value).toBeCloseTo(alone.value, 12);
    // The published variance goes without n / (n − 1).
    expect(mean.se).toBeCloseTo(alone.se * Math.sqrt(80 / 79), 12);
  });
});

describe("brute force", () => {
  it.each(weights)("one pair and the mean over pairs, %s weights", (w) => {
    for (let seed = 0; seed < 4; seed++) {
      const data = randomCrowd(seed, { tasks: 40, workers: 5, classes: 4 });
      const values: number[] = [];
      for (let a = 0; a < 5; a++) {
        for (let b = a + 1; b < 5; b++) {
          const { n, value } = brute(data, a, b, w);
          const found = cohenKappa(data, `w${a}`, `w${b}`, { weights: w });
          expect(found.tasks).toBe(n);
          expect(found.value).toBeCloseTo(value, 12);
          if (n >= 15) values.push(value);
        }
      }
      const mean = meanCohenKappa(data, { weights: w, minOverlap: 15 });
      expect(mean.pairs).toBe(values.length);
      expect(mean.value).toBeCloseTo(values.reduce((x, y) => x + y, 0) / values.length, 12);
    }
  });

  it("the mean's error is near that of leaving out one task at a time", () => {
    const data = randomCrowd(3, { tasks: 200, workers: 5 });
    const values = Array.from(data.tasks, (_, t) => {
      const keep = [...data.task.keys()].filter((i) => data.task[i] !== t);
      const pick = (column: Int32Array) => Int32Array.from(keep, (i) => column[i]);
      const rest = {
        ...data,
        task: pick(data.task),
        worker: pick(data.worker),
        label: pick(data.label),
      };
      return meanCohenKappa(rest).value;
    });
    const centre = values.reduce((x, y) => x + y, 0) / values.length;
    const squares = values.reduce((sum, x) => sum + (x - centre) ** 2, 0);
    const ratio = meanCohenKappa(data).se / Math.sqrt((199 / 200) * squares);
    // They differ in the second order, by about 1/n of each pair's 70 tasks.
    expect(ratio).toBeGreaterThan(0.95);
    expect(ratio).toBeLessThan(1.05);
  });
});

describe("published numbers", () => {
  it("[[20, 5], [10, 15]] is .4", () => {
    expect(cohenKappa(fromTable([[20, 5], [10, 15]]), "a", "b").value).toBeCloseTo(0.4, 12); // biome-ignore format: as a table
  });

  it.each([
    ["identity", 0.622642, 0.072531],
    ["linear", 0.696133, 0.063612],
    ["quadratic", 0.766187, 0.060538],
  ] as const)("three classes, %s weights: %f (%f)", (w, value, se) => {
    const found = cohenKappa(three, "a", "b", { weights: w });
    expect(found.value).toBeCloseTo(value, 6);
    expect(found.se).toBeCloseTo(se, 6);
    expect(kappaOfTable(Float64Array.of(20, 5, 1, 3, 15, 6, 1, 4, 25), 3, { weights: w })).toEqual(
      found,
    );
  });
});

describe("limits", () => {
  it("says where there is nothing to compare", () => {
    const apart = fromRows([
      { task: "s", worker: "a", label: "x" },
      { task: "t", worker: "b", label: "y" },
    ]);
    expect(cohenKappa(apart, "a", "b")).toMatchObject({ value: 0, defined: false });
    expect(meanCohenKappa(apart)).toMatchObject({ value: 0, defined: false, pairs: 0 });
    const same = fromTable([[12]]);
    expect(cohenKappa(same, "a", "b")).toMatchObject({ value: 1, defined: false, low: -1 });
    expect(meanCohenKappa(same).notes).toEqual([
      "1 pairs of workers used one class only and were left out.",
      "No two workers share 10 tasks.",
    ]);
    expect(() => cohenKappa(apart, "a", "c")).toThrow('There is no worker "c" in these labels.');
  });

  it("judges more pairs than it may on a sample, to about the same value", () => {
    const data = randomCrowd(2, { tasks: 2000, workers: 10 });
    const all = meanCohenKappa(data);
    const some = meanCohenKappa(data, { mostPairs: 10_000 });
    expect(some.notes).toEqual(["Judged on a sample of the tasks."]);
    expect(some.tasks).toBeLessThan(all.tasks / 2);
    expect(Math.abs(some.value - all.value)).toBeLessThan(4 * some.se);
    expect(some.se).toBeGreaterThan(all.se);
  });
});
