import { describe, expect, it } from "vitest";
import { normal } from "./distributions.ts";
import {
  cholesky,
  inverseLower,
  leastSquares,
  multiply,
  pseudoInverse,
  singularValues,
  solveCholesky,
  svd,
  symmetricEigen,
} from "./matrix.ts";
import { createRandom } from "./random.ts";

const shapes = [
  [1, 1],
  [3, 3],
  [7, 2],
  [2, 7],
  [1, 5],
  [5, 1],
  [30, 12],
  [12, 30],
  [40, 40],
];

/** Matrices that are easy, and matrices that break careless code; with rows, columns and a name. */
const matrices: [string, Float64Array, number, number][] = shapes.flatMap(([m, n]) => {
  const random = randomMatrix(m, n, 1);
  const thin = multiply(randomMatrix(m, 2, 2), randomMatrix(2, n, 3), m, 2, n);
  return [
    [`random ${m} × ${n}`, random, m, n],
    [`rank two ${m} × ${n}`, thin, m, n],
    [`zero ${m} × ${n}`, new Float64Array(m * n), m, n],
    [`ones ${m} × ${n}`, new Float64Array(m * n).fill(1), m, n],
    [`unit ${m} × ${n}`, random.map((_, i) => (Math.floor(i / n) === i % n ? -1 : 0)), m, n],
    [`with a zero column ${m} × ${n}`, random.map((x, i) => (i % n === 0 ? 0 : x)), m, n],
    [`whole numbers ${m} × ${n}`, random.map(Math.round), m, n],
    [`huge ${m} × ${n}`, random.map((x) => x * 1e300), m, n],
    [`tiny ${m} × ${n}`, random.map((x) => x * 1e-300), m, n],
    [`graded ${m} × ${n}`, random.map((x, i) => x * 10 ** -(i % n)), m, n],
  ];
});

describe.each(matrices)("%s", (_, a, m, n) => {
  const r = Math.min(m, n);
  const size = Math.max(...a.map(Math.abs)) || 1;
  const scaled = a.map((x) => x / size);

  it("is the product of its singular vectors and values", () => {
    const { u, values, v } = svd(a, m, n);
    expect([u.length, values.length, v.length]).toEqual([m * r, r, n * r]);
    const weighted = u.map((x, i) => (x * values[i % r]) / size);
    expectClose(multiply(weighted, transpose(v, n, r), m, r, n), scaled);
    expectClose(multiply(transpose(u, m, r), u, r, m, r), identity(r));
    expectClose(multiply(transpose(v, n, r), v, r, n, r), identity(r));
    expectDescending(values);
    expect(values.every((x) => x >= 0)).toBe(true);
    expect(singularValues(a, m, n)).toEqual(values);
  });

  it("has an inverse that meets Penrose's four conditions", () => {
    // Singular values are computed to about 1e-16 of the largest; the inverse of a graded matrix
    // would multiply that by its condition number, which is no fault of the method.
    if (_.startsWith("graded")) return;
    const inverse = pseudoInverse(scaled, m, n);
    const left = multiply(scaled, inverse, m, n, m);
    const right = multiply(inverse, scaled, n, m, n);
    expectClose(multiply(left, scaled, m, m, n), scaled, 1e-10);
    expectClose(multiply(right, inverse, n, n, m), inverse, 1e-10 * largest(inverse));
    expectClose(transpose(left, m, m), left, 1e-10);
    expectClose(transpose(right, n, n), right, 1e-10);
  });

  it("has symmetric squares with orthonormal eigenvectors", () => {
    const square = multiply(transpose(scaled, m, n), scaled, n, m, n);
    const big = square.map((x) => x * size);
    const { values, vectors } = symmetricEigen(big, n);
    const bound = 1e-12 * Math.max(1, largest(square));
    const weighted = vectors.map((x, i) => (x * values[i % n]) / size);
    expectClose(multiply(weighted, transpose(vectors, n, n), n, n, n), square, bound);
    expectClose(multiply(transpose(vectors, n, n), vectors, n, n, n), identity(n));
    expectDescending(values);
    const singular = singularValues(scaled, m, n);
    for (let j = 0; j < n; j++) {
      expect(Math.abs(values[j] / size - (singular[j] ?? 0) ** 2)).toBeLessThan(bound);
    }
  });

  it("leaves its input alone", () => {
    const before = a.slice();
    svd(a, m, n);
    pseudoInverse(a, m, n);
    leastSquares(a, new Float64Array(m), m, n);
    expect(a).toEqual(before);
  });
});

describe("symmetricEigen", () => {
  it("knows matrices whose eigenvalues are known", () => {
    expectClose(symmetricEigen(Float64Array.of(2, 1, 1, 2), 2).values, [3, 1]);
    expectClose(symmetricEigen(Float64Array.of(-5), 1).values, [-5]);
    const n = 25;
    const path = new Float64Array(n * n);
    for (let i = 0; i + 1 < n; i++) path[i * n + i + 1] = path[(i + 1) * n + i] = 1;
    const expected = Array.from(
      { length: n },
      (_, k) => 2 * Math.cos((Math.PI * (k + 1)) / (n + 1)),
    );
    expectClose(symmetricEigen(path, n).values, expected);
  });

  it("finds repeated and negative eigenvalues", () => {
    const n = 12;
    const { vectors } = symmetricEigen(symmetric(n, 4), n);
    const wanted = [5, 5, 5, 2, 0, 0, 0, -1, -1, -3, -3, -3];
    const weighted = vectors.map((x, i) => x * wanted[i % n]);
    const a = multiply(weighted, transpose(vectors, n, n), n, n, n);
    const found = symmetricEigen(a, n);
    expectClose(found.values, wanted);
    expectClose(multiply(transpose(found.vectors, n, n), found.vectors, n, n, n), identity(n));
  });

  it("keeps the trace", () => {
    const a = symmetric(60, 5);
    const trace = a.reduce((sum, x, i) => sum + (i % 61 === 0 ? x : 0), 0);
    expect(symmetricEigen(a, 60).values.reduce((s, x) => s + x)).toBeCloseTo(trace, 10);
  });
});

describe("inverseLower", () => {
  it.each([0, 1, 3, 4, 9, 14])("times the matrix is one, %d rows", (n) => {
    const random = createRandom(n);
    const lower = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) lower[i * n + j] = i === j ? 1 + random.next() : random.next();
    }
    const product = multiply(lower, inverseLower(lower, n), n, n, n);
    product.forEach((x, at) => {
      expect(x).toBeCloseTo(Math.floor(at / n) === at % n ? 1 : 0, 10);
    });
  });
});

describe("cholesky", () => {
  it.each([1, 2, 5, 30])("gives a lower triangle whose square is the matrix (%s)", (n) => {
    const half = randomMatrix(n, n + 2, 6);
    const a = multiply(half, transpose(half, n, n + 2), n, n + 2, n);
    const lower = cholesky(a, n);
    if (!lower) throw new Error("a Gram matrix of full rank is positive definite");
    expectClose(multiply(lower, transpose(lower, n, n), n, n, n), a, 1e-11);
    for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) expect(lower[i * n + j]).toBe(0);
  });

  it.each([1, 2, 5, 30])("solves by its triangle (%s)", (n) => {
    const half = randomMatrix(n, n + 2, 7);
    const a = multiply(half, transpose(half, n, n + 2), n, n + 2, n);
    const x = randomMatrix(n, 1, 8);
    const b = multiply(a, x, n, n, 1);
    const lower = cholesky(a, n);
    if (!lower) throw new Error("a Gram matrix of full rank is positive definite");
    solveCholesky(lower, b, n);
    expectClose(b, x, 1e-9);
  });

  it("accepts what is close to singular, but not quite", () => {
    expect(cholesky(Float64Array.of(1, 1, 1, 1 + 1e-12), 2)).toBeDefined();
    expect(cholesky(Float64Array.of(1e-200, 0, 0, 1e200), 2)).toBeDefined();
  });

  it("says no to what is not positive definite", () => {
    expect(cholesky(Float64Array.of(1, 2, 2, 1), 2)).toBeUndefined();
    expect(cholesky(Float64Array.of(0), 1)).toBeUndefined();
    expect(cholesky(Float64Array.of(-1), 1)).toBeUndefined();
    expect(cholesky(new Float64Array(9).fill(0.1), 3)).toBeUndefined();
    for (let seed = 0; seed < 100; seed++) {
      const thin = randomMatrix(6, 5, seed);
      thin.copyWithin(25, 20); // the last row repeats the one before it
      expect(cholesky(multiply(thin, transpose(thin, 6, 5), 6, 5, 6), 6)).toBeUndefined();
    }
  });
});

describe("leastSquares", () => {
  it("leaves a rest that is at right angles to every column", () => {
    const [m, n] = [20, 6];
    const a = randomMatrix(m, n, 8);
    const b = randomMatrix(m, 1, 9);
    const x = leastSquares(a, b, m, n);
    const rest = multiply(a, x, m, n, 1).map((v, i) => b[i] - v);
    expectClose(multiply(transpose(a, m, n), rest, n, m, 1), new Float64Array(n), 1e-12);
  });

  it("gives the shortest of many solutions", () => {
    expectClose(leastSquares(Float64Array.of(1, 1), Float64Array.of(4), 1, 2), [2, 2]);
    expectClose(leastSquares(Float64Array.of(1, 1, 1, 1), Float64Array.of(1, 3), 2, 2), [1, 1]);
    expectClose(leastSquares(new Float64Array(4), Float64Array.of(1, 3), 2, 2), [0, 0]);
  });

  it("fits a line", () => {
    const a = Float64Array.of(1, 0, 1, 1, 1, 2, 1, 3);
    expectClose(leastSquares(a, Float64Array.of(1, 3, 5, 7), 4, 2), [1, 2]);
  });
});

describe("limits", () => {
  it("copes with nothing", () => {
    const none = new Float64Array(0);
    expect(symmetricEigen(none, 0).values.length).toBe(0);
    expect(svd(none, 0, 3).values.length).toBe(0);
    expect(pseudoInverse(none, 0, 3)).toEqual(none);
    expect([...leastSquares(none, none, 0, 2)]).toEqual([0, 0]);
    expect(cholesky(none, 0)).toEqual(none);
  });

  it("says what is wrong with a matrix", () => {
    expect(() => svd(new Float64Array(5), 2, 3)).toThrow(
      "svd: a 2 × 3 matrix needs 6 numbers, not 5.",
    );
    expect(() => symmetricEigen(Float64Array.of(Number.NaN), 1)).toThrow(
      "symmetricEigen: entry 0 must be finite, not NaN.",
    );
    expect(() => leastSquares(new Float64Array(4), new Float64Array(1), 2, 2)).toThrow(
      "leastSquares: a 2 × 1 matrix needs 2 numbers, not 1.",
    );
    expect(() => multiply(new Float64Array(3), new Float64Array(4), 2, 2, 2)).toThrow(
      "multiply: a 2 × 2 matrix needs 4 numbers, not 3.",
    );
  });
});

function randomMatrix(rows: number, columns: number, seed: number): Float64Array {
  const random = createRandom(seed).split(rows).split(columns);
  return Float64Array.from({ length: rows * columns }, () => normal(random));
}

function symmetric(n: number, seed: number): Float64Array {
  const a = randomMatrix(n, n, seed);
  return a.map((x, i) => x + a[(i % n) * n + Math.floor(i / n)]);
}

function transpose(a: Float64Array, rows: number, columns: number): Float64Array {
  return a.map((_, i) => a[(i % rows) * columns + Math.floor(i / rows)]);
}

function identity(n: number): Float64Array {
  return new Float64Array(n * n).map((_, i) => (i % (n + 1) === 0 ? 1 : 0));
}

function largest(a: Float64Array): number {
  return a.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
}

/** Every entry within `bound`; 1e-12 is some thousand roundings of numbers near 1. */
function expectClose(found: Float64Array, expected: ArrayLike<number>, bound = 1e-12): void {
  expect(found.length).toBe(expected.length);
  const off = largest(found.map((x, i) => x - expected[i]));
  expect(off).toBeLessThanOrEqual(bound);
}

function expectDescending(values: Float64Array): void {
  expect([...values]).toEqual([...values].sort((x, y) => y - x));
}
