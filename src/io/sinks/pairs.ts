/**
 * Answers about two items: rows of worker, left, right and a label, which is the winner of a comparison, or whether
 * the two are the same. Both kinds have the same columns; where none is named, the labels of all rows tell.
 */
import type { CrowdData } from "../../data/crowd-data.ts";
import { LEFT, RIGHT, TIE } from "../../data/pairwise.ts";
import { sameness, samenessRule } from "../../data/similarity.ts";
import { hint, plural } from "../../error.ts";
import { badWeight, nameCell } from "../cell.ts";
import { cleaningNotes } from "../cleaning.ts";
import { type FoundColumns, hasColumn, lateRole, type Wanted } from "../column-names.ts";
import type { FileContext, ReadOptions, TableTarget } from "../format.ts";
import { createGrowingCodes } from "../growing.ts";
import { createLabelInterner, createNameInterner } from "../name-interners.ts";
import { excerpt } from "../problems.ts";
import type { GoldPairs, Sink } from "../sink.ts";
import { createCells, createSharedColumns, noLabels, understand, usedNames } from "./shared.ts";

/** What the labels say: who won, or whether items are the same. */
export type Asked = "pairwise" | "similarity";

/** The rows of a sink as columns; `label` has what rows say under the kind they turned out to be. */
export interface PairColumns {
  readonly tasks: readonly string[];
  readonly task: Int32Array;
  readonly workers: readonly string[];
  readonly worker: Int32Array;
  readonly weight: Float64Array | undefined;
  readonly time: Float64Array | undefined;
  readonly items: readonly string[];
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly label: Int32Array;
}

/** Makes data of columns, gold and notes. */
export type MakePairs<Data extends CrowdData> = (
  columns: PairColumns,
  options: ReadOptions & { readonly gold?: GoldPairs | undefined; readonly notes: string[] },
) => Data;

const roles: readonly Wanted[] = [
  { role: "worker", aliases: "worker", required: true },
  { role: "left", aliases: "left", required: true },
  { role: "right", aliases: "right", required: true },
  { role: "label", aliases: "winner", required: true },
  { role: "task", aliases: "task" },
  { role: "time", aliases: "time" },
  { role: "weight", aliases: "weight" },
];

/** True where there are columns for a left and a right item. */
export const hasSides = (header: readonly string[]): boolean =>
  hasColumn(header, "left") && hasColumn(header, "right");

/** Words for neither side, as people write them, in small letters and without blanks and marks. */
const ties = new Set(["tie", "tied", "draw", "equal", "both", "neither", "same", "bothgood"]);
/** Ties that also say that neither item is good. */
const badTies = new Set(["tiebothbad", "bothbad"]);

const wordOf = (said: string) => said.toLowerCase().replace(/[\s_()-]+/g, "");

/** Who won, or -1 where the label names neither side and is no tie; `sides` are the columns of the two items. */
function winnerOf(said: string, left: string, right: string, sides: readonly string[]): number {
  if (said === left) return LEFT;
  if (said === right) return RIGHT;
  const word = wordOf(said);
  if (ties.has(word) || badTies.has(word)) return TIE;
  if (word === "left" || word === sides[0]) return LEFT;
  return word === "right" || word === sides[1] ? RIGHT : -1;
}

/** A sink of rows about two items; `asked` is undefined where the labels are to tell. */
export function createPairSink<Data extends CrowdData>(
  options: ReadOptions,
  asked: Asked | undefined,
  make: (kind: Asked) => MakePairs<Data>,
): Sink<Data> & { readonly kind: () => Asked } {
  const shared = createSharedColumns(options);
  const items = createNameInterner(options);
  // The winner is called as the item is, so its case is kept.
  const labels = createLabelInterner({ ...options, foldCase: false });
  const columns = {
    left: createGrowingCodes(),
    right: createGrowingCodes(),
    winner: createGrowingCodes(),
    same: createGrowingCodes(),
  };
  const verdict = createVerdict(asked);
  const pairs: Pairs = { shared, items, labels, columns, verdict, badTies: 0 };
  return {
    kind: verdict.kind,
    target: (context) => pairTarget(pairs, context),
    labels: (context) => {
      throw noLabels(asked ?? "pairwise", context);
    },
    rows: shared.rows,
    byteLength: () =>
      [items, ...Object.values(columns)].reduce(
        (sum, part) => sum + part.byteLength(),
        shared.byteLength(),
      ),
    names: () => shared.tasks.size + shared.workers.size + items.size,
    latin1: () => shared.tasks.latin1 + shared.workers.latin1 + items.latin1,
    dropped: shared.dropped,
    finish({ gold, notes }) {
      const kind = verdict.kind();
      const changes = [shared.tasks, shared.workers, items, labels].map((each) => each.changes);
      return make(kind)(joined(pairs, kind), {
        ...options,
        gold,
        notes: [
          ...notes,
          ...shared.dropped(),
          ...(kind === "pairwise" ? badTieNotes(pairs.badTies) : []),
          ...cleaningNotes(changes),
        ],
      });
    },
  };
}

interface Pairs {
  readonly shared: ReturnType<typeof createSharedColumns>;
  readonly items: ReturnType<typeof createNameInterner>;
  readonly labels: ReturnType<typeof createLabelInterner>;
  readonly columns: Readonly<
    Record<"left" | "right" | "winner" | "same", ReturnType<typeof createGrowingCodes>>
  >;
  readonly verdict: ReturnType<typeof createVerdict>;
  /** Number of ties that say that neither item is good. */
  badTies: number;
}

function badTieNotes(count: number): string[] {
  if (count === 0) return [];
  const say = count === 1 ? "says" : "say";
  return [
    `${plural(count, "tie")} ${say} that both items are bad, and count${count === 1 ? "s" : ""} as any tie.`,
  ];
}

/** Rows with problems that are told one by one; further ones are counted. */
const SHOWN = 20;

/** A row whose label is no winner: a problem if others are. */
interface Waiting {
  readonly context: FileContext;
  readonly line: number;
  readonly what: string;
}

/** What the labels of all rows say of their kind. */
function createVerdict(asked: Asked | undefined) {
  const waiting: Waiting[] = [];
  let more = 0;
  let winners = asked === "pairwise";
  let plain = asked === "similarity";
  return {
    asked,
    /** Similarities are those whose labels are all words for same or different, and not all of them names of items. */
    kind: (): Asked => asked ?? (!winners && plain ? "similarity" : "pairwise"),
    see(winner: number, same: number | undefined) {
      if (same === undefined) winners = true;
      else if (winner < 0 || winner === TIE) plain = true;
    },
    wait(row: () => Waiting) {
      if (waiting.length < SHOWN) waiting.push(row());
      else more++;
    },
    /** Says which of the rows so far are wrong, once it is known that labels are winners. */
    flush() {
      if (!winners) return;
      const last = waiting.at(-1);
      for (const { context, line, what } of waiting.splice(0)) {
        context.problems.add(context.file, line, what);
      }
      for (; last && more > 0; more--) last.context.problems.add(last.context.file, 0, last.what);
    },
  };
}

/** The rows that have an answer of this kind. */
function joined({ shared, items, columns }: Pairs, kind: Asked): PairColumns {
  const [left, right] = [columns.left.join(), columns.right.join()];
  // Moved up by one, since growing codes begin at 0.
  const [winner, same] = [columns.winner.join(), columns.same.join()];
  const label = (kind === "pairwise" ? winner : same).map((code) => code - 1);
  const rows = Int32Array.from(label.keys()).filter((i) => label[i] >= 0);
  const { task, worker, weight, time, ...names } = shared.columns();
  const ints = (column: Int32Array) => rows.map((i) => column[i]);
  const doubles = (column: Float64Array | undefined) =>
    column && Float64Array.from(rows, (i) => column[i]);
  const both = new Int32Array(rows.length * 2);
  both.set(ints(left));
  both.set(ints(right), rows.length);
  const used = usedNames(both, items.names(), "code", "items");
  return {
    ...names,
    task: ints(task),
    worker: ints(worker),
    weight: doubles(weight),
    time: doubles(time),
    items: used.items,
    left: used.code.slice(0, rows.length),
    right: used.code.slice(rows.length),
    label: ints(label),
  };
}

function pairTarget(pairs: Pairs, context: FileContext): TableTarget {
  const { shared, items, labels, columns, verdict } = pairs;
  const { task, worker, weight, times } = createCells(shared, context);
  const [left, right, label] = [nameCell(items), nameCell(items), nameCell(labels)];
  const problem = (line: number, what: string) => context.problems.add(context.file, line, what);
  const cells = { task, worker, left, right, label, time: times.cell, weight };
  let found: FoundColumns | undefined;
  let sides: readonly string[] = [];
  return {
    problem,
    finish() {
      times.finish();
      verdict.flush();
      if (verdict.asked === undefined) context.understood(takenFor(verdict.kind()));
    },
    lateColumn(header, line) {
      const role = found && lateRole(found, header, line);
      return role === undefined ? undefined : cells[role as keyof typeof cells];
    },
    columns(header, line) {
      found = understand(header, roles, context, line);
      const { places } = found;
      sides = ["left", "right"].map((side) => wordOf(header[places.get(side) ?? -1] ?? ""));
      return header.map((_, at) => {
        const role = roles.find((each) => places.get(each.role) === at)?.role;
        return role === undefined ? undefined : cells[role as keyof typeof cells];
      });
    },
    row(line) {
      if (label.code < 0) return shared.drop("the label is empty");
      if (worker.code < 0) return problem(line, "the worker is empty.");
      if (left.code < 0) return problem(line, "the left item is empty.");
      if (right.code < 0) return problem(line, "the right item is empty.");
      const wrong = badWeight(weight);
      if (wrong) return problem(line, wrong);
      const said = labels.name(label.code);
      const [a, b] = [items.name(left.code), items.name(right.code)];
      const [winner, same] = [winnerOf(said, a, b, sides), sameness(said)];
      const { asked } = verdict;
      const what = () => wrongLabel(asked, said, a, b);
      if (asked === "pairwise" ? winner < 0 : same === undefined && (asked || winner < 0))
        return problem(line, what());
      verdict.see(winner, same);
      if (asked === undefined && winner < 0) verdict.wait(() => ({ context, line, what: what() }));
      if (winner === TIE && badTies.has(wordOf(said))) pairs.badTies++;
      const question = task.code < 0 ? shared.tasks.addText("") : task.code;
      columns.left.push(left.code);
      columns.right.push(right.code);
      columns.winner.push(winner + 1);
      columns.same.push((same ?? -1) + 1);
      shared.add(question, worker.code, times.take(line), weight.value);
    },
  };
}

/** Says what rows were taken for, and why. */
function takenFor(kind: Asked): string {
  const why =
    kind === "pairwise"
      ? "there are columns for a left and a right item"
      : "there are columns for a left and a right item and every label says same or different";
  const other = kind === "pairwise" ? "categorical" : "pairwise";
  return `taken for ${kind} answers, since ${why} (${hint("kind", other)} changes that)`;
}

function wrongLabel(asked: Asked | undefined, said: string, a: string, b: string): string {
  const winner = `the winner, ${excerpt(a)} or ${excerpt(b)}, left, right or tie`;
  const found = `but is ${excerpt(said)}.`;
  if (asked === "pairwise") return `the label should be ${winner}, ${found}`;
  if (asked === "similarity")
    return `the label should be ${samenessRule}, ${found} Other words can be mapped: ${hint("map", `${said}=same`)}.`;
  return `the label should be ${winner}, ${found} Where items are the same or not, all labels are ${samenessRule}.`;
}
