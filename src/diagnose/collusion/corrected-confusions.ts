/**
 * Confusions of workers from beliefs that are not certain, corrected for it: Q θ = M with
 * Q[c', c] = Σ q[c'] q[c] and M[c', l] = Σ q[c'] over the labels l of a worker. In expectation M = Q θ,
 * while counting alone gives a blurred θ.
 */
import { byWorker, type CategoricalData } from "../../data/categorical.ts";
import { cholesky, solveCholesky } from "../../math/matrix.ts";

/** Added to the diagonal of Q, in tasks, so that classes without tasks keep rates. */
const RIDGE = 1e-6;

/**
 * Returns P(label | class, worker) as theta[(worker * K + class) * K + label] from tasks with labels in
 * `support`, zeros for workers without labels. O(N K² + W K³).
 */
export function correctedConfusions(
  data: CategoricalData,
  belief: Float64Array,
  support: Int32Array,
): Float64Array {
  const K = data.classes.length;
  const W = data.workers.length;
  const { start, other, label } = byWorker(data);
  const theta = new Float64Array(W * K * K);
  for (let w = 0; w < W; w++) {
    if (start[w + 1] === start[w]) continue;
    const moments = new Float64Array(K * K);
    const counts = new Float64Array(K * K);
    for (let i = start[w]; i < start[w + 1]; i++) {
      const t = other[i];
      if (support[t] === 0) continue;
      for (let c = 0; c < K; c++) {
        const q = belief[t * K + c];
        if (q === 0) continue;
        counts[label[i] * K + c] += q;
        for (let d = 0; d < K; d++) moments[c * K + d] += q * belief[t * K + d];
      }
    }
    theta.set(solveRows(moments, counts, K), w * K * K);
  }
  return theta;
}

/** Solves Q x = M for each label's column counts[label * K + ·]; rows are clipped at 0 and sum to 1. */
function solveRows(moments: Float64Array, counts: Float64Array, K: number): Float64Array {
  for (let c = 0; c < K; c++) moments[c * K + c] += RIDGE;
  const lower = cholesky(moments, K);
  const rows = new Float64Array(K * K);
  for (let l = 0; l < K; l++) {
    const column = counts.subarray(l * K, (l + 1) * K);
    if (lower) solveCholesky(lower, column, K);
    for (let c = 0; c < K; c++) rows[c * K + l] = Math.max(0, column[c]);
  }
  for (let c = 0; c < K; c++) {
    let total = 0;
    for (let l = 0; l < K; l++) total += rows[c * K + l];
    for (let l = 0; l < K; l++) rows[c * K + l] = total > 0 ? rows[c * K + l] / total : 1 / K;
  }
  return rows;
}
