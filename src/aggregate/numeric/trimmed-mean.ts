/**
 * Trimmed mean: the mean without the smallest and the largest answers of each task.
 *
 *   value[t] = mean of the answers of task t without the k smallest and the k largest, k = ⌊trim · d⌋
 *
 * Between the mean (trim 0) and the median (trim near ½): a few wild answers per task do no harm, and
 * little is lost if there are none. With fewer than 1 / trim answers per task nothing is dropped.
 *
 * The interval is Student's, from the winsorised answers: those that were dropped, moved to the nearest
 * answer that was kept.
 *
 * Tukey & McLaughlin (1963), Sankhyā A 25(3), 331–352. https://www.jstor.org/stable/25049278
 */
import { studentQuantile } from "../../math/incomplete.ts";
import { type Answers, type Estimate, perTask, pointAt } from "./estimator.ts";
import { meanOf, spread } from "./mean.ts";

/** Keeps shares such as .29 · 100, which rounding puts below 29, from dropping one answer too few. */
const ROUNDING = 1e-9;

/** Trimmed mean: the value is the mean without the smallest and the largest answers. */
export const trimmedMean = perTask(
  {
    id: "trimmed-mean",
    title: "Trimmed mean",
    summary: "The value is the mean without the smallest and the largest answers of the task.",
    paper: {
      authors: "J. W. Tukey, D. H. McLaughlin",
      year: 1963,
      title:
        "Less vulnerable confidence and significance procedures for location based on a single sample: Trimming/Winsorization 1",
      url: "https://www.jstor.org/stable/25049278",
    },
    family: "plain",
    cost: "O(N log d) for d answers per task, one pass",
    options: {
      trim: {
        default: 0.1,
        min: 0,
        max: 0.49,
        help: "Share of the answers of a task to drop at each end.",
      },
    },
  },
  (answers, { trim }) => trimmedMeanOf(answers, Math.floor(trim * answers.count + ROUNDING)),
);

/** Estimates the mean without `cut` answers at each end, with its 95 % interval. */
function trimmedMeanOf(answers: Answers, cut: number): Estimate {
  const { values, weights, count } = answers;
  if (cut === 0) return meanOf(answers);
  const kept = keptWeights(weights, count, cut);
  const left = count - 2 * cut;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += kept[i] * values[i];
  const value = sum / left;
  const sd = winsorisedSpread(answers, kept);
  if (!(sd > 0 && left > 1)) return pointAt(value);
  const se = sd / ((left / count) * Math.sqrt(count));
  const half = studentQuantile(0.975, left - 1) * se;
  return { value, sd: se, low: value - half, high: value + half };
}

/** Returns the weights that are left after `cut` was taken off at each end. */
function keptWeights(weights: Float64Array, count: number, cut: number): Float64Array {
  let below = 0;
  return weights.map((weight) => {
    const from = Math.max(below, cut);
    below += weight;
    return Math.max(0, Math.min(below, count - cut) - from);
  });
}

/** Returns the standard deviation after dropped answers were moved to the nearest kept ones. */
function winsorisedSpread({ values, weights, count }: Answers, kept: Float64Array): number {
  const low = values[kept.findIndex((weight) => weight > 0)];
  const high = values[kept.findLastIndex((weight) => weight > 0)];
  const moved = values.map((value) => Math.min(high, Math.max(low, value)));
  return spread(moved, weights, count, meanOf({ values: moved, weights, count }).value);
}
