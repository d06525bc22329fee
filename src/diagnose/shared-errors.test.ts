import { describe, expect, it } from "vitest";
import { gate } from "../../test/datasets.ts";
import { randomCrowd } from "../../test/random-crowd.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import { scenarios } from "../simulate/index.ts";
import { sharedErrors } from "./shared-errors.ts";

/** Binary labels whose chance of being wrong differs between tasks: a beta distribution, so the correlation is known. */
function betaCrowd(
  correlation: number,
  seed: number,
  { tasks = 800, workers = 25, error = 0.3 } = {},
) {
  const random = createRandom(seed);
  const size = 1 / correlation - 1;
  // A beta distribution with whole parameters is an order statistic of uniform numbers.
  const [a, b] = [Math.round(error * size), Math.round((1 - error) * size)];
  const rows = [];
  const gold: [string, string][] = [];
  for (let t = 0; t < tasks; t++) {
    const draws = Array.from({ length: a + b - 1 }, () => random.next()).sort((x, y) => x - y);
    const wrong = draws[a - 1];
    const truth = t % 2;
    gold.push([`t${t}`, `c${truth}`]);
    for (let w = 0; w < workers; w++) {
      const label = random.next() < wrong ? 1 - truth : truth;
      rows.push({ task: `t${t}`, worker: `w${w}`, label: `c${label}` });
    }
  }
  return { data: fromRows(rows, { gold }), correlation: 1 / (a + b + 1) };
}

describe("recovery", () => {
  it("finds nothing where workers err independently", () => {
    for (const id of ["one-coin", "two-coin", "confusion", "class-dependent", "mixed"] as const) {
      const found = [1, 2, 3, 4].map((seed) => sharedErrors(scenarios[id]({ seed }).data));
      const mean = found.reduce((sum, { correlation }) => sum + correlation / 4, 0);
      expect(Math.abs(mean), id).toBeLessThan(0.02);
    }
  });

  it("finds most of a correlation that varying difficulty makes", () => {
    for (const [asked, seed] of [
      [0.05, 1],
      [0.1, 2],
    ] as const) {
      const { data, correlation } = betaCrowd(asked, seed);
      const found = sharedErrors(data);
      // Tasks that mislead most workers look right: a lower bound.
      expect(found.correlation).toBeLessThan(correlation + 3 * found.deviation);
      expect(found.correlation).toBeGreaterThan(0.5 * correlation);
      const known = sharedErrors(data, { known: { gold: data.gold } });
      expect(Math.abs(known.correlation - correlation)).toBeLessThan(3 * known.deviation + 0.005);
    }
  });

  it("counts the labels of correlated workers for less, and says whom they mislead", () => {
    const { data } = betaCrowd(0.1, 3);
    const found = sharedErrors(data, { known: { gold: data.gold } });
    expect(found.effectiveLabels).toBeCloseTo(25 / (1 + 24 * found.correlation), 9);
    // P(beta(3, 6) > 1/2), by hand: the chance of at most two heads of eight.
    expect(Math.abs(found.misled - 37 / 256)).toBeLessThan(0.04);
  });

  gate("ducks", "workers share errors", (data) => {
    const { correlation, misled } = sharedErrors(data);
    expect(correlation).toBeGreaterThan(0.12);
    expect(misled).toBeGreaterThan(0.1);
  });

  gate("cifar10n", "workers do not share errors that labels can show", (data) => {
    expect(sharedErrors(data).correlation).toBeLessThan(0.01);
  });
});

describe("invariants", () => {
  const data = randomCrowd(4, { tasks: 120, workers: 9, classes: 3 });
  const found = sharedErrors(data);

  it("depends neither on the order of rows nor on the numbers of classes", () => {
    const turned: CategoricalData = {
      ...data,
      task: data.task.toReversed(),
      worker: data.worker.toReversed(),
      label: data.label.toReversed(),
    };
    expect(sharedErrors(turned).correlation).toBeCloseTo(found.correlation, 9);
    const classes: CategoricalData = {
      ...data,
      classes: namesOf([...data.classes].toReversed()),
      label: data.label.map((l) => 2 - l),
      gold: data.gold.map((k) => 2 - k),
    };
    expect(sharedErrors(classes).correlation).toBeCloseTo(found.correlation, 9);
  });

  it("takes a label of weight two for two labels of its worker", () => {
    const weighted = { ...data, weight: new Float64Array(data.label.length).fill(2) };
    const doubled: CategoricalData = {
      ...data,
      task: Int32Array.of(...data.task, ...data.task),
      worker: Int32Array.of(...data.worker, ...data.worker),
      label: Int32Array.of(...data.label, ...data.label),
    };
    expect(sharedErrors(weighted).correlation).toBeCloseTo(sharedErrors(doubled).correlation, 9);
    expect(sharedErrors(weighted).labelsPerTask).toBe(2 * found.labelsPerTask);
  });

  it("judges many labels on a sample, and looks at few of many labels of one task", () => {
    const { data: large } = scenarios["confusion"]({ tasks: 4000, workers: 50, seed: 5 });
    const sampled = sharedErrors(large, { mostLabels: 5000 });
    expect(sampled.pairs).toBeLessThan(15_000);
    expect(Math.abs(sampled.correlation)).toBeLessThan(4 * sampled.deviation);
    const { data: dense } = scenarios["copied-coin"]({ seed: 1 });
    expect(sharedErrors(dense).pairs).toBeLessThan(500_000);
  });
});

describe("limits", () => {
  it("knows nothing where no task has labels of two workers", () => {
    const alone = fromRows([
      { task: "a", worker: "u", label: "x" },
      { task: "b", worker: "v", label: "y" },
    ]);
    expect(sharedErrors(alone)).toMatchObject({
      correlation: 0,
      deviation: 1,
      pairs: 0,
      misled: 0,
    });
    expect(sharedErrors(fromRows([]))).toMatchObject({ correlation: 0, labelsPerTask: 0 });
    const one = fromRows([{ task: "a", worker: "u", label: "x" }]);
    expect(sharedErrors(one).effectiveLabels).toBe(1);
  });
});
