/**
 * Whether a worker's labels depend on the truth at all, judged by what the others say of the tasks.
 *
 *   c[k][l] = Σ belief[k] over the worker's labels l      A, B its margins, n labels
 *   X² = Σ (c − A B / n)² / (A B / n)
 *
 * is Pearson's statistic with a belief in place of a known class. If labels did not depend on classes,
 * any order of the labels would be as likely: the mean of X² over all orders is known exactly, its
 * variance, for many labels, too. With `draws`, p comes from random orders; with 0 draws from the gamma
 * distribution of that mean and variance, which is close from some hundred labels on and careful below.
 *
 * The diagonal Σ c[k][k] has an exact mean and variance over orders as well. Far below its mean it is
 * that of a worker who avoids the right label; and how far above it would be for a worker who knows half
 * of the answers tells whether there are labels enough to judge.
 *
 * A worker who knows the share s of the answers and guesses the rest is right s (1 − Σ share²) more often than
 * guesses with the same label shares would be. With c[i][k] = belief[i][k] − its mean over i, the diagonal then
 * exceeds its mean over orders by s Σ belief · c in expectation: `knowing` gives that excess for a worker
 * `MARGIN` above guessing, with its standard deviation.
 */
import { chiSquareCdf, normalCdf } from "../math/incomplete.ts";
import type { Random } from "../math/random.ts";
import type { OthersBelief } from "./leave-one-out.ts";

/** The normal quantile of .95: what chance exceeds once in twenty. */
export const ONE_SIDED = 1.6449;

export interface Dependence {
  /** Labels it rests on. */
  readonly n: number;
  /** Belief-weighted counts, counts[class * L + label]. */
  readonly counts: Float64Array;
  /** X², and its mean if labels did not depend on the truth. */
  readonly statistic: number;
  readonly nullMean: number;
  /** Chance of so large a statistic if labels did not depend on the truth. */
  readonly p: number;
  /** How far the diagonal is above its mean over orders, in standard deviations; 0 where it is constant. */
  readonly diagonal: number;
  /** Chance that one who knows half of the answers and guesses the rest would be above by 1.645. */
  readonly power: number;
  /** The diagonal: its mean over orders, and how far it is above that; its standard deviation over orders. */
  readonly chance: number;
  readonly excess: number;
  readonly deviation: number;
  /** The excess of a worker who is right `MARGIN` more often than guessing: mean and standard deviation. */
  readonly knowing: { readonly excess: number; readonly deviation: number };
}

/** How much more often than by guessing a worker must be right to be called clearly better: 15 points. */
export const MARGIN = 0.15;

export function dependence(
  { label, belief }: OthersBelief,
  K: number,
  L: number,
  random: Random,
  draws: number,
): Dependence {
  const n = label.length;
  const counts = countBeliefs(label, belief, K, L);
  const moments = secondMoments(belief, K, n);
  const classes = new Float64Array(K);
  const labels = new Float64Array(L);
  for (let k = 0; k < K; k++) {
    for (let l = 0; l < L; l++) {
      classes[k] += counts[k * L + l];
      labels[l] += counts[k * L + l];
    }
  }
  const statistic = pearsonOf(counts, classes, labels, n);
  const { mean, variance } = nullMoments(moments, classes, labels, n);
  const spread = Math.sqrt(Math.max(0, diagonalVariance(moments, classes, labels, n)));
  const { chance, excess } = diagonalOf(counts, classes, labels, n);
  const base = {
    n,
    counts,
    statistic,
    nullMean: mean,
    diagonal: spread ** 2 > 1e-12 ? excess / spread : 0,
    chance,
    excess,
    deviation: spread,
    knowing: knowingExcess(belief, classes, labels, n),
    power: diagonalPower(moments, classes, n),
  };
  // A constant label, or a belief that is always the same, can show nothing.
  if (!(mean > 1e-12)) return { ...base, p: 1 };
  if (draws === 0) return { ...base, p: gammaTail(statistic, mean, variance) };
  const order = label.slice();
  let above = 0;
  for (let draw = 0; draw < draws; draw++) {
    for (let i = n - 1; i > 0; i--) {
      const j = Math.floor(random.next() * (i + 1));
      const other = order[j];
      order[j] = order[i];
      order[i] = other;
    }
    const drawn = pearsonOf(countBeliefs(order, belief, K, L), classes, labels, n);
    if (drawn >= statistic - 1e-9 * mean) above++;
  }
  return { ...base, p: (1 + above) / (1 + draws) };
}

/** P(X ≥ x) for the gamma distribution with this mean and variance. */
function gammaTail(x: number, mean: number, variance: number): number {
  const scale = variance / (2 * mean);
  return 1 - chiSquareCdf(x / scale, mean / scale);
}

function countBeliefs(label: Int32Array, belief: Float64Array, K: number, L: number): Float64Array {
  const counts = new Float64Array(K * L);
  for (let i = 0; i < label.length; i++) {
    for (let k = 0; k < K; k++) counts[k * L + label[i]] += belief[i * K + k];
  }
  return counts;
}

/** Σ belief[k] belief[k'] over labels. */
export function secondMoments(belief: Float64Array, K: number, n: number): Float64Array {
  const moments = new Float64Array(K * K);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < K; k++) {
      const own = belief[i * K + k];
      if (own < 1e-12) continue;
      for (let j = 0; j < K; j++) moments[k * K + j] += own * belief[i * K + j];
    }
  }
  return moments;
}

function pearsonOf(
  counts: Float64Array,
  classes: Float64Array,
  labels: Float64Array,
  n: number,
): number {
  const L = labels.length;
  let sum = 0;
  for (let k = 0; k < classes.length; k++) {
    for (let l = 0; l < L; l++) {
      const expected = (classes[k] * labels[l]) / n;
      if (expected > 1e-12) sum += (counts[k * L + l] - expected) ** 2 / expected;
    }
  }
  return sum;
}

/**
 * Over all orders of the labels, Cov(c[k][l], c[k'][l']) = C[k][k'] B[l] (1[l=l'] − B[l'] / n) / (n − 1), with C the
 * centred moments. So E X² = n/(n − 1) · (labels used − 1) · tr M and, for many labels, Var X² = 2 (labels
 * used − 1) (n/(n − 1))² · |M|², with M = A^(−1/2) C A^(−1/2).
 */
export function nullMoments(
  moments: Float64Array,
  classes: Float64Array,
  labels: Float64Array,
  n: number,
): { mean: number; variance: number } {
  const K = classes.length;
  const used = labels.filter((count) => count > 1e-12).length;
  if (n < 2 || used < 2) return { mean: 0, variance: 0 };
  let [trace, squares] = [0, 0];
  for (let k = 0; k < K; k++) {
    for (let j = 0; j < K; j++) {
      const product = classes[k] * classes[j];
      if (product < 1e-12) continue;
      const centred = moments[k * K + j] - product / n;
      if (k === j) trace += centred / classes[k];
      squares += centred ** 2 / product;
    }
  }
  const factor = n / (n - 1);
  return {
    mean: factor * (used - 1) * trace,
    variance: 2 * factor ** 2 * (used - 1) * squares,
  };
}

/** The mean of the diagonal over orders of the labels, and how far it is above that. */
function diagonalOf(
  counts: Float64Array,
  classes: Float64Array,
  labels: Float64Array,
  n: number,
): { chance: number; excess: number } {
  const L = labels.length;
  let [chance, excess] = [0, 0];
  for (let k = 0; k < classes.length && n > 0; k++) {
    chance += (classes[k] * labels[k]) / n;
    excess += counts[k * L + k] - (classes[k] * labels[k]) / n;
  }
  return { chance, excess };
}

/**
 * The excess of the diagonal for a worker `MARGIN` above guessing. Given the beliefs, a label is k with
 * p[k] = s belief[k] + (1 − s) · the worker's share of label k; c[k] varies over labels by E c² − (E c)².
 */
function knowingExcess(
  belief: Float64Array,
  classes: Float64Array,
  labels: Float64Array,
  n: number,
): { excess: number; deviation: number } {
  const K = classes.length;
  let alike = 0;
  for (let k = 0; k < K; k++) alike += (classes[k] / Math.max(1, n)) ** 2;
  const s = Math.min(1, MARGIN / Math.max(1e-9, 1 - alike));
  let [excess, variance] = [0, 0];
  for (let i = 0; i < n; i++) {
    let [mean, square] = [0, 0];
    for (let k = 0; k < K; k++) {
      const own = belief[i * K + k];
      const centred = own - classes[k] / n;
      const p = s * own + ((1 - s) * labels[k]) / n;
      excess += s * own * centred;
      mean += p * centred;
      square += p * centred ** 2;
    }
    variance += square - mean ** 2;
  }
  return { excess, deviation: Math.sqrt(Math.max(0, variance)) };
}

/** Half of the answers known: counts of ½ moments + ½ guesses, whose diagonal exceeds its mean by ½ tr C. */
function diagonalPower(moments: Float64Array, classes: Float64Array, n: number): number {
  const K = classes.length;
  let excess = 0;
  for (let k = 0; k < K; k++) excess += (moments[k * K + k] - classes[k] ** 2 / n) / 2;
  const variance = diagonalVariance(moments, classes, classes, n);
  return variance > 1e-12 ? normalCdf(excess / Math.sqrt(variance) - ONE_SIDED) : 0;
}

/** n/(n − 1) · (Σ b[k] C[k][k] − bᵀ C b), with b the shares of the labels. */
function diagonalVariance(
  moments: Float64Array,
  classes: Float64Array,
  labels: Float64Array,
  n: number,
): number {
  const K = classes.length;
  if (n < 2) return 0;
  let variance = 0;
  for (let k = 0; k < K; k++) {
    for (let j = 0; j < K; j++) {
      const centred = moments[k * K + j] - (classes[k] * classes[j]) / n;
      variance += (labels[k] / n) * centred * ((k === j ? 1 : 0) - labels[j] / n);
    }
  }
  return (variance * n) / (n - 1);
}
