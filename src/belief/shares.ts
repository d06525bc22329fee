/** Shares of classes, and the floor that keeps their logarithms finite. */
/** Probabilities are kept at or above this before their logarithm is taken. */
export const FLOOR = 1e-10;

/** Shares of the classes from (pseudo-)counts, none below the floor. */
export function sharesOf(counts: ArrayLike<number>, into: Float64Array): void {
  let total = 0;
  for (let k = 0; k < into.length; k++) total += counts[k];
  let sum = 0;
  for (let k = 0; k < into.length; k++) {
    into[k] = Math.max(FLOOR, total > 0 ? counts[k] / total : 1 / into.length);
    sum += into[k];
  }
  for (let k = 0; k < into.length; k++) into[k] /= sum;
}
