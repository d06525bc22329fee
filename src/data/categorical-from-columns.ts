/**
 * From interned columns to a dataset: the order of the classes, repeated labels, gold, and notes on
 * whatever a user would want to hear about.
 */
import { CrowdError } from "../error.ts";
import { append } from "../math/lists.ts";
import type { CategoricalData } from "./categorical.ts";
import { type AnswerColumns, attributesOf, type ColumnOptions } from "./columns.ts";
import { lookOf, quoteName } from "./look-alike.ts";
import { type Names, namesOf } from "./names.ts";
import { keptRows, type Repeats } from "./repeats.ts";
import { checkWeights } from "./weights.ts";

/** Columns of indices into lists of names, in the order in which the names were met. */
export interface Columns extends AnswerColumns {
  readonly labels: readonly string[];
  readonly label: Int32Array;
}

/** How labels are read. */
export interface CategoricalOptions extends ColumnOptions {
  /** Default: `last` where labels have times, else `distinct`. */
  readonly repeats?: Repeats | undefined;
  /** The classes in their order, used or not; default: those met, sorted (numbers as numbers). */
  readonly classes?: Names | readonly string[] | undefined;
  /** Labels that mean "I do not know"; kept apart from the classes. */
  readonly abstentions?: readonly string[] | undefined;
  /** Known classes: task and class by name. */
  readonly gold?: Iterable<readonly [task: string, label: string]> | undefined;
}

/** Builds labels from columns of names. */
export function fromColumns(columns: Columns, options: CategoricalOptions = {}): CategoricalData {
  checkWeights(columns.weight);
  const notes = [...(options.notes ?? [])];
  const gold = [...(options.gold ?? [])];
  const abstain = new Set(options.abstentions ?? []);
  const named = [...columns.labels, ...gold.map(([, label]) => label)];
  const classes = classOrder(
    new Set(named.filter((name) => !abstain.has(name))),
    options.classes && [...options.classes],
  );
  append(notes, lookAlikes(classes));
  if (!options.classes) append(notes, onlyInGold(columns.labels, gold));
  const place = new Map(classes.map((name, k) => [name, k]));
  const codes = Int32Array.from(columns.labels, (name) => place.get(name) ?? classes.length);
  const kept = withoutRepeats(
    { ...columns, label: columns.label.map((l) => codes[l]) },
    options.repeats ?? (columns.time ? "last" : "distinct"),
    notes,
  );
  return {
    kind: "categorical",
    tasks: namesOf(columns.tasks),
    workers: namesOf(columns.workers),
    classes: namesOf(classes),
    ...kept,
    gold: goldColumn(columns.tasks, gold, place, notes),
    ...attributesOf(options),
    notes,
  };
}

/** Classes as given, else sorted: as numbers if all are plain numbers, else by code point. */
export function classOrder(met: ReadonlySet<string>, given?: readonly string[]): readonly string[] {
  if (!given) {
    const names = [...met];
    const numeric = names.every((name) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(name));
    return numeric
      ? names.sort((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1))
      : names.sort((a, b) => (a < b ? -1 : 1));
  }
  const known = new Set(given);
  if (known.size < given.length) {
    throw new CrowdError("bad-data", `The list of classes names one twice: ${given.join(", ")}.`);
  }
  const unknown = [...met].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new CrowdError(
      "bad-data",
      `${unknown.length} labels are not in the list of classes (${list(given)}): ${list(unknown)}. ` +
        `Add them to the list, or name them as abstentions.`,
    );
  }
  return given;
}

/** `Cat`, `cat ` and `CAT`, or `1` and `1.0`, are several classes to a program, and most likely one to a person. */
export function lookAlikes(classes: readonly string[]): string[] {
  const groups = new Map<string, string[]>();
  for (const name of classes) {
    const key = lookOf(name);
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups.values()]
    .filter((names) => names.length > 1)
    .map(
      (names) =>
        `The classes ${list(names, quoteName)} look alike but are kept apart. If they mean the same, fold their case or map them.`,
    );
}

/** Says which classes of gold no worker ever gave: a different spelling, or a class that everybody misses. */
export function onlyInGold(
  labels: readonly string[],
  gold: readonly (readonly [task: string, label: string])[],
): string[] {
  const given = new Set(labels);
  const strange = gold.filter(([, label]) => !given.has(label));
  if (strange.length === 0) return [];
  const names = [...new Set(strange.map(([, label]) => label))];
  return [
    `Gold has ${names.length === 1 ? "a class" : `${names.length} classes`} that no worker gave: ${list(names)} ` +
      `(${strange.length} of ${gold.length} gold tasks). Check the spelling.`,
  ];
}

type Kept = Pick<CategoricalData, "task" | "worker" | "label" | "weight" | "time">;

/** Applies the policy for repeated (task, worker) pairs. */
function withoutRepeats(columns: Columns, policy: Repeats, notes: string[]): Kept {
  const { task, worker, label, weight, time } = columns;
  const data = { ...columns, tasks: namesOf(columns.tasks), workers: namesOf(columns.workers) };
  const kept = keptRows(data, (i, j) => label[i] === label[j], policy, notes);
  if (!kept) return { task, worker, label, ...(weight && { weight }), ...(time && { time }) };
  return {
    task: kept.map((i) => task[i]),
    worker: kept.map((i) => worker[i]),
    label: kept.map((i) => label[i]),
    ...(weight && { weight: Float64Array.from(kept, (i) => weight[i]) }),
    ...(time && { time: Float64Array.from(kept, (i) => time[i]) }),
  };
}

/** Gold by task; gold of tasks without labels is counted, and an error if there is no other. */
function goldColumn(
  tasks: readonly string[],
  gold: readonly (readonly [string, string])[],
  classes: ReadonlyMap<string, number>,
  notes: string[],
): Int32Array {
  const column = new Int32Array(tasks.length).fill(-1);
  if (gold.length === 0) return column;
  const wanted = new Map(gold);
  if (wanted.size < gold.length) {
    const first = new Map<string, string>();
    for (const [task, label] of gold) {
      const known = first.get(task) ?? label;
      if (known !== label) {
        throw new CrowdError(
          "bad-data",
          `Gold names two classes for task "${task}": ${known} and ${label}.`,
        );
      }
      first.set(task, label);
    }
  }
  let matched = 0;
  for (let t = 0; t < tasks.length; t++) {
    const label = wanted.get(tasks[t]);
    const k = label === undefined ? undefined : classes.get(label);
    if (k === undefined) continue;
    column[t] = k;
    matched++;
  }
  if (matched === 0) {
    const [sample] = wanted.keys();
    throw new CrowdError(
      "bad-data",
      `None of the ${wanted.size} gold tasks has labels: gold names "${sample}", the labels "${tasks[0] ?? ""}". ` +
        `Do both files name tasks the same way?`,
    );
  }
  if (matched < wanted.size) {
    notes.push(
      `${wanted.size - matched} of ${wanted.size} gold tasks have no labels and are left out.`,
    );
  }
  return column;
}

/** At most five names, quoted, and how many more. */
function list(names: readonly string[], quote: (name: string) => string = JSON.stringify): string {
  const shown = names.slice(0, 5).map((name) => quote(name));
  return shown.join(", ") + (names.length > 5 ? ` and ${names.length - 5} more` : "");
}
