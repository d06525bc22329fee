/**
 * Mean: every answer counts the same.
 *
 *   value[t] = mean of the answers of task t
 *
 * The interval is Student's, from the spread of the task's own answers. Good where workers are alike
 * and errors have no heavy tails; one wild answer moves it.
 *
 * Gosset (1908), Biometrika 6(1), 1–25. https://doi.org/10.2307/2331554
 */
import { studentQuantile } from "../../math/incomplete.ts";
import { type Answers, type Estimate, perTask, pointAt } from "./estimator.ts";

/** Mean: every answer counts the same; the value is their mean. */
export const mean = perTask(
  {
    id: "mean",
    title: "Mean",
    summary: "All answers count the same; the value is their mean.",
    paper: {
      authors: "Student (W. S. Gosset)",
      year: 1908,
      title: "The probable error of a mean",
      url: "https://doi.org/10.2307/2331554",
    },
    family: "plain",
    cost: "O(N), one pass",
    options: {},
  },
  meanOf,
);

/** Estimates the mean with its 95 % interval; answers with weights count that many times. */
export function meanOf({ values, weights, count }: Answers): Estimate {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += weights[i] * values[i];
  const value = sum / count;
  const sd = spread(values, weights, count, value);
  if (!(sd > 0)) return pointAt(value);
  const half = studentQuantile(0.975, count - 1) * (sd / Math.sqrt(count));
  return { value, sd: sd / Math.sqrt(count), low: value - half, high: value + half };
}

/** Returns the standard deviation of the answers; 0 where one answer or less cannot tell. */
export function spread(
  values: Float64Array,
  weights: Float64Array,
  count: number,
  center: number,
): number {
  if (count <= 1) return 0;
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += weights[i] * (values[i] - center) ** 2;
  return Math.sqrt(squares / (count - 1));
}
