import { expect, it } from "vitest";
import { blockEigen } from "./block-krylov.ts";
import { symmetricEigen } from "./matrix.ts";
import { createRandom } from "./random.ts";

const product = (a: Float64Array, n: number) => (v: Float64Array, into: Float64Array) => {
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) into[i] += a[i * n + j] * v[j];
};

function symmetric(n: number, seed: number): Float64Array {
  const random = createRandom(seed);
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      a[i * n + j] = random.next() - 0.5;
      a[j * n + i] = a[i * n + j];
    }
  }
  return a;
}

it("finds the largest eigenvalues and vectors of a full matrix", () => {
  const n = 150;
  const a = symmetric(n, 1);
  const dense = symmetricEigen(a, n);
  const { values, vectors, converged } = blockEigen(product(a, n), n, 4, { tolerance: 1e-10 });
  expect(converged).toBe(true);
  for (let j = 0; j < 4; j++) {
    expect(values[j]).toBeCloseTo(dense.values[j], 9);
    let overlap = 0;
    for (let i = 0; i < n; i++) overlap += vectors[j * n + i] * dense.vectors[i * n + j];
    expect(Math.abs(overlap)).toBeCloseTo(1, 8);
  }
});

it("finds equal eigenvalues as often as they occur", () => {
  const n = 160;
  const half = symmetric(n / 2, 2);
  const a = new Float64Array(n * n);
  for (let i = 0; i < n / 2; i++) {
    for (let j = 0; j < n / 2; j++) {
      a[i * n + j] = half[(i * n) / 2 + j];
      a[(i + n / 2) * n + j + n / 2] = half[(i * n) / 2 + j];
    }
  }
  const { values } = blockEigen(product(a, n), n, 4);
  const dense = symmetricEigen(a, n);
  for (let j = 0; j < 4; j++) expect(values[j]).toBeCloseTo(dense.values[j], 8);
  expect(values[0] - values[1]).toBeLessThan(1e-8);
});

it("takes matrices smaller than the block, and nothing but zeros", () => {
  const { values } = blockEigen(product(Float64Array.of(2, 1, 1, 2), 2), 2, 4);
  expect([...values]).toEqual([expect.closeTo(3, 12), expect.closeTo(1, 12)]);
  expect([...blockEigen(() => {}, 200, 3).values]).toEqual([0, 0, 0]);
});
