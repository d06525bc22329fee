/** From columns to sets of labels: rows of one worker on one task make one answer; label cells, gold, and notes. */
import { CrowdError, hint, plural } from "../error.ts";
import { append } from "../math/lists.ts";
import { classOrder, lookAlikes } from "./categorical-from-columns.ts";
import { type AnswerColumns, attributesOf, type ColumnOptions } from "./columns.ts";
import type { MultiLabelData } from "./multi-label.ts";
import { type Names, namesOf } from "./names.ts";
import type { Repeats } from "./repeats.ts";
import { checkWeights } from "./weights.ts";

/** Columns of chosen labels: row `i` holds the labels `label[start[i]]` to `label[start[i + 1] - 1]`, or none. */
export interface SetColumns extends AnswerColumns {
  readonly labels: readonly string[];
  readonly start: Int32Array;
  readonly label: Int32Array;
}

/** Known labels of a task: one pair per label; an empty label says that the task has none. */
export type SetGold = readonly [task: string, label: string];

/** How sets of labels are read. */
export interface MultiLabelOptions extends ColumnOptions {
  /**
   * What the rows of one worker on one task are: one answer with the labels of all (`distinct`, the default; `error`
   * refuses a label twice), an answer each (`all`), or several answers of which the first or the last counts.
   */
  readonly repeats?: Repeats | undefined;
  /** The labels in their order, used or not; default: those met, sorted. */
  readonly classes?: Names | readonly string[] | undefined;
  /** Labels that mean "I do not know": rows that hold one are left out. */
  readonly abstentions?: readonly string[] | undefined;
  /** Known labels: task and label, one pair per label. A task that is named is known whole. */
  readonly gold?: Iterable<SetGold> | undefined;
}

/** Builds sets of labels from columns of names. */
export function multiLabelFromColumns(
  given: SetColumns,
  options: MultiLabelOptions = {},
): MultiLabelData {
  checkWeights(given.weight);
  const notes = [...(options.notes ?? [])];
  const columns = withoutAbstentions(given, options.abstentions ?? [], notes);
  const gold = [...(options.gold ?? [])];
  const used = new Set<string>();
  for (const l of columns.label) used.add(columns.labels[l]);
  const met = new Set([...used, ...gold.map(([, label]) => label).filter((name) => name !== "")]);
  const classes = classOrder(met, options.classes && [...options.classes]);
  if (classes.length === 0) {
    throw new CrowdError(
      "no-labels",
      `No answer chooses a label, so there is nothing to decide. Name the labels with ${hint("classes")}, or check the column of labels.`,
    );
  }
  append(notes, lookAlikes(classes));
  if (!options.classes) append(notes, onlyInGold(used, gold));
  const place = new Map(classes.map((name, k) => [name, k]));
  const codes = Int32Array.from(columns.labels, (name) => place.get(name) ?? -1);
  const answers = joined({ ...columns, label: columns.label.map((l) => codes[l]) }, options, notes);
  const empty = answers.start.filter((at, i) => i > 0 && at === answers.start[i - 1]).length;
  if (empty > 0) {
    notes.push(`${plural(empty, "answer")} of ${answers.task.length} chose no label.`);
  }
  return {
    kind: "multi-label",
    tasks: namesOf(columns.tasks),
    workers: namesOf(columns.workers),
    classes: namesOf(classes),
    ...answers,
    gold: goldColumn(columns.tasks, classes.length, gold, place, notes),
    ...attributesOf(options),
    notes,
  };
}

/** Leaves out rows that hold an abstention, and counts them. */
function withoutAbstentions(
  columns: SetColumns,
  names: readonly string[],
  notes: string[],
): SetColumns {
  const abstain = new Set(names.flatMap((name) => columns.labels.indexOf(name)));
  abstain.delete(-1);
  if (abstain.size === 0) return columns;
  const { start, label, task, weight, time } = columns;
  const kept = Int32Array.from(task.keys()).filter(
    (i) => !label.subarray(start[i], start[i + 1]).some((l) => abstain.has(l)),
  );
  notes.push(
    `${plural(task.length - kept.length, "row")} left out: the worker did not know (${hint("abstentions")}).`,
  );
  const sizes = kept.map((i) => start[i + 1] - start[i]);
  const from = new Int32Array(kept.length + 1);
  sizes.forEach((size, at) => {
    from[at + 1] = from[at] + size;
  });
  const chosen = new Int32Array(from[kept.length]);
  kept.forEach((i, at) => {
    chosen.set(label.subarray(start[i], start[i + 1]), from[at]);
  });
  return {
    ...columns,
    task: kept.map((i) => task[i]),
    worker: kept.map((i) => columns.worker[i]),
    start: from,
    label: chosen,
    weight: weight && Float64Array.from(kept, (i) => weight[i]),
    time: time && Float64Array.from(kept, (i) => time[i]),
  };
}

/** Says which labels of gold no worker ever chose. */
function onlyInGold(given: ReadonlySet<string>, gold: readonly SetGold[]): string[] {
  const strange = new Set(
    gold.map(([, label]) => label).filter((name) => name !== "" && !given.has(name)),
  );
  if (strange.size === 0) return [];
  const shown = [...strange].slice(0, 5).map((name) => JSON.stringify(name));
  const more = strange.size > 5 ? ` and ${strange.size - 5} more` : "";
  return [
    `Gold has ${plural(strange.size, "label")} that no worker chose: ${shown.join(", ")}${more}. Check the spelling.`,
  ];
}

type Answers = Pick<MultiLabelData, "task" | "worker" | "start" | "label" | "weight" | "time">;

/** The rows of each pair of task and worker, in the order in which pairs are first met. */
function rowsByPair({ task, worker, workers }: SetColumns, apart: boolean): number[][] {
  if (apart) return Array.from(task.keys(), (i) => [i]);
  const W = workers.length;
  const pairs = new Map<number, number[]>();
  for (let i = 0; i < task.length; i++) {
    const key = task[i] * W + worker[i];
    const rows = pairs.get(key);
    if (rows) rows.push(i);
    else pairs.set(key, [i]);
  }
  return [...pairs.values()];
}

/** Joins the rows of a worker on a task to one answer. */
function joined(columns: SetColumns, { repeats }: MultiLabelOptions, notes: string[]): Answers {
  const { task, worker, start, label, weight, time } = columns;
  const found = { twice: 0, late: 0, unlike: 0, beside: 0 };
  const groups = rowsByPair(columns, repeats === "all").map((rows) => {
    const kept = ofOneTime(rows, repeats, time);
    found.late += rows.length - kept.length;
    return kept;
  });
  const from = new Int32Array(groups.length + 1);
  const chosen: number[] = [];
  groups.forEach((rows, at) => {
    const set = new Set<number>();
    let given = 0;
    for (const i of rows) {
      given += start[i + 1] - start[i];
      for (let j = start[i]; j < start[i + 1]; j++) set.add(label[j]);
    }
    if (given > set.size && repeats === "error") throw twiceError(columns, rows[0]);
    found.twice += given - set.size;
    if (given > 0) found.beside += rows.filter((i) => start[i] === start[i + 1]).length;
    if (weight && rows.some((i) => weight[i] !== weight[rows[0]])) found.unlike++;
    append(
      chosen,
      [...set].sort((a, b) => a - b),
    );
    from[at + 1] = chosen.length;
  });
  append(notes, joinNotes(found, repeats));
  const latest = (rows: readonly number[]) =>
    rows.reduce(
      (last, i) => (Number.isNaN(last) || (time?.[i] ?? 0) > last ? (time?.[i] ?? last) : last),
      Number.NaN,
    );
  return {
    task: Int32Array.from(groups, (rows) => task[rows[0]]),
    worker: Int32Array.from(groups, (rows) => worker[rows[0]]),
    start: from,
    label: Int32Array.from(chosen),
    ...(weight && { weight: Float64Array.from(groups, (rows) => weight[rows[0]]) }),
    ...(time && { time: Float64Array.from(groups, latest) }),
  };
}

/** With `first` and `last`, the rows of the earliest or the latest time; without times, the first or the last row. */
function ofOneTime(
  rows: readonly number[],
  repeats: Repeats | undefined,
  time: Float64Array | undefined,
): readonly number[] {
  if ((repeats !== "first" && repeats !== "last") || rows.length < 2) return rows;
  const sign = repeats === "first" ? -1 : 1;
  const timed = time !== undefined && rows.every((i) => !Number.isNaN(time[i]));
  const place = (i: number) => sign * (timed ? time[i] : i);
  const best = rows.reduce((most, i) => (place(i) > place(most) ? i : most), rows[0]);
  return timed ? rows.filter((i) => time[i] === time[best]) : [best];
}

function joinNotes(
  { twice, late, unlike, beside }: Record<"twice" | "late" | "unlike" | "beside", number>,
  repeats: Repeats | undefined,
): string[] {
  return [
    ...(twice > 0
      ? [`${plural(twice, "label")} chosen twice by a worker on a task; they count once.`]
      : []),
    ...(late > 0
      ? [`${plural(late, "row")} of earlier or later answers left out; repeats: ${repeats}.`]
      : []),
    ...(beside > 0
      ? [
          `${plural(beside, "row")} without a label beside rows of the same worker and task with one: the labels count.`,
        ]
      : []),
    ...(unlike > 0
      ? [`${plural(unlike, "answer")} with rows of different weights: the first row's counts.`]
      : []),
  ];
}

function twiceError({ tasks, workers, task, worker }: SetColumns, i: number): CrowdError {
  return new CrowdError(
    "bad-data",
    `Worker "${workers[worker[i]]}" chose a label of task "${tasks[task[i]]}" twice. ` +
      `Choose what to keep with ${hint("repeats")}: first, last, distinct or all.`,
  );
}

/** Gold by task and label; a task that gold names has the labels named, and no other. */
function goldColumn(
  tasks: readonly string[],
  L: number,
  gold: readonly SetGold[],
  place: ReadonlyMap<string, number>,
  notes: string[],
): Int8Array {
  const column = new Int8Array(tasks.length * L).fill(-1);
  if (gold.length === 0) return column;
  const at = new Map(tasks.map((name, t) => [name, t]));
  const named = new Set(gold.map(([task]) => task));
  let missing = 0;
  for (const task of named) {
    const t = at.get(task);
    if (t === undefined) missing++;
    else column.fill(0, t * L, (t + 1) * L);
  }
  for (const [task, label] of gold) {
    const t = at.get(task);
    const k = place.get(label);
    if (t !== undefined && k !== undefined) column[t * L + k] = 1;
  }
  if (missing === named.size) {
    throw new CrowdError(
      "bad-data",
      `None of the ${named.size} gold tasks has answers: gold names "${gold[0][0]}", the answers "${tasks[0] ?? ""}". ` +
        `Do both files name tasks the same way?`,
    );
  }
  if (missing > 0) {
    notes.push(`${missing} of ${named.size} gold tasks have no answers and are left out.`);
  }
  return column;
}

/** Characters that people put between the labels of a cell. */
const SEPARATORS = ["|", ";"];

/**
 * Finds what separates the labels of a cell: `|` or `;`, where cells with it split into labels that are all met in other
 * cells too, at least twice. Undefined where cells are to be taken whole.
 */
export function separatorOf(cells: readonly string[]): string | undefined {
  return SEPARATORS.find((separator) => {
    const split = cells.map((cell) => cell.split(separator).map((part) => part.trim()));
    const several = split.filter((parts) => parts.length > 1);
    if (several.length === 0) return false;
    const met = new Map<string, number>();
    for (const parts of split)
      for (const part of new Set(parts)) met.set(part, (met.get(part) ?? 0) + 1);
    return several.every((parts) => parts.every((part) => part !== "" && (met.get(part) ?? 0) > 1));
  });
}
