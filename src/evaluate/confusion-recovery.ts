/** How near fitted confusions come to the true ones of a simulated crowd. */
import { assign } from "../math/assignment.ts";

/** How close fitted confusion matrices are to the true ones. */
export interface Recovery {
  /** Mean absolute error of a cell, and root of the mean squared one. */
  readonly meanError: number;
  readonly rootMeanSquare: number;
  /** The true class that each fitted class was matched with. */
  readonly permutation: Int32Array;
}

/**
 * Errors of confusion[(worker * K + class) * L + label] after the best common renaming of the true
 * classes, one for all workers; `weights` counts workers, by their labels say.
 */
export function confusionRecovery(
  fitted: Float64Array,
  truth: Float64Array,
  { classes: K, given: L }: { readonly classes: number; readonly given: number },
  weights?: ArrayLike<number>,
): Recovery {
  const W = truth.length / (K * L);
  const weight = (w: number) => (weights ? weights[w] : 1);
  const cost = new Float64Array(K * K);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      for (let c = 0; c < K; c++) {
        for (let l = 0; l < L; l++) {
          const gap = fitted[(w * K + k) * L + l] - truth[(w * K + c) * L + l];
          cost[k * K + c] += weight(w) * Math.abs(gap);
        }
      }
    }
  }
  const permutation = assign(cost, K);
  let [absolute, squared, total] = [0, 0, 0];
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < L; l++) {
        const gap = fitted[(w * K + k) * L + l] - truth[(w * K + permutation[k]) * L + l];
        absolute += weight(w) * Math.abs(gap);
        squared += weight(w) * gap * gap;
        total += weight(w);
      }
    }
  }
  return {
    meanError: total > 0 ? absolute / total : 0,
    rootMeanSquare: total > 0 ? Math.sqrt(squared / total) : 0,
    permutation,
  };
}
