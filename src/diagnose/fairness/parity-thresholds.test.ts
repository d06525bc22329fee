import { describe, expect, it } from "vitest";
import { createRandom } from "../../math/random.ts";
import { parityThresholds } from "./parity-thresholds.ts";

describe("brute force", () => {
  it("has the fewest expected errors of all thresholds that meet the target", () => {
    const random = createRandom(6);
    for (let trial = 0; trial < 100; trial++) {
      const sizes = trial % 2 ? [7, 5] : [5, 4, 3];
      const groups = sizes.flatMap((n, g) => new Array<string>(n).fill(`g${g}`));
      // Equal probabilities among them, which no threshold can tell apart.
      const p = groups.map(() => Math.round(8 * random.next()) / 8);
      const gap = [0, 0.1, 0.25, 0.5, 1][trial % 5];
      const cuts = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1, 2];
      let least = Infinity;
      const visit = (chosen: number[]) => {
        if (chosen.length < sizes.length) {
          for (const cut of cuts) visit([...chosen, cut]);
          return;
        }
        const positives = sizes.map(() => 0);
        let errors = 0;
        p.forEach((each, t) => {
          const g = Number(groups[t].slice(1));
          const positive = each >= chosen[g];
          positives[g] += Number(positive);
          errors += positive ? 1 - each : each;
        });
        const shares = positives.map((n, g) => n / sizes[g]);
        if (Math.max(...shares) - Math.min(...shares) <= gap + 1e-9)
          least = Math.min(least, errors);
      };
      visit([]);
      const found = parityThresholds(p, groups, { gap });
      expect(found.expectedError * p.length).toBeCloseTo(least, 9);
      expect(found.gap).toBeLessThanOrEqual(gap + 1e-9);
      found.thresholds.forEach(({ group, share, tasks }) => {
        const mine = [...found.positive].filter((_, t) => groups[t] === group);
        expect(mine.reduce((a, b) => a + b, 0) / tasks).toBeCloseTo(share, 12);
      });
    }
  });
});

describe("what comes back", () => {
  const p = [0.9, 0.8, 0.7, 0.2, 0.6, 0.3, 0.2, 0.1];
  const groups = ["a", "a", "a", "a", "b", "b", "b", "b"];

  it("is a half for all if the target is wide, and shares nearer to each other if not", () => {
    const free = parityThresholds(p, groups, { gap: 1 });
    expect([...free.positive]).toEqual([1, 1, 1, 0, 1, 0, 0, 0]);
    expect(free.gap).toBe(0.5);
    expect(free.expectedError).toBeCloseTo(free.freeError, 12);
    const even = parityThresholds(p, groups, { gap: 0 });
    expect(even.gap).toBe(0);
    expect(even.expectedError).toBeGreaterThan(free.expectedError);
    expect(even.thresholds.map(({ share }) => share)).toEqual([0.5, 0.5]);
    expect(even.thresholds.map(({ threshold }) => threshold)).toEqual([0.8, 0.3]);
  });

  it("does not depend on names and order, and leaves out tasks without a group", () => {
    const here = parityThresholds(p, groups, { gap: 0.25 });
    const there = parityThresholds(
      p.toReversed(),
      groups.map((name) => (name === "a" ? "x" : "c")).reverse(),
      { gap: 0.25 },
    );
    expect([...there.positive].reverse()).toEqual([...here.positive]);
    const some = parityThresholds(p, ["", ...groups.slice(1)], { gap: 1 });
    expect(some.positive[0]).toBe(-1);
  });

  it("says what is wrong", () => {
    expect(() => parityThresholds(p, groups, { gap: -1 })).toThrow(
      "gap must be at least 0, not -1",
    );
    expect(() => parityThresholds([2, 0], ["a", "b"], { gap: 0 })).toThrow("of task 0 is 2");
    expect(() => parityThresholds([0.5], ["a"], { gap: 0 })).toThrow("two groups of tasks");
  });
});
