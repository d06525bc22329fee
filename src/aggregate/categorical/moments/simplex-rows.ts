/** Least squares for a table whose rows are probabilities. */
import { symmetricEigen } from "../../../math/matrix.ts";
import { projectToSimplex } from "../../../math/simplex.ts";

/**
 * Lowers tr(AᵀGA) - 2 tr(BᵀA) over K × L tables A with rows on the simplex, in place: accelerated
 * projected gradients, which start anew where the sum would rise.
 */
export function descendRows(
  table: Float64Array,
  gram: Float64Array,
  linear: Float64Array,
  K: number,
  L: number,
  steps = 10,
): void {
  const steepest = symmetricEigen(gram, K).values[0];
  if (!(steepest > 0)) return;
  let ahead = table.slice();
  let momentum = 1;
  let last = value(table, gram, linear, K, L);
  for (let step = 0; step < steps; step++) {
    const next = ahead.slice();
    const slope = gradient(ahead, gram, linear, K, L);
    for (let at = 0; at < next.length; at++) next[at] -= slope[at] / steepest;
    for (let k = 0; k < K; k++) projectToSimplex(next, k * L, (k + 1) * L);
    const reached = value(next, gram, linear, K, L);
    if (reached > last) {
      if (momentum === 1) return;
      momentum = 1;
      ahead = table.slice();
      continue;
    }
    const grown = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const push = (momentum - 1) / grown;
    ahead = next.map((x, at) => x + push * (x - table[at]));
    const moved = next.reduce((most, x, at) => Math.max(most, Math.abs(x - table[at])), 0);
    table.set(next);
    [momentum, last] = [grown, reached];
    if (moved < 1e-14) return;
  }
}

/** G A - B */
function gradient(
  table: Float64Array,
  gram: Float64Array,
  linear: Float64Array,
  K: number,
  L: number,
): Float64Array {
  const slope = linear.map((x) => -x);
  for (let i = 0; i < K; i++) {
    for (let j = 0; j < K; j++) {
      for (let l = 0; l < L; l++) slope[i * L + l] += gram[i * K + j] * table[j * L + l];
    }
  }
  return slope;
}

function value(
  table: Float64Array,
  gram: Float64Array,
  linear: Float64Array,
  K: number,
  L: number,
): number {
  const slope = gradient(table, gram, linear, K, L);
  return table.reduce((sum, x, at) => sum + x * (slope[at] - linear[at]), 0);
}
