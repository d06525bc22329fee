/**
 * Numbers that workers gave: ages, ratings, lengths. Answer `i` says that `workers.at(worker[i])` put
 * `tasks.at(task[i])` at `value[i]`.
 *
 * Tasks may have several outputs, such as the four sides of a box. Then each output of a task is an entry of `tasks` by
 * itself, under the same name, and `outputs.of` says which output an entry is. Whatever looks at tasks one by one needs
 * to know nothing more.
 */
import { CrowdError } from "../error.ts";
import type { CrowdData } from "./crowd-data.ts";
import { type Names, namesOf } from "./names.ts";

/** Numbers: which worker gave which value to which task. */
export interface NumericData extends CrowdData {
  readonly kind: "numeric";
  /** The number of each answer; always finite. */
  readonly value: Float64Array;
  /** Known value of each task, or NaN where it is not known. */
  readonly gold: Float64Array;
  /** Absent where each task has one number. */
  readonly outputs?: Outputs;
}

/** The outputs of tasks that have several. */
export interface Outputs {
  readonly names: Names;
  /** The output that each entry of `tasks` is. */
  readonly of: Int32Array;
}

/** Returns the output of each of the given entries of `tasks`; 0 where tasks have one number. */
export function outputsOf({ outputs }: NumericData, tasks: Int32Array): Int32Array {
  return outputs ? tasks.map((t) => outputs.of[t]) : new Int32Array(tasks.length);
}

/**
 * Returns the standard deviation of answers within tasks for each output, in whose units answers about several outputs are
 * put together; 1 where no two answers of a task differ.
 */
export function withinTasks({ tasks, task, value, weight, outputs }: NumericData): Float64Array {
  const O = outputs?.names.length ?? 1;
  const [sum, squares, n] = [0, 0, 0].map(() => new Float64Array(tasks.length));
  for (let i = 0; i < task.length; i++) {
    const count = weight ? weight[i] : 1;
    if (!(count > 0)) continue;
    n[task[i]] += count;
    // Welford's update, so that large values with small differences keep their digits.
    const before = value[i] - sum[task[i]];
    sum[task[i]] += (before * count) / n[task[i]];
    squares[task[i]] += count * before * (value[i] - sum[task[i]]);
  }
  const [within, free] = [new Float64Array(O), new Float64Array(O)];
  for (let t = 0; t < tasks.length; t++) {
    if (n[t] === 0) continue;
    within[outputs ? outputs.of[t] : 0] += squares[t];
    free[outputs ? outputs.of[t] : 0] += n[t] - 1;
  }
  return within.map((each, o) => (each > 0 && free[o] > 0 ? Math.sqrt(each / free[o]) : 1));
}

/**
 * Returns the same answers with those about each output less their mean, in units of `withinTasks`; one output stays as it
 * is.
 */
export function inCommonUnits(data: NumericData): NumericData {
  const { outputs, task, value, gold } = data;
  if (!outputs) return data;
  const unit = withinTasks(data);
  const [sum, n] = [new Float64Array(unit.length), new Float64Array(unit.length)];
  for (let i = 0; i < value.length; i++) n[outputs.of[task[i]]]++;
  for (let i = 0; i < value.length; i++) {
    const o = outputs.of[task[i]];
    sum[o] += value[i] / n[o];
  }
  const common = (x: number, t: number) => (x - sum[outputs.of[t]]) / unit[outputs.of[t]];
  return { ...data, value: value.map((x, i) => common(x, task[i])), gold: gold.map(common) };
}

/** Counts the tasks: all outputs of a task are one. */
export function taskCount({ tasks, outputs }: NumericData): number {
  return outputs ? new Set(tasks).size : tasks.length;
}

/** Returns the answers about one output as data of their own, with one number per task. */
export function oneOutput(data: NumericData, output: string): NumericData {
  const { outputs, ...rest } = data;
  const at = outputs ? outputs.names.indexOf(output) : -1;
  if (!outputs || at < 0) {
    const known = outputs ? `The outputs are: ${Array.from(outputs.names).join(", ")}.` : "";
    throw new CrowdError("bad-option", `There is no output "${output}". ${known}`.trim());
  }
  const own = Int32Array.from(outputs.of.keys()).filter((t) => outputs.of[t] === at);
  const place = new Int32Array(data.tasks.length).fill(-1);
  own.forEach((t, k) => {
    place[t] = k;
  });
  const rows = Int32Array.from(data.task.keys()).filter((i) => place[data.task[i]] >= 0);
  const doubles = (column: Float64Array) => Float64Array.from(rows, (i) => column[i]);
  const attributes = data.taskAttributes && [...data.taskAttributes];
  return {
    ...rest,
    tasks: namesOf(Array.from(own, (t) => data.tasks.at(t))),
    task: rows.map((i) => place[data.task[i]]),
    worker: rows.map((i) => data.worker[i]),
    value: doubles(data.value),
    gold: Float64Array.from(own, (t) => data.gold[t]),
    ...(data.weight && { weight: doubles(data.weight) }),
    ...(data.time && { time: doubles(data.time) }),
    ...(attributes && {
      taskAttributes: new Map(
        attributes.map(([name, column]) => [name, Array.from(own, (t) => column[t])]),
      ),
    }),
  };
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
