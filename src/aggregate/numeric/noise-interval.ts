/**
 * Intervals of values that are means weighted by learnt precisions.
 *
 *   p = precision / sum of the task;  nu[w] = prior + sum of (1 - p) over the worker's answers
 *   variance = (1 + 2 sum p (1 - p) / nu) / sum of precisions,  freedom = 1 / sum p² / nu
 *
 * The term with 2 pays for weights that are estimated; Meier's has 4, but priors steady ours. With offsets
 * come their own variances, and that of the shift that offsets and values share.
 *
 * Meier (1953), Biometrics 9(1), 59–73. https://doi.org/10.2307/3001633
 */
import { chebyshev } from "../../math/chebyshev.ts";
import { studentQuantile } from "../../math/incomplete.ts";
import { maxOf } from "../../math/lists.ts";
import { type Frame, sumBy } from "./worker-frame.ts";

/** Returns standard error, low and high end of each value. */
export function noiseIntervals(
  { tasks, workers, task, worker, place, places, count, output }: Frame,
  value: Float64Array,
  precision: Float64Array,
  /**
   * Degrees of freedom that the prior of the noise is worth, variance of offsets (0: there are none), and variance of
   * the values of each output, if they have a prior.
   */
  {
    freedom,
    offsets,
    prior,
  }: { readonly freedom: number; readonly offsets: number; readonly prior?: Float64Array },
): { sd: Float64Array; low: Float64Array; high: Float64Array } {
  const total = sumBy(task, tasks, (i) => count[i] * precision[i]);
  for (let t = 0; prior && t < tasks; t++) total[t] += 1 / prior[output[t]];
  const share = precision.map((each, i) => each / total[task[i]]);
  const nu = sumBy(worker, workers, (i) => count[i] * (1 - share[i])).map((n) => n + freedom);
  const known = sumBy(place, places.length, (i) => count[i] * precision[i] * (1 - share[i]));
  const left = known.map((each) => (offsets > 0 ? 1 / (1 / offsets + each) : 0));
  const estimated = sumBy(
    task,
    tasks,
    (i) => (count[i] * share[i] * (1 - share[i])) / nu[worker[i]],
  );
  const unsure = sumBy(task, tasks, (i) => (count[i] * share[i] ** 2) / nu[worker[i]]);
  const own = sumBy(task, tasks, (i) => count[i] * share[i] ** 2 * left[place[i]]);
  const sd = total.map((sum, t) =>
    Math.sqrt((1 + 2 * estimated[t]) / sum + own[t] + offsets / places.perOutput[output[t]]),
  );
  const [least, most] = [-maxOf(unsure.map((each) => -each)), maxOf(unsure)];
  // Asked for each of many tasks, the quantile is a polynomial in 1 / freedom.
  const exact = (each: number) => studentQuantile(0.975, 1 / each);
  const quantile = tasks > 256 ? chebyshev(exact, least, most) : exact;
  const half = sd.map((each, t) => each * quantile(unsure[t]));
  return {
    sd,
    low: value.map((each, t) => each - half[t]),
    high: value.map((each, t) => each + half[t]),
  };
}
