/**
 * Whether a probability means what it says: among answers given with confidence .8, are 80 % right?
 *
 * Bins of equal width over the confidence of the chosen class. ECE is the mean distance between
 * confidence and accuracy, weighted by tasks; it is above 0 even for perfect beliefs on few tasks.
 *
 * Guo, Pleiss, Sun & Weinberger (2017), ICML. https://proceedings.mlr.press/v70/guo17a.html
 */
import { wilsonInterval } from "../math/incomplete.ts";
import { maxOf } from "../math/lists.ts";
import { createRandom } from "../math/random.ts";
import { quantile } from "../math/statistics.ts";
import { type Interval, noGold, type Scored } from "./accuracy.ts";

interface Bin {
  /** Confidences from `from` up to `to`. */
  readonly from: number;
  readonly to: number;
  readonly tasks: number;
  readonly confidence: number;
  /** Share of right answers, with a Wilson interval. */
  readonly accuracy: Interval;
}

/** How far confidence and accuracy differ. */
export interface Calibration {
  /** Expected calibration error, with a bootstrap interval over tasks. */
  readonly ece: Interval;
  /** The non-empty bins, least confident first. */
  readonly bins: readonly Bin[];
}

export interface CalibrationOptions {
  readonly bins?: number;
  readonly draws?: number;
  readonly seed?: number;
}

/** Measures how far confidence and accuracy differ, in bins of confidence. */
export function calibration(
  scored: Scored,
  { bins = 15, draws = 500, seed = 0 }: CalibrationOptions = {},
): Calibration {
  const { confidence, right } = judge(scored);
  const n = confidence.length;
  if (n === 0) throw noGold();
  const place = Int32Array.from(confidence, (p) => Math.min(bins - 1, Math.floor(p * bins)));
  const gap = confidence.map((p, i) => p - right[i]);
  const random = createRandom(seed).split("calibration");
  // Many tasks need fewer draws for the same precision, and each draw costs as many numbers.
  const rounds = Math.max(100, Math.min(draws, Math.ceil(5e6 / n)));
  const drawn = Float64Array.from({ length: rounds }, () => {
    const sums = new Float64Array(bins);
    for (let i = 0; i < n; i++) {
      const j = Math.floor(random.next() * n);
      sums[place[j]] += gap[j];
    }
    return error(sums, n);
  }).sort();
  const sums = new Float64Array(bins);
  const tasks = new Float64Array(bins);
  const hits = new Float64Array(bins);
  const confidences = new Float64Array(bins);
  for (let i = 0; i < n; i++) {
    sums[place[i]] += gap[i];
    tasks[place[i]]++;
    hits[place[i]] += right[i];
    confidences[place[i]] += confidence[i];
  }
  const value = error(sums, n);
  return {
    ece: {
      value,
      low: Math.min(value, quantile(drawn, 0.025)),
      high: Math.max(value, quantile(drawn, 0.975)),
    },
    bins: [...tasks.keys()]
      .filter((b) => tasks[b] > 0)
      .map((b) => ({
        from: b / bins,
        to: (b + 1) / bins,
        tasks: tasks[b],
        confidence: confidences[b] / tasks[b],
        accuracy: { value: hits[b] / tasks[b], ...wilsonInterval(hits[b], tasks[b]) },
      })),
  };
}

/** Returns of each scored task how sure its answer is, and 1 if it is the gold one, else 0. */
function judge({ classes, posterior, gold, consensus, confidence: sure }: Scored) {
  const K = classes.length;
  const confidence: number[] = [];
  const right: number[] = [];
  for (let t = 0; t < gold.length; t++) {
    if (gold[t] < 0) continue;
    const row = posterior.subarray(t * K, (t + 1) * K);
    const chosen = consensus && consensus[t] >= 0 ? consensus[t] : row.indexOf(maxOf(row));
    confidence.push(sure?.[t] ?? row[chosen]);
    right.push(chosen === gold[t] ? 1 : 0);
  }
  return { confidence: Float64Array.from(confidence), right: Uint8Array.from(right) };
}

/** From the summed gaps of the bins. */
function error(sums: Float64Array, n: number): number {
  return sums.reduce((total, sum) => total + Math.abs(sum), 0) / n;
}
