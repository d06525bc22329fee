/** Data of every kind from plain rows, for programs; files come in through `io/`. */

import { CrowdError } from "../error.ts";
import type { CategoricalData } from "./categorical.ts";
import { type CategoricalOptions, fromColumns } from "./categorical-from-columns.ts";
import type { MultiLabelData } from "./multi-label.ts";
import { type MultiLabelOptions, multiLabelFromColumns } from "./multi-label-from-columns.ts";
import type { NumericData } from "./numeric.ts";
import { type NumericOptions, numericFromColumns } from "./numeric-from-columns.ts";
import { inOrder, type OrdinalData } from "./ordinal.ts";
import { isOutputColumn, lackingNotes, outputOfColumn } from "./output-columns.ts";
import { LEFT, type PairwiseData, RIGHT, TIE } from "./pairwise.ts";
import { type PairwiseOptions, pairwiseFromColumns, winnerError } from "./pairwise-from-columns.ts";
import { checkedRows, createNames, createOptional, type Name } from "./rows.ts";
import type { SequenceData } from "./sequence.ts";
import { type SequenceOptions, sequenceFromColumns } from "./sequence-from-columns.ts";
import { type SimilarityData, sameness, samenessRule } from "./similarity.ts";
import { type SimilarityOptions, similarityFromColumns } from "./similarity-from-columns.ts";

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
  /** Which of several numbers of the task it is, such as a side of a box. */
  readonly output?: Name | undefined;
}

/** Several numbers that one worker gave for one task, in columns `value_1`, `value_2`, … or `value_left`, `value_top`, … */
export interface ValuesRow extends AnswerRow {
  readonly task: Name;
  readonly [column: `value_${string}`]: number | undefined;
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

/** The tag that one worker gave to one position of one task. */
export interface TagRow extends AnswerRow {
  readonly task: Name;
  /** A whole number from 0 upwards. */
  readonly position: number;
  /** The tag, by name: `B-PER`, `O`. */
  readonly label: Name;
  /** What stands at the position, such as a word. */
  readonly token?: Name | undefined;
}

/** The labels that one worker chose for one task: all in a list, or one per row. */
export interface LabelSetRow extends AnswerRow {
  readonly task: Name;
  /** The chosen labels, or one of them; an empty list or text where the worker chose none. */
  readonly label: Name | boolean | readonly (Name | boolean)[];
}

/** Whether one worker found two items to be the same. */
export interface PairRow extends AnswerRow {
  readonly left: Name;
  readonly right: Name;
  /** `same` or `different`; also true and false, 1 and 0, yes and no. */
  readonly label: Name | boolean;
}

const common = ["weight", "time"];

/** Builds categorical data from rows of task, worker and label. */
export function fromRows(
  rows: Iterable<LabelRow>,
  options?: CategoricalOptions & { readonly kind?: "categorical" | undefined },
): CategoricalData;
/** Builds ordinal data from rows of task, worker and label; levels that are no numbers need `classes`, lowest first. */
export function fromRows(
  rows: Iterable<LabelRow>,
  options: CategoricalOptions & { readonly kind: "ordinal" },
): OrdinalData;
/** Builds numeric data from rows of task, worker and value, or of several values (`value_1`, `value_2`, …). */
export function fromRows(
  rows: Iterable<ValueRow | ValuesRow>,
  options: NumericOptions & { readonly kind: "numeric" },
): NumericData;
/** Builds pairwise data from rows of worker, left, right and label (the winner, or `tie`). */
export function fromRows(
  rows: Iterable<ComparisonRow>,
  options: PairwiseOptions & { readonly kind: "pairwise" },
): PairwiseData;
/** Builds sequences from rows of task, worker, position and label. */
export function fromRows(
  rows: Iterable<TagRow>,
  options: SequenceOptions & { readonly kind: "sequence" },
): SequenceData;
/** Builds sets of labels from rows of task, worker and label: a list of labels, or one label per row. */
export function fromRows(
  rows: Iterable<LabelSetRow>,
  options: MultiLabelOptions & { readonly kind: "multi-label" },
): MultiLabelData;
/** Builds similarities from rows of worker, left, right and label (`same` or `different`). */
export function fromRows(
  rows: Iterable<PairRow>,
  options: SimilarityOptions & { readonly kind: "similarity" },
): SimilarityData;
export function fromRows(
  rows: unknown,
  options: (
    | CategoricalOptions
    | NumericOptions
    | PairwiseOptions
    | SequenceOptions
    | MultiLabelOptions
    | SimilarityOptions
  ) & {
    readonly kind?: string | undefined;
  } = {},
):
  | CategoricalData
  | OrdinalData
  | NumericData
  | PairwiseData
  | SequenceData
  | MultiLabelData
  | SimilarityData {
  if (options.kind === "ordinal") {
    const chosen = options as CategoricalOptions;
    return inOrder(categoricalFromRows(rows, chosen), chosen);
  }
  if (options.kind === "numeric") return numericFromRows(rows, options as NumericOptions);
  if (options.kind === "pairwise") return pairwiseFromRows(rows, options as PairwiseOptions);
  if (options.kind === "sequence") return sequenceFromRows(rows, options as SequenceOptions);
  if (options.kind === "multi-label") return multiLabelFromRows(rows, options as MultiLabelOptions);
  if (options.kind === "similarity") return similarityFromRows(rows, options as SimilarityOptions);
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
  const outputs = createNames();
  const [value, output]: number[][] = [[], []];
  let wideRows = 0;
  for (const row of checkedRows(rows, numericFields)) {
    const wide = row.keys().filter(isOutputColumn);
    if (wide.length > 0) wideRows++;
    const named = row.has("output") ? row.name("output") : "";
    for (const key of wide.length > 0 ? wide : ["value"]) {
      const said = outputs.add(wide.length > 0 ? outputOfColumn(key) : named);
      const given = row.number(key);
      if (given === undefined) continue;
      shared.add(row.name("task"), row.name("worker"), row.number("weight"), row.number("time"));
      value.push(given);
      output.push(said);
    }
  }
  if (outputs.names.length > 1 && outputs.names.includes("")) {
    throw new CrowdError("bad-data", "Some rows name an output and others do not. Name it in all.");
  }
  const columns = {
    ...shared.columns(),
    value: Float64Array.from(value),
    output: Int32Array.from(output),
    outputs: outputs.names,
  };
  const lacking = lackingNotes(columns, wideRows);
  return numericFromColumns(columns, { ...options, notes: [...(options.notes ?? []), ...lacking] });
}

const numericFields = {
  required: ["task", "worker", "value"],
  optional: ["output", ...common],
  instead: { of: "value", passes: isOutputColumn },
};

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

function sequenceFromRows(rows: unknown, options: SequenceOptions): SequenceData {
  const shared = createShared();
  const [labels, texts] = [createNames(), createNames()];
  const [position, label, text]: number[][] = [[], [], []];
  const fields = {
    required: ["task", "worker", "position", "label"],
    optional: ["token", ...common],
  };
  for (const row of checkedRows(rows, fields)) {
    const at = row.number("position") ?? Number.NaN;
    if (!Number.isInteger(at) || at < 0 || at >= 2 ** 31) {
      throw new CrowdError(
        "bad-data",
        `Row ${label.length + 1}: the position should be a whole number from 0 upwards, but is ${at}.`,
      );
    }
    shared.add(row.name("task"), row.name("worker"), row.number("weight"), row.number("time"));
    position.push(at);
    label.push(labels.add(row.name("label")));
    text.push(row.has("token") ? texts.add(row.name("token")) : -1);
  }
  return sequenceFromColumns(
    {
      ...shared.columns(),
      labels: labels.names,
      position: Int32Array.from(position),
      label: Int32Array.from(label),
      ...(texts.names.length > 0 && { text: Int32Array.from(text), texts: texts.names }),
    },
    options,
  );
}

function multiLabelFromRows(rows: unknown, options: MultiLabelOptions): MultiLabelData {
  const shared = createShared();
  const labels = createNames();
  const [start, label]: number[][] = [[0], []];
  const fields = { required: ["task", "worker", "label"], optional: common };
  for (const row of checkedRows(rows, fields)) {
    shared.add(row.name("task"), row.name("worker"), row.number("weight"), row.number("time"));
    for (const name of row.names("label")) label.push(labels.add(name));
    start.push(label.length);
  }
  return multiLabelFromColumns(
    {
      ...shared.columns(),
      labels: labels.names,
      start: Int32Array.from(start),
      label: Int32Array.from(label),
    },
    options,
  );
}

function similarityFromRows(rows: unknown, options: SimilarityOptions): SimilarityData {
  const shared = createShared();
  const items = createNames();
  const [left, right, label]: number[][] = [[], [], []];
  const fields = { required: ["worker", "left", "right", "label"], optional: common };
  for (const row of checkedRows(rows, fields)) {
    const said = sameness(row.name("label"));
    if (said === undefined) {
      throw new CrowdError(
        "bad-data",
        `Row ${label.length + 1}: the label should be ${samenessRule}, but is "${row.name("label")}".`,
      );
    }
    shared.add("", row.name("worker"), row.number("weight"), row.number("time"));
    left.push(items.add(row.name("left")));
    right.push(items.add(row.name("right")));
    label.push(said);
  }
  return similarityFromColumns(
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
