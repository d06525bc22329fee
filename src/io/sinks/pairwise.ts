/** Comparisons: rows of worker, left, right and the winner; a task where several questions were asked. */
import { LEFT, type PairwiseData, RIGHT, TIE } from "../../data/pairwise.ts";
import { type PairwiseOptions, pairwiseFromColumns } from "../../data/pairwise-from-columns.ts";
import { badWeight, nameCell } from "../cell.ts";
import { cleaningNotes } from "../cleaning.ts";
import { type FoundColumns, hasColumn, lateRole, type Wanted } from "../column-names.ts";
import type { FileContext, ReadOptions, TableTarget } from "../format.ts";
import { createGrowingCodes } from "../growing.ts";
import type { Interner } from "../interner.ts";
import { createLabelInterner, createNameInterner } from "../name-interners.ts";
import { excerpt } from "../problems.ts";
import type { Reading, Sink } from "../sink.ts";
import { numberedGold } from "./numbers.ts";
import { createCells, createSharedColumns, noLabels, understand, usedNames } from "./shared.ts";

const roles: readonly Wanted[] = [
  { role: "worker", aliases: "worker", required: true },
  { role: "left", aliases: "left", required: true },
  { role: "right", aliases: "right", required: true },
  { role: "label", aliases: "winner", required: true },
  { role: "task", aliases: "task" },
  { role: "time", aliases: "time" },
  { role: "weight", aliases: "weight" },
];

export const pairwiseReading: Reading<PairwiseData> = {
  id: "pairwise",
  recognise: (header) =>
    hasColumn(header, "left") && hasColumn(header, "right")
      ? "there are columns for a left and a right item"
      : undefined,
  sink: createComparisonSink,
  gold: numberedGold([
    { role: "item", aliases: "item", required: true },
    { role: "rank", aliases: "rank" },
    { role: "score", aliases: "score" },
  ]),
  example: "worker,left,right,label",
  goldExample: "item and score (larger is better), or item and rank (1 is the best)",
};

/** Words for neither side, as people write them. */
const ties = new Set(["tie", "tied", "draw", "equal", "both", "neither", "same"]);

function createComparisonSink(options: ReadOptions & PairwiseOptions): Sink<PairwiseData> {
  const shared = createSharedColumns(options);
  const items = createNameInterner(options);
  // The winner is called as the item is, so its case is kept.
  const labels = createLabelInterner({ ...options, foldCase: false });
  const columns = {
    left: createGrowingCodes(),
    right: createGrowingCodes(),
    label: createGrowingCodes(),
  };
  return {
    target: (context) => comparisonTarget(shared, { items, labels }, columns, context),
    labels: (context) => {
      throw noLabels("pairwise", context);
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
      const [left, right] = [columns.left.join(), columns.right.join()];
      const both = new Int32Array(left.length * 2);
      both.set(left);
      both.set(right, left.length);
      const used = usedNames(both, items.names(), "code", "items");
      return pairwiseFromColumns(
        {
          ...shared.columns(),
          items: used.items,
          left: used.code.slice(0, left.length),
          right: used.code.slice(left.length),
          label: columns.label.join(),
        },
        {
          ...options,
          gold: gold && Array.from(gold, ([item, score]) => [item, Number(score)] as const),
          notes: [
            ...notes,
            ...shared.dropped(),
            ...cleaningNotes(
              [shared.tasks, shared.workers, items, labels].map(({ changes }) => changes),
            ),
          ],
        },
      );
    },
  };
}

function comparisonTarget(
  shared: ReturnType<typeof createSharedColumns>,
  { items, labels }: Readonly<Record<"items" | "labels", Interner>>,
  columns: Record<"left" | "right" | "label", ReturnType<typeof createGrowingCodes>>,
  context: FileContext,
): TableTarget {
  const { task, worker, weight, times } = createCells(shared, context);
  const [left, right, label] = [nameCell(items), nameCell(items), nameCell(labels)];
  const problem = (line: number, what: string) => context.problems.add(context.file, line, what);
  const answer = () => {
    const said = label.names.name(label.code);
    if (said === items.name(left.code)) return LEFT;
    if (said === items.name(right.code)) return RIGHT;
    const word = said.trim().toLowerCase();
    if (ties.has(word)) return TIE;
    return word === "left" ? LEFT : word === "right" ? RIGHT : -1;
  };
  const cells = { task, worker, left, right, label, time: times.cell, weight };
  let found: FoundColumns | undefined;
  return {
    problem,
    finish: times.finish,
    lateColumn(header, line) {
      const role = found && lateRole(found, header, line);
      return role === undefined ? undefined : cells[role as keyof typeof cells];
    },
    columns(header, line) {
      found = understand(header, roles, context, line);
      const { places } = found;
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
      const said = answer();
      if (said < 0) {
        const [a, b] = [left, right].map(({ code }) => excerpt(items.name(code)));
        const found = excerpt(label.names.name(label.code));
        return problem(
          line,
          `the label should be the winner, ${a} or ${b}, left, right or tie, but is ${found}.`,
        );
      }
      const question = task.code < 0 ? shared.tasks.addText("") : task.code;
      columns.left.push(left.code);
      columns.right.push(right.code);
      columns.label.push(said);
      shared.add(question, worker.code, times.take(line), weight.value);
    },
  };
}
