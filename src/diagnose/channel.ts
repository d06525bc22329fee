/**
 * A worker as a noisy channel from true class to label: how much comes through a K × L confusion,
 * rows[k * L + l] = P(label l | class k).
 *
 * The informativeness is the mean squared distance between rows: 0 if the label does not depend on the
 * class, 1 for a permutation. Information is that between class and label at given class shares;
 * capacity is the most it can be over all shares, found by Blahut and Arimoto's iterations. A worker who
 * always lies scores as high as one who never does: turned around, they are as useful.
 *
 * Raykar & Yu (2012), Journal of Machine Learning Research 13, 491–518. https://jmlr.org/papers/v13/raykar12a.html
 * Blahut (1972), IEEE Trans. Information Theory 18(4), 460–473. https://doi.org/10.1109/TIT.1972.1054855
 * Arimoto (1972), IEEE Trans. Information Theory 18(1), 14–20. https://doi.org/10.1109/TIT.1972.1054753
 */

/** I(class; label) in nats if classes have these shares. */
export function information(
  rows: Float64Array,
  shares: ArrayLike<number>,
  K: number,
  L: number,
): number {
  const divergence = new Float64Array(K);
  return divergences(rows, shares, K, L, divergence);
}

export interface Capacity {
  readonly nats: number;
  readonly bits: number;
  /** The class shares at which it is reached. */
  readonly shares: Float64Array;
}

export interface CapacityOptions {
  /** Nats within which the bounds must come. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
  /** Arrays to work in, for callers with thousands of channels; the shares of the result are one of them. */
  readonly room?: readonly [Float64Array, Float64Array, Float64Array, Float64Array];
}

/** Makes the arrays that `capacity` works in. */
export function capacityRoom(K: number): NonNullable<CapacityOptions["room"]> {
  return [new Float64Array(K), new Float64Array(K), new Float64Array(K), new Float64Array(K)];
}

/**
 * Iterates share[k] ← share[k] exp(step · D[k]) / Z with D[k] the divergence of row k from the mixture,
 * until its bounds log Σ share e^D ≤ C ≤ max D are within `tolerance` nats. A step of 1 is the classical one
 * and never lowers the information; noisy channels allow larger ones, which are kept while they pay.
 */
export function capacity(
  rows: Float64Array,
  K: number,
  L: number,
  { tolerance = 1e-9, maxIterations = 10_000, room = capacityRoom(K) }: CapacityOptions = {},
): Capacity {
  let [shares, divergence, moved, next] = room;
  shares.fill(1 / Math.max(1, K));
  let best = divergences(rows, shares, K, L, divergence);
  let step = 1;
  for (let i = 0; i < maxIterations && K > 1; i++) {
    if (largest(divergence) - lowerBound(shares, divergence) < tolerance) break;
    moveAlong(shares, divergence, step, moved);
    const found = divergences(rows, moved, K, L, next);
    if (found < best && step > 1) {
      step = Math.max(1, step / 4);
      continue;
    }
    [shares, moved, divergence, next, best] = [moved, shares, next, divergence, found];
    step *= 1.5;
  }
  const nats = K > 1 ? Math.max(0, lowerBound(shares, divergence)) : 0;
  return { nats, bits: nats / Math.LN2, shares };
}

/** Σ shares · D, the information; writes each row's divergence from the mixture, in nats. */
function divergences(
  rows: Float64Array,
  shares: ArrayLike<number>,
  K: number,
  L: number,
  divergence: Float64Array,
): number {
  divergence.fill(0);
  for (let l = 0; l < L; l++) {
    let mixed = 0;
    for (let k = 0; k < K; k++) mixed += shares[k] * rows[k * L + l];
    for (let k = 0; k < K; k++) {
      const rate = rows[k * L + l];
      // A class of no share may say what no other says; its divergence is then without bound.
      if (rate > 0) divergence[k] += rate * Math.log(rate / Math.max(mixed, 1e-300));
    }
  }
  let total = 0;
  for (let k = 0; k < K; k++) total += shares[k] * divergence[k];
  return Math.max(0, total);
}

function lowerBound(shares: Float64Array, divergence: Float64Array): number {
  const top = largest(divergence);
  let sum = 0;
  for (let k = 0; k < shares.length; k++) sum += shares[k] * Math.exp(divergence[k] - top);
  return top + Math.log(sum);
}

/** Writes the new shares to `moved`. */
function moveAlong(
  shares: Float64Array,
  divergence: Float64Array,
  step: number,
  moved: Float64Array,
): void {
  const top = largest(divergence);
  let total = 0;
  for (let k = 0; k < shares.length; k++) {
    moved[k] = shares[k] * Math.exp(step * (divergence[k] - top));
    total += moved[k];
  }
  for (let k = 0; k < shares.length; k++) moved[k] /= total;
}

function largest(values: Float64Array): number {
  let max = -Infinity;
  for (let k = 0; k < values.length; k++) if (values[k] > max) max = values[k];
  return max;
}
