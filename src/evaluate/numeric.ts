/** How close numbers are to gold. */
import { CrowdError } from "../error.ts";
import { spearman, variance } from "../math/statistics.ts";
import type { Interval } from "./accuracy.ts";

/** Values to be scored, by task. */
export interface ScoredValues {
  readonly value: Float64Array;
  /** Known values; NaN where there is none. */
  readonly gold: Float64Array;
  /** 95 % intervals; NaN where there is none. */
  readonly low?: Float64Array | undefined;
  readonly high?: Float64Array | undefined;
}

/** All scores of estimated values against gold. */
export interface NumericMetrics {
  /** Number of tasks with gold and a value. */
  readonly tasks: number;
  /** Mean absolute error, with a 95 % interval over tasks. */
  readonly mae: Interval;
  /** Root mean square error. */
  readonly rmse: number;
  /** Mean of value less gold. */
  readonly bias: number;
  /** Spearman's rank correlation with gold, values rounded to 6 decimals; NaN for fewer than 2 tasks. */
  readonly spearman: number;
  /** Share of intervals that hold the gold; absent where there are none. */
  readonly coverage?: number;
}

/** Scores values against gold on the tasks that have both. */
export function evaluateValues({ value, gold, low, high }: ScoredValues): NumericMetrics {
  const tasks = Array.from(gold.keys()).filter(
    (t) => !Number.isNaN(gold[t]) && !Number.isNaN(value[t]),
  );
  if (tasks.length === 0) {
    throw new CrowdError(
      "bad-data",
      "There is no gold to score against: no task has a known value.",
    );
  }
  const misses = Float64Array.from(tasks, (t) => value[t] - gold[t]);
  const n = misses.length;
  const mean = (of: (miss: number) => number) =>
    misses.reduce((sum, miss) => sum + of(miss), 0) / n;
  const mae = mean(Math.abs);
  const half = 1.96 * Math.sqrt(n > 1 ? variance(misses.map(Math.abs)) / n : Number.NaN);
  const sure = tasks.filter((t) => low && high && !Number.isNaN(low[t]) && !Number.isNaN(high[t]));
  const held = sure.filter((t) => low && high && low[t] <= gold[t] && gold[t] <= high[t]);
  const rounded = tasks.map((t) => Number(value[t].toFixed(6)));
  return {
    tasks: n,
    mae: { value: mae, low: Math.max(0, mae - half), high: mae + half },
    rmse: Math.sqrt(mean((miss) => miss * miss)),
    bias: mean((miss) => miss),
    spearman:
      n > 1
        ? spearman(
            rounded,
            tasks.map((t) => gold[t]),
          )
        : Number.NaN,
    ...(sure.length > 0 && { coverage: held.length / sure.length }),
  };
}
