/**
 * How many independent workers a panel is worth, from the correlation of its errors.
 *
 *   n(S) = max over w ≥ 0 of (Σ w)² / (wᵀ R w)
 *
 * Without w ≥ 0 the maximum is 1ᵀ R⁻¹ 1, which subtracts one worker's errors from another's and is unstable.
 * Each sweep sets w ← w / (R w) and normalises; it never raises wᵀ R w, since for R ≥ 0
 * wᵀ R w ≤ Σ (R v)[i] w[i]² / v[i] with equality at w = v.
 */

/** Error correlations of workers: a background for all pairs, and values for some. */
export interface ErrorCorrelations {
  /** Correlation of pairs without a value of their own, from 0 to 1. */
  readonly background: number;
  /** Partners of each worker with a correlation of their own, and its value from 0 to 1. */
  readonly partners: readonly ReadonlyMap<number, number>[];
}

const SWEEPS = 3000;
const TOLERANCE = 1e-9;

/** Returns the effective number of the given workers, from 1 to their number; 0 for none. */
export function panelSize(R: ErrorCorrelations, workers: ArrayLike<number>): number {
  const n = workers.length;
  if (n <= 1) return n;
  const place = new Map<number, number>();
  for (let i = 0; i < n; i++) place.set(workers[i], i);
  const edges: [number, number, number][] = [];
  for (let i = 0; i < n; i++) {
    for (const [v, rho] of R.partners[workers[i]]) {
      const j = place.get(v);
      if (j !== undefined && rho !== R.background) edges.push([i, j, rho - R.background]);
    }
  }
  if (edges.length === 0) return n / (1 + (n - 1) * R.background);
  return maximise(n, R.background, edges);
}

function maximise(
  n: number,
  background: number,
  edges: readonly [number, number, number][],
): number {
  const w = new Float64Array(n).fill(1 / n);
  const Rw = new Float64Array(n);
  let value = n;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    // The weights sum to 1.
    for (let i = 0; i < n; i++) Rw[i] = background + (1 - background) * w[i];
    for (const [i, j, rho] of edges) Rw[i] += rho * w[j];
    let [square, total] = [0, 0];
    for (let i = 0; i < n; i++) square += w[i] * Rw[i];
    for (let i = 0; i < n; i++) {
      w[i] = Rw[i] > 0 ? w[i] / Rw[i] : 0;
      total += w[i];
    }
    for (let i = 0; i < n; i++) w[i] /= total;
    const last = value;
    value = square;
    if (Math.abs(value - last) < TOLERANCE * value) break;
  }
  return Math.min(n, Math.max(1, 1 / value));
}

/**
 * Returns the effective number of a whole crowd: the sum over its parts, workers joined by correlations
 * above 0. With a background above 0 all are one part.
 */
export function crowdSize(R: ErrorCorrelations, workers: readonly number[]): number {
  return partsOf(R, workers).reduce((sum, part) => sum + panelSize(R, part), 0);
}

/** Returns workers joined by correlations above 0, directly or through others. */
export function partsOf(
  { background, partners }: ErrorCorrelations,
  workers: readonly number[],
): number[][] {
  if (background > 0) return workers.length > 0 ? [[...workers]] : [];
  const open = new Set(workers);
  const parts: number[][] = [];
  for (const first of workers) {
    if (!open.delete(first)) continue;
    const part = [first];
    for (const w of part) {
      for (const [v, rho] of partners[w]) if (rho > 0 && open.delete(v)) part.push(v);
    }
    parts.push(part);
  }
  return parts;
}
