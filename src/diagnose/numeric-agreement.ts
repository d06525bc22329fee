/**
 * Agreement of numbers: Krippendorff's alpha with squared distances, from the definition in sums of
 * squares, so that it takes time linear in the answers.
 *
 *   alpha = 1 - (observed disagreement within tasks) / (disagreement of all answers, whatever the task)
 *
 * Hayes & Krippendorff (2007), Communication Methods and Measures 1(1), 77–89. https://doi.org/10.1080/19312450709336664
 */
import { inCommonUnits, type NumericData } from "../data/numeric.ts";
import { createRandom } from "../math/random.ts";
import { quantile } from "../math/statistics.ts";

export interface NumericAgreement {
  /** NaN where no task has two answers, or all answers are the same. */
  readonly alpha: number;
  /** 95 % bootstrap interval over tasks; NaN where alpha is. */
  readonly low: number;
  readonly high: number;
  /** Standard deviation of answers within a task; 1 with several outputs, in whose units they are put together. */
  readonly within: number;
}

/** Measures how much workers agree on the tasks that have at least two answers. */
export function numericAgreement(
  data: NumericData,
  { seed = 0, draws = 500 }: { readonly seed?: number; readonly draws?: number } = {},
): NumericAgreement {
  const groups = unitsOf(inCommonUnits(data));
  const units = groups.flat();
  const alpha = alphaOf(units);
  const answers = units.reduce((sum, { n }) => sum + n, 0);
  const squares = units.reduce((sum, unit) => sum + spreadOf(unit), 0);
  const within = Math.sqrt(squares / (answers - units.length));
  if (Number.isNaN(alpha)) return { alpha, low: Number.NaN, high: Number.NaN, within };
  const random = createRandom(seed).split("alpha");
  const drawn = Float64Array.from({ length: draws }, () =>
    alphaOf(groups.flatMap(() => groups[Math.floor(random.next() * groups.length)])),
  ).filter((x) => !Number.isNaN(x));
  drawn.sort();
  return { alpha, low: quantile(drawn, 0.025), high: quantile(drawn, 0.975), within };
}

/** Count, mean and sum of squared distances to it, of one task's answers. */
interface Unit {
  readonly n: number;
  readonly mean: number;
  readonly squares: number;
}

const spreadOf = ({ squares }: Unit): number => squares;

/** The units of each task: one, or one for each of its outputs. */
function unitsOf({ tasks, task, value }: NumericData): Unit[][] {
  const n = new Float64Array(tasks.length);
  const mean = new Float64Array(tasks.length);
  const squares = new Float64Array(tasks.length);
  // Welford's update, so that large values with small differences keep their digits.
  for (let i = 0; i < task.length; i++) {
    const t = task[i];
    n[t]++;
    const before = value[i] - mean[t];
    mean[t] += before / n[t];
    squares[t] += before * (value[i] - mean[t]);
  }
  const groups: Unit[][] = [];
  let last = "";
  for (let t = 0; t < n.length; t++) {
    if (n[t] < 2) continue;
    const unit = { n: n[t], mean: mean[t], squares: squares[t] };
    // Outputs of a task stand beside each other, under one name.
    if (groups.length > 0 && tasks.at(t) === last) groups[groups.length - 1].push(unit);
    else groups.push([unit]);
    last = tasks.at(t);
  }
  return groups;
}

/** With m answers of a task, its pairs' squared distances sum to m · squares. */
function alphaOf(units: readonly Unit[]): number {
  const N = units.reduce((sum, { n }) => sum + n, 0);
  if (N === 0) return Number.NaN;
  const center = units.reduce((sum, { n, mean }) => sum + n * mean, 0) / N;
  const total = units.reduce(
    (sum, { n, mean, squares }) => sum + squares + n * (mean - center) ** 2,
    0,
  );
  if (!(total > 0)) return Number.NaN;
  const observed = units.reduce((sum, { n, squares }) => sum + (2 * n * squares) / (n - 1), 0) / N;
  const expected = (2 * N * total) / (N * (N - 1));
  return 1 - observed / expected;
}
