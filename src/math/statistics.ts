/**
 * Means, spreads, quantiles and correlations of plain lists of numbers.
 *
 * What is not defined is either refused (an empty list, a NaN, lists of different lengths) or has
 * the value its comment says, so no NaN comes out.
 */
import { CrowdError } from "../error.ts";

/** Arithmetic mean, summed with Neumaier's correction so that ten tenths make one. */
export function mean(values: ArrayLike<number>): number {
  checkValues("mean", values);
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  if (Number.isFinite(sum)) return (sum + lost) / values.length;
  // The sum overflowed, but the mean cannot.
  let share = 0;
  for (let i = 0; i < values.length; i++) share += values[i] / values.length;
  return share;
}

/** Unbiased variance, with n - 1 below the line; 0 for a single value, which shows no spread. */
export function variance(values: ArrayLike<number>): number {
  checkValues("variance", values);
  if (values.length === 1) return 0;
  const away = deviations(values);
  return dot(away, away) / (values.length - 1);
}

/**
 * The value below which a share `p` of the ascending list lies, linear between neighbours.
 * Type 7 of Hyndman & Fan (1996), American Statistician 50(4), 361–365, as in R and NumPy.
 */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  if (sorted.length === 0) throw new CrowdError("bad-data", "quantile: the list is empty.");
  if (!(p >= 0 && p <= 1)) {
    throw new CrowdError("bad-option", `quantile: p must be between 0 and 1, not ${p}.`);
  }
  const place = (sorted.length - 1) * p;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  // Equal neighbours may both be infinite, and their difference is not a number.
  const value = below === above ? below : below + (above - below) * (place - Math.floor(place));
  if (Number.isNaN(value)) {
    throw new CrowdError("bad-data", `quantile: none lies between ${below} and ${above}.`);
  }
  return value;
}

/** Pearson's correlation; 0 when either list is constant, since it then tells nothing. */
export function pearson(x: ArrayLike<number>, y: ArrayLike<number>): number {
  checkValues("pearson", x);
  checkValues("pearson", y);
  if (x.length !== y.length) {
    throw new CrowdError(
      "bad-data",
      `pearson: the lists must be equally long, not ${x.length} and ${y.length}.`,
    );
  }
  const fromX = unit(deviations(x));
  const fromY = unit(deviations(y));
  return Math.max(-1, Math.min(1, dot(fromX, fromY)));
}

/** Spearman's correlation: Pearson's, of mid-ranks; 0 when either list is constant. */
export function spearman(x: ArrayLike<number>, y: ArrayLike<number>): number {
  return pearson(ranks(x), ranks(y));
}

/** Rank of each value from 1, equal values sharing the mean of their ranks; none for none. */
export function ranks(values: ArrayLike<number>): Float64Array {
  if (values.length > 0) checkValues("ranks", values);
  const order = Int32Array.from(values, (_, i) => i).sort((i, j) => values[i] - values[j]);
  const result = new Float64Array(values.length);
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end]] === values[order[start]]) end++;
    for (let i = start; i < end; i++) result[order[i]] = (start + 1 + end) / 2;
    start = end;
  }
  return result;
}

/** Differences from the mean, exactly 0 for a constant list. */
function deviations(values: ArrayLike<number>): Float64Array {
  const away = new Float64Array(values.length);
  for (let i = 0; i < away.length; i++) away[i] = values[i] - values[0];
  const center = mean(away);
  for (let i = 0; i < away.length; i++) away[i] -= center;
  return away;
}

/** The same direction with length 1, or all zeros; by the largest first, so no square overflows. */
function unit(vector: Float64Array): Float64Array {
  let max = 0;
  for (let i = 0; i < vector.length; i++) max = Math.max(max, Math.abs(vector[i]));
  if (max === 0) return vector;
  const scaled = new Float64Array(vector.length);
  for (let i = 0; i < scaled.length; i++) scaled[i] = vector[i] / max;
  const length = Math.sqrt(dot(scaled, scaled));
  for (let i = 0; i < scaled.length; i++) scaled[i] /= length;
  return scaled;
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}

function checkValues(where: string, values: ArrayLike<number>): void {
  if (values.length === 0) throw new CrowdError("bad-data", `${where}: the list is empty.`);
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) {
      throw new CrowdError("bad-data", `${where}: value ${i} must be finite, not ${values[i]}.`);
    }
  }
}
