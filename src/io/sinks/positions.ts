/** Tables of one tag per position of a task: gold, and answers to be scored. */
import { numberCell } from "../cell.ts";
import { type Aliases, findColumns, type Wanted } from "../column-names.ts";
import { sayColumns } from "../label-target.ts";
import { excerpt, place } from "../problems.ts";
import type { GoldTable } from "../sink.ts";
import type { TableKind } from "../table.ts";
import { createTaskLabels } from "../task-labels.ts";

/** Tags by task and position, row by row. */
export interface ReadPositions {
  readonly tasks: readonly string[];
  readonly positions: Int32Array;
  readonly labels: readonly string[];
  readonly notes: readonly string[];
}

/** The largest position that there may be. */
const MOST = 2 ** 31 - 1;

/** Says what is wrong with a position, or undefined. */
export function badPosition({
  value,
  wrong,
}: {
  readonly value: number;
  readonly wrong: string | undefined;
}): string | undefined {
  if (wrong === undefined && Number.isInteger(value) && value >= 0 && value <= MOST)
    return undefined;
  if (wrong === undefined && Number.isNaN(value)) return "the position is empty.";
  return `the position should be a whole number from 0 upwards, but is ${excerpt(wrong ?? String(value))}.`;
}

/** Reads a table of task, position and label; a row without a label is left out and counted. */
export function positionTable(aliases: Aliases): TableKind<ReadPositions> {
  const roles: readonly Wanted[] = [
    { role: "position", aliases: "position", required: true },
    { role: "task", aliases: "task", required: true },
    { role: "label", aliases, required: true },
  ];
  return (context, options) => {
    const { file, problems } = context;
    const taken = createTaskLabels(options);
    const { task, label } = taken;
    const position = numberCell();
    const positions: number[] = [];
    return {
      interners: [task.names, label.names],
      rows: () => taken.rows,
      target: {
        problem: (line, what) => problems.add(file, line, what),
        columns(header, line) {
          const first = { task: "1", position: "2", label: "3" };
          const given = options.columns ?? (options.header === false ? first : {});
          const places = findColumns(header, roles, given, place(file, line));
          context.understood(sayColumns(header, places));
          const cells = new Map([
            [places.get("task"), task],
            [places.get("label"), label],
          ]);
          return header.map((_, at) => (at === places.get("position") ? position : cells.get(at)));
        },
        row(line) {
          if (label.code < 0) {
            taken.empty++;
            return;
          }
          if (task.code < 0) return problems.add(file, line, "the task is empty.");
          const wrong = badPosition(position);
          if (wrong) return problems.add(file, line, wrong);
          positions.push(position.value);
          taken.add();
        },
      },
      finish: (notes) => ({
        ...taken.finish(),
        positions: Int32Array.from(positions),
        notes: [...notes, ...taken.notes(file)],
      }),
    };
  };
}

/** Reads known tags. */
export const positionGold: TableKind<GoldTable> = (context, options) => {
  const made = positionTable("gold")(context, options);
  return {
    ...made,
    finish(notes) {
      const { tasks, positions, labels, notes: said } = made.finish(notes);
      return {
        gold: tasks.map((task, i) => [task, labels[i], positions[i]] as const),
        notes: said,
      };
    },
  };
};
