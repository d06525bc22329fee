/**
 * Features out of a table: a task column, and all others are numbers.
 *
 *   task,width,height        {"task": "img-17", "embedding": [0.12, -0.5]}
 *   img-17,0.12,-0.5
 */
import { fromMatrix } from "../data/features.ts";
import { CrowdError, grouped, hint, plural } from "../error.ts";
import { type NumberCell, nameCell, numbersCell } from "./cell.ts";
import { findColumns, hasColumn, mapping } from "./column-names.ts";
import { firstTen, type ReadFeatures, refuseRepeats } from "./feature-array.ts";
import { createGrowingCodes, createGrowingRows, type GrowingRows } from "./growing.ts";
import { createNameInterner } from "./name-interners.ts";
import { excerpt, place } from "./problems.ts";
import type { TableKind, TableOptions } from "./table.ts";

interface Column {
  readonly name: string;
  readonly cell: NumberCell;
}

/** Reads features, of which at most so many bytes may be held. */
export function featureTable(memoryLimit = Number.POSITIVE_INFINITY): TableKind<ReadFeatures> {
  return (context, options) => {
    const { file, problems } = context;
    const task = nameCell(createNameInterner(options));
    const tasks = createGrowingCodes();
    let columns: readonly Column[] = [];
    /** The first row says how many numbers there are: a column may hold a list. */
    let row = new Float32Array(0);
    let matrix: GrowingRows | undefined;
    let rows = 0;

    return {
      interners: [task.names],
      rows: () => rows,
      target: {
        problem: (line, what) => problems.add(file, line, what),
        columns(header, line) {
          const at = taskColumn(header, options, place(file, line));
          const cells = header.map((name, i) =>
            i === at || (options.only && !options.only.includes(name)) ? undefined : numbersCell(),
          );
          columns = cells.flatMap((cell, i) => (cell ? [{ name: header[i], cell }] : []));
          checkColumns(header, columns, options, file, context.note);
          context.understood(
            `task = ${excerpt(header[at])}, ${plural(columns.length, "column")} of features`,
          );
          return cells.map((cell, i) => (i === at ? task : cell));
        },
        row(line) {
          if (task.code < 0) return problems.add(file, line, "the task is empty.");
          if (!matrix) row = new Float32Array(widthOf(columns));
          const wrong = fill(columns, row);
          if (wrong) return problems.add(file, line, wrong);
          matrix ??= createGrowingRows(row.length);
          matrix.push(row);
          tasks.push(task.code);
          // What is there, and once more when it is put together.
          if (++rows % 1024 === 0 && matrix.byteLength() * 2 > memoryLimit) {
            throw tooLarge(file, rows, row.length, memoryLimit);
          }
        },
      },
      finish(notes) {
        if (!matrix) {
          throw new CrowdError(
            "bad-data",
            `${file}: there are no features. A file of features has a task column and a column of ` +
              "numbers for each feature.",
          );
        }
        const names = task.names.names();
        const named = Array.from(tasks.join(), (code) => names[code]);
        refuseRepeats(named, file);
        return { ...fromMatrix(named, [row.length], matrix.join()), notes };
      },
    };
  };
}

/**
 * The column of tasks; the first one may have no name, as pandas writes its index. A name that was given for
 * labels and is not here gives way to one that is recognised.
 */
function taskColumn(header: readonly string[], options: TableOptions, where: string): number {
  const { task = options.header === false ? "1" : undefined } = options.columns ?? {};
  const other = task !== undefined && !header.includes(task) && hasColumn(header, "task");
  const given = task === undefined || other ? {} : { task };
  if (header[0] === "" && given.task === undefined && !hasColumn(header, "task")) return 0;
  const wanted = [{ role: "task", aliases: "task", required: true }] as const;
  return findColumns(header, wanted, given, where).get("task") ?? -1;
}

function checkColumns(
  header: readonly string[],
  columns: readonly Column[],
  { only }: TableOptions,
  file: string,
  note: (text: string) => void,
): void {
  const absent = only?.filter((name) => !header.includes(name)) ?? [];
  if (absent.length > 0) {
    throw new CrowdError(
      "bad-data",
      `${file}: there is no column ${firstTen(absent.map(excerpt))}.`,
    );
  }
  if (columns.length === 0) {
    throw new CrowdError(
      "bad-data",
      `${file}: there is no column of numbers beside the task. If these are images, name their files ` +
        `in a column "path". If another column is the task, say ${mapping("task")}.`,
    );
  }
  const given = columns.filter(
    ({ name }) =>
      !only &&
      (hasColumn([name], "label") || hasColumn([name], "gold") || hasColumn([name], "worker")),
  );
  if (given.length === 0) return;
  const names = firstTen(given.map(({ name }) => excerpt(name)));
  note(
    `${file}: ${names} ${given.length === 1 ? "is" : "are"} taken for features, as every column but ` +
      "the task. A model that sees the answer learns nothing else: leave such columns out.",
  );
}

function widthOf(columns: readonly Column[]): number {
  let width = 0;
  for (const { cell } of columns) width += cell.list?.length ?? 1;
  return width;
}

/** Writes the numbers of the cells one after another; returns what is wrong with them. */
function fill(columns: readonly Column[], row: Float32Array): string | undefined {
  let at = 0;
  let first: string | undefined;
  let wrong = 0;
  for (let i = 0; i < columns.length; i++) {
    const { cell } = columns[i];
    if (cell.list) {
      const { length } = cell.list;
      for (let j = 0; j < length; j++) {
        const value = cell.list[j];
        const number = typeof value === "bigint" ? Number(value) : value;
        if (isNumber(number)) row[at + j] = number;
        else if (wrong++ === 0) first = `${excerpt(columns[i].name)}, number ${j}, ${holds(value)}`;
      }
      at += length;
    } else if (isNumber(cell.value)) row[at++] = cell.value;
    else if (wrong++ === 0) {
      const found = cell.wrong ?? (Number.isNaN(cell.value) ? undefined : cell.value);
      first = `${excerpt(columns[i].name)} ${holds(found)}`;
    }
  }
  if (first !== undefined) {
    const more = wrong > 1 ? `, and ${grouped(wrong - 1)} more in this row` : "";
    return `${first}, not a number${more}.`;
  }
  if (at === 0) return "the row has no numbers.";
  if (at === row.length) return undefined;
  return `the row has ${grouped(at)} numbers, but the first row has ${grouped(row.length)}.`;
}

/** True for what 32 bits can hold. */
function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(Math.fround(value));
}

function holds(value: unknown): string {
  if (value === undefined || value === null) return "is empty or NaN";
  if (typeof value === "number" && Number.isFinite(value))
    return `is ${value}, too large for 32 bits`;
  return `is ${typeof value === "string" ? excerpt(value) : String(value)}`;
}

function tooLarge(file: string, rows: number, width: number, limit: number): CrowdError {
  const mb = (bytes: number) => `${grouped(Math.ceil(bytes / 2 ** 20))} MB`;
  return new CrowdError(
    "too-large",
    `${file}: the first ${plural(rows, "row")} of ${plural(width, "number")} already take ` +
      `${mb(rows * width * 8)} of memory while being read; the limit is ${mb(limit)}. Save the features as ` +
      `.npy, which is read from disk, or raise ${hint("memoryLimit")}.`,
  );
}

/** The names of rows: the task column of a table, in its order. */
export const tasksTable: TableKind<readonly string[]> = (context, options) => {
  const { file, problems } = context;
  const task = nameCell(createNameInterner(options));
  const codes = createGrowingCodes();
  let rows = 0;
  return {
    interners: [task.names],
    rows: () => rows,
    target: {
      problem: (line, what) => problems.add(file, line, what),
      columns(header, line) {
        const at = taskColumn(header, options, place(file, line));
        context.understood(`task = ${excerpt(header[at])}`);
        return header.map((_, i) => (i === at ? task : undefined));
      },
      lateColumn: () => undefined,
      row(line) {
        if (task.code < 0) return problems.add(file, line, "the task is empty.");
        codes.push(task.code);
        rows++;
      },
    },
    finish() {
      const names = task.names.names();
      const tasks = Array.from(codes.join(), (code) => names[code]);
      refuseRepeats(tasks, file);
      return tasks;
    },
  };
};
