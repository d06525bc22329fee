import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assign } from "./assignment.ts";
import { createRandom } from "./random.ts";

describe("brute force", () => {
  const cost = fc.oneof(
    fc.double({ min: -1e3, max: 1e3, noNaN: true }),
    fc.integer({ min: 0, max: 3 }), // many ties
    fc.constant(Infinity),
  );

  it("is as cheap as the cheapest of all orders", () => {
    const square = fc
      .integer({ min: 1, max: 6 })
      .chain((n) => fc.array(cost, { minLength: n * n, maxLength: n * n }));
    fc.assert(
      fc.property(square, (costs) => {
        const n = Math.sqrt(costs.length);
        const cheapest = Math.min(...permutations(n).map((order) => total(costs, order)));
        if (cheapest === Infinity) {
          expect(() => assign(Float64Array.from(costs), n)).toThrow("is forbidden");
        } else {
          const columns = [...assign(Float64Array.from(costs), n)];
          expect(columns.toSorted()).toEqual(columns.map((_, i) => i));
          expect(total(costs, columns)).toBeCloseTo(cheapest, 9);
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe("invariants", () => {
  it("does not care what is added to a row or a column", () => {
    const n = 30;
    const random = createRandom(1);
    const costs = Float64Array.from({ length: n * n }, () => random.next());
    const moved = costs.map((c, i) => c + 5 * Math.floor(i / n) - 3 * (i % n));
    expect(assign(moved, n)).toEqual(assign(costs, n));
  });

  it("finds a matching that was planted in a large matrix", () => {
    const n = 200;
    const random = createRandom(2);
    const costs = Float64Array.from({ length: n * n }, () => 0.5 + random.next());
    for (let i = 0; i < n; i++) costs[i * n + ((7 * i + 3) % n)] = 0;
    expect([...assign(costs, n)]).toEqual(Array.from({ length: n }, (_, i) => (7 * i + 3) % n));
  });

  it("leaves the costs alone", () => {
    const costs = Float64Array.of(4, 1, 2, 3);
    assign(costs, 2);
    expect([...costs]).toEqual([4, 1, 2, 3]);
  });
});

describe("limits", () => {
  it("copes with nothing and with one", () => {
    expect([...assign(new Float64Array(0), 0)]).toEqual([]);
    expect([...assign(Float64Array.of(-5), 1)]).toEqual([0]);
  });

  it("prefers the order it was given when all is equal", () => {
    expect([...assign(new Float64Array(16), 4)]).toEqual([0, 1, 2, 3]);
  });

  it("says what is wrong with the costs", () => {
    expect(() => assign(new Float64Array(3), 2)).toThrow("cost needs n² = 4 numbers, not 3.");
    expect(() => assign(Float64Array.of(1, 2, Number.NaN, 4), 2)).toThrow(
      "assign: row 1, column 0: a cost must be a number, not NaN.",
    );
    expect(() => assign(Float64Array.of(-Infinity), 1)).toThrow("not -Infinity.");
    expect(() => assign(Float64Array.of(1, Infinity, 1, Infinity), 2)).toThrow(
      "assign: every matching of the 2 rows uses a pair that is forbidden (cost Infinity).",
    );
  });
});

function permutations(n: number): number[][] {
  if (n === 0) return [[]];
  return permutations(n - 1).flatMap((order) =>
    Array.from({ length: n }, (_, at) => order.toSpliced(at, 0, n - 1)),
  );
}

function total(costs: number[], columns: number[]): number {
  return columns.reduce((sum, column, row) => sum + costs[row * columns.length + column], 0);
}
