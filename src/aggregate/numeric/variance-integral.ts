/**
 * The integral over the value of one task, when each answer is a mixture of normals of a few variances.
 *
 *   density(z) ∝ N(z; m, v) · product over answers of mix(z),   mix(z) = sum over s of g(s) · N(answer; z, s)
 *
 * On an even grid, step .7 / sqrt(d / least variance + 1 / v), eight standard deviations beyond the outermost of the
 * answers and m. In logarithms, and each normal relative to that of the largest variance, so that nothing vanishes.
 */
import type { PlainFrame } from "./worker-frame.ts";

/** Variances that workers may have, rising, each as likely as the others; and the prior of the values. */
export interface VarianceModel {
  readonly variances: Float64Array;
  readonly m: number;
  readonly v: number;
}

/** Mean and standard deviation of a task's value. */
interface Moments {
  readonly mean: number;
  readonly sd: number;
}

/** Messages are kept at or above this, so that their logarithms are finite. */
const SMALLEST = 1e-300;

/** A task whose answers lie a thousand spreads apart has a coarser grid. */
const MOST_POINTS = 20_000;

/**
 * Returns a function that takes the rows of a task and what their workers say, writes what the task says to
 * each of them, and returns the value; messages of row i are at i * S + s.
 */
export function createTaskIntegral(
  { y, count }: PlainFrame,
  model: VarianceModel,
): (rows: Int32Array, toTask: Float64Array, toWorker: Float64Array) => Moments {
  const { variances, m, v } = model;
  const S = variances.length;
  const widest = variances[S - 1];
  const scale = variances.map((s) => 1 / Math.sqrt(s));
  /** How much faster the normal of each variance falls than the widest. */
  const steeper = variances.map((s) => (1 / s - 1 / widest) / 2);
  let [ratio, mix, total] = [new Float64Array(0), new Float64Array(0), new Float64Array(0)];

  return (rows, toTask, toWorker) => {
    const { from, step, points } = gridOf(rows, y, count, model);
    const d = rows.length;
    if (ratio.length < d * points * S) ratio = new Float64Array(d * points * S);
    if (mix.length < d * points) mix = new Float64Array(d * points);
    if (total.length < points) total = new Float64Array(points);
    for (let k = 0; k < points; k++) total[k] = -((from + k * step - m) ** 2) / (2 * v);
    for (let a = 0; a < d; a++) {
      const i = rows[a];
      for (let k = 0; k < points; k++) {
        const square = (y[i] - from - k * step) ** 2;
        let sum = 0;
        for (let s = 0; s < S; s++) {
          const each = scale[s] * Math.exp(-square * steeper[s]);
          ratio[(a * points + k) * S + s] = each;
          sum += toTask[i * S + s] * each;
        }
        mix[a * points + k] = Math.log(sum);
        total[k] += count[i] * (mix[a * points + k] - square / (2 * widest));
      }
    }
    for (let a = 0; a < d; a++) {
      const own = mix.subarray(a * points, (a + 1) * points);
      const message = toWorker.subarray(rows[a] * S, (rows[a] + 1) * S);
      tellWorker(total.subarray(0, points), own, ratio.subarray(a * points * S), message);
    }
    return momentsOf(total.subarray(0, points), from, step);
  };
}

/** The grid of a task. */
function gridOf(
  rows: Int32Array,
  y: Float64Array,
  count: Float64Array,
  { variances, m, v }: VarianceModel,
): { from: number; step: number; points: number } {
  let [low, high, d] = [m, m, 0];
  for (const i of rows) {
    low = Math.min(low, y[i]);
    high = Math.max(high, y[i]);
    d += count[i];
  }
  const step = 0.7 / Math.sqrt(d / variances[0] + 1 / v);
  const reach = 8 / Math.sqrt(d / variances[variances.length - 1] + 1 / v);
  const points = Math.ceil((high - low + 2 * reach) / step) + 1;
  if (points <= MOST_POINTS) return { from: low - reach, step, points };
  const wider = (high - low + 2 * reach) / (MOST_POINTS - 1);
  return { from: low - reach, step: wider, points: MOST_POINTS };
}

/** What the other answers of a task say of the variance of one: the integral without its own mixture. */
function tellWorker(
  total: Float64Array,
  own: Float64Array,
  ratio: Float64Array,
  message: Float64Array,
): void {
  const S = message.length;
  let top = -Infinity;
  for (let k = 0; k < total.length; k++) top = Math.max(top, total[k] - own[k]);
  message.fill(0);
  for (let k = 0; k < total.length; k++) {
    const others = Math.exp(total[k] - own[k] - top);
    if (others > 0) for (let s = 0; s < S; s++) message[s] += others * ratio[k * S + s];
  }
  let sum = 0;
  for (let s = 0; s < S; s++) sum += message[s];
  for (let s = 0; s < S; s++) message[s] = Math.max(message[s] / sum, SMALLEST);
}

/** Mean and standard deviation of a density that is given by its logarithm on a grid. */
function momentsOf(log: Float64Array, from: number, step: number): Moments {
  let top = -Infinity;
  for (let k = 0; k < log.length; k++) top = Math.max(top, log[k]);
  let [mass, first, second] = [0, 0, 0];
  for (let k = 0; k < log.length; k++) {
    const share = Math.exp(log[k] - top);
    mass += share;
    first += share * k;
    second += share * k * k;
  }
  const mean = first / mass;
  return {
    mean: from + step * mean,
    sd: step * Math.sqrt(Math.max(0, second / mass - mean * mean)),
  };
}
