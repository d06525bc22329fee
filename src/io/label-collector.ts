/**
 * Gathers the labels of one or more files: names become numbers as they come, and what is dropped is
 * counted.
 */

import type { Columns } from "../data/categorical-from-columns.ts";
import { lookOf, quoteName } from "../data/look-alike.ts";
import { plural } from "../error.ts";
import { append } from "../math/lists.ts";
import { type CleaningOptions, cleaningNotes, cleanLabel, cleanName } from "./cleaning.ts";
import { createGrowingCodes, createGrowingNumbers } from "./growing.ts";
import type { Interner } from "./interner.ts";
import { createLabelInterner, createNameInterner } from "./name-interners.ts";

export interface LabelCollector {
  readonly tasks: Interner;
  readonly workers: Interner;
  readonly labels: Interner;
  readonly rows: number;
  /** Bytes of memory held now. */
  byteLength(): number;
  /** One label; `time` and `weight` are NaN where they are not known. */
  add(task: number, worker: number, label: number, time: number, weight: number): void;
  /** Changes the time of a label that was added. */
  setTime(row: number, time: number): void;
  /** A known class that the file holds besides its labels. */
  addGold(task: string, label: string): void;
  /** A row left out; the reason is counted and said, where nobody else says it. */
  drop(reason?: string): void;
  /** The columns and what to say about them; the collector is empty afterwards. */
  finish(): {
    readonly columns: Columns;
    readonly gold: readonly (readonly [task: string, label: string])[];
    readonly notes: readonly string[];
  };
}

export function createLabelCollector(options: CleaningOptions = {}): LabelCollector {
  const names = {
    tasks: createNameInterner(options),
    workers: createNameInterner(options),
    labels: createLabelInterner(options),
  };
  const task = createGrowingCodes();
  const worker = createGrowingCodes();
  const label = createGrowingCodes();
  const time = createGrowingNumbers(Number.NaN);
  const weight = createGrowingNumbers(1);
  const dropped = new Map<string, number>();
  const gold = new Map<string, string>();
  let complete = true;

  const collector = {
    ...names,
    rows: 0,
    byteLength() {
      return [...Object.values(names), task, worker, label, time, weight].reduce(
        (sum, part) => sum + part.byteLength(),
        0,
      );
    },
    add(t: number, w: number, l: number, when: number, count: number) {
      task.push(t);
      worker.push(w);
      label.push(l);
      if (!Number.isNaN(when)) time.set(collector.rows, when);
      if (!Number.isNaN(count) && count !== 1) weight.set(collector.rows, count);
      collector.rows++;
    },
    setTime: time.set,
    addGold(name: string, known: string) {
      const label = cleanLabel(known, options);
      if (label !== "") gold.set(cleanName(name, options), label);
    },
    drop(reason?: string) {
      complete = false;
      if (reason) dropped.set(reason, (dropped.get(reason) ?? 0) + 1);
    },
    finish() {
      const { rows } = collector;
      const columns = {
        ...named(task.join(), names.tasks, "task", "tasks"),
        ...named(worker.join(), names.workers, "worker", "workers"),
        ...named(label.join(), names.labels, "label", "labels"),
        weight: weight.used ? weight.join(rows) : undefined,
        time: time.used ? time.join(rows) : undefined,
      };
      const notes = [...dropped].map(
        ([reason, count]) => `${plural(count, "row")} dropped: ${reason}.`,
      );
      append(notes, cleaningNotes(Object.values(names).map(({ changes }) => changes)));
      append(notes, twins(columns.tasks, names.tasks.ascii, "task"));
      append(notes, twins(columns.workers, names.workers.ascii, "worker"));
      return { columns, gold: [...gold], notes };
    },
  };
  return collector;

  /** A column and its names; names met only in rows that were left out are left out as well. */
  function named<One extends string, Many extends string>(
    column: Int32Array,
    from: Interner,
    one: One,
    many: Many,
  ) {
    const all = complete ? from.names() : prune(column, from.names());
    return { [one]: column, [many]: all } as Record<One, Int32Array> & Record<Many, string[]>;
  }
}

/** The names in use; the column is renumbered in place. */
function prune(column: Int32Array, names: string[]): string[] {
  const place = new Int32Array(names.length).fill(-1);
  for (let i = 0; i < column.length; i++) place[column[i]] = 0;
  let used = 0;
  for (let code = 0; code < names.length; code++) if (place[code] === 0) place[code] = used++;
  if (used === names.length) return names;
  for (let i = 0; i < column.length; i++) column[i] = place[column[i]];
  return names.filter((_, code) => place[code] >= 0);
}

const [DOT, ZERO] = [0x2e, 0x30];

/** Says which names look like another: `ana` and `ana `, `7` and `7.0`, and twins that differ by what is not seen. */
function twins(names: readonly string[], ascii: boolean, what: string): string[] {
  const odd = names.filter((name) => {
    const last = name.charCodeAt(name.length - 1);
    if (last <= 32 || name.charCodeAt(0) <= 32) return true;
    if ((last === ZERO || last === DOT) && /^\d+\.0*$/.test(name)) return true;
    return !ascii && lookOf(name) !== name.toLowerCase();
  });
  if (odd.length === 0) return [];
  const known = new Set(names);
  const found = odd.filter((name) => known.has(lookOf(name)));
  if (found.length === 0) return [];
  const many = found.length > 1;
  return [
    `${plural(found.length, `${what} name`)} ${many ? "look" : "looks"} like another and ` +
      `${many ? "are" : "is"} kept apart, such as ${quoteName(found[0])}.`,
  ];
}
