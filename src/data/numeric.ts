/**
 * Numbers that workers gave: ages, ratings, lengths. Answer `i` says that `workers.at(worker[i])` put
 * `tasks.at(task[i])` at `value[i]`.
 */
import type { CrowdData } from "./crowd-data.ts";

/** Numbers: which worker gave which value to which task. */
export interface NumericData extends CrowdData {
  readonly kind: "numeric";
  /** The number of each answer; always finite. */
  readonly value: Float64Array;
  /** Known value of each task, or NaN where it is not known. */
  readonly gold: Float64Array;
}

/** Some answers of numbers, in the order given; all names stay. */
export function selectValues(data: NumericData, rows: Int32Array): NumericData {
  const { weight, time } = data;
  return {
    ...data,
    task: rows.map((i) => data.task[i]),
    worker: rows.map((i) => data.worker[i]),
    value: Float64Array.from(rows, (i) => data.value[i]),
    ...(weight && { weight: Float64Array.from(rows, (i) => weight[i]) }),
    ...(time && { time: Float64Array.from(rows, (i) => time[i]) }),
  };
}
