/** From columns to numeric data: repeated answers, gold, and notes on what a user would want to hear. */
import { type AnswerColumns, attributesOf, type ColumnOptions } from "./columns.ts";
import { namesOf } from "./names.ts";
import type { NumericData } from "./numeric.ts";
import { keptRows, type Repeats } from "./repeats.ts";
import { scoredGold } from "./scored-gold.ts";
import { checkWeights } from "./weights.ts";

export interface NumericColumns extends AnswerColumns {
  readonly value: Float64Array;
}

/** How numbers are read. */
export interface NumericOptions extends ColumnOptions {
  /** Which answers of a worker on one task count. Default: `last` where there are times, else `distinct`. */
  readonly repeats?: Repeats | undefined;
  /** Known values: task and value. */
  readonly gold?: Iterable<readonly [task: string, value: number]> | undefined;
}

/** Builds numeric data from interned columns. */
export function numericFromColumns(
  columns: NumericColumns,
  options: NumericOptions = {},
): NumericData {
  const notes = [...(options.notes ?? [])];
  const { task, worker, value, weight, time } = columns;
  checkWeights(weight);
  const [tasks, workers] = [namesOf(columns.tasks), namesOf(columns.workers)];
  const policy = options.repeats ?? (time ? "last" : "distinct");
  const kept = keptRows(
    { tasks, workers, task, worker, time },
    (i, j) => value[i] === value[j],
    policy,
    notes,
  );
  const ints = (column: Int32Array) => (kept ? kept.map((i) => column[i]) : column);
  const doubles = (column: Float64Array) =>
    kept ? Float64Array.from(kept, (i) => column[i]) : column;
  return {
    kind: "numeric",
    tasks,
    workers,
    task: ints(task),
    worker: ints(worker),
    value: doubles(value),
    gold: scoredGold(tasks, options.gold, "task", notes),
    ...(weight && { weight: doubles(weight) }),
    ...(time && { time: doubles(time) }),
    ...attributesOf(options),
    notes,
  };
}
