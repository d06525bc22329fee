/** Any table, read whole: each column as numbers that point to its different texts. */
import { CrowdError } from "../error.ts";
import { type NameCell, nameCell } from "./cell.ts";
import { cleaningNotes } from "./cleaning.ts";
import type { FileContext, Format, Reader, ReadOptions, TableTarget } from "./format.ts";
import { createGrowingCodes } from "./growing.ts";
import { createInterner, type Interner } from "./interner.ts";
import { createProblems } from "./problems.ts";
import { createContext, latin1Note, raiseOrNote, wordNotes } from "./read.ts";

/** A table by columns of text. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: number;
  /** Those asked for, in the order of the header. */
  readonly columns: readonly TableColumn[];
  readonly notes: readonly string[];
}

interface TableColumn {
  readonly name: string;
  /** The different texts of the column, in order of first appearance. */
  readonly texts: readonly string[];
  /** Index into `texts` of each row, or -1 where the cell is empty. */
  readonly code: Int32Array;
}

export interface TableOptions extends ReadOptions {
  readonly onUnderstood?: ((text: string) => void) | undefined;
  /** Only these columns; default: all. */
  readonly only?: readonly string[] | undefined;
}

/** What is made of a table: where its cells go, and the result once all rows are in. */
export type TableKind<Result> = (
  context: FileContext,
  options: TableOptions,
) => {
  readonly target: TableTarget;
  /** Whose names there are, for a word on their encoding. */
  readonly interners: readonly Interner[];
  readonly rows: () => number;
  finish(notes: readonly string[]): Result;
};

/** A reader of one file that has a result. */
export interface TableReader<Result> extends Reader {
  result(): Result;
}

export function openTable<Result>(
  kind: TableKind<Result>,
  file: string,
  format: Format,
  options: TableOptions,
): TableReader<Result> {
  if (!format.table) {
    throw new CrowdError(
      "not-supported",
      `${file}: ${format.title} holds labels only. Use CSV, JSON lines, Parquet or Arrow here.`,
    );
  }
  const notes: string[] = [];
  const problems = createProblems();
  const context = createContext(file, options, problems, notes);
  const made = kind(context, options);
  return {
    ...format.table(made.target, context),
    result() {
      raiseOrNote(problems, options, notes);
      // "CSV or TSV, one label per row" is said of labels only.
      context.say({ ...format, title: format.title.replace(/,.*/, "") }, made.rows());
      const odd = made.interners.reduce((sum, { latin1 }) => sum + latin1, 0);
      if (odd > 0) notes.push(latin1Note(file, odd));
      for (const note of cleaningNotes(made.interners.map(({ changes }) => changes)))
        notes.push(`${file}: ${note}`);
      return made.finish(wordNotes(notes, options));
    },
  };
}

/** Every column, or those asked for, as it stands. */
export const plainTable: TableKind<Table> = ({ file, problems }, { only }) => {
  let header: readonly string[] = [];
  const columns: { name: string; cell: NameCell; codes: ReturnType<typeof createGrowingCodes> }[] =
    [];
  const interners: Interner[] = [];
  let rows = 0;
  const addColumn = (name: string) => {
    const column = { name, cell: nameCell(createInterner()), codes: createGrowingCodes() };
    interners.push(column.cell.names);
    columns.push(column);
    return column;
  };
  return {
    interners,
    rows: () => rows,
    target: {
      problem: (line, what) => problems.add(file, line, what),
      columns(names) {
        header = names;
        const absent = only?.find((name) => !names.includes(name));
        if (absent !== undefined) {
          throw new CrowdError(
            "bad-data",
            `${file}: there is no column "${absent}". The columns are: ${names.join(", ")}.`,
          );
        }
        return names.map((name) => {
          if (only && !only.includes(name)) return undefined;
          return addColumn(name).cell;
        });
      },
      lateColumn(names) {
        header = names;
        const name = names[names.length - 1];
        if (only && !only.includes(name)) return undefined;
        const column = addColumn(name);
        for (let row = 0; row < rows; row++) column.codes.push(0);
        return column.cell;
      },
      row() {
        rows++;
        // Moved up by one, since growing codes begin at 0.
        for (const { cell, codes } of columns) codes.push(cell.code + 1);
      },
    },
    finish: (notes) => ({
      header,
      rows,
      notes,
      columns: columns.map(({ name, cell, codes }) => ({
        name,
        texts: cell.names.names(),
        code: codes.join().map((code) => code - 1),
      })),
    }),
  };
};
