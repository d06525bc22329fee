/** How far levels are from gold. */
import { CrowdError } from "../error.ts";
import { variance } from "../math/statistics.ts";
import type { Interval } from "./accuracy.ts";

/** Levels to be scored, by task. */
export interface ScoredLevels {
  /** The level chosen for each task, or -1 for none. */
  readonly consensus: Int32Array;
  /** Known level of each task, or -1. */
  readonly gold: Int32Array;
  /** Number of levels. */
  readonly levels: number;
}

/** All scores of levels against gold. */
export interface OrdinalMetrics {
  /** Number of tasks with gold and an answer. */
  readonly tasks: number;
  /** Mean absolute error in levels, with a 95 % interval over tasks. */
  readonly mae: Interval;
  /** Root mean square error in levels. */
  readonly rmse: number;
  /** Cohen's kappa of answers and gold with quadratic weights; NaN where either names one level only. */
  readonly quadraticKappa: number;
  /** Share of answers that are the gold level. */
  readonly accuracy: number;
}

/** Scores levels against gold on the tasks that have both. */
export function evaluateLevels({ consensus, gold, levels }: ScoredLevels): OrdinalMetrics {
  const tasks = Array.from(gold.keys()).filter((t) => gold[t] >= 0 && consensus[t] >= 0);
  const n = tasks.length;
  if (n === 0) {
    throw new CrowdError(
      "bad-data",
      "There is no gold to score against: no task has a known level.",
    );
  }
  const misses = Float64Array.from(tasks, (t) => Math.abs(consensus[t] - gold[t]));
  const mean = (of: (miss: number) => number) =>
    misses.reduce((sum, miss) => sum + of(miss), 0) / n;
  const mae = mean((miss) => miss);
  const half = 1.96 * Math.sqrt(n > 1 ? variance(misses) / n : Number.NaN);
  const squares = mean((miss) => miss * miss);
  return {
    tasks: n,
    mae: { value: mae, low: Math.max(0, mae - half), high: mae + half },
    rmse: Math.sqrt(squares),
    quadraticKappa: 1 - squares / squaresByChance(tasks, consensus, gold, levels),
    accuracy: misses.filter((miss) => miss === 0).length / n,
  };
}

/** Mean squared distance of answers and gold that are drawn apart from one another. */
function squaresByChance(
  tasks: readonly number[],
  consensus: Int32Array,
  gold: Int32Array,
  levels: number,
): number {
  const [said, known] = [new Float64Array(levels), new Float64Array(levels)];
  for (const t of tasks) {
    said[consensus[t]]++;
    known[gold[t]]++;
  }
  let sum = 0;
  for (let a = 0; a < levels; a++) {
    for (let b = 0; b < levels; b++) sum += said[a] * known[b] * (a - b) ** 2;
  }
  return sum / tasks.length ** 2;
}
