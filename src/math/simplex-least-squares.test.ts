import { describe, expect, it } from "vitest";
import { normal } from "./distributions.ts";
import { createRandom } from "./random.ts";
import { projectToSimplex } from "./simplex.ts";
import { simplexLeastSquares } from "./simplex-least-squares.ts";

/** G = AᵀA and b = Aᵀy of a random problem. */
function problem(seed: number, n: number, rows: number) {
  const random = createRandom(seed);
  const a = Float64Array.from({ length: rows * n }, () => normal(random));
  const y = Float64Array.from({ length: rows }, () => normal(random));
  const gram = new Float64Array(n * n);
  const b = new Float64Array(n);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < n; i++) {
      b[i] += a[r * n + i] * y[r];
      for (let j = 0; j < n; j++) gram[i * n + j] += a[r * n + i] * a[r * n + j];
    }
  }
  return { gram, b };
}

function objective(gram: Float64Array, b: Float64Array, x: ArrayLike<number>): number {
  const n = b.length;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum -= b[i] * x[i];
    for (let j = 0; j < n; j++) sum += 0.5 * x[i] * gram[i * n + j] * x[j];
  }
  return sum;
}

describe("simplexLeastSquares", () => {
  it("gives probabilities", () => {
    for (let seed = 0; seed < 50; seed++) {
      const { gram, b } = problem(seed, 6, 4);
      const x = simplexLeastSquares(gram, b, 6);
      expect(Math.min(...x)).toBeGreaterThanOrEqual(0);
      expect(x.reduce((sum, v) => sum + v, 0)).toBeCloseTo(1, 12);
    }
  });

  it("is not beaten by any point of a grid", () => {
    for (let seed = 0; seed < 20; seed++) {
      const { gram, b } = problem(seed, 3, 5);
      const best = objective(gram, b, simplexLeastSquares(gram, b, 3));
      for (let i = 0; i <= 50; i++) {
        for (let j = 0; j <= 50 - i; j++) {
          const point = [i / 50, j / 50, (50 - i - j) / 50];
          expect(objective(gram, b, point)).toBeGreaterThanOrEqual(best - 1e-12);
        }
      }
    }
  });

  it("leaves nothing to the projected gradient", () => {
    for (let seed = 0; seed < 30; seed++) {
      const { gram, b } = problem(seed, 5, 20);
      const x = simplexLeastSquares(gram, b, 5);
      const moved = x.map((v, i) => {
        let slope = -b[i];
        for (let j = 0; j < 5; j++) slope += gram[i * 5 + j] * x[j];
        return v - 0.01 * slope;
      });
      projectToSimplex(moved);
      moved.forEach((v, i) => {
        expect(v).toBeCloseTo(x[i], 9);
      });
    }
  });

  it("is the projection where G is the identity", () => {
    const random = createRandom(1);
    for (let n = 1; n < 8; n++) {
      const b = Float64Array.from({ length: n }, () => normal(random));
      const eye = new Float64Array(n * n).map((_, at) => (at % (n + 1) === 0 ? 1 : 0));
      const x = simplexLeastSquares(eye, b, n);
      const near = b.slice();
      projectToSimplex(near);
      expect([...x]).toEqual([...near].map((v) => expect.closeTo(v, 10)));
    }
  });

  it("knows nothing where G and b are nothing", () => {
    const x = simplexLeastSquares(new Float64Array(9), new Float64Array(3), 3);
    expect([...x]).toEqual([1, 1, 1].map(() => expect.closeTo(1 / 3, 12)));
  });
});
