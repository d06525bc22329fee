/**
 * The largest eigenvalue of a symmetric matrix that is only known by its products, and its vector.
 *
 * Lanczos: the products of a start with the powers of the matrix, made orthogonal, span a small space
 * in which the matrix is tridiagonal; its largest eigenvector there is the next start. Each round is at
 * least as good as as many power steps, and finds the largest eigenvalue, not the largest in size.
 *
 * Golub & Van Loan (2013), Matrix Computations, 4th ed., 10.1 and 10.3.
 */
import { symmetricEigen } from "./matrix.ts";

export interface LeadingEigen {
  readonly value: number;
  /** Of length 1; its sign is arbitrary. */
  readonly vector: Float64Array;
  readonly converged: boolean;
}

export interface LanczosOptions {
  /** Most rounds; 100 if not given. */
  readonly maxRounds?: number;
  /** Stop when |A v - value · v| is below this times |value|; 1e-11 if not given. */
  readonly tolerance?: number;
  /** Vectors per round; 24 if not given. */
  readonly basis?: number;
}

/**
 * `multiply` writes A · v to `into`. The start must not be orthogonal to the vector that is looked for;
 * a random one never is. Yields the value found by each round.
 */
export function* leadingEigen(
  multiply: (v: Float64Array, into: Float64Array) => void,
  start: Float64Array,
  { maxRounds = 100, tolerance = 1e-11, basis = 24 }: LanczosOptions = {},
): Generator<number, LeadingEigen, void> {
  let vector = scaled(start, 1 / (Math.sqrt(dot(start, start)) || 1));
  let value = 0;
  let converged = false;
  for (let round = 0; round < maxRounds && !converged; round++) {
    const { vectors, diagonal, beside } = span(multiply, vector, basis);
    const m = vectors.length;
    const small = new Float64Array(m * m);
    for (let j = 0; j < m; j++) {
      small[j * m + j] = diagonal[j];
      if (j > 0) small[j * m + j - 1] = beside[j - 1];
    }
    const found = symmetricEigen(small, m);
    value = found.values[0] ?? 0;
    vector = new Float64Array(start.length);
    for (let j = 0; j < m; j++) add(vector, found.vectors[j * m], vectors[j]);
    const residual = beside[m - 1] * Math.abs(found.vectors[(m - 1) * m]);
    converged = residual <= tolerance * Math.abs(value);
    yield value;
  }
  return { value, vector, converged };
}

/** The largest eigenvalues of a symmetric matrix, and their vectors. */
export interface TopEigen {
  /** Eigenvalues, largest first. */
  readonly values: Float64Array;
  /** Their unit vectors, one after the other: vectors[j * n + i]. */
  readonly vectors: Float64Array;
}

/**
 * The `count` largest eigenvalues, from one space of `basis` vectors: exact to rounding if that is all of them, else
 * close for those that stand out. Of equal eigenvalues one is found.
 */
export function topEigen(
  multiply: (v: Float64Array, into: Float64Array) => void,
  start: Float64Array,
  count: number,
  basis = 60,
): TopEigen {
  const n = start.length;
  const first = scaled(start, 1 / (Math.sqrt(dot(start, start)) || 1));
  const { vectors, diagonal, beside } = span(multiply, first, Math.min(n, basis));
  const m = vectors.length;
  const small = new Float64Array(m * m);
  for (let j = 0; j < m; j++) {
    small[j * m + j] = diagonal[j];
    if (j > 0) small[j * m + j - 1] = beside[j - 1];
  }
  const found = symmetricEigen(small, m);
  const top = Math.min(count, m);
  const all = new Float64Array(top * n);
  for (let j = 0; j < top; j++) {
    const vector = all.subarray(j * n, (j + 1) * n);
    for (let i = 0; i < m; i++) add(vector, found.vectors[i * m + j], vectors[i]);
  }
  return { values: found.values.slice(0, top), vectors: all };
}

/** Orthogonal vectors v, A v, A² v, …, and the tridiagonal matrix that A is among them. */
function span(
  multiply: (v: Float64Array, into: Float64Array) => void,
  first: Float64Array,
  most: number,
) {
  const vectors = [first];
  const diagonal: number[] = [];
  const beside: number[] = [];
  let size = 0;
  for (let j = 0; j < most; j++) {
    const next = new Float64Array(first.length);
    multiply(vectors[j], next);
    diagonal.push(dot(next, vectors[j]));
    size = Math.max(size, Math.sqrt(dot(next, next)));
    // Twice, since the first pass leaves rounding that later products would grow.
    for (let pass = 0; pass < 2; pass++) {
      for (const v of vectors) add(next, -dot(next, v), v);
    }
    const rest = Math.sqrt(dot(next, next));
    // What is left of a product after losing 14 digits is rounding: the space is complete.
    const complete = rest <= 1e-14 * size || vectors.length === first.length;
    beside.push(complete ? 0 : rest);
    if (complete || j === most - 1) break;
    vectors.push(scaled(next, 1 / rest));
  }
  return { vectors, diagonal, beside };
}

function scaled(v: Float64Array, factor: number): Float64Array {
  return v.map((x) => x * factor);
}

function add(target: Float64Array, factor: number, v: Float64Array): void {
  for (let i = 0; i < target.length; i++) target[i] += factor * v[i];
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}
