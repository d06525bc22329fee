/**
 * The largest eigenvalues of a symmetric matrix that is only known by its products, equal ones included, and their
 * vectors.
 *
 * Block Krylov spaces with restarts: a block X, A X, A² X, … made orthogonal spans a space; the best vectors of the
 * matrix within it (Rayleigh and Ritz) are the next block. A single start (lanczos.ts) finds one of several equal
 * eigenvalues; a block finds as many as it has vectors.
 *
 * Saad (2011), Numerical Methods for Large Eigenvalue Problems, 2nd ed., 6.6 and 7.3.
 */
import { symmetricEigen } from "./matrix.ts";
import { createRandom } from "./random.ts";

/** Eigenvalues, largest first, and their unit vectors one after the other: vectors[j * n + i]. */
export interface BlockEigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
  readonly converged: boolean;
}

interface BlockOptions {
  /** Most restarts; 60 if not given. */
  readonly maxRounds?: number;
  /** Stop when |A v - value · v| is below this times the largest size of an eigenvalue seen; 1e-7 if not given. */
  readonly tolerance?: number;
}

/** Vectors of a block beyond those asked for, and products per restart. */
const [SPARE, DEPTH] = [6, 8];

/** Finds the `count` largest eigenvalues of a matrix of n rows; `multiply` writes A · v to `into`. */
export function blockEigen(
  multiply: (v: Float64Array, into: Float64Array) => void,
  n: number,
  count: number,
  { maxRounds = 60, tolerance = 1e-7 }: BlockOptions = {},
): BlockEigen {
  const width = Math.min(n, count + SPARE);
  const random = createRandom(0).split("block");
  let block: Float64Array[] = Array.from({ length: width }, () =>
    Float64Array.from({ length: n }, () => random.next() - 0.5),
  );
  let values: Float64Array = new Float64Array(0);
  let converged = false;
  for (let round = 0; round < maxRounds && !converged; round++) {
    const { basis, images } = space(multiply, block, Math.min(n, width * DEPTH));
    const found = ritz(basis, images, width);
    block = found.vectors;
    values = found.values;
    const size = values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    converged = found.residuals.slice(0, count).every((r) => r <= tolerance * size);
    // A space of all vectors is exact.
    if (basis.length === n) converged = true;
  }
  const top = Math.min(count, n);
  const vectors = new Float64Array(top * n);
  for (let j = 0; j < top; j++) vectors.set(block[j], j * n);
  return { values: values.slice(0, top), vectors, converged };
}

/** An orthonormal basis of the block and its products, with the product of each vector. */
function space(
  multiply: (v: Float64Array, into: Float64Array) => void,
  block: readonly Float64Array[],
  most: number,
): { basis: Float64Array[]; images: Float64Array[] } {
  const basis: Float64Array[] = [];
  const images: Float64Array[] = [];
  let next = block;
  while (next.length > 0 && basis.length < most) {
    const fresh: Float64Array[] = [];
    for (const v of next) {
      if (basis.length === most) break;
      const kept = orthogonal(v, basis);
      if (!kept) continue;
      const image = new Float64Array(v.length);
      multiply(kept, image);
      basis.push(kept);
      images.push(image);
      fresh.push(image);
    }
    next = fresh;
  }
  return { basis, images };
}

/** The part of v that is orthogonal to a basis, of length 1; undefined where only rounding is left. */
function orthogonal(v: Float64Array, basis: readonly Float64Array[]): Float64Array | undefined {
  const left = v.slice();
  const before = Math.sqrt(dot(left, left));
  // Twice, since the first pass leaves rounding that later products would grow.
  for (let pass = 0; pass < 2; pass++) {
    for (const each of basis) add(left, -dot(left, each), each);
  }
  const rest = Math.sqrt(dot(left, left));
  return rest <= 1e-10 * before || rest === 0 ? undefined : left.map((x) => x / rest);
}

/** The best vectors of a space: those of the matrix within it, with how far each is from one of the whole matrix. */
function ritz(basis: readonly Float64Array[], images: readonly Float64Array[], width: number) {
  const m = basis.length;
  const small = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j <= i; j++) small[i * m + j] = dot(basis[i], images[j]);
  }
  const found = symmetricEigen(small, m);
  const top = Math.min(width, m);
  const [vectors, residuals]: [Float64Array[], number[]] = [[], []];
  for (let j = 0; j < top; j++) {
    const vector = new Float64Array(basis[0].length);
    const miss = new Float64Array(basis[0].length);
    for (let i = 0; i < m; i++) {
      const share = found.vectors[i * m + j];
      add(vector, share, basis[i]);
      add(miss, share, images[i]);
    }
    add(miss, -found.values[j], vector);
    vectors.push(vector);
    residuals.push(Math.sqrt(dot(miss, miss)));
  }
  return { values: found.values.slice(0, top), vectors, residuals };
}

function add(target: Float64Array, factor: number, v: Float64Array): void {
  for (let i = 0; i < target.length; i++) target[i] += factor * v[i];
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}
