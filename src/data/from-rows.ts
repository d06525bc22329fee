/** Data of every kind from plain rows, for programs; files come in through `io/`. */
import type { CategoricalData } from "./categorical.ts";
import { type CategoricalOptions, fromColumns } from "./categorical-from-columns.ts";
import type { NumericData } from "./numeric.ts";
import { type NumericOptions, numericFromColumns } from "./numeric-from-columns.ts";
import { LEFT, type PairwiseData, RIGHT, TIE } from "./pairwise.ts";
import { type PairwiseOptions, pairwiseFromColumns, winnerError } from "./pairwise-from-columns.ts";
import { checkedRows, createNames, createOptional, type Name } from "./rows.ts";

/** What every answer may say of itself. */
interface AnswerRow {
  readonly worker: Name;
  /** How many answers this one counts for; default 1. */
  readonly weight?: number | undefined;
  /** Milliseconds since 1970. */
  readonly time?: number | undefined;
}

/** What one worker said of one task. */
export interface LabelRow extends AnswerRow {
  readonly task: Name;
  /** The class, by name. */
  readonly label: Name | boolean;
}

/** A number that one worker gave for one task. */
export interface ValueRow extends AnswerRow {
  readonly task: Name;
  readonly value: number;
}

/** Which of two items one worker found better. */
export interface ComparisonRow extends AnswerRow {
  /** What was asked, where it matters: the prompt that two models answered. */
  readonly task?: Name | undefined;
  readonly left: Name;
  readonly right: Name;
  /** The name of the winner, or `tie`. */
  readonly label: Name;
}

const common = ["weight", "time"];

/** Builds categorical data from rows of task, worker and label. */
export function fromRows(
  rows: Iterable<LabelRow>,
  options?: CategoricalOptions & { readonly kind?: "categorical" | undefined },
): CategoricalData;
/** Builds numeric data from rows of task, worker and value. */
export function fromRows(
  rows: Iterable<ValueRow>,
  options: NumericOptions & { readonly kind: "numeric" },
): NumericData;
/** Builds pairwise data from rows of worker, left, right and label (the winner, or `tie`). */
export function fromRows(
  rows: Iterable<ComparisonRow>,
  options: PairwiseOptions & { readonly kind: "pairwise" },
): PairwiseData;
export function fromRows(
  rows: unknown,
  options: (CategoricalOptions | NumericOptions | PairwiseOptions) & {
    readonly kind?: string | undefined;
  } = {},
): CategoricalData | NumericData | PairwiseData {
  if (options.kind === "numeric") return numericFromRows(rows, options as NumericOptions);
  if (options.kind === "pairwise") return pairwiseFromRows(rows, options as PairwiseOptions);
  return categoricalFromRows(rows, options as CategoricalOptions);
}

/** Gathers what rows of every kind have. */
function createShared() {
  const tasks = createNames();
  const workers = createNames();
  const task: number[] = [];
  const worker: number[] = [];
  const weight = createOptional(1);
  const time = createOptional(Number.NaN);
  return {
    add(taskName: string, workerName: string, count: number | undefined, when: number | undefined) {
      task.push(tasks.add(taskName));
      worker.push(workers.add(workerName));
      weight.add(count);
      time.add(when);
    },
    columns: () => ({
      tasks: tasks.names,
      workers: workers.names,
      task: Int32Array.from(task),
      worker: Int32Array.from(worker),
      weight: weight.column(),
      time: time.column(),
    }),
  };
}

function categoricalFromRows(rows: unknown, options: CategoricalOptions): CategoricalData {
  const shared = createShared();
  const labels = createNames();
  const label: number[] = [];
  const fields = { required: ["task", "worker", "label"], optional: common };
  for (const row of checkedRows(rows, fields)) {
    shared.add(row.name("task"), row.name("worker"), row.number("weight"), row.number("time"));
    label.push(labels.add(row.name("label")));
  }
  const columns = { ...shared.columns(), labels: labels.names, label: Int32Array.from(label) };
  return fromColumns(columns, options);
}

function numericFromRows(rows: unknown, options: NumericOptions): NumericData {
  const shared = createShared();
  const value: number[] = [];
  const fields = { required: ["task", "worker", "value"], optional: common };
  for (const row of checkedRows(rows, fields)) {
    shared.add(row.name("task"), row.name("worker"), row.number("weight"), row.number("time"));
    value.push(row.number("value") ?? Number.NaN);
  }
  return numericFromColumns({ ...shared.columns(), value: Float64Array.from(value) }, options);
}

function pairwiseFromRows(rows: unknown, options: PairwiseOptions): PairwiseData {
  const shared = createShared();
  const items = createNames();
  const [left, right, label]: number[][] = [[], [], []];
  const fields = { required: ["worker", "left", "right", "label"], optional: ["task", ...common] };
  for (const row of checkedRows(rows, fields)) {
    const [a, b, said] = [row.name("left"), row.name("right"), row.name("label")];
    shared.add(
      row.has("task") ? row.name("task") : "",
      row.name("worker"),
      row.number("weight"),
      row.number("time"),
    );
    left.push(items.add(a));
    right.push(items.add(b));
    if (said !== a && said !== b && said !== "tie")
      throw winnerError(`Row ${left.length}`, said, a, b);
    label.push(said === a ? LEFT : said === b ? RIGHT : TIE);
  }
  return pairwiseFromColumns(
    {
      ...shared.columns(),
      items: items.names,
      left: Int32Array.from(left),
      right: Int32Array.from(right),
      label: Int32Array.from(label),
    },
    options,
  );
}
