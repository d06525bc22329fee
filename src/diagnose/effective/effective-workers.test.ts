import { describe, expect, it } from "vitest";
import { type CopiedDesign, copiedCrowd } from "../../../test/copied-crowd.ts";
import { degenerateCrowds, randomCrowd, reversedLabels } from "../../../test/random-crowd.ts";
import { fromRows } from "../../data/from-rows.ts";
import { createRandom } from "../../math/random.ts";
import { hospitalsCrowd } from "../../simulate/hospitals.ts";
import { effectiveWorkers } from "./effective-workers.ts";
import { crowdSize, type ErrorCorrelations, panelSize } from "./panel-size.ts";

/** Correlations of n workers from a table. */
function correlations(
  n: number,
  rho: (i: number, j: number) => number,
  background = 0,
): ErrorCorrelations {
  const all = Array.from({ length: n }, (_, i) => i);
  return {
    background,
    partners: all.map(
      (i) => new Map(all.filter((j) => j !== i).map((j) => [j, rho(i, j)] as const)),
    ),
  };
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

/** What the copies of a design and the others are worth. */
function worthOf({ copies, others, copying }: CopiedDesign): number {
  const rho = (i: number, j: number) => (i === 0 || j === 0 ? copying : copying ** 2);
  return others + panelSize(correlations(copies, rho), range(copies));
}

describe("identities", () => {
  it("copies count for one, equal correlations as the formula says, independent workers for each", () => {
    for (const [copies, others] of [
      [3, 7],
      [10, 10],
      [1, 4],
    ]) {
      const R = correlations(copies + others, (i, j) => (i < copies && j < copies ? 1 : 0));
      expect(panelSize(R, range(copies + others))).toBeCloseTo(others + 1, 7);
      expect(crowdSize(R, range(copies + others))).toBeCloseTo(others + 1, 7);
    }
    for (const rho of [0, 0.05, 0.5, 1]) {
      const expected = 20 / (1 + 19 * rho);
      expect(
        panelSize(
          correlations(20, () => rho),
          range(20),
        ),
      ).toBeCloseTo(expected, 7);
      expect(
        panelSize({ background: rho, partners: range(20).map(() => new Map()) }, range(20)),
      ).toBeCloseTo(expected, 9);
    }
    expect(
      panelSize(
        correlations(20, () => 0.05),
        range(20),
      ),
    ).toBeCloseTo(10.3, 1);
    expect([
      panelSize(
        correlations(3, () => 0),
        [],
      ),
      panelSize(
        correlations(3, () => 0),
        [2],
      ),
    ]).toEqual([0, 1]);
  });

  it("never falls when a worker comes in, and stays between 1 and the number of workers", () => {
    const random = createRandom(1).split("R");
    for (let draw = 0; draw < 50; draw++) {
      // Shared factors give correlations that are positive semidefinite.
      const load = Array.from({ length: 8 }, () => [random.next(), random.next()]);
      const rho = (i: number, j: number) => (load[i][0] * load[j][0] + load[i][1] * load[j][1]) / 2;
      const sizes = range(8).map((n) => panelSize(correlations(8, rho), range(n + 1)));
      sizes.forEach((size, n) => {
        expect(size).toBeGreaterThanOrEqual(Math.max(1, (sizes[n - 1] ?? 0) - 1e-6));
        expect(size).toBeLessThanOrEqual(n + 1);
      });
    }
  });

  it("is the best of all weights on a grid", () => {
    const random = createRandom(2).split("R");
    for (let draw = 0; draw < 20; draw++) {
      const table = [random.next(), random.next(), random.next()];
      const rho = (i: number, j: number) => table[i + j - 1];
      let best = 0;
      for (let a = 0; a <= 100; a++) {
        for (let b = 0; a + b <= 100; b++) {
          const w = [a / 100, b / 100, 1 - (a + b) / 100];
          let square = 0;
          for (const i of range(3))
            for (const j of range(3)) square += w[i] * w[j] * (i === j ? 1 : rho(i, j));
          best = Math.max(best, 1 / square);
        }
      }
      const found = panelSize(correlations(3, rho), range(3));
      expect(found).toBeGreaterThanOrEqual(best - 1e-6);
      expect(found).toBeLessThan(best + 0.01);
    }
  });
});

describe("published numbers", () => {
  // Mean (s.d.) of 40 or 60 sets with gold and without; here 20 sets, within three standard errors.
  const design = (...[tasks, copies, others, classes, copying, rate]: number[]): CopiedDesign => ({
    tasks,
    copies,
    others,
    classes,
    copying,
    rate,
  });
  it.each([
    [design(1000, 3, 7, 2, 1, 1), 8, [7.92, 0.19], [8, 0]],
    [design(1000, 3, 7, 3, 1, 1), 8, [7.97, 0.1], [8, 0]],
    [design(300, 3, 5, 2, 1, 1), 6, [5.78, 0.35], [6, 0]],
    [design(500, 3, 17, 3, 1, 0.3), 18, [17.96, 0.87], [18.1, 0.44]],
    [design(1000, 0, 21, 3, 1, 1), 21, [21, 0], [21, 0.02]],
    [design(1000, 6, 6, 2, 0.5, 1), 8.5, [8.46, 0.12], [10.6, 1.3]],
    [design(1000, 10, 10, 3, 1, 1), 11, [10.82, 0.34], [11, 0]],
    [design(800, 4, 12, 4, 0.8, 0.6), 13.32, [13.28, 0.25], [13.32, 0.04]],
    [design(1500, 5, 25, 2, 0.9, 0.3), 26.17, [25.75, 0.97], [26.18, 0.04]],
    [design(600, 2, 6, 3, 0.7, 1), 7.18, [7.18, 0.02], [7.18, 0.02]],
  ] as const)("%o is worth %f", (crowd, truth, known, labels) => {
    expect(worthOf(crowd)).toBeCloseTo(truth, 1);
    const sets = 20;
    for (const [i, route] of (["known-truth", "labels"] as const).entries()) {
      const found = range(sets).map((seed) => {
        const { crowd: size } = effectiveWorkers(copiedCrowd(seed, crowd), {
          route,
          interval: false,
        });
        return size;
      });
      const mean = found.reduce((a, b) => a + b, 0) / sets;
      const variance = found.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (sets - 1);
      const [published, deviation] = [known, labels][i];
      const error = Math.sqrt(variance / sets + deviation ** 2 / 40);
      expect(Math.abs(mean - published)).toBeLessThan(3 * error + 0.006);
    }
  });

  it("hospitals: 3.77 with gold and with given groups, 52 with found ones", () => {
    const { data } = hospitalsCrowd({ seed: 1 });
    const site = data.workerAttributes?.get("site");
    expect(Math.abs(effectiveWorkers(data).crowd - 3.77)).toBeLessThan(0.1);
    const given = effectiveWorkers(data, { route: "labels", groups: site });
    expect(Math.abs(given.crowd - 3.8)).toBeLessThan(0.1);
    expect(given.groups.map(({ workers }) => workers.length)).toEqual([5, 50, 5]);
    expect(given.interval).toBeUndefined();
    expect(given.notes[0]).toMatch(/Groups hold 100 % of the labels/);
    const found = effectiveWorkers(data, { route: "labels" });
    expect(Math.abs(found.crowd - 51.9)).toBeLessThan(1);
    expect(found.upperEstimate).toBe(true);
  });

  // 1,400 sets gave .941 and 2,000 fresh ones .943, see the docs; here 160, within three standard errors.
  it("intervals with gold cover the truth as often as they should", () => {
    let [covered, total] = [0, 0];
    const shared = { copies: 4, others: 8, classes: 2, copying: 0.7 };
    const designs: CopiedDesign[] = [
      { ...shared, tasks: 600 },
      { ...shared, tasks: 3000, perTask: 3, copying: 0.8 },
      { ...shared, tasks: 800, classes: 4, rate: 0.6, copying: 0.8 },
      { ...shared, tasks: 1000, prior: [0.9, 0.1] },
    ];
    for (const crowd of designs) {
      const truth = worthOf(crowd);
      for (let seed = 100; seed < 140; seed++) {
        const [low, high] = effectiveWorkers(copiedCrowd(seed, crowd)).interval ?? [0, 0];
        if (high - low < 1e-9) continue;
        if (low <= truth && truth <= high) covered++;
        total++;
      }
    }
    expect(total).toBeGreaterThan(150);
    const error = Math.sqrt((0.95 * 0.05) / total);
    expect(covered / total).toBeGreaterThan(0.95 - 3 * error);
  });
});

describe("panels", () => {
  it("three copies of one worker count as one, on each task", () => {
    const data = copiedCrowd(3, {
      tasks: 400,
      copies: 3,
      others: 6,
      classes: 3,
      copying: 1,
      perTask: 4,
    });
    for (const route of ["known-truth", "labels"] as const) {
      const { perTask, redundancy } = effectiveWorkers(data, { route });
      for (let t = 0; t < 400; t++) {
        const members = [...data.worker].filter((_, i) => data.task[i] === t);
        const copies = members.filter((w) => w < 3).length;
        expect(perTask[t]).toBeCloseTo(members.length - Math.max(0, copies - 1), 5);
      }
      const total = perTask.reduce((sum, n) => sum + n, 0);
      expect(redundancy).toBeCloseTo(total / data.label.length, 12);
    }
  });

  it("does not depend on the order of the rows, and a posterior may stand for the truth", () => {
    const data = copiedCrowd(5, { tasks: 300, copies: 3, others: 5, classes: 2, copying: 0.9 });
    const { crowd } = effectiveWorkers(data);
    expect(effectiveWorkers(reversedLabels(data)).crowd).toBeCloseTo(crowd, 6);
    const truth = Float64Array.from(data.gold, (k) => k).reduce((all, k, t) => {
      all[2 * t + k] = 1;
      return all;
    }, new Float64Array(600));
    const unknown = { ...data, gold: data.gold.map(() => -1) };
    expect(effectiveWorkers(unknown, { truth }).crowd).toBeCloseTo(crowd, 9);
    expect(effectiveWorkers(unknown)).toMatchObject({ route: "labels", upperEstimate: true });
  });
});

describe("limits", () => {
  it("copes with no labels, one worker, one class, abstentions", () => {
    const abstained = randomCrowd(2, { tasks: 60 });
    for (const data of [
      fromRows([]),
      fromRows([{ task: "t", worker: "w", label: "x" }]),
      randomCrowd(1, { classes: 1, tasks: 60 }),
      { ...abstained, label: abstained.label.map((l, i) => (i % 5 === 0 ? 3 : l)) },
      ...degenerateCrowds(2),
      ...degenerateCrowds(3),
    ]) {
      for (const route of ["labels", undefined] as const) {
        const { crowd, workers, redundancy, perTask } = effectiveWorkers(data, { route });
        expect(crowd).toBeLessThanOrEqual(workers);
        expect(redundancy).toBeGreaterThanOrEqual(0);
        expect(perTask.every(Number.isFinite)).toBe(true);
      }
    }
  });

  it("refuses what has the wrong size", () => {
    const data = randomCrowd(1);
    expect(() => effectiveWorkers(data, { groups: ["a"] })).toThrow(/for each of 8 workers, not 1/);
    expect(() => effectiveWorkers(data, { truth: new Float64Array(3) })).toThrow(
      /120 numbers, not 3/,
    );
    const unknown = { ...data, gold: data.gold.map(() => -1) };
    expect(() => effectiveWorkers(unknown, { route: "known-truth" })).toThrow(
      /needs gold or truth/,
    );
  });
});
