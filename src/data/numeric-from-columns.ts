/** From columns to numeric data: repeated answers, gold, and notes on what a user would want to hear. */
import { CrowdError } from "../error.ts";
import { type AnswerColumns, attributesOf, type ColumnOptions } from "./columns.ts";
import type { Attributes } from "./crowd-data.ts";
import { type Names, namesOf } from "./names.ts";
import type { NumericData, Outputs } from "./numeric.ts";
import { keptRows, type Repeats } from "./repeats.ts";
import { scoredGold } from "./scored-gold.ts";
import { checkWeights } from "./weights.ts";

export interface NumericColumns extends AnswerColumns {
  readonly value: Float64Array;
  /** The output that each answer is about, and the names of the outputs; absent where tasks have one number. */
  readonly output?: Int32Array | undefined;
  readonly outputs?: readonly string[] | undefined;
}

/** How numbers are read. */
export interface NumericOptions extends ColumnOptions {
  /** Which answers of a worker on one task count. Default: `last` where there are times, else `distinct`. */
  readonly repeats?: Repeats | undefined;
  /** Known values: task and value; the name of the output where tasks have several. */
  readonly gold?: Iterable<NumericGold> | undefined;
}

/** A known value. */
export type NumericGold = readonly [task: string, value: number, output?: string | undefined];

/** Builds numeric data from interned columns. */
export function numericFromColumns(
  columns: NumericColumns,
  options: NumericOptions = {},
): NumericData {
  const notes = [...(options.notes ?? [])];
  const { worker, value, weight, time } = columns;
  checkWeights(weight);
  const workers = namesOf(columns.workers);
  const { tasks, task, outputs, attributes } = unitsOf(columns, options.taskAttributes);
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
    gold: outputs
      ? goldOfOutputs(tasks, outputs, options.gold, notes)
      : scoredGold(tasks, withoutOutputs(options.gold), "task", notes),
    ...(outputs && { outputs }),
    ...(weight && { weight: doubles(weight) }),
    ...(time && { time: doubles(time) }),
    ...attributesOf({ ...options, taskAttributes: attributes }),
    notes,
  };
}

interface Units {
  readonly tasks: Names;
  readonly task: Int32Array;
  readonly outputs?: Outputs;
  readonly attributes?: Attributes | undefined;
}

/** Makes an entry of each output of a task that has answers, task after task. With one output there is nothing to do. */
function unitsOf(
  { tasks, task, output, outputs = [] }: NumericColumns,
  attributes: Attributes | undefined,
): Units {
  if (!output || outputs.length < 2) return { tasks: namesOf(tasks), task, attributes };
  const O = outputs.length;
  const at = new Int32Array(tasks.length * O).fill(-1);
  for (let i = 0; i < task.length; i++) at[task[i] * O + output[i]] = 0;
  const pairs = Int32Array.from(at.keys()).filter((pair) => at[pair] === 0);
  pairs.forEach((pair, unit) => {
    at[pair] = unit;
  });
  const taskOf = pairs.map((pair) => Math.floor(pair / O));
  const columns = attributes && [...attributes];
  return {
    tasks: namesOf(Array.from(taskOf, (t) => tasks[t])),
    task: task.map((t, i) => at[t * O + output[i]]),
    outputs: { names: namesOf(outputs), of: pairs.map((pair) => pair % O) },
    attributes:
      columns &&
      new Map(columns.map(([name, column]) => [name, Array.from(taskOf, (t) => column[t])])),
  };
}

/** Known values of tasks with one number. */
function* withoutOutputs(gold: Iterable<NumericGold> = []): Iterable<[string, number]> {
  for (const [task, value] of gold) yield [task, value];
}

/** Known values of each output of each task: those of an output are joined by the names of its tasks. */
function goldOfOutputs(
  tasks: Names,
  { names, of }: Outputs,
  gold: Iterable<NumericGold> = [],
  notes: string[],
): Float64Array {
  const perOutput = new Map<string, [string, number][]>();
  for (const [task, value, output] of gold) {
    if (output === undefined || names.indexOf(output) < 0) {
      const found = output === undefined ? "names no output" : `is about output "${output}"`;
      throw new CrowdError(
        "bad-data",
        `Gold of task "${task}" ${found}. The answers have the outputs ${Array.from(names).join(", ")}.`,
      );
    }
    const known = perOutput.get(output) ?? [];
    known.push([task, value]);
    perOutput.set(output, known);
  }
  const column = new Float64Array(tasks.length).fill(Number.NaN);
  for (const [output, known] of perOutput) {
    const own = Int32Array.from(of.keys()).filter((t) => of[t] === names.indexOf(output));
    const said: string[] = [];
    const values = scoredGold(namesOf(Array.from(own, (t) => tasks.at(t))), known, "task", said);
    own.forEach((t, k) => {
      column[t] = values[k];
    });
    for (const note of said) notes.push(`Output "${output}": ${note}`);
  }
  return column;
}
