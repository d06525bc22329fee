/** What a dataset is like, in a few numbers. */
import { quantile } from "../math/statistics.ts";
import { byTask, type CategoricalData } from "./categorical.ts";
import { labelsPerTask, labelsPerWorker } from "./crowd-data.ts";

/** Smallest and largest value, quartiles and mean. */
export interface Spread {
  readonly min: number;
  readonly lower: number;
  readonly median: number;
  readonly upper: number;
  readonly max: number;
  readonly mean: number;
}

/** Sizes of data, and how labels are spread. */
export interface Summary {
  readonly labels: number;
  readonly tasks: number;
  readonly workers: number;
  readonly classes: number;
  readonly gold: number;
  readonly abstentions: number;
  /** Quartiles of labels per task, and labels per worker. */
  readonly redundancy: Spread;
  readonly workload: Spread;
  /** Share of each class among the labels. */
  readonly classShares: Float64Array;
  /** Share of the tasks with at least two labels on which all agree. */
  readonly unanimous: number;
}

/** Counts labels, tasks, workers and classes. */
export function summarise(data: CategoricalData): Summary {
  const K = data.classes.length;
  const counts = new Float64Array(K + 1);
  for (let i = 0; i < data.label.length; i++) counts[Math.min(K, data.label[i])]++;
  const named = data.label.length - counts[K];
  return {
    labels: data.label.length,
    tasks: data.tasks.length,
    workers: data.workers.length,
    classes: K,
    gold: data.gold.reduce((sum, k) => sum + (k >= 0 ? 1 : 0), 0),
    abstentions: counts[K],
    redundancy: spread(labelsPerTask(data)),
    workload: spread(labelsPerWorker(data)),
    classShares: counts.subarray(0, K).map((count) => (named > 0 ? count / named : 0)),
    unanimous: unanimity(data),
  };
}

/** Quartiles of counts; zeros where there are none. */
export function spread(values: ArrayLike<number>): Spread {
  if (values.length === 0) return { min: 0, lower: 0, median: 0, upper: 0, max: 0, mean: 0 };
  const sorted = Float64Array.from(values).sort();
  return {
    min: sorted[0],
    lower: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    upper: quantile(sorted, 0.75),
    max: sorted[sorted.length - 1],
    mean: sorted.reduce((sum, x) => sum + x, 0) / sorted.length,
  };
}

function unanimity(data: CategoricalData): number {
  const { start, label } = byTask(data);
  let [agreed, tasks] = [0, 0];
  for (let t = 0; t < data.tasks.length; t++) {
    if (start[t + 1] - start[t] < 2) continue;
    tasks++;
    let same = true;
    for (let i = start[t] + 1; i < start[t + 1]; i++) same &&= label[i] === label[start[t]];
    if (same) agreed++;
  }
  return tasks > 0 ? agreed / tasks : 0;
}
