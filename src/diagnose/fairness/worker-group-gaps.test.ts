import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder, withSet } from "../../../test/datasets.ts";
import { fromRows } from "../../data/from-rows.ts";
import type { NumericData } from "../../data/numeric.ts";
import { normal } from "../../math/distributions.ts";
import { createRandom } from "../../math/random.ts";
import { halfWidth } from "./difference-of-shares.ts";
import { workerGroupGaps } from "./worker-group-gaps.ts";

/** Reads a table whose cells may be quoted. */
function readTable(name: string, file: string): Record<string, string>[] {
  const lines = readFileSync(join(folder, name, file), "utf8")
    .trim()
    .split(/\r?\n/);
  const [header, ...rows] = lines.map((line) =>
    [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain),
  );
  return rows.map((row) => Object.fromEntries(header.map((column, at) => [column, row[at]])));
}

function withAttributes(
  name: string,
  attributes: readonly string[],
  data: NumericData,
): NumericData {
  const byName = new Map(readTable(name, "workers.csv").map((row) => [row["worker"], row]));
  const column = (attribute: string) =>
    [...data.workers].map((worker) => byName.get(worker)?.[attribute] ?? "");
  return { ...data, workerAttributes: new Map(attributes.map((each) => [each, column(each)])) };
}

function loadRatings(name: string, attributes: readonly string[], withGold: boolean): NumericData {
  const gold = withGold ? readTable(name, "gold.csv") : [];
  const data = fromRows(
    readTable(name, "answers.csv").map(({ task, worker, label }) => ({
      ...{ task, worker, value: Number(label) },
    })),
    { kind: "numeric", gold: gold.map(({ task, label }) => [task, Number(label)] as const) },
  );
  return withAttributes(name, attributes, data);
}

interface Shape {
  readonly workers?: readonly number[];
  readonly effects?: readonly number[];
  readonly tasks?: number;
  readonly perWorker?: number;
  /** Probability that workers of group 0 get tasks of the first half. */
  readonly mix?: number;
}

/** Ratings of workers who differ from each other, in groups with effects of their own. */
function ratings(
  seed: number,
  { workers = [30, 15], effects = [0, 0.4], tasks = 150, perWorker = 30, mix = 0.5 }: Shape = {},
): NumericData {
  const random = createRandom(seed).split("ratings");
  const level = Array.from({ length: tasks }, () => normal(random));
  const rows: { task: string; worker: string; value: number }[] = [];
  const site: string[] = [];
  workers.forEach((n, g) => {
    for (let w = 0; w < n; w++) {
      site.push(`s${g}`);
      const own = 0.5 * normal(random);
      const seen = new Set<number>();
      while (seen.size < perWorker) {
        const first = random.next() < (g === 0 ? mix : 1 - mix);
        seen.add(Math.floor(((first ? 0 : 1) + random.next()) * (tasks / 2)));
      }
      for (const t of seen) {
        const value = level[t] + effects[g] + own + normal(random);
        rows.push({ task: `t${t}`, worker: `${g}-${w}`, value });
      }
    }
  });
  const data = fromRows(rows, { kind: "numeric" });
  return { ...data, workerAttributes: new Map([["site", site]]) };
}

describe("published numbers", () => {
  withSet("fair_offensive", "mean residuals by gender, race and age are those of meta.json", () => {
    const meta = JSON.parse(readFileSync(join(folder, "fair_offensive/meta.json"), "utf8"));
    const printed: Record<string, [number, number]> = meta.baselines.mean_residual_by_group;
    const attributes = ["gender", "race", "age"];
    const { groups, gaps } = workerGroupGaps(
      loadRatings("fair_offensive", attributes, false),
      attributes,
    );
    let compared = 0;
    for (const { attribute, name, residual, labels } of groups) {
      const [mean, n] = printed[`${attribute}=${name}`] ?? [];
      if (mean === undefined) continue;
      expect(residual, name).toBeCloseTo(mean, 3);
      expect(labels).toBe(n);
      compared++;
    }
    expect(compared).toBe(Object.keys(printed).length);
    // With 262 workers and fifteen comparisons, none of the differences is clear.
    expect(gaps.filter(({ corrected }) => corrected < 0.05)).toEqual([]);
    const sixty = gaps.find(({ group }) => group === "60-64");
    expect(sixty?.value).toBeCloseTo(0.449, 3);
    expect(sixty?.low).toBeGreaterThan(0.05);
    expect(sixty?.workers).toEqual([15, 247]);
  });

  withSet("ord_truth_politics", "political views: differences and errors against gold", () => {
    const data = loadRatings("ord_truth_politics", ["political_views"], true);
    const views = workerGroupGaps(data, ["political_views"]);
    const errors = workerGroupGaps(data, ["political_views"], { measure: "errors" });
    expect(views.groups.map(({ workers }) => workers).reduce((a, b) => a + b, 0)).toBe(199);
    expect(errors.groups.map(({ labels }) => labels).reduce((a, b) => a + b, 0)).toBe(1194);
    expect(errors.gaps.every(({ p, low, high }) => p >= 0 && low <= high)).toBe(true);
  });
});

describe("coverage", () => {
  it("of differences is .93 to .97, with workers as the sample", () => {
    let [covered, all] = [0, 0];
    for (let seed = 0; seed < 200; seed++) {
      const data = ratings(seed, { workers: [30, 12, 15], effects: [0, 0.4, 0.2] });
      const { gaps } = workerGroupGaps(data, ["site"]);
      expect(gaps).toHaveLength(3);
      const [two] = workerGroupGaps(ratings(seed), ["site"]).gaps;
      if (two.low <= -0.4 && -0.4 <= two.high) covered++;
      // The middle group lies .4 above 30 workers and .2 above 15: .333 on average.
      if (gaps[1].low <= 1 / 3 && 1 / 3 <= gaps[1].high) covered++;
      all += 2;
    }
    expect(covered / all).toBeGreaterThanOrEqual(0.93);
    expect(covered / all).toBeLessThanOrEqual(0.97);
  });

  it("finds the difference where residuals do not: groups that label different tasks", () => {
    let [within, residuals] = [0, 0];
    for (let seed = 0; seed < 20; seed++) {
      const shape = { mix: 0.95, workers: [20, 20], effects: [0, 1], tasks: 80 };
      const { gaps, groups } = workerGroupGaps(ratings(seed, shape), ["site"]);
      within += gaps[0].value / 20;
      residuals += (groups[0].residual - groups[1].residual) / 20;
    }
    expect(within).toBeCloseTo(-1, 0);
    expect(Math.abs(within + 1)).toBeLessThan(0.15);
    expect(Math.abs(residuals)).toBeLessThan(0.5);
  });
});

describe("by definition", () => {
  const rows = [
    ["t", "u", 3],
    ["t", "v", 1],
    ["t", "w", 2],
    ["s", "u", 5],
    ["s", "w", 1],
    ["r", "v", 4],
  ] as const;
  const data: NumericData = {
    ...fromRows(
      rows.map(([task, worker, value]) => ({ task, worker, value })),
      { kind: "numeric" },
    ),
    workerAttributes: new Map([["team", ["x", "y", "y"]]]),
  };

  it("residuals are answers less the mean of others, where there are others", () => {
    const { groups, gaps, notes } = workerGroupGaps(data, ["team"]);
    expect(groups).toEqual([
      { attribute: "team", name: "x", workers: 1, labels: 2, residual: (1.5 + 4) / 2 },
      { attribute: "team", name: "y", workers: 2, labels: 3, residual: (-1.5 + 0 - 4) / 3 },
    ]);
    expect(gaps).toEqual([]);
    expect(notes[0]).toContain(
      'fewer than 10 workers or 20 answers on common tasks: team "x" and "y"',
    );
  });

  it("differences are those of a regression with one level per task", () => {
    const limits = { leastLabels: 1, leastWorkers: 2 };
    const more = {
      ...ratings(3, { workers: [3, 2], tasks: 10, perWorker: 6 }),
    };
    const [gap] = workerGroupGaps(more, ["site"], limits).gaps;
    // Group 0 against group 1 by demeaning within tasks.
    let [top, bottom] = [0, 0];
    for (let t = 0; t < more.tasks.length; t++) {
      const mine = [...more.task.keys()].filter((i) => more.task[i] === t);
      const x = mine.map((i) => Number(more.workers.at(more.worker[i]).startsWith("0")));
      const mean = (list: number[]) => list.reduce((a, b) => a + b, 0) / list.length;
      const y = mine.map((i) => more.value[i]);
      x.forEach((each, at) => {
        top += (each - mean(x)) * (y[at] - mean(y));
        bottom += (each - mean(x)) ** 2;
      });
    }
    expect(gap.value).toBeCloseTo(top / bottom, 10);
    expect(gap).toMatchObject({ group: "s0", against: "s1", workers: [3, 2] });
  });

  it("intervals leave each worker out in turn, by the definition", () => {
    const limits = { leastLabels: 1, leastWorkers: 2 };
    const shape = { workers: [4, 3], effects: [0, 3], tasks: 12, perWorker: 8 };
    const data = ratings(9, shape);
    const value = (left: number) => {
      const rows = [...data.task.keys()].filter((i) => data.worker[i] !== left);
      const part = {
        ...data,
        task: Int32Array.from(rows, (i) => data.task[i]),
        worker: Int32Array.from(rows, (i) => data.worker[i]),
        value: Float64Array.from(rows, (i) => data.value[i]),
      };
      return workerGroupGaps(part, ["site"], limits).gaps[0].value;
    };
    const variance = (workers: number[]) => {
      const left = workers.map(value);
      const n = left.length;
      const mean = left.reduce((a, b) => a + b, 0) / n;
      return ((n - 1) / n) * left.reduce((sum, each) => sum + (each - mean) ** 2, 0);
    };
    const parts = [
      { variance: variance([0, 1, 2, 3]), size: 4 },
      { variance: variance([4, 5, 6]), size: 3 },
    ];
    const [{ low, high }] = workerGroupGaps(data, ["site"], limits).gaps;
    expect((high - low) / 2).toBeCloseTo(halfWidth(parts, 0.95), 9);
  });

  it("labels are compared class by class, or as numbers", () => {
    const base = ratings(4);
    const labels = fromRows(
      [...base.task.keys()].map((i) => ({
        task: base.tasks.at(base.task[i]),
        worker: base.workers.at(base.worker[i]),
        label: String(Math.max(1, Math.min(3, Math.round(2 + base.value[i])))),
      })),
      { classes: ["1", "2", "3"] },
    );
    const workerAttributes = base.workerAttributes ?? new Map();
    const crowd = { ...labels, workerAttributes };
    const each = workerGroupGaps(crowd, ["site"]).gaps;
    expect(each.map((gap) => gap.class)).toEqual(["1", "2", "3"]);
    expect(each.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(0, 9);
    const [scale] = workerGroupGaps(crowd, ["site"], { numbers: true }).gaps;
    expect(scale.value).toBeCloseTo(
      each.reduce((sum, { value }, k) => sum + (k + 1) * value, 0),
      9,
    );
    expect(scale).not.toHaveProperty("class");
    expect(workerGroupGaps(crowd, ["site"], { positive: "3" }).gaps).toHaveLength(1);
  });
});

describe("invariants and limits", () => {
  it("names and order change nothing but names", () => {
    const data = ratings(5);
    const turned = {
      ...data,
      task: data.task.toReversed(),
      worker: data.worker.toReversed(),
      value: data.value.toReversed(),
      workerAttributes: new Map([
        ["site", (data.workerAttributes?.get("site") ?? []).map((name) => `a ${name}`)],
      ]),
    };
    const [here] = workerGroupGaps(data, ["site"]).gaps;
    const [there] = workerGroupGaps(turned, ["site"]).gaps;
    for (const part of ["value", "low", "high", "p"] as const) {
      expect(there[part]).toBeCloseTo(here[part], 9);
    }
  });

  it("says what was found and what to do", () => {
    const data = ratings(6);
    expect(() => workerGroupGaps(data, ["age"])).toThrow(
      'There is no worker attribute "age". The data have: "site". Give one value per worker as workerAttributes.',
    );
    expect(() => workerGroupGaps(data, ["site"], { measure: "errors" })).toThrow(
      'No task has gold, so there are no errors to compare. Give gold, or set measure to "answers".',
    );
    const one = {
      ...data,
      workerAttributes: new Map([["site", [...data.workers].map(() => "x")]]),
    };
    expect(() => workerGroupGaps(one, ["site"])).toThrow(
      'groups of workers or more; found only "x"',
    );
    const words = fromRows([{ task: "t", worker: "w", label: "good" }]);
    const named = { ...words, workerAttributes: new Map([["site", ["x"]]]) };
    expect(() => workerGroupGaps(named, ["site"], { numbers: true })).toThrow(
      'The class "good" is not a number.',
    );
  });

  it("leaves out workers without a group", () => {
    const data = ratings(7);
    const site = (data.workerAttributes?.get("site") ?? []).map((name, w) => (w === 0 ? "" : name));
    const [gap] = workerGroupGaps({ ...data, workerAttributes: new Map([["site", site]]) }, [
      "site",
    ]).gaps;
    expect(gap.workers).toEqual([29, 15]);
  });
});
