/**
 * What answers of every kind share: who answered what, when, and how much it counts. Each kind adds
 * columns of its own; row `i` is one answer of `workers.at(worker[i])` on `tasks.at(task[i])`.
 *
 * Data are never changed after they are built; every method reads them and returns something new.
 */
import type { Names } from "./names.ts";

/** What the data of all kinds of answers have in common. */
export interface CrowdData {
  /** The kind of answers: `categorical`, `numeric`, `pairwise`, … */
  readonly kind: string;
  readonly tasks: Names;
  readonly workers: Names;
  /** The task of each answer. */
  readonly task: Int32Array;
  /** The worker of each answer. */
  readonly worker: Int32Array;
  /** How many answers each answer counts for; absent where all count for one. */
  readonly weight?: Float64Array;
  /** When each answer was given, in milliseconds since 1970, NaN where unknown. */
  readonly time?: Float64Array;
  /** Facts of each task or worker by name of the fact, for groups and drift: attributes.site[w]. */
  readonly taskAttributes?: Attributes;
  readonly workerAttributes?: Attributes;
  /** What was noticed while the data were built: dropped rows, look-alikes, gold without answers. */
  readonly notes: readonly string[];
}

/** Columns of text about tasks or workers, by name of the column. */
export type Attributes = ReadonlyMap<string, readonly string[]>;

/** Counts the answers of each task. */
export function labelsPerTask({ task, tasks }: Pick<CrowdData, "task" | "tasks">): Int32Array {
  return countEach(task, tasks.length);
}

/** Counts the answers of each worker. */
export function labelsPerWorker({
  worker,
  workers,
}: Pick<CrowdData, "worker" | "workers">): Int32Array {
  return countEach(worker, workers.length);
}

function countEach(column: Int32Array, length: number): Int32Array {
  const counts = new Int32Array(length);
  for (let i = 0; i < column.length; i++) counts[column[i]]++;
  return counts;
}

/** How much data there is: what cost and memory grow with. */
export interface Size {
  readonly labels: number;
  readonly tasks: number;
  readonly workers: number;
  /** Classes of categorical labels, items of comparisons; 1 where there is no such thing. */
  readonly classes: number;
}

/** Returns how much data there is, for estimates of memory and time. */
export function sizeOf(
  { task, tasks, workers }: Pick<CrowdData, "task" | "tasks" | "workers">,
  classes: number,
): Size {
  return { labels: task.length, tasks: tasks.length, workers: workers.length, classes };
}
