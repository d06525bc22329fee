/**
 * Median: the middle answer.
 *
 *   value[t] = the middle of the sorted answers of task t, or the mean of the two in the middle
 *
 * Robust: up to half of the answers may be wild. Where answers are plain numbers without outliers the
 * mean is more precise. The interval is made of order statistics from six answers on, else of
 * Student's with the median's larger standard error.
 *
 * Hahn & Meeker (1991), Statistical Intervals, section 5.2. https://doi.org/10.1002/9780470316771
 */
import { incompleteBeta, studentQuantile } from "../../math/incomplete.ts";
import { type Answers, type Estimate, perTask, pointAt } from "./estimator.ts";
import { meanOf, spread } from "./mean.ts";

/** Standard error of a median over that of a mean, for normal errors: sqrt(pi / 2). */
const LOSS = Math.sqrt(Math.PI / 2);

/** Median: the value is the middle answer. */
export const median = perTask(
  {
    id: "median",
    title: "Median",
    summary: "The value is the median answer, which is robust to outliers.",
    paper: {
      authors: "G. J. Hahn, W. Q. Meeker",
      year: 1991,
      title: "Statistical Intervals: A Guide for Practitioners",
      url: "https://doi.org/10.1002/9780470316771",
    },
    family: "plain",
    cost: "O(N log d) for d answers per task, one pass",
    options: {},
  },
  medianOf,
);

/** Estimates the median with its 95 % interval; answers with weights count that many times. */
function medianOf(answers: Answers): Estimate {
  const { values, weights, count } = answers;
  const value = weightedMedian(values, weights, count);
  const sd = spread(values, weights, count, meanOf(answers).value);
  if (!(sd > 0)) return pointAt(value);
  const se = (LOSS * sd) / Math.sqrt(count);
  const rank = weights.every((weight) => weight === 1) ? lowestRank(values.length) : 0;
  if (rank > 0) {
    return { value, sd: se, low: values[rank - 1], high: values[values.length - rank] };
  }
  const half = studentQuantile(0.975, count - 1) * se;
  return { value, sd: se, low: value - half, high: value + half };
}

/** Returns the value at which half of the weight is reached; the mean of two where it falls between. */
export function weightedMedian(values: Float64Array, weights: Float64Array, count: number): number {
  let below = 0;
  for (let i = 0; i < values.length; i++) {
    below += weights[i];
    if (below > count / 2) return values[i];
    if (below === count / 2) return (values[i] + values[Math.min(values.length - 1, i + 1)]) / 2;
  }
  return values[values.length - 1];
}

/** The largest r with P(fewer than r of d answers below the median) ≤ 2.5 %; 0 where there is none. */
function lowestRank(d: number): number {
  let rank = 0;
  // BinomCDF(r; d, 1/2) is the incomplete beta function I(1/2; d - r, r + 1).
  while (rank + 1 <= d / 2 && 2 * incompleteBeta(0.5, d - rank, rank + 1) <= 0.05) rank++;
  return rank;
}
