/**
 * Sums of numbers that are only known by their logs, without overflow or underflow.
 *
 * The largest term is taken out first, so the sum that is left lies between 1 and the count.
 *
 * Blanchard, Higham & Higham (2021), IMA Journal of Numerical Analysis 41(4), 2311–2330.
 * https://doi.org/10.1093/imanum/draa038
 */
import { CrowdError } from "../error.ts";

/**
 * log Σ exp(values[i]) for `from` ≤ i < `to`; the log of zero, -Infinity, when there is nothing to
 * add or every term is -Infinity, and +Infinity when one of them is.
 */
export function logSumExp(values: ArrayLike<number>, from = 0, to = values.length): number {
  const max = largest(values, from, to);
  if (max === -Infinity || max === Infinity) {
    checkNumbers(values, from, to, "logSumExp");
    return max;
  }
  let sum = 0;
  for (let i = from; i < to; i++) sum += Math.exp(values[i] - max);
  if (Number.isNaN(sum)) checkNumbers(values, from, to, "logSumExp");
  return max + Math.log(sum);
}

/**
 * Turns the logs in values[from..to) into probabilities that sum to 1, in place, and returns the log
 * of what they summed to before. Where all are -Infinity nothing is known: they become uniform and
 * -Infinity is returned. Where some are +Infinity these share everything, and +Infinity is returned.
 */
export function normalizeLog(values: Float64Array, from: number, to: number): number {
  const max = largest(values, from, to);
  if (max === -Infinity || max === Infinity) {
    checkNumbers(values, from, to, "normalizeLog");
    let share = 0;
    for (let i = from; i < to; i++) if (values[i] === max) share++;
    for (let i = from; i < to; i++) values[i] = values[i] === max ? 1 / share : 0;
    return max;
  }
  let sum = 0;
  for (let i = from; i < to; i++) {
    values[i] = Math.exp(values[i] - max);
    sum += values[i];
  }
  if (Number.isNaN(sum)) checkNumbers(values, from, to, "normalizeLog");
  for (let i = from; i < to; i++) values[i] /= sum;
  return max + Math.log(sum);
}

function largest(values: ArrayLike<number>, from: number, to: number): number {
  let max = -Infinity;
  for (let i = from; i < to; i++) if (values[i] > max) max = values[i];
  return max;
}

/** Refuses NaN; called only where a sum went wrong or never started, so that the loops stay bare. */
function checkNumbers(values: ArrayLike<number>, from: number, to: number, where: string): void {
  for (let i = from; i < to; i++) {
    if (typeof values[i] !== "number" || Number.isNaN(values[i])) {
      throw new CrowdError("bad-data", `${where}: value ${i} must be a number, not ${values[i]}.`);
    }
  }
}
