/** Sequences: rows of task, worker, position and tag; the token that stands there, where it is known. */
import type { SequenceData } from "../../data/sequence.ts";
import { type SequenceOptions, sequenceFromColumns } from "../../data/sequence-from-columns.ts";
import { badWeight, nameCell, numberCell } from "../cell.ts";
import { cleaningNotes } from "../cleaning.ts";
import { type FoundColumns, hasColumn, lateRole, type Wanted } from "../column-names.ts";
import type { FileContext, ReadOptions, TableTarget } from "../format.ts";
import { createGrowingCodes } from "../growing.ts";
import type { Interner } from "../interner.ts";
import { createLabelInterner, createNameInterner } from "../name-interners.ts";
import type { Reading, Sink } from "../sink.ts";
import { badPosition, positionGold } from "./positions.ts";
import { createCells, createSharedColumns, noLabels, understand, usedNames } from "./shared.ts";

const roles: readonly Wanted[] = [
  { role: "position", aliases: "position", required: true },
  { role: "task", aliases: "task", required: true },
  { role: "worker", aliases: "worker", required: true },
  { role: "label", aliases: "label", required: true },
  { role: "token", aliases: "token" },
  { role: "time", aliases: "time" },
  { role: "weight", aliases: "weight" },
];

export const sequenceReading: Reading<SequenceData> = {
  id: "sequence",
  takes: ["tags"],
  recognise: (header) =>
    hasColumn(header, "position") &&
    hasColumn(header, "task") &&
    hasColumn(header, "worker") &&
    hasColumn(header, "label")
      ? "there is a column for a position beside task, worker and label"
      : undefined,
  sink: createTagSink,
  gold: positionGold,
  example: "task,worker,position,label",
  goldExample: "task, position and label",
};

type Growing = Record<"position" | "label" | "text", ReturnType<typeof createGrowingCodes>>;

function createTagSink(options: ReadOptions & SequenceOptions): Sink<SequenceData> {
  const shared = createSharedColumns(options);
  // Case is kept: B-PER and b-per are told apart, as looks are for other labels.
  const tags = createLabelInterner(options);
  const texts = createNameInterner(options);
  const columns: Growing = {
    position: createGrowingCodes(),
    label: createGrowingCodes(),
    text: createGrowingCodes(),
  };
  let worded = false;
  const names = { tags, texts, said: () => (worded = true) };
  return {
    target: (context) => tagTarget(shared, names, columns, context),
    labels: (context) => {
      throw noLabels("sequence", context);
    },
    rows: shared.rows,
    byteLength: () =>
      [tags, texts, ...Object.values(columns)].reduce(
        (sum, part) => sum + part.byteLength(),
        shared.byteLength(),
      ),
    names: () => shared.tasks.size + shared.workers.size + texts.size,
    latin1: () =>
      [shared.tasks, shared.workers, tags, texts].reduce((sum, { latin1 }) => sum + latin1, 0),
    dropped: shared.dropped,
    finish({ gold, notes }) {
      const used = usedNames(columns.label.join(), tags.names(), "label", "labels");
      // Moved up by one, since growing codes begin at 0.
      const text = columns.text.join().map((code) => code - 1);
      return sequenceFromColumns(
        {
          ...shared.columns(),
          ...used,
          position: columns.position.join(),
          ...(worded && { text, texts: texts.names() }),
        },
        {
          ...options,
          gold:
            gold && Array.from(gold, ([task, tag, at]) => [task, String(tag), at ?? 0] as const),
          notes: [
            ...notes,
            ...shared.dropped(),
            ...cleaningNotes([shared.tasks, shared.workers, tags].map(({ changes }) => changes)),
          ],
        },
      );
    },
  };
}

function tagTarget(
  shared: ReturnType<typeof createSharedColumns>,
  names: { readonly tags: Interner; readonly texts: Interner; said(): void },
  columns: Growing,
  context: FileContext,
): TableTarget {
  const { task, worker, weight, times } = createCells(shared, context);
  const position = numberCell();
  const [label, token] = [nameCell(names.tags), nameCell(names.texts)];
  const problem = (line: number, what: string) => context.problems.add(context.file, line, what);
  const cells = { task, worker, position, label, token, time: times.cell, weight };
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
      if (task.code < 0) return problem(line, "the task is empty.");
      if (worker.code < 0) return problem(line, "the worker is empty.");
      const wrong = badPosition(position) ?? badWeight(weight);
      if (wrong) return problem(line, wrong);
      columns.position.push(position.value);
      columns.label.push(label.code);
      columns.text.push(token.code + 1);
      if (token.code >= 0) names.said();
      shared.add(task.code, worker.code, times.take(line), weight.value);
    },
  };
}
