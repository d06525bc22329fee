/**
 * The probabilities x that make ½ xᵀGx - bᵀx least, for a positive semidefinite G: least squares on
 * the simplex.
 *
 * Active sets: the free entries solve the problem with only their sum fixed; an entry that would
 * become negative is held at 0, and one held at 0 whose gradient says that it would help is freed.
 * O(n³) a change of the set, and rarely more than 2n changes.
 *
 * Nocedal & Wright (2006), Numerical Optimization, section 16.5. https://doi.org/10.1007/978-0-387-40065-5
 */
import { leastSquares } from "./matrix.ts";

/** G as gram[i * n + j]; returns n numbers, none below 0, that sum to 1. */
export function simplexLeastSquares(gram: Float64Array, b: Float64Array, n: number): Float64Array {
  let trace = 0;
  for (let i = 0; i < n; i++) trace += gram[i * n + i];
  // Where G leaves a direction open, the ridge chooses the entries that are most alike.
  const scale = trace > 0 ? trace : 1;
  const x = new Float64Array(n).fill(1 / Math.max(1, n));
  const free = new Set<number>(x.keys());
  for (let change = 0; change < 10 * n + 10; change++) {
    const target = solveFree(gram, b, n, [...free], 1e-13 * scale);
    // As far towards the target as no entry becomes negative.
    let step = 1;
    let blocked = -1;
    for (const i of free) {
      if (target[i] >= 0 || x[i] / (x[i] - target[i]) >= step) continue;
      step = x[i] / (x[i] - target[i]);
      blocked = i;
    }
    for (const i of free) x[i] = Math.max(0, x[i] + step * (target[i] - x[i]));
    if (blocked >= 0) {
      x[blocked] = 0;
      free.delete(blocked);
      continue;
    }
    const best = mostWanted(gram, b, n, x, free, 1e-12 * scale);
    if (best < 0) break;
    free.add(best);
  }
  const sum = x.reduce((total, value) => total + value, 0);
  return x.map((value) => value / sum);
}

/** The least over the free entries alone, with their sum at 1. */
function solveFree(
  gram: Float64Array,
  b: Float64Array,
  n: number,
  free: readonly number[],
  ridge: number,
): Float64Array {
  const m = free.length;
  const g = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < m; j++) g[i * m + j] = gram[free[i] * n + free[j]];
    g[i * m + i] += ridge;
  }
  const least = leastSquares(
    g,
    Float64Array.from(free, (i) => b[i]),
    m,
    m,
  );
  const shift = leastSquares(g, new Float64Array(m).fill(1), m, m);
  const missing = 1 - least.reduce((sum, value) => sum + value, 0);
  const total = shift.reduce((sum, value) => sum + value, 0);
  const x = new Float64Array(n);
  for (let i = 0; i < m; i++) x[free[i]] = least[i] + (missing / total) * shift[i];
  return x;
}

/** The entry at 0 that would lower the objective fastest, or -1. */
function mostWanted(
  gram: Float64Array,
  b: Float64Array,
  n: number,
  x: Float64Array,
  free: ReadonlySet<number>,
  slack: number,
): number {
  const slope = (i: number) => {
    let sum = -b[i];
    for (let j = 0; j < n; j++) sum += gram[i * n + j] * x[j];
    return sum;
  };
  // All free entries have the same slope, which is the price of the sum.
  let price = 0;
  for (const i of free) price += slope(i) / free.size;
  let best = -1;
  let least = price - slack;
  for (let i = 0; i < n; i++) {
    if (!free.has(i) && slope(i) < least) {
      least = slope(i);
      best = i;
    }
  }
  return best;
}
