import { describe, expect, it } from "vitest";
import { drain } from "../../method.ts";
import { climb, type Hill } from "./climb.ts";

/** Steps towards a place at rates of their own, and an objective that is highest there. */
function slope(rates: readonly number[], top: readonly number[], leaps: boolean, wild = 1) {
  const x = new Float64Array(rates.length);
  let before = new Float64Array(rates.length);
  const hill: Hill = {
    ...(leaps && {
      place: {
        parameters: () => x.slice(),
        restore: (to) => x.set(to.map((each) => wild * each)),
      },
    }),
    expect() {
      const moved = x.reduce((most, each, k) => Math.max(most, Math.abs(each - before[k])), 0);
      before = x.slice();
      return moved;
    },
    improve() {
      for (let k = 0; k < x.length; k++) x[k] = top[k] + rates[k] * (x[k] - top[k]);
      return -x.reduce((sum, each, k) => sum + (each - top[k]) ** 2, 0);
    },
  };
  return { hill, x };
}

const settings = { maxIterations: 10_000, tolerance: 1e-10 };

describe("climb", () => {
  it("ends where plain steps end, in fewer of them, and never goes down", () => {
    const [rates, top] = [
      [0.9, 0.7, 0.97],
      [1, -2, 3],
    ];
    const [plain, leaping] = [false, true].map((leaps) => {
      const { hill, x } = slope(rates, top, leaps);
      return { ...drain(climb(hill, settings)), x };
    });
    expect([plain.converged, leaping.converged]).toEqual([true, true]);
    for (const [k, at] of top.entries()) expect(leaping.x[k]).toBeCloseTo(at, 8);
    expect(leaping.trace.length).toBeLessThan(plain.trace.length / 3);
    for (let i = 1; i < leaping.trace.length; i++)
      expect(leaping.trace[i]).toBeGreaterThanOrEqual(leaping.trace[i - 1]);
  });

  it("takes leaps back that go down", () => {
    const { hill, x } = slope([0.5, 0.9], [1, 1], true, 3);
    const { restore, parameters } = hill.place ?? { restore: () => {}, parameters: () => x };
    // Leaps land three times too far; the way back is exact.
    let known: Float64Array[] = [];
    const exact: Hill = {
      ...hill,
      place: {
        parameters() {
          known.push(parameters());
          return known[known.length - 1];
        },
        restore(to) {
          if (known.includes(to)) x.set(to);
          else restore(to);
          known = known.slice(-4);
        },
      },
    };
    const { trace, converged } = drain(climb(exact, settings));
    expect(converged).toBe(true);
    for (let i = 1; i < trace.length; i++) expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1]);
    expect(x[1]).toBeCloseTo(1, 8);
  });

  it("stops at the cap, and says that it is not there", () => {
    for (const maxIterations of [1, 2, 3, 4]) {
      const { hill } = slope([0.9, 0.5], [5, 1], true);
      const { trace, converged } = drain(climb(hill, { ...settings, maxIterations }));
      expect([trace.length, converged]).toEqual([maxIterations, false]);
    }
  });
});
