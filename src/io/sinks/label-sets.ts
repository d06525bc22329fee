/** Tables of the labels of tasks, a row per label: gold, and sets to be scored, with or without a column `chosen`. */
import { type Cell, nameCell, namesCell, numberCell } from "../cell.ts";
import { type Aliases, findColumns, type Wanted } from "../column-names.ts";
import type { ReadOptions } from "../format.ts";
import { numbered } from "../gold.ts";
import { createInterner } from "../interner.ts";
import { sayColumns } from "../label-target.ts";
import { createNameInterner } from "../name-interners.ts";
import { excerpt, place } from "../problems.ts";
import type { GoldTable } from "../sink.ts";
import type { TableKind } from "../table.ts";
import { createLabelCells } from "./label-cells.ts";

/** Labels by task, row by row; the label is empty where a row only says that there is a task. */
export interface ReadSets {
  readonly tasks: readonly string[];
  readonly labels: readonly string[];
  /** Whether each label was chosen. */
  readonly chosen: readonly boolean[];
  /** Probability of each label; absent where the file does not say. */
  readonly probability?: readonly number[];
  readonly notes: readonly string[];
}

const YES = /^(1|1\.0|true|yes|y|t|x)$/i;
const NO = /^(0|0\.0|false|no|n|f)?$/i;

/** Reads a table of task and label, and of `chosen` and `probability` where there are such columns. */
export function setTable(aliases: Aliases): TableKind<ReadSets> {
  const roles: readonly Wanted[] = [
    { role: "task", aliases: "task", required: true },
    { role: "label", aliases, required: true },
    ...(aliases === "answer"
      ? ([
          { role: "chosen", aliases: "chosen" },
          { role: "probability", aliases: "probability" },
        ] as const)
      : []),
  ];
  return (context, options) => {
    const { file, problems } = context;
    const rows = createSetRows(options);
    return {
      interners: [rows.cells.task.names, rows.cells.label.names],
      rows: rows.count,
      target: {
        problem: (line, what) => problems.add(file, line, what),
        columns(header, line) {
          const given = options.columns ?? numbered(options.header);
          const found = findColumns(header, roles, given, place(file, line));
          context.understood(sayColumns(header, found));
          return header.map((_, at) => {
            const role = roles.find((each) => found.get(each.role) === at)?.role;
            return role === undefined ? undefined : rows.cellOf(role);
          });
        },
        row(line) {
          const wrong = rows.take();
          if (wrong) problems.add(file, line, wrong);
        },
      },
      finish: rows.finish,
    };
  };
}

/** Gathers the rows of a table of labels: its cells, what is wrong with them, and what they hold in the end. */
function createSetRows(options: ReadOptions) {
  const sets = createLabelCells(options);
  const cells = {
    task: nameCell(createNameInterner(options)),
    label: namesCell(sets.cells),
    chosen: nameCell(createInterner()),
    probability: numberCell(),
  };
  const used = new Set<string>();
  const [tasks, chosen, shares]: [number[], boolean[], number[]] = [[], [], []];
  const word = () =>
    cells.chosen.code < 0 ? "" : cells.chosen.names.name(cells.chosen.code).trim();
  return {
    cells,
    count: () => tasks.length,
    /** The cell of a column that the table has. */
    cellOf(role: string): Cell {
      used.add(role);
      return cells[role as keyof typeof cells];
    },
    /** Takes the row at hand, or says what is wrong with it. */
    take(): string | undefined {
      if (cells.task.code < 0) return "the task is empty.";
      if (!YES.test(word()) && !NO.test(word())) {
        return `chosen should be 1 or 0, but is ${excerpt(word())}.`;
      }
      const { value, wrong } = cells.probability;
      if (wrong !== undefined || value < 0 || value > 1) {
        return `the probability should be between 0 and 1, but is ${excerpt(wrong ?? String(value))}.`;
      }
      sets.add(cells.label);
      tasks.push(cells.task.code);
      chosen.push(!used.has("chosen") || YES.test(word()));
      shares.push(value);
      return undefined;
    },
    finish(notes: readonly string[]): ReadSets {
      // Rows that say whether a label was chosen hold one label each.
      const rowEach = used.has("chosen");
      const { start, label, labels, notes: split } = sets.finish(() => !rowEach);
      const names = cells.task.names.names();
      const rows = tasks.flatMap((t, row) => {
        const own = Array.from(label.subarray(start[row], start[row + 1]), (l) => labels[l]);
        return (own.length > 0 ? own : [""]).map((each) => ({ row, task: names[t], label: each }));
      });
      return {
        tasks: rows.map((each) => each.task),
        labels: rows.map((each) => each.label),
        chosen: rows.map((each) => chosen[each.row]),
        ...(rowEach &&
          used.has("probability") && { probability: rows.map(({ row }) => shares[row]) }),
        notes: [...notes, ...split],
      };
    },
  };
}

/** Reads known labels: every task that is named is known whole, and an empty label says that it has none. */
export const setGold: TableKind<GoldTable> = (context, options) => {
  const made = setTable("gold")(context, options);
  return {
    ...made,
    finish(notes) {
      const { tasks, labels, notes: said } = made.finish(notes);
      return { gold: tasks.map((task, i) => [task, labels[i]] as const), notes: said };
    },
  };
};
