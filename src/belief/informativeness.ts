/**
 * How much a worker's label depends on the class: the mean squared distance between the rows of a confusion,
 * rows[k * L + l] = P(label l | class k). 0 if the label does not depend on the class, 1 for a permutation.
 *
 * Raykar & Yu (2012), Journal of Machine Learning Research 13, 491–518. https://jmlr.org/papers/v13/raykar12a.html
 */

/** Raykar and Yu: Σ_{k<k'} Σ_l (rows[k][l] − rows[k'][l])² / (K (K − 1)); 0 for one class. O(K L). */
export function informativeness(rows: Float64Array, K: number, L: number): number {
  if (K < 2) return 0;
  // Σ_{k<k'} (x[k] − x[k'])² = K Σ (x[k] − mean)².
  let sum = 0;
  for (let l = 0; l < L; l++) {
    let mean = 0;
    for (let k = 0; k < K; k++) mean += rows[k * L + l] / K;
    for (let k = 0; k < K; k++) sum += (rows[k * L + l] - mean) ** 2;
  }
  return sum / (K - 1);
}
