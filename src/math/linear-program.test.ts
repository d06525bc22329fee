import { describe, expect, it } from "vitest";
import { type Constraint, type LinearProgram, maximise } from "./linear-program.ts";
import { createRandom } from "./random.ts";

const solved = (program: LinearProgram) => {
  const solution = maximise(program);
  if (solution.status !== "optimal") throw new Error(solution.status);
  return solution;
};

/** The best vertex by trying every choice of n active constraints; undefined if none is feasible. */
function bruteForce({ objective, constraints, upper = [] }: LinearProgram): number | undefined {
  const n = objective.length;
  const unit = (j: number) => Array.from({ length: n }, (_, at) => (at === j ? 1 : 0));
  const planes: { row: ArrayLike<number>; limit: number }[] = [
    ...constraints,
    ...Array.from(objective, (_, j) => ({ row: unit(j), limit: 0 })),
    ...Array.from(upper, (limit, j) => ({ row: unit(j), limit })),
  ];
  const dot = (row: ArrayLike<number>, x: number[]) => x.reduce((sum, v, j) => sum + v * row[j], 0);
  const holds = (x: number[]) =>
    x.every((v, j) => v > -1e-9 && v < (upper[j] ?? Infinity) + 1e-9) &&
    constraints.every(({ row, sign, limit }) => {
      const gap = dot(row, x) - limit;
      return sign === "<=" ? gap < 1e-9 : sign === ">=" ? gap > -1e-9 : Math.abs(gap) < 1e-9;
    });
  let best: number | undefined;
  const visit = (chosen: number[], from: number) => {
    if (chosen.length === n) {
      const x = solve(
        chosen.map((at) => [...Array.from(planes[at].row), planes[at].limit]),
        n,
      );
      if (x && holds(x)) best = Math.max(best ?? -Infinity, dot(objective, x));
      return;
    }
    for (let at = from; at < planes.length; at++) visit([...chosen, at], at + 1);
  };
  visit([], 0);
  return best;
}

/** Gauss–Jordan elimination. */
function solve(rows: number[][], n: number): number[] | undefined {
  for (let j = 0; j < n; j++) {
    let best = j;
    for (let i = j; i < n; i++) if (Math.abs(rows[i][j]) > Math.abs(rows[best][j])) best = i;
    [rows[j], rows[best]] = [rows[best], rows[j]];
    if (Math.abs(rows[j][j]) < 1e-9) return undefined;
    for (let i = 0; i < n; i++) {
      if (i === j) continue;
      const factor = rows[i][j] / rows[j][j];
      for (let at = j; at <= n; at++) rows[i][at] -= factor * rows[j][at];
    }
  }
  return rows.map((row, j) => row[n] / row[j]);
}

describe("brute force", () => {
  it("finds the best vertex of small random programs, or that there is none", () => {
    const random = createRandom(4);
    let [found, none] = [0, 0];
    for (let trial = 0; trial < 300; trial++) {
      const n = 2 + (trial % 3);
      const number = () => Math.round(20 * (random.next() - 0.5)) / 4;
      const list = () => Array.from({ length: n }, number);
      const signs = ["<=", ">=", "="] as const;
      const constraints: Constraint[] = Array.from({ length: 1 + (trial % 4) }, () => ({
        row: list(),
        sign: signs[Math.floor(3 * random.next())],
        limit: number(),
      }));
      // Bounds make every program bounded.
      const program = { objective: list(), constraints, upper: list().map(Math.abs) };
      const best = bruteForce(program);
      const solution = maximise(program);
      if (best === undefined) {
        expect(solution.status).toBe("infeasible");
        none++;
      } else {
        expect(solution.status).toBe("optimal");
        if (solution.status === "optimal") expect(solution.value).toBeCloseTo(best, 7);
        found++;
      }
    }
    expect(Math.min(found, none)).toBeGreaterThan(50);
  });
});

describe("known programs", () => {
  it("does not cycle on Beale's example", () => {
    const { value, x } = solved({
      objective: [0.75, -20, 0.5, -6],
      constraints: [
        { row: [0.25, -8, -1, 9], sign: "<=", limit: 0 },
        { row: [0.5, -12, -0.5, 3], sign: "<=", limit: 0 },
        { row: [0, 0, 1, 0], sign: "<=", limit: 1 },
      ],
    });
    expect(value).toBeCloseTo(1.25, 10);
    expect([...x].map((each) => Number(each.toFixed(9)))).toEqual([1, 0, 1, 0]);
  });

  it("says when there is no maximum and when there is no point", () => {
    const row = [1, -1];
    expect(maximise({ objective: [1, 1], constraints: [{ row, sign: "<=", limit: 1 }] })).toEqual({
      status: "unbounded",
    });
    const low = { row: [1, 1], sign: "<=", limit: -1 } as const;
    expect(maximise({ objective: [1, 1], constraints: [low] })).toEqual({ status: "infeasible" });
  });

  it("takes redundant equations, zero rows and no constraints at all", () => {
    const equation = { row: [1, 1], sign: "=", limit: 1 } as const;
    const zero = { row: [0, 0], sign: "<=", limit: 0 } as const;
    const { x } = solved({ objective: [1, 2], constraints: [equation, equation, zero] });
    expect([...x]).toEqual([0, 1]);
    expect([...solved({ objective: [1, -2], constraints: [], upper: [3, 3] }).x]).toEqual([3, 0]);
  });

  it("solves 2,000 variables with bounds quickly", () => {
    const random = createRandom(1);
    const list = () => Array.from({ length: 2000 }, () => random.next());
    const gap = list().map((each) => each - 0.5);
    const objective = list();
    const { value, x } = solved({
      objective,
      constraints: [
        { row: new Array<number>(2000).fill(1), sign: "=", limit: 1 },
        { row: list(), sign: "<=", limit: 0.4 },
        { row: gap, sign: "<=", limit: 0.01 },
        { row: gap, sign: ">=", limit: -0.01 },
      ],
      upper: new Array<number>(2000).fill(0.01),
    });
    expect(x.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9);
    expect(Math.max(...x)).toBeLessThanOrEqual(0.01);
    expect(value).toBeGreaterThan(0.9);
  });

  it("refuses what is no number and lists of the wrong length", () => {
    const row = [1];
    expect(() =>
      maximise({ objective: [1, 1], constraints: [{ row, sign: "<=", limit: 1 }] }),
    ).toThrow("maximise: constraint 0 must hold 2 finite numbers");
    expect(() => maximise({ objective: [Number.NaN], constraints: [] })).toThrow("objective");
    expect(() => maximise({ objective: [1], constraints: [], upper: [-1] })).toThrow("at least 0");
  });
});
