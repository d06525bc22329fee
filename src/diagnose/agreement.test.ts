import { describe, expect, it } from "vitest";
import { gate } from "../../test/datasets.ts";
import { randomCrowd } from "../../test/random-crowd.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { agreement } from "./agreement.ts";
import type { Coefficient, Statistic } from "./coefficient.ts";
import { type CountTable, classTotals, countTable } from "./counts.ts";
import { fleissKappa, fleissStatistic } from "./fleiss.ts";
import { gwetAgreement, gwetStatistic } from "./gwet.ts";
import { krippendorffAlpha, krippendorffStatistic } from "./krippendorff.ts";
import { percentAgreement, percentStatistic } from "./percent.ts";

const distances = ["nominal", "ordinal", "interval", "ratio"] as const;
const weights = ["identity", "linear", "quadratic", "ordinal"] as const;

/** Tasks with the given number of labels of each class. */
function fromCounts(rows: readonly (readonly number[])[], classes?: readonly string[]) {
  const names = classes ?? rows[0].map((_, k) => `${k + 1}`);
  return fromRows(
    rows.flatMap((row, t) =>
      row
        .flatMap((count, k) => Array.from({ length: count }, () => names[k]))
        .map((label, w) => ({ task: `t${t}`, worker: `w${w}`, label })),
    ),
    { classes: names },
  );
}

/** Fleiss's ten subjects by fourteen raters. */
const fleissTable = fromCounts([
  [0, 0, 0, 0, 14],
  [0, 2, 6, 4, 2],
  [0, 0, 3, 5, 6],
  [0, 3, 9, 2, 0],
  [2, 2, 8, 1, 1],
  [7, 7, 0, 0, 0],
  [3, 2, 6, 3, 0],
  [2, 5, 3, 2, 2],
  [6, 5, 2, 1, 0],
  [0, 2, 2, 3, 7],
]);

/** Krippendorff's four coders by twelve units, * for none. */
const krippendorffTable = fromRows(
  ["123321412***", "1233224125*3", "*3332342251*", "12332441251*"].flatMap((line, w) =>
    [...line].flatMap((label, t) =>
      label === "*" ? [] : [{ task: `t${t}`, worker: `w${w}`, label }],
    ),
  ),
);

/** The labels of each task, as numbers from 0. */
function labelLists(data: CategoricalData): number[][] {
  return Array.from(data.tasks, (_, t) => [...data.label].filter((_, i) => data.task[i] === t));
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

/** f over all ordered pairs of different places. */
function pairs(list: readonly number[], f: (a: number, b: number) => number): number {
  let sum = 0;
  list.forEach((a, i) => {
    list.forEach((b, j) => {
      if (i !== j) sum += f(a, b);
    });
  });
  return sum;
}

describe("invariants", () => {
  const statistics: (readonly [string, (table: CountTable, data: CategoricalData) => Statistic])[] =
    [
      ["percent", (table) => percentStatistic(table)],
      ["pooled", (table) => percentStatistic(table, "pairs")],
      ["fleiss", (table) => fleissStatistic(table)],
      ...distances.map(
        (distance) =>
          [
            `alpha ${distance}`,
            (table: CountTable, { classes }: CategoricalData) =>
              krippendorffStatistic(
                table,
                namesOf(Array.from(classes, (_, k) => `${k}`)),
                distance,
              ),
          ] as const,
      ),
      ...weights.map((w) => [`gwet ${w}`, (table: CountTable) => gwetStatistic(table, w)] as const),
    ];

  it.each(statistics)("%s: the influences are its derivatives", (_name, make) => {
    for (let seed = 0; seed < 5; seed++) {
      // Rate 1: Gwet's published variance is the derivative only where no task has a single label.
      const data = randomCrowd(seed, { tasks: 30, workers: 4, classes: 4, rate: 1 });
      const table = countTable(data);
      const { measure } = make(table, data);
      const influence = new Float64Array(table.tasks.length);
      measure(table.tasks, influence);
      const h = 1e-4;
      for (let p = 0; p < influence.length; p++) {
        const at = (x: number) =>
          measure(Float64Array.from(table.tasks, (n, q) => (q === p ? n + x : n))).value;
        // Central differences: an error of h², and of rounding over h.
        expect(influence[p]).toBeCloseTo((at(h) - at(-h)) / (2 * h), 7);
      }
    }
  });

  it.each(statistics)("%s: more of the same leaves the value", (name, make) => {
    const data = randomCrowd(3, { tasks: 50, workers: 4, classes: 4 });
    const table = countTable(data);
    const { measure } = make(table, data);
    const n = classTotals(table, table.tasks, 2).reduce((sum, x) => sum + x, 0);
    const [once, often] = [1, 1000].map((times) => {
      const { value } = measure(table.tasks.map((tasks) => times * tasks));
      // Alpha corrects for the size of the sample: 1 − α has a factor of (n − 1) / n.
      return name.startsWith("alpha") ? ((1 - value) * times * n) / (times * n - 1) : value;
    });
    expect(often).toBeCloseTo(once, 10);
  });

  it("does not care how classes are called or workers are ordered, where classes are names", () => {
    const data = randomCrowd(4, { classes: 3 });
    const renamed = { ...data, label: data.label.map((l) => 2 - l) };
    const shuffled = { ...data, worker: data.worker.map((w) => 7 - w) };
    const [a, b, c] = [data, renamed, shuffled].map((d) => agreement(d));
    for (const name of ["percent", "pooled", "cohen", "fleiss", "krippendorff", "gwet"] as const) {
      for (const other of [b, c]) {
        expect(other[name].value).toBeCloseTo(a[name].value, 12);
        expect(other[name].se).toBeCloseTo(a[name].se, 12);
      }
    }
  });

  it("is 1 for a crowd that always agrees, near 0 for one that guesses", () => {
    const perfect = agreement(randomCrowd(1, { tasks: 100, skill: [1, 1] }));
    const guessing = agreement(randomCrowd(1, { tasks: 2000, classes: 3, skill: [1 / 3, 1 / 3] }));
    for (const name of ["cohen", "fleiss", "krippendorff", "gwet"] as const) {
      expect(perfect[name].value).toBeCloseTo(1, 12);
      expect(Math.abs(guessing[name].value)).toBeLessThan(0.05);
    }
    // 100 agreeing tasks exclude a rate of disagreement of .025^(1/100) or more.
    expect(perfect.percent.low).toBeCloseTo(0.025 ** 0.01, 12);
  });

  it("gives the same bootstrap for the same seed", () => {
    const data = randomCrowd(5);
    const options = { interval: "bootstrap", draws: 200 } as const;
    expect(fleissKappa(data, options)).toEqual(fleissKappa(data, options));
    expect(fleissKappa(data, { ...options, seed: 1 }).low).not.toBe(fleissKappa(data, options).low);
  });
});

describe("brute force", () => {
  const seeds = [0, 1, 2, 3, 4];

  it.each(seeds)("percent agreement from all pairs (seed %s)", (seed) => {
    const data = randomCrowd(seed);
    const lists = labelLists(data).filter((list) => list.length > 1);
    const same = (list: readonly number[]) => pairs(list, (a, b) => (a === b ? 1 : 0));
    const count = (list: readonly number[]) => pairs(list, () => 1);
    expect(percentAgreement(data).value).toBeCloseTo(
      mean(lists.map((l) => same(l) / count(l))),
      12,
    );
    expect(percentAgreement(data, { over: "pairs" }).value).toBeCloseTo(
      mean(lists.map(same)) / mean(lists.map(count)),
      12,
    );
  });

  it.each(seeds)("Fleiss' kappa from all pairs (seed %s)", (seed) => {
    const data = randomCrowd(seed);
    const lists = labelLists(data).filter((list) => list.length > 1);
    const all = lists.flat();
    const p = mean(lists.map((l) => pairs(l, (a, b) => (a === b ? 1 : 0)) / pairs(l, () => 1)));
    const pe = [0, 1, 2].reduce(
      (sum, k) => sum + (all.filter((l) => l === k).length / all.length) ** 2,
      0,
    );
    expect(fleissKappa(data).value).toBeCloseTo((p - pe) / (1 - pe), 12);
  });

  it.each(distances)("alpha, %s, from all pairs of labels", (distance) => {
    for (const seed of seeds) {
      const data = {
        ...randomCrowd(seed, { tasks: 30, classes: 4 }),
        classes: namesOf(["1", "2", "4", "9"]),
      };
      const lists = labelLists(data).filter((list) => list.length > 1);
      const all = lists.flat();
      const total = (k: number) => all.filter((l) => l === k).length;
      const delta = (a: number, b: number): number => {
        const [x, y] = [Number(data.classes.at(a)), Number(data.classes.at(b))];
        if (distance === "nominal") return a === b ? 0 : 1;
        if (distance === "interval") return (x - y) ** 2;
        if (distance === "ratio") return ((x - y) / (x + y)) ** 2;
        let between = -(total(a) + total(b)) / 2;
        for (let g = Math.min(a, b); g <= Math.max(a, b); g++) between += total(g);
        return between ** 2;
      };
      const within = lists.reduce((sum, l) => sum + pairs(l, delta) / (l.length - 1), 0);
      const between = pairs(all, delta) / (all.length - 1);
      expect(krippendorffAlpha(data, { distance }).value).toBeCloseTo(1 - within / between, 10);
    }
  });

  it.each(weights)("AC with %s weights from all pairs", (w) => {
    const agree = (a: number, b: number) => {
      const d = Math.abs(a - b);
      if (w === "identity") return d === 0 ? 1 : 0;
      if (w === "linear") return 1 - d / 3;
      if (w === "quadratic") return 1 - (d / 3) ** 2;
      return d === 0 ? 1 : 1 - (d * (d + 1)) / 2 / 6;
    };
    for (const seed of seeds) {
      const data = randomCrowd(seed, { classes: 4, rate: 0.3 });
      const lists = labelLists(data);
      const several = lists.filter((l) => l.length > 1);
      const pa = mean(several.map((l) => pairs(l, agree) / pairs(l, () => 1)));
      const four = [0, 1, 2, 3];
      const share = four.map((k) => mean(lists.map((l) => mean(l.map((x) => (x === k ? 1 : 0))))));
      const sum = four.reduce((s, a) => s + four.reduce((r, b) => r + agree(a, b), 0), 0);
      const pe = (sum / 12) * share.reduce((s, x) => s + x * (1 - x), 0);
      expect(gwetAgreement(data, { weights: w }).value).toBeCloseTo((pa - pe) / (1 - pe), 12);
    }
  });

  it("the linearised error is close to that of leaving out one task at a time", () => {
    const data = randomCrowd(6, { tasks: 300 });
    const lists = labelLists(data);
    const without = Array.from(data.tasks, (_, t) => {
      const rest = fromCounts(
        lists
          .filter((_, other) => other !== t)
          .map((list) => [0, 1, 2].map((k) => list.filter((l) => l === k).length)),
      );
      return krippendorffAlpha(rest).value;
    });
    const n = without.length;
    const centre = mean(without);
    const jackknife = Math.sqrt(
      ((n - 1) / n) * without.reduce((sum, x) => sum + (x - centre) ** 2, 0),
    );
    // They differ in the second order, by about 1/n.
    expect(krippendorffAlpha(data).se / jackknife).toBeGreaterThan(0.98);
    expect(krippendorffAlpha(data).se / jackknife).toBeLessThan(1.02);
  });
});

describe("published numbers", () => {
  const close = (found: Coefficient, value: number, se?: number) => {
    expect(found.value).toBeCloseTo(value, 6);
    if (se !== undefined) expect(found.se).toBeCloseTo(se, 6);
  };

  it("Fleiss's ten subjects: .20993", () => {
    expect(fleissKappa(fleissTable).value).toBeCloseTo(0.20993, 5);
  });

  it.each([
    ["identity", 0.225614, 0.093324],
    ["linear", 0.437223, 0.086256],
    ["quadratic", 0.600693, 0.082246],
  ] as const)("Fleiss's ten subjects: AC with %s weights %f (%f)", (w, value, se) => {
    close(gwetAgreement(fleissTable, { weights: w }), value, se);
  });

  it.each([
    ["nominal", 0.7434],
    ["ordinal", 0.8154],
    ["interval", 0.8491],
    ["ratio", 0.7974],
  ] as const)("Krippendorff's twelve units: %s alpha %f", (distance, value) => {
    expect(krippendorffAlpha(krippendorffTable, { distance }).value).toBeCloseTo(value, 4);
  });

  it("Krippendorff's twelve units: error of alpha .1420, by the jackknife .1463, AC1 .775444 (.142950)", () => {
    // .14194; influences that are not centred, whose mean is not quite 0, give .14195.
    expect(Math.abs(krippendorffAlpha(krippendorffTable).se - 0.142)).toBeLessThan(1e-4);
    const table = countTable(krippendorffTable);
    const { measure } = krippendorffStatistic(table, krippendorffTable.classes);
    const without = [...table.tasks].flatMap((n, p) =>
      table.labels[p] < 2
        ? []
        : Array.from({ length: n }, () => measure(table.tasks.map((m, q) => m - +(q === p))).value),
    );
    const centre = mean(without);
    const squares = without.reduce((sum, x) => sum + (x - centre) ** 2, 0);
    expect(Math.sqrt((10 / 11) * squares)).toBeCloseTo(0.1463, 4);
    close(gwetAgreement(krippendorffTable), 0.775444, 0.14295);
    expect(percentAgreement(krippendorffTable).value).toBeCloseTo(0.818182, 6);
  });

  for (const [name, alpha, pair] of [
    ["bluebird", 0.1255, 0.5882],
    ["dog", 0.5194, 0.6411],
    ["rte", 0.2415, 0.6287],
    ["web", 0.2104, 0.3908],
  ] as const) {
    gate(name, `alpha ${alpha}, pairs agree ${pair}`, (data) => {
      expect(krippendorffAlpha(data).value).toBeCloseTo(alpha, 4);
      expect(percentAgreement(data).value).toBeCloseTo(pair, 4);
    });
  }
});

describe("limits", () => {
  it("is defined where nothing can be said, and says so", () => {
    const none = fromRows([]);
    const single = fromRows([{ task: "t", worker: "w", label: "x" }]);
    const apart = fromCounts([
      [1, 0],
      [0, 1],
    ]);
    for (const data of [none, single, apart]) {
      const found = agreement(data);
      for (const name of [
        "percent",
        "pooled",
        "cohen",
        "fleiss",
        "krippendorff",
        "gwet",
      ] as const) {
        expect(found[name]).toMatchObject({ value: 0, high: 1, defined: false, interval: "none" });
        expect(found[name].notes.length).toBe(1);
      }
    }
  });

  it("calls one class agreement, and not above chance", () => {
    const same = fromCounts([[3], [2]]);
    const found = agreement(same);
    expect(found.percent).toMatchObject({ value: 1, defined: true });
    for (const name of ["fleiss", "krippendorff", "gwet"] as const) {
      expect(found[name]).toMatchObject({ value: 1, low: -1, high: 1, defined: false });
    }
    // With a second class declared, Gwet's chance is that of nobody guessing.
    expect(gwetAgreement(fromCounts([[3, 0], [2, 0]])).defined).toBe(true); // biome-ignore format: as a table
  });

  it("shows no spread with one task", () => {
    expect(fleissKappa(fromCounts([[2, 1]]))).toMatchObject({ tasks: 1, low: -1, high: 1, se: 0 });
  });

  it("never gives anything but finite numbers", () => {
    for (let seed = 0; seed < 30; seed++) {
      const data = randomCrowd(seed, { tasks: 3, workers: 3, classes: 2, rate: 0.5 });
      const options = { minOverlap: 1, draws: 50 };
      for (const scale of distances) {
        const { scale: _, ...found } = agreement(
          { ...data, classes: namesOf(["0", "1"]) },
          { ...options, scale },
        );
        for (const { value, se, low, high } of Object.values(found)) {
          expect([value, se, low, high].every(Number.isFinite)).toBe(true);
          expect(low).toBeLessThanOrEqual(value + 1e-9);
        }
      }
    }
  });

  it("takes places for numbers where classes are not, and refuses negative ratios", () => {
    const words = fromCounts([[2, 1], [1, 2]], ["no", "yes"]); // biome-ignore format: as a table
    expect(krippendorffAlpha(words, { distance: "interval" }).notes).toEqual([
      "Not all classes are numbers; their places in the list were used.",
    ]);
    const below = fromCounts([[2, 1], [1, 2]], ["-1", "1"]); // biome-ignore format: as a table
    expect(() => krippendorffAlpha(below, { distance: "ratio" })).toThrow(
      "Ratio distances need classes of at least 0, not -1.",
    );
    expect(() => krippendorffAlpha(words, { level: 2 })).toThrow(
      "agreement: level must be between 0 and 1, not 2.",
    );
  });

  it("chooses distances and weights by the scale", () => {
    const found = agreement(krippendorffTable, { scale: "ordinal", minOverlap: 5 });
    expect(found.krippendorff.value).toBeCloseTo(0.8154, 4);
    expect(found.gwet.value).toBe(gwetAgreement(krippendorffTable, { weights: "ordinal" }).value);
  });
});
