/** Tables of the labels of tasks, a row per label: gold, and sets to be scored, with or without a column `chosen`. */
import { type Cell, nameCell, namesCell, numberCell } from "../cell.ts";
import { type Aliases, findColumns, type Wanted } from "../column-names.ts";
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
    const task = nameCell(createNameInterner(options));
    const sets = createLabelCells(options);
    const [label, said] = [namesCell(sets.cells), nameCell(createInterner())];
    const probability = numberCell();
    const cells: Record<string, Cell> = { task, label, chosen: said, probability };
    const [tasks, chosen, shares]: [number[], boolean[], number[]] = [[], [], []];
    let found: ReadonlyMap<string, number> = new Map();
    const has = (role: string) => (found.get(role) ?? -1) >= 0;
    const wrongCell = () => {
      const word = said.code < 0 ? "" : said.names.name(said.code).trim();
      if (has("chosen") && !YES.test(word) && !NO.test(word)) {
        return `chosen should be 1 or 0, but is ${excerpt(word)}.`;
      }
      const { value, wrong } = probability;
      if (!has("probability") || (wrong === undefined && !(value < 0 || value > 1)))
        return undefined;
      return `the probability should be between 0 and 1, but is ${excerpt(wrong ?? String(value))}.`;
    };
    return {
      interners: [task.names, sets.cells],
      rows: () => tasks.length,
      target: {
        problem: (line, what) => problems.add(file, line, what),
        columns(header, line) {
          const given = options.columns ?? numbered(options.header);
          found = findColumns(header, roles, given, place(file, line));
          context.understood(sayColumns(header, found));
          return header.map((_, at) => {
            const role = roles.find((each) => found.get(each.role) === at)?.role;
            return role === undefined ? undefined : cells[role];
          });
        },
        row(line) {
          if (task.code < 0) return problems.add(file, line, "the task is empty.");
          const wrong = wrongCell();
          if (wrong) return problems.add(file, line, wrong);
          sets.add(label);
          tasks.push(task.code);
          chosen.push(
            !has("chosen") || (said.code >= 0 && YES.test(said.names.name(said.code).trim())),
          );
          shares.push(probability.value);
        },
      },
      finish(notes) {
        // Rows that say whether a label was chosen hold one label each.
        const rowEach = has("chosen");
        const { start, label: list, labels, notes: split } = sets.finish(() => !rowEach);
        const names = task.names.names();
        const rows = tasks.flatMap((t, row) =>
          start[row] === start[row + 1]
            ? [{ row, task: names[t], label: "" }]
            : Array.from(list.subarray(start[row], start[row + 1]), (l) => ({
                row,
                task: names[t],
                label: labels[l],
              })),
        );
        return {
          tasks: rows.map((each) => each.task),
          labels: rows.map((each) => each.label),
          chosen: rows.map((each) => chosen[each.row]),
          ...(rowEach &&
            has("probability") && { probability: rows.map((each) => shares[each.row]) }),
          notes: [...notes, ...split],
        };
      },
    };
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
