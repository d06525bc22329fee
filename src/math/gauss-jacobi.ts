/**
 * Gauss–Jacobi quadrature: means under a Beta distribution as finite sums.
 *
 *   E f(q) for q ~ Beta(a, b)  =  sum over s of weights[s] · f(nodes[s])
 *
 * exactly for polynomials f up to degree 2 · size - 1. The nodes are the eigenvalues of the
 * symmetric tridiagonal matrix of the three-term recurrence; the weights come from the orthonormal
 * polynomials at the nodes, so that small ones keep their digits. O(size²).
 *
 * Golub & Welsch (1969), Mathematics of Computation 23(106), 221–230.
 * https://doi.org/10.1090/S0025-5718-69-99647-1
 */
import { CrowdError } from "../error.ts";

export interface Quadrature {
  /** Between 0 and 1, smallest first. */
  readonly nodes: Float64Array;
  /** They sum to 1. */
  readonly weights: Float64Array;
}

/** The rule with `size` nodes for Beta(a, b), a and b above 0. */
export function gaussJacobi(size: number, a: number, b: number): Quadrature {
  if (!(Number.isInteger(size) && size >= 1 && a > 0 && b > 0 && a + b < Infinity)) {
    throw new CrowdError(
      "bad-option",
      `gaussJacobi: it takes a size from 1 and a and b above 0, not ${size}, ${a} and ${b}.`,
    );
  }
  const { centre, spread } = recurrence(size, a, b);
  const nodes = eigenvalues(centre.slice(), spread.slice(1));
  const weights = nodes.map((q) => 1 / squares(q, centre, spread));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return { nodes, weights: weights.map((weight) => weight / total) };
}

/** q·p[n] = spread[n + 1]·p[n + 1] + centre[n]·p[n] + spread[n]·p[n - 1], p orthonormal on 0..1. */
function recurrence(size: number, a: number, b: number) {
  const centre = new Float64Array(size);
  const spread = new Float64Array(size);
  const c = a + b;
  for (let n = 0; n < size; n++) {
    const m = 2 * n + c;
    centre[n] = n === 0 ? a / c : 0.5 + (((a - b) / (m - 2)) * ((c - 2) / m)) / 2;
    if (n === 0) continue;
    // (n + c - 2) / (m - 3) is 1 for n = 1, and 0/0 if c is 1 as well.
    const last = n === 1 ? 1 : (n + c - 2) / (m - 3);
    const rates = ((n + a - 1) / (m - 2)) * ((n + b - 1) / (m - 2));
    spread[n] = Math.sqrt(rates * last * (n / (m - 1)));
  }
  return { centre, spread };
}

/** Sum of the squared orthonormal polynomials at q. */
function squares(q: number, centre: Float64Array, spread: Float64Array): number {
  let [last, now, sum] = [0, 1, 1];
  for (let n = 0; n + 1 < centre.length; n++) {
    [last, now] = [now, ((q - centre[n]) * now - spread[n] * last) / spread[n + 1]];
    sum += now * now;
  }
  return sum;
}

/** Of a symmetric tridiagonal matrix, smallest first, by QL with implicit shifts; overwrites both. */
function eigenvalues(diagonal: Float64Array, beside: Float64Array): Float64Array {
  const n = diagonal.length;
  const off = new Float64Array(n);
  off.set(beside);
  for (let l = 0; l < n; l++) {
    for (;;) {
      let m = l;
      while (m < n - 1 && !negligible(off[m], diagonal[m], diagonal[m + 1])) m++;
      if (m === l) break;
      turn(diagonal, off, l, m);
    }
  }
  return diagonal.sort();
}

/** One QL sweep on rows l..m: Wilkinson's shift, then a chain of plane rotations from the end. */
function turn(diagonal: Float64Array, off: Float64Array, l: number, m: number): void {
  const slope = (diagonal[l + 1] - diagonal[l]) / (2 * off[l]);
  const root = Math.hypot(slope, 1);
  let g = diagonal[m] - diagonal[l] + off[l] / (slope + (slope < 0 ? -root : root));
  let [s, c, p] = [1, 1, 0];
  for (let i = m - 1; i >= l; i--) {
    const f = s * off[i];
    const h = c * off[i];
    const r = Math.hypot(f, g);
    off[i + 1] = r;
    if (r === 0) {
      diagonal[i + 1] -= p;
      off[m] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = diagonal[i + 1] - p;
    const t = (diagonal[i] - g) * s + 2 * c * h;
    p = s * t;
    diagonal[i + 1] = g + p;
    g = c * t - h;
  }
  diagonal[l] -= p;
  off[l] = g;
  off[m] = 0;
}

function negligible(off: number, a: number, b: number): boolean {
  return !(Math.abs(off) > Number.EPSILON * (Math.abs(a) + Math.abs(b)));
}
