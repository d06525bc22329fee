/**
 * The scale of one worker in the cumulative-link model: x = (log a, t₁, log gap₂, …, log gap₍K₋₁₎).
 *
 *   F[c, k] = P(label ≤ k | level c) = logistic(t[k] − a·m[c]),   P[c, k] = F[c, k] − F[c, k − 1]
 */
import { cholesky, solveCholesky } from "../../math/matrix.ts";

/** log a, the first threshold, and the logarithms of the gaps between thresholds. */
export type Scale = Float64Array;

/** Precision of each number of x around the crowd's mean. */
export const PRECISION = 4;
const STEPS = 15;
const HALVINGS = 12;
const LEAST = 1e-300;

/** Returns the scale that cuts halfway between levels, with a = 1.5. */
export function startOfScale(K: number): Scale {
  const a = 1.5;
  const x = new Float64Array(K).fill(Math.log(a));
  x[1] = a * (0.5 - (K - 1) / 2);
  return x;
}

/** Returns the K − 1 thresholds of a scale. */
export function thresholdsOf(x: Scale): number[] {
  const thresholds = [x[1]];
  for (let j = 2; j < x.length; j++) thresholds.push(thresholds[j - 2] + Math.exp(x[j]));
  return thresholds;
}

/** Writes P(label | level) as table[level * K + label]. */
export function scaleTable(x: Scale, K: number, table: Float64Array): void {
  const thresholds = thresholdsOf(x);
  const a = Math.exp(x[0]);
  for (let c = 0; c < K; c++) {
    const at = a * (c - (K - 1) / 2);
    for (let k = 0; k < K; k++) {
      // The smaller of F and 1 − F is the one with all its digits.
      const [low, high] = [
        k > 0 ? thresholds[k - 1] - at : -Infinity,
        k < K - 1 ? thresholds[k] - at : Infinity,
      ];
      const p = low > 0 ? logistic(-low) - logistic(-high) : logistic(high) - logistic(low);
      table[c * K + k] = Math.max(p, LEAST);
    }
  }
}

const logistic = (x: number) => 1 / (1 + Math.exp(-x));

/** Expected log-probability of the labels less the penalty. */
function objective(
  x: Scale,
  counts: Float64Array,
  centre: Scale,
  K: number,
  table: Float64Array,
): number {
  scaleTable(x, K, table);
  let sum = 0;
  for (let cell = 0; cell < counts.length; cell++)
    if (counts[cell] > 0) sum += counts[cell] * Math.log(table[cell]);
  for (let j = 0; j < K; j++) sum -= (PRECISION / 2) * (x[j] - centre[j]) ** 2;
  return sum;
}

/** Climbs to the scale that fits expected counts[level * K + label] best, by Fisher scoring; writes x. */
export function fitScale(x: Scale, counts: Float64Array, centre: Scale, K: number): void {
  const table = new Float64Array(K * K);
  let value = objective(x, counts, centre, K, table);
  for (let step = 0; step < STEPS; step++) {
    const { gradient, information } = scoreOf(x, counts, centre, K, table);
    const lower = cholesky(information, K);
    if (!lower) return;
    solveCholesky(lower, gradient, K);
    let factor = 1;
    for (let halving = 0; ; halving++) {
      const next = x.map((each, j) => each + factor * gradient[j]);
      const reached = objective(next, counts, centre, K, table);
      if (reached >= value) {
        x.set(next);
        value = reached;
        break;
      }
      if (halving === HALVINGS) return;
      factor /= 2;
    }
    if (gradient.every((each) => Math.abs(factor * each) < 1e-8)) return;
  }
}

/** The gradient of the objective and the expected information, at x, whose table is given. */
function scoreOf(x: Scale, counts: Float64Array, centre: Scale, K: number, table: Float64Array) {
  const gradient = Float64Array.from(x, (each, j) => -PRECISION * (each - centre[j]));
  const information = new Float64Array(K * K);
  for (let j = 0; j < K; j++) information[j * K + j] = PRECISION;
  scaleTable(x, K, table);
  for (let c = 0; c < K; c++) {
    const total = counts.subarray(c * K, (c + 1) * K).reduce((sum, n) => sum + n, 0);
    if (total === 0) continue;
    const slopes = slopesOf(x, c, K);
    for (let k = 0; k < K; k++) {
      const p = table[c * K + k];
      for (let i = 0; i < K; i++) {
        const di = slopes[k * K + i];
        gradient[i] += (counts[c * K + k] * di) / p;
        for (let j = 0; j < K; j++) information[i * K + j] += (total * di * slopes[k * K + j]) / p;
      }
    }
  }
  return { gradient, information };
}

/** How P(label k | level c) changes with each number of x, as slopes[k * K + number]. */
function slopesOf(x: Scale, c: number, K: number): Float64Array {
  const a = Math.exp(x[0]);
  const m = c - (K - 1) / 2;
  const slopes = new Float64Array(K * K);
  thresholdsOf(x).forEach((t, k) => {
    const F = logistic(t - a * m);
    const f = F * (1 - F);
    const add = (j: number, slope: number) => {
      slopes[k * K + j] += slope;
      slopes[(k + 1) * K + j] -= slope;
    };
    add(0, -f * a * m);
    add(1, f);
    for (let j = 2; j <= k + 1; j++) add(j, f * Math.exp(x[j]));
  });
  return slopes;
}
