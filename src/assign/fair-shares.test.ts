import { describe, expect, it } from "vitest";
import { createRandom } from "../math/random.ts";
import { fairShares, quotasOf } from "./fair-shares.ts";

const fixture = {
  accuracy: [0.9, 0.8, 0.7],
  gaps: [[0.2, -0.05, 0]],
  cost: [3, 1, 1],
  budget: 2.5,
};

describe("published fixture", () => {
  it.each([
    [1, [0.75, 0.25, 0], 0.875],
    [0.05, [0.4, 0.6, 0], 0.84],
    [0, [0.2, 0.8, 0], 0.82],
  ])("delta %s", (delta, shares, accuracy) => {
    const found = fairShares({ ...fixture, delta });
    for (const [w, share] of shares.entries()) expect(found.shares[w]).toBeCloseTo(share, 9);
    expect(found.accuracy).toBeCloseTo(accuracy, 9);
    expect(found).toMatchObject({ feasible: true, delta, notes: [] });
  });
});

describe("brute force", () => {
  it("equals a grid of shares for three workers, with and without two kinds of gap", () => {
    const random = createRandom(8);
    const steps = 400;
    for (let trial = 0; trial < 12; trial++) {
      const list = (low: number, high: number) =>
        Array.from({ length: 3 }, () => low + (high - low) * random.next());
      const accuracy = list(0.5, 1);
      const gaps = [list(-0.3, 0.3), ...(trial % 2 ? [list(-0.3, 0.3)] : [])];
      const cost = [1, ...list(1, 3).slice(1)];
      const [budget, cap, delta] = [2.2, 0.8, 0.12];
      const found = fairShares({ accuracy, gaps, cost, budget, cap, delta });
      let [best, least] = [-1, Infinity];
      for (let a = 0; a <= steps; a++) {
        for (let b = 0; a + b <= steps; b++) {
          const x = [a / steps, b / steps, 1 - (a + b) / steps];
          const dot = (values: number[]) => values.reduce((sum, v, w) => sum + v * x[w], 0);
          if (Math.max(...x) > cap + 1e-9 || dot(cost) > budget + 1e-9) continue;
          const gap = Math.max(...gaps.map((each) => Math.abs(dot(each))));
          least = Math.min(least, gap);
          if (gap <= delta + 2e-3) best = Math.max(best, dot(accuracy));
        }
      }
      if (found.feasible) {
        expect(found.accuracy).toBeLessThanOrEqual(best + 1e-3);
        expect(found.accuracy).toBeGreaterThan(best - 1.2e-2);
        for (const gap of found.gaps) expect(Math.abs(gap)).toBeLessThanOrEqual(delta + 1e-9);
      } else expect(found.delta).toBeCloseTo(least, 2);
    }
  });

  it("is within 1e-3 of a fine grid on the fixture", () => {
    for (const delta of [0.02, 0.05, 0.08, 0.1]) {
      let best = 0;
      for (let a = 0; a <= 2000; a++) {
        for (const c of [0, 1, 2, 5, 10, 100, 500]) {
          const x = [a / 2000, 1 - (a + c) / 2000, c / 2000];
          if (x[1] < 0 || 3 * x[0] + x[1] + x[2] > 2.5) continue;
          if (Math.abs(0.2 * x[0] - 0.05 * x[1]) > delta + 1e-12) continue;
          best = Math.max(best, 0.9 * x[0] + 0.8 * x[1] + 0.7 * x[2]);
        }
      }
      expect(Math.abs(fairShares({ ...fixture, delta }).accuracy - best)).toBeLessThan(1e-3);
    }
  });
});

describe("robust, infeasible and typed", () => {
  it("takes the worse ends of intervals, which costs accuracy", () => {
    const wide = fixture.gaps[0].map((gap) => ({ low: gap - 0.1, high: gap + 0.1 }));
    const robust = fairShares({ ...fixture, gaps: [wide], delta: 0.12 });
    const plain = fairShares({ ...fixture, delta: 0.12 });
    expect(robust.accuracy).toBeLessThan(plain.accuracy);
    expect(Math.abs(robust.gaps[0])).toBeLessThanOrEqual(0.12 + 1e-9);
    // The mean gap is .1 higher or lower for any shares, so that it must be within .02 of 0.
    expect(robust.accuracy).toBeCloseTo(fairShares({ ...fixture, delta: 0.02 }).accuracy, 9);
  });

  it("returns the least delta if none meets the one asked for", () => {
    const found = fairShares({ accuracy: [0.9, 0.8], gaps: [[0.2, 0.1]], delta: 0 });
    expect(found.feasible).toBe(false);
    expect(found.delta).toBeCloseTo(0.1, 9);
    expect(found.shares[1]).toBeCloseTo(1, 6);
    expect(found.notes[0]).toBe("No shares meet delta 0; the least that can be met is 0.1000.");
  });

  it("chooses workers by type of task, and sums gaps over types", () => {
    const accuracy = [
      [0.9, 0.6],
      [0.6, 0.9],
    ];
    const found = fairShares({ accuracy, gaps: [[0.1, -0.1]], delta: 1, types: [0.7, 0.3] });
    expect([...found.shares].map((x) => Number(x.toFixed(9)))).toEqual([0.7, 0, 0, 0.3]);
    expect(found.accuracy).toBeCloseTo(0.9, 9);
    expect(found.gaps[0]).toBeCloseTo(0.04, 9);
    const fair = fairShares({ accuracy, gaps: [[0.1, -0.1]], delta: 0, types: [0.7, 0.3] });
    expect(fair.gaps[0]).toBeCloseTo(0, 9);
    expect(fair.accuracy).toBeCloseTo(0.9 - 0.2 * 0.3, 9);
  });

  it("has no part of the names: workers in another order have the same shares", () => {
    const turn = <T>(list: readonly T[]) => [list[2], list[0], list[1]];
    const { shares } = fairShares({
      accuracy: turn(fixture.accuracy),
      gaps: [turn(fixture.gaps[0])],
      cost: turn(fixture.cost),
      budget: 2.5,
      delta: 0.05,
    });
    const there = fairShares({ ...fixture, delta: 0.05 }).shares;
    for (const [w, share] of turn([...there]).entries()) expect(shares[w]).toBeCloseTo(share, 9);
  });
});

describe("quotas", () => {
  it("go to the largest remainders and add up", () => {
    expect([...quotasOf([0.4, 0.35, 0.25], 10)]).toEqual([4, 4, 2]);
    expect([...quotasOf([1 / 3, 1 / 3, 1 / 3], 3)]).toEqual([1, 1, 1]);
    expect([...(fairShares({ ...fixture, delta: 0.05, tasks: 7 }).quotas ?? [])]).toEqual([
      3, 4, 0,
    ]);
  });
});

describe("limits", () => {
  it("says what is wrong and what to change", () => {
    const refuses = (part: object, text: string) =>
      expect(() => fairShares({ ...fixture, delta: 0.1, ...part })).toThrow(text);
    refuses({ accuracy: [] }, "there are no workers");
    refuses({ delta: -1 }, "delta must be 0 to Infinity, not -1");
    refuses({ gaps: [[0.1]] }, "gaps[0] must hold 3 entries, one per worker; found 1");
    refuses({ cap: 0.2 }, "Set cap to at least 0.3333");
    refuses({ budget: 0.5 }, "the cheapest label costs 1. Raise budget or cap");
    refuses({ types: [0.5, 0.2] }, "the shares of types sum to 0.7, not to 1");
  });
});
