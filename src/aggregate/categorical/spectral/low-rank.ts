/** Singular values of the three unfoldings of a table of A × B × C numbers, and what is left of it when they shrink. */
import { multiply, symmetricEigen } from "../../../math/matrix.ts";

/** Sizes of a table whose cell (a, b, c) stands at (a * B + b) * C + c. */
export type Sizes = readonly [A: number, B: number, C: number];

/**
 * The table with the singular values of one unfolding, rows by one of its three sides, lowered by
 * `amount` and none below 0; and the sum of those that are left. O(p² q) for p × q, p ≤ q.
 */
export function shrink(
  table: Float64Array,
  sizes: Sizes,
  side: 0 | 1 | 2,
  amount: number,
): { shrunk: Float64Array; nuclear: number } {
  const rows = sizes[side];
  const columns = table.length / rows;
  // Place of cell (row, column) of the unfolding: row * step + base[column].
  const step = side === 0 ? sizes[1] * sizes[2] : side === 1 ? sizes[2] : 1;
  const base = new Int32Array(columns);
  for (let at = 0, column = 0; at < table.length; at++) {
    if (Math.floor(at / step) % rows === 0) base[column++] = at;
  }
  // The shorter side first, row by row.
  const flat = rows <= columns;
  const [p, q] = flat ? [rows, columns] : [columns, rows];
  const place = (i: number, j: number) => (flat ? i * step + base[j] : j * step + base[i]);
  const matrix = new Float64Array(p * q);
  for (let i = 0; i < p; i++) for (let j = 0; j < q; j++) matrix[i * q + j] = table[place(i, j)];
  const { values, vectors } = symmetricEigen(innerProducts(matrix, p, q), p);
  let nuclear = 0;
  const filter = new Float64Array(p * p);
  values.forEach((value, s) => {
    const left = Math.sqrt(Math.max(0, value)) - amount;
    if (!(left > 0)) return;
    nuclear += left;
    for (let i = 0; i < p; i++) {
      const weight = (left / (left + amount)) * vectors[i * p + s];
      for (let k = 0; k < p; k++) filter[i * p + k] += weight * vectors[k * p + s];
    }
  });
  const filtered = multiply(filter, matrix, p, p, q);
  const shrunk = new Float64Array(table.length);
  for (let i = 0; i < p; i++) for (let j = 0; j < q; j++) shrunk[place(i, j)] = filtered[i * q + j];
  return { shrunk, nuclear };
}

/** A Aᵀ, its lower half. */
function innerProducts(matrix: Float64Array, p: number, q: number): Float64Array {
  const gram = new Float64Array(p * p);
  for (let i = 0; i < p; i++) {
    for (let k = 0; k <= i; k++) {
      let sum = 0;
      for (let j = 0; j < q; j++) sum += matrix[i * q + j] * matrix[k * q + j];
      gram[i * p + k] = sum;
    }
  }
  return gram;
}

/** The largest singular value of an unfolding, by power steps from a vector of ones. */
export function largestSingular(table: Float64Array, sizes: Sizes, side: 0 | 1 | 2): number {
  const rows = sizes[side];
  const step = side === 0 ? sizes[1] * sizes[2] : side === 1 ? sizes[2] : 1;
  const rowOf = (at: number) => Math.floor(at / step) % rows;
  const columnOf = (at: number) => Math.floor(at / (step * rows)) * step + (at % step);
  let vector: Float64Array = new Float64Array(rows).fill(1 / Math.sqrt(rows));
  let value = 0;
  for (let iteration = 0; iteration < 30; iteration++) {
    const image = new Float64Array(table.length / rows);
    for (let at = 0; at < table.length; at++) image[columnOf(at)] += table[at] * vector[rowOf(at)];
    const back = new Float64Array(rows);
    for (let at = 0; at < table.length; at++) back[rowOf(at)] += table[at] * image[columnOf(at)];
    const length = Math.sqrt(back.reduce((sum, x) => sum + x * x, 0));
    if (!(length > 0)) return 0;
    value = Math.sqrt(length);
    vector = back.map((x) => x / length);
  }
  return value;
}
