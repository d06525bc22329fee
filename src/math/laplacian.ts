/**
 * Systems whose matrix is a diagonal less the weights of a graph's edges: a weighted Laplacian with something added to its
 * diagonal. They are solved by conjugate gradients, preconditioned by the diagonal, without the matrix.
 *
 * A run stops by an estimate of its error in the norm of the matrix, relative to the solution: what its last steps gained,
 * a fifth of all of them, is about what was missing before.
 *
 * Strakoš & Tichý (2002), Electronic Transactions on Numerical Analysis 13, 56–80.
 */

/** Edges between n vertices, in the order of their first one. */
export interface Edges {
  readonly n: number;
  /** Edges of vertex a are those from start[a] up to start[a + 1]. */
  readonly start: Int32Array;
  readonly second: Int32Array;
}

/** Sorts edges that are in the order of their first vertex already. */
export function edgesOf(n: number, first: Int32Array, second: Int32Array): Edges {
  const start = new Int32Array(n + 1);
  for (const a of first) start[a + 1]++;
  for (let a = 0; a < n; a++) start[a + 1] += start[a];
  return { n, start, second };
}

/** diag(diagonal) less the weights of the edges. */
export interface EdgeMatrix {
  readonly edges: Edges;
  readonly diagonal: Float64Array;
  readonly weight: Float64Array;
}

/** Writes matrix · x. */
export function timesEdges(
  { edges: { n, start, second }, diagonal, weight }: EdgeMatrix,
  x: Float64Array,
  into: Float64Array,
): void {
  for (let a = 0; a < n; a++) into[a] = diagonal[a] * x[a];
  for (let a = 0; a < n; a++) {
    const own = x[a];
    let sum = 0;
    for (let e = start[a]; e < start[a + 1]; e++) {
      const b = second[e];
      sum += weight[e] * x[b];
      into[b] -= weight[e] * own;
    }
    into[a] -= sum;
  }
}

/** Replaces the right side by the solution; the number of steps that it took. */
export function solveEdges(matrix: EdgeMatrix, right: Float64Array, tolerance: number): number {
  const { n } = matrix.edges;
  const { diagonal } = matrix;
  const rest = right.slice();
  const [direction, product] = [new Float64Array(n), new Float64Array(n)];
  const gains: number[] = [];
  let [all, size, before] = [0, 0, 0];
  right.fill(0);
  for (let step = 1; step <= 4 * n + 100; step++) {
    size = 0;
    for (let i = 0; i < n; i++) size += (rest[i] * rest[i]) / diagonal[i];
    if (!(size > 0)) return step - 1;
    const keep = step === 1 ? 0 : size / before;
    for (let i = 0; i < n; i++) direction[i] = rest[i] / diagonal[i] + keep * direction[i];
    timesEdges(matrix, direction, product);
    let bend = 0;
    for (let i = 0; i < n; i++) bend += direction[i] * product[i];
    if (!(bend > 0)) return step - 1;
    const far = size / bend;
    for (let i = 0; i < n; i++) {
      right[i] += far * direction[i];
      rest[i] -= far * product[i];
    }
    before = size;
    gains.push(far * size);
    all += far * size;
    if (lastGains(gains) <= tolerance * tolerance * all) return step;
  }
  return 4 * n + 100;
}

/** What the last fifth of the steps gained; summed anew, since it is far smaller than what all did. */
function lastGains(gains: readonly number[]): number {
  let sum = 0;
  for (let k = Math.floor((4 * gains.length) / 5); k < gains.length; k++) sum += gains[k];
  return sum;
}
