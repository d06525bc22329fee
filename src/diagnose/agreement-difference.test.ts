import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { agreementDifference } from "./agreement-difference.ts";
import { krippendorffAlpha } from "./krippendorff.ts";

const alpha = (data: CategoricalData) => ({ data, coefficient: "krippendorff" }) as const;

/** Only the tasks for which `keep` is true, under their names. */
function tasksOf(data: CategoricalData, keep: (t: number) => boolean): CategoricalData {
  return selectLabels(data, (i) => keep(data.task[i]));
}

describe("invariants", () => {
  it("is 0 with no error for identical data", () => {
    const data = randomCrowd(1);
    for (const coefficient of ["percent", "pooled", "fleiss", "krippendorff", "gwet"] as const) {
      expect(agreementDifference({ data, coefficient }, { data, coefficient })).toMatchObject({
        value: 0,
        se: 0,
        low: 0,
        high: 0,
        defined: true,
      });
    }
  });

  it("turns around with its sides", () => {
    const [a, b] = [randomCrowd(1), randomCrowd(2)];
    const forth = agreementDifference(alpha(a), alpha(b));
    const back = agreementDifference(alpha(b), alpha(a));
    expect(back.value).toBe(-forth.value);
    expect(back.se).toBeCloseTo(forth.se, 12);
    expect(back.low).toBeCloseTo(-forth.high, 12);
  });
});

describe("brute force", () => {
  it("adds variances where no task is shared", () => {
    const data = randomCrowd(3, { tasks: 200 });
    const [even, odd] = [tasksOf(data, (t) => t % 2 === 0), tasksOf(data, (t) => t % 2 === 1)];
    const { se, shared, value } = agreementDifference(alpha(even), alpha(odd));
    const [a, b] = [krippendorffAlpha(even), krippendorffAlpha(odd)];
    expect(shared).toBe(0);
    expect(value).toBeCloseTo(a.value - b.value, 12);
    expect(se).toBeCloseTo(Math.hypot(a.se, b.se), 12);
  });

  it("on the same tasks, has the error of leaving out one task at a time", () => {
    const data = randomCrowd(4, { tasks: 300, workers: 10 });
    const group = (part: CategoricalData, g: number) =>
      selectLabels(part, (i) => part.worker[i] % 2 === g);
    const difference = (part: CategoricalData) =>
      krippendorffAlpha(group(part, 0)).value - krippendorffAlpha(group(part, 1)).value;
    const values = Array.from(data.tasks, (_, left) =>
      difference(tasksOf(data, (t) => t !== left)),
    );
    const centre = values.reduce((x, y) => x + y, 0) / 300;
    const jackknife = Math.sqrt((299 / 300) * values.reduce((s, x) => s + (x - centre) ** 2, 0));
    const found = agreementDifference(alpha(group(data, 0)), alpha(group(data, 1)));
    expect(found.value).toBeCloseTo(difference(data), 12);
    expect(found.se / jackknife).toBeGreaterThan(0.97);
    expect(found.se / jackknife).toBeLessThan(1.03);
  });
});

describe("published numbers", () => {
  it("two coefficients of the same labels differ less than their own errors allow", () => {
    const data = randomCrowd(5, { tasks: 300 });
    const { se, shared } = agreementDifference(alpha(data), { data, coefficient: "fleiss" });
    // Alpha is Fleiss' kappa but for the size of the sample where all tasks have as many labels.
    expect(se).toBeLessThan(krippendorffAlpha(data).se / 3);
    expect(shared).toBeGreaterThan(290);
  });
});

describe("limits", () => {
  it("is everything where a side is not defined", () => {
    const none = fromRows([]);
    expect(agreementDifference(alpha(randomCrowd(1)), alpha(none))).toMatchObject({
      low: -2,
      high: 2,
      defined: false,
    });
  });

  it("refuses what is no coefficient", () => {
    const side = { data: randomCrowd(1), coefficient: "kappa" as "fleiss" };
    expect(() => agreementDifference(side, side)).toThrow(
      'There is no coefficient "kappa". Try: percent, pooled, fleiss, krippendorff, gwet.',
    );
  });
});
