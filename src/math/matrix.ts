/**
 * Dense linear algebra on flat arrays, row after row: element (i, j) of an m × n matrix is at
 * i * n + j. For matrices up to a few hundred rows.
 *
 * The decompositions are ml-matrix's (JAMA: Householder and QL, Golub–Kahan), which lose digits or
 * fail when entries are near the ends of the double range; so each matrix is first scaled to a
 * largest entry near 1. Signs of vectors are arbitrary, but the same for the same input.
 *
 * Golub & Van Loan (2013), Matrix Computations, 4th ed., Johns Hopkins University Press.
 */
import { EigenvalueDecomposition, Matrix, SingularValueDecomposition } from "ml-matrix";
import { CrowdError } from "../error.ts";

export interface SymmetricEigen {
  /** Eigenvalues, largest first. */
  readonly values: Float64Array;
  /** The unit eigenvector of values[j] is column j: vectors[i * n + j]. */
  readonly vectors: Float64Array;
}

/** a = u · diag(values) · vᵀ, with r = min(rows, columns) singular values. */
export interface Svd {
  /** Left vectors as columns: u[i * r + j], rows × r. */
  readonly u: Float64Array;
  /** Singular values, largest first. */
  readonly values: Float64Array;
  /** Right vectors as columns: v[i * r + j], columns × r. */
  readonly v: Float64Array;
}

/** Eigenvalues and orthonormal eigenvectors of a symmetric n × n matrix; reads its lower half. */
export function symmetricEigen(a: Float64Array, n: number): SymmetricEigen {
  const scale = checkMatrix("symmetricEigen", a, n, n);
  const matrix = new Matrix(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      matrix.set(i, j, a[i * n + j] / scale);
      matrix.set(j, i, a[i * n + j] / scale);
    }
  }
  if (n === 0) return { values: new Float64Array(0), vectors: new Float64Array(0) };
  const found = new EigenvalueDecomposition(matrix, { assumeSymmetric: true });
  const values = found.realEigenvalues;
  const order = Array.from(values, (_, j) => j).sort((i, j) => values[j] - values[i]);
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) vectors[i * n + j] = found.eigenvectorMatrix.get(i, order[j]);
  }
  return { values: Float64Array.from(order, (j) => values[j] * scale), vectors };
}

/** Singular values of a rows × columns matrix, largest first. */
export function singularValues(a: Float64Array, rows: number, columns: number): Float64Array {
  return svd(a, rows, columns).values;
}

/** Singular value decomposition of a rows × columns matrix, of any shape and rank. */
export function svd(a: Float64Array, rows: number, columns: number): Svd {
  const scale = checkMatrix("svd", a, rows, columns);
  const matrix = new Matrix(rows, columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) matrix.set(i, j, a[i * columns + j] / scale);
  }
  const r = Math.min(rows, columns);
  const u = new Float64Array(rows * r);
  const v = new Float64Array(columns * r);
  if (r === 0) return { u, values: new Float64Array(0), v };
  const found = new SingularValueDecomposition(matrix, { autoTranspose: true });
  for (let j = 0; j < r; j++) {
    for (let i = 0; i < rows; i++) u[i * r + j] = found.leftSingularVectors.get(i, j);
    for (let i = 0; i < columns; i++) v[i * r + j] = found.rightSingularVectors.get(i, j);
  }
  return { u, values: Float64Array.from(found.diagonal, (value) => value * scale), v };
}

/** Lower triangular L with a = L Lᵀ, or undefined when `a` is not clearly positive definite. */
export function cholesky(a: Float64Array, n: number): Float64Array | undefined {
  checkMatrix("cholesky", a, n, n);
  const lower = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) lower[i * n + j] = a[i * n + j];
  for (let j = 0; j < n; j++) {
    let rest = lower[j * n + j];
    for (let k = 0; k < j; k++) rest -= lower[j * n + k] * lower[j * n + k];
    // What is left of a diagonal after losing 13 digits is rounding, and no pivot.
    if (!(rest > 1e-13 * a[j * n + j])) return undefined;
    lower[j * n + j] = Math.sqrt(rest);
    let i = j + 1;
    for (; i + 3 < n; i += 4) eliminateFour(lower, n, i, j);
    for (; i < n; i++) {
      let left = lower[i * n + j];
      for (let k = 0; k < j; k++) left -= lower[i * n + k] * lower[j * n + k];
      lower[i * n + j] = left / lower[j * n + j];
    }
  }
  return lower;
}

/** Finishes column j of four rows at a time, whose sums do not wait for each other. */
function eliminateFour(lower: Float64Array, n: number, i: number, j: number): void {
  const [row, one, two, three, four] = [j * n, i * n, (i + 1) * n, (i + 2) * n, (i + 3) * n];
  let a = lower[one + j];
  let b = lower[two + j];
  let c = lower[three + j];
  let d = lower[four + j];
  for (let k = 0; k < j; k++) {
    const pivot = lower[row + k];
    a -= lower[one + k] * pivot;
    b -= lower[two + k] * pivot;
    c -= lower[three + k] * pivot;
    d -= lower[four + k] * pivot;
  }
  const last = lower[row + j];
  lower[one + j] = a / last;
  lower[two + j] = b / last;
  lower[three + j] = c / last;
  lower[four + j] = d / last;
}

/** Replaces b by the x with L Lᵀ x = b, L being lower triangular. */
export function solveCholesky(lower: Float64Array, b: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    let rest = b[i];
    for (let j = 0; j < i; j++) rest -= lower[i * n + j] * b[j];
    b[i] = rest / lower[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    b[i] /= lower[i * n + i];
    // Row by row, since columns of a large matrix lie far apart.
    for (let j = 0; j < i; j++) b[j] -= lower[i * n + j] * b[i];
  }
}

/** The inverse of a lower triangular matrix, lower triangular too. */
export function inverseLower(lower: Float64Array, n: number): Float64Array {
  checkSize("inverseLower", lower, n, n);
  const inverse = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const row = inverse.subarray(i * n, i * n + i + 1);
    row[i] = 1;
    let k = 0;
    // Four rows at a time: each is read once, and what they take from this one is written once.
    for (; k + 3 < i; k += 4) {
      const [one, two, three, four] = [0, 1, 2, 3].map((r) => lower[i * n + k + r]);
      const at = k * n;
      for (let j = 0; j <= k + 3; j++) {
        row[j] -=
          one * inverse[at + j] +
          two * inverse[at + n + j] +
          three * inverse[at + 2 * n + j] +
          four * inverse[at + 3 * n + j];
      }
    }
    for (; k < i; k++) {
      for (let j = 0; j <= k; j++) row[j] -= lower[i * n + k] * inverse[k * n + j];
    }
    for (let j = 0; j <= i; j++) row[j] /= lower[i * n + i];
  }
  return inverse;
}

/** The Moore–Penrose inverse, columns × rows. */
export function pseudoInverse(a: Float64Array, rows: number, columns: number): Float64Array {
  const { u, values, v } = svd(a, rows, columns);
  const r = values.length;
  const rank = rankOf(values, rows, columns);
  const inverse = new Float64Array(columns * rows);
  for (let i = 0; i < columns; i++) {
    for (let k = 0; k < rank; k++) {
      const weight = v[i * r + k] / values[k];
      for (let j = 0; j < rows; j++) inverse[i * rows + j] += weight * u[j * r + k];
    }
  }
  return inverse;
}

/** The x of `columns` numbers with the least |a x - b|², and of those the shortest. */
export function leastSquares(
  a: Float64Array,
  b: Float64Array,
  rows: number,
  columns: number,
): Float64Array {
  checkMatrix("leastSquares", b, rows, 1);
  const { u, values, v } = svd(a, rows, columns);
  const r = values.length;
  const rank = rankOf(values, rows, columns);
  const x = new Float64Array(columns);
  for (let k = 0; k < rank; k++) {
    let along = 0;
    for (let i = 0; i < rows; i++) along += u[i * r + k] * b[i];
    for (let j = 0; j < columns; j++) x[j] += (along / values[k]) * v[j * r + k];
  }
  return x;
}

/** The m × n product of an m × k and a k × n matrix. */
export function multiply(
  a: Float64Array,
  b: Float64Array,
  m: number,
  k: number,
  n: number,
): Float64Array {
  checkSize("multiply", a, m, k);
  checkSize("multiply", b, k, n);
  const product = new Float64Array(m * n);
  for (let i = 0; i < m; i++) {
    for (let s = 0; s < k; s++) {
      const weight = a[i * k + s];
      for (let j = 0; j < n; j++) product[i * n + j] += weight * b[s * n + j];
    }
  }
  return product;
}

/** How many singular values are above rounding, by the usual rule of MATLAB and NumPy. */
function rankOf(values: Float64Array, rows: number, columns: number): number {
  const floor = Math.max(rows, columns) * Number.EPSILON * values[0];
  let rank = 0;
  while (rank < values.length && values[rank] > floor) rank++;
  return rank;
}

/** The power of two at the largest entry, 1 if all are 0; dividing by it loses no digits. */
function checkMatrix(where: string, a: Float64Array, rows: number, columns: number): number {
  checkSize(where, a, rows, columns);
  let max = 0;
  for (let i = 0; i < rows * columns; i++) {
    if (!Number.isFinite(a[i])) {
      throw new CrowdError("bad-data", `${where}: entry ${i} must be finite, not ${a[i]}.`);
    }
    max = Math.max(max, Math.abs(a[i]));
  }
  return max === 0 ? 1 : 2 ** Math.max(-1022, Math.min(1023, Math.floor(Math.log2(max))));
}

function checkSize(where: string, a: Float64Array, rows: number, columns: number): void {
  if (rows >= 0 && columns >= 0 && a.length >= rows * columns) return;
  throw new CrowdError(
    "bad-data",
    `${where}: a ${rows} × ${columns} matrix needs ${rows * columns} numbers, not ${a.length}.`,
  );
}
