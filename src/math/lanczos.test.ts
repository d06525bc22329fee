import { describe, expect, it } from "vitest";
import { normal } from "./distributions.ts";
import { type LanczosOptions, type LeadingEigen, leadingEigen, topEigen } from "./lanczos.ts";
import { symmetricEigen } from "./matrix.ts";
import { createRandom } from "./random.ts";

describe("leadingEigen", () => {
  it.each([1, 2, 5, 40, 120])("finds the largest of %i eigenvalues, and its vector", (n) => {
    const a = symmetric(n, n);
    const { values, vectors } = symmetricEigen(a, n);
    const found = run(a, n);
    expect(found.converged).toBe(true);
    expect(found.value).toBeCloseTo(values[0], 9);
    const along = vectors.reduce(
      (sum, x, at) => (at % n === 0 ? sum + x * found.vector[at / n] : sum),
      0,
    );
    expect(Math.abs(along)).toBeCloseTo(1, 9);
  });

  it("takes the largest value, not the largest in size", () => {
    const a = Float64Array.of(-9, 0, 0, 0, 2, 0, 0, 0, 1);
    expect(run(a, 3).value).toBeCloseTo(2, 12);
  });

  it("copes with zeros, with nothing, and with a start that is an eigenvector", () => {
    expect(run(new Float64Array(9), 3)).toMatchObject({ value: 0, converged: true });
    expect(run(new Float64Array(0), 0)).toMatchObject({ value: 0, converged: true });
    expect(run(Float64Array.of(3, 0, 0, 1), 2, {}, Float64Array.of(1, 0)).value).toBeCloseTo(3, 12);
  });

  it("says when it has not settled, and comes nearer round by round", () => {
    const a = symmetric(3, 200);
    const short = run(a, 200, { maxRounds: 1, basis: 3 });
    expect(short.converged).toBe(false);
    const longer = run(a, 200, { maxRounds: 10, basis: 3 });
    expect(longer.value).toBeGreaterThan(short.value);
    expect(symmetricEigen(a, 200).values[0]).toBeGreaterThanOrEqual(longer.value - 1e-12);
  });
});

function run(
  a: Float64Array,
  n: number,
  options: LanczosOptions = {},
  start = Float64Array.from({ length: n }, (_, i) => 1 + 0.1 * ((i * 7) % 5)),
): LeadingEigen {
  const steps = leadingEigen(
    (v, into) => {
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) into[i] += a[i * n + j] * v[j];
    },
    start,
    options,
  );
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function symmetric(seed: number, n: number): Float64Array {
  const random = createRandom(seed);
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      a[i * n + j] = normal(random);
      a[j * n + i] = a[i * n + j];
    }
  }
  return a;
}

describe("several eigenvalues", () => {
  it("are those of the dense matrix, with their vectors", () => {
    const n = 30;
    const random = createRandom(8).split("top");
    const a = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = random.next() - 0.5;
    }
    const product = (v: Float64Array, into: Float64Array) => {
      for (let i = 0; i < n; i++) {
        into[i] = 0;
        for (let j = 0; j < n; j++) into[i] += a[i * n + j] * v[j];
      }
    };
    const start = Float64Array.from({ length: n }, () => random.next());
    const { values, vectors } = topEigen(product, start, 4);
    const exact = symmetricEigen(a, n);
    for (let j = 0; j < 4; j++) {
      expect(values[j]).toBeCloseTo(exact.values[j], 9);
      let along = 0;
      for (let i = 0; i < n; i++) along += vectors[j * n + i] * exact.vectors[i * n + j];
      expect(Math.abs(along)).toBeCloseTo(1, 9);
    }
  });
});
