import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normal } from "./distributions.ts";
import { minimise, type Objective } from "./lbfgs.ts";
import { cholesky, leastSquares, multiply } from "./matrix.ts";
import { createRandom } from "./random.ts";

/** Rosenbrock's valley, with its one minimum of 0 where all are 1 (started near it). */
const valley: Objective = (x, gradient) => {
  gradient.fill(0);
  let value = 0;
  for (let i = 0; i + 1 < x.length; i++) {
    const off = x[i + 1] - x[i] ** 2;
    const left = 1 - x[i];
    value += 100 * off ** 2 + left ** 2;
    gradient[i] += -400 * off * x[i] - 2 * left;
    gradient[i + 1] += 200 * off;
  }
  return value;
};

describe("brute force", () => {
  it.each([1, 3, 8, 20])("solves random quadratics in %s dimensions as least squares does", (n) => {
    for (let seed = 0; seed < 5; seed++) {
      const random = createRandom(seed).split(n);
      const half = Float64Array.from({ length: n * n }, () => normal(random));
      const b = Float64Array.from({ length: n }, () => normal(random));
      const a = multiply(half, transpose(half, n), n, n, n);
      for (let i = 0; i < n; i++) a[i * n + i] += 1;
      expect(cholesky(a, n)).toBeDefined();
      const { x, converged } = minimise(quadratic(a, b), new Float64Array(n));
      expect(converged).toBe(true);
      expect([...x]).toEqual([...leastSquares(a, b, n, n)].map((v) => expect.closeTo(v, 7)));
    }
  });
});

describe("published numbers", () => {
  it.each([2, 20])("walks through Rosenbrock's valley in %s dimensions", (n) => {
    const start = Float64Array.from({ length: n }, (_, i) => (i % 2 ? 1 : -1.2));
    const { x, value, iterations, converged } = minimise(valley, start);
    expect(converged).toBe(true);
    expect(value).toBeLessThan(1e-15);
    for (const v of x) expect(v).toBeCloseTo(1, 7);
    // SciPy 1.17's L-BFGS-B, with seven pairs and the same tolerance, needs 38 and 153.
    expect(iterations).toBeLessThan(n === 2 ? 60 : 230);
  });

  it.each([1e2, 1e4, 1e6])("solves a quadratic with condition number %s", (condition) => {
    const n = 10;
    const { x, converged } = minimise(
      (at, gradient) => {
        let value = 0;
        for (let i = 0; i < n; i++) {
          gradient[i] = condition ** (i / (n - 1)) * (at[i] - 1);
          value += (gradient[i] * (at[i] - 1)) / 2;
        }
        return value;
      },
      new Float64Array(n).fill(5),
      { maxIterations: 5000 },
    );
    expect(converged).toBe(true);
    for (const v of x) expect(v).toBeCloseTo(1, 7);
  });
});

describe("invariants", () => {
  const rough: Objective = (x, gradient) => {
    gradient[0] = Math.cos(3 * x[0]) * 3 + x[0] / 5;
    gradient[1] = -Math.sin(x[1] + 1) + (4 * x[1] ** 3) / 100;
    return Math.sin(3 * x[0]) + x[0] ** 2 / 10 + Math.cos(x[1] + 1) + x[1] ** 4 / 100;
  };

  it("never ends above its start, and leaves the start alone", () => {
    const coordinate = fc.double({ min: -20, max: 20, noNaN: true });
    fc.assert(
      fc.property(
        coordinate,
        coordinate,
        fc.integer({ min: 0, max: 30 }),
        (a, b, maxIterations) => {
          const start = Float64Array.of(a, b);
          const first = rough(start, new Float64Array(2));
          const { x, value, iterations } = minimise(rough, start, { maxIterations });
          expect(value).toBeLessThanOrEqual(first);
          expect(value).toBe(rough(x, new Float64Array(2)));
          expect(iterations).toBeLessThanOrEqual(maxIterations);
          expect([...start]).toEqual([a, b]);
        },
      ),
    );
  });

  it("lowers the value with every further step it is allowed", () => {
    let last = Infinity;
    for (let maxIterations = 0; maxIterations < 30; maxIterations++) {
      const { value } = minimise(valley, Float64Array.of(-1.2, 1), { maxIterations });
      expect(value).toBeLessThan(last);
      last = value;
    }
  });

  it("finds a flat place of a rough function", () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = createRandom(seed);
      const { x, converged } = minimise(rough, Float64Array.of(normal(random), normal(random)));
      expect(converged).toBe(true);
      const gradient = new Float64Array(2);
      rough(x, gradient);
      for (const g of gradient) expect(Math.abs(g)).toBeLessThan(1e-7);
    }
  });
});

describe("limits", () => {
  it("stays where it is best already", () => {
    const { x, value, iterations, converged } = minimise(valley, Float64Array.of(1, 1));
    expect({ x: [...x], value, iterations, converged }).toEqual({
      x: [1, 1],
      value: 0,
      iterations: 0,
      converged: true,
    });
  });

  it.each([Number.NaN, Infinity, -Infinity])(
    "steps back from where the function is %s",
    (outside) => {
      // x - log x has its minimum at 1, and is not defined below 0, where the first steps lead.
      const barrier: Objective = (x, gradient) => {
        gradient[0] = x[0] > 0 ? 1 - 1 / x[0] : Number.NaN;
        gradient[1] = 2 * x[1];
        return x[0] > 0 ? x[0] - Math.log(x[0]) + x[1] ** 2 : outside;
      };
      for (const start of [1e-3, 0.5, 30, 1e4]) {
        const { x, converged } = minimise(barrier, Float64Array.of(start, 100));
        expect(converged).toBe(true);
        expect(x[0]).toBeCloseTo(1, 6);
        expect(x[1]).toBeCloseTo(0, 6);
      }
    },
  );

  it("shortens a step by twenty orders of magnitude if it must", () => {
    const cliff: Objective = (x, gradient) => {
      gradient[0] = -1;
      return x[0] > 1e-20 ? Number.NaN : -x[0];
    };
    expect(minimise(cliff, new Float64Array(1)).value).toBeLessThan(0);
  });

  it("takes long steps where the function is nearly flat", () => {
    const flat: Objective = (x, gradient) => {
      gradient[0] = 1e-6 * x[0];
      return (1e-6 * x[0] ** 2) / 2;
    };
    const { x } = minimise(flat, Float64Array.of(1000), { maxIterations: 1, tolerance: 0 });
    // Wolfe's second condition: a step leaves at most nine tenths of the slope.
    expect(Math.abs(x[0])).toBeLessThanOrEqual(900);
  });

  it("takes a lower point at a kink, where no point is flat", () => {
    const kink: Objective = (x, gradient) => {
      gradient[0] = x[0] < 1 / 3 ? -1 : 2;
      return x[0] < 1 / 3 ? 1 / 3 - x[0] : 2 * (x[0] - 1 / 3);
    };
    expect(minimise(kink, Float64Array.of(3)).value).toBeLessThan(1e-3);
  });

  it("stops as converged when only rounding is left of a large value", () => {
    const tolerance = 0;
    const { x, converged } = minimise(
      (at, gradient) => {
        gradient[0] = 2 * (at[0] - 1 / 3);
        gradient[1] = 4 * (at[1] + 1 / 7) ** 3;
        return 1e9 + (at[0] - 1 / 3) ** 2 + (at[1] + 1 / 7) ** 4;
      },
      Float64Array.of(3, 4),
      { tolerance },
    );
    expect(converged).toBe(true);
    expect(x[0]).toBeCloseTo(1 / 3, 2);
  });

  it("gives up, and says so, when the gradient leads uphill", () => {
    const wrong: Objective = (x, gradient) => {
      gradient[0] = -2 * x[0];
      return x[0] ** 2;
    };
    const { x, value, converged } = minimise(wrong, Float64Array.of(3));
    expect({ x: [...x], value, converged }).toEqual({ x: [3], value: 9, converged: false });
  });

  it("says when it was not given enough steps", () => {
    expect(minimise(valley, Float64Array.of(-1.2, 1), { maxIterations: 3 }).converged).toBe(false);
  });

  it("does without memory, and without numbers", () => {
    const bowl: Objective = (x, gradient) => {
      for (let i = 0; i < x.length; i++) gradient[i] = 2 * x[i];
      return x.reduce((sum, v) => sum + v * v, 0);
    };
    expect(minimise(bowl, Float64Array.of(3, 4), { memory: 0 }).value).toBeCloseTo(0, 12);
    expect(minimise(bowl, new Float64Array(0))).toMatchObject({ value: 0, converged: true });
  });

  it("refuses a start where the function is not finite", () => {
    expect(() => minimise(() => Number.NaN, new Float64Array(1))).toThrow(
      "minimise: the function is not finite at the start.",
    );
  });
});

/** ½ xᵀ a x - bᵀ x. */
function quadratic(a: Float64Array, b: Float64Array): Objective {
  const n = b.length;
  return (x, gradient) => {
    gradient.set(multiply(a, x, n, n, 1));
    let value = 0;
    for (let i = 0; i < n; i++) {
      value += x[i] * (gradient[i] / 2 - b[i]);
      gradient[i] -= b[i];
    }
    return value;
  };
}

function transpose(a: Float64Array, n: number): Float64Array {
  return a.map((_, i) => a[(i % n) * n + Math.floor(i / n)]);
}
