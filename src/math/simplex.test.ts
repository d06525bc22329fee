import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { projectToSimplex } from "./simplex.ts";

const numbers = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 1 });

describe("projectToSimplex", () => {
  it("meets the conditions that only the nearest point meets", () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const p = project(values);
        expect(p.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
        // Karush, Kuhn and Tucker: v - p is one constant θ where p > 0, and at most θ where p = 0.
        const theta = Math.max(...values.map((v, i) => v - p[i]));
        for (const [i, v] of values.entries()) {
          expect(p[i]).toBeGreaterThanOrEqual(0);
          if (p[i] > 0) expect(v - p[i]).toBeCloseTo(theta, 9);
        }
      }),
    );
  });

  it("leaves probabilities as they are, so that twice is once", () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const once = project(values);
        expect(project(once)).toEqual(once.map((p) => expect.closeTo(p, 12)));
      }),
    );
  });

  it("does not care what is added to all", () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: -1000, max: 1000 }), (values, shift) => {
        const moved = values.map((v) => v + shift);
        expect(project(moved)).toEqual(project(values).map((p) => expect.closeTo(p, 9)));
      }),
    );
  });

  it("changes only the part it is asked for", () => {
    const values = Float64Array.of(9, 2, 2, -9);
    projectToSimplex(values, 1, 3);
    expect([...values]).toEqual([9, 0.5, 0.5, -9]);
    projectToSimplex(values, 2, 2);
    expect([...values]).toEqual([9, 0.5, 0.5, -9]);
  });

  it("copes with one value, with ties and with huge values", () => {
    expect(project([-7])).toEqual([1]);
    expect(project([3, 3, 3, 3])).toEqual([0.25, 0.25, 0.25, 0.25]);
    expect(project([1e300, 0, 1e300])).toEqual([0.5, 0, 0.5]);
    expect(project([1e16, 1e16 + 2])).toEqual([0, 1]);
  });

  it("refuses what is not finite", () => {
    expect(() => project([1, Number.NaN])).toThrow(
      "projectToSimplex: value 1 must be finite, not NaN.",
    );
    expect(() => project([Infinity])).toThrow("value 0 must be finite, not Infinity.");
  });
});

function project(values: number[]): number[] {
  const result = Float64Array.from(values);
  projectToSimplex(result);
  return [...result];
}
