/**
 * What a file format is: how to tell it, how to read it, how to write it. A format knows bytes and
 * rows; not disks, browsers or methods.
 */
import type { CategoricalData } from "../data/categorical.ts";
import type { Hint } from "../error.ts";
import type { Answers } from "./answers.ts";
import type { Cell } from "./cell.ts";
import type { CleaningOptions } from "./cleaning.ts";
import type { ColumnNames } from "./column-names.ts";
import type { Problems } from "./problems.ts";
import type { Intake } from "./sink.ts";
import type { UnpackLimits } from "./unpack-limit.ts";

/** A file format: how it is recognised and read. */
export interface Format {
  readonly id: string;
  readonly title: string;
  /** With the dot, in small letters; a `.gz` behind them is whoever opens the file's to remove. */
  readonly extensions: readonly string[];
  /** How likely the file is of this format, from 0 to 1, judged by its first bytes and its name. */
  sniff(head: Uint8Array, fileName: string): number;
  /** Reads a file of answers: tables into `sink.target`, exports of tools into what `sink.take` chooses. */
  reader(sink: Intake, context: FileContext): Reader;
  /** Reads any table, column by column; absent where the format holds nothing but labels. */
  table?(target: TableTarget, context: FileContext): Reader;
  /** Writes one answer per task, for tools that take answers back. */
  writeAnswers?(answers: Answers, options?: WriteOptions): Written | Promise<Written>;
  /** Reads an export of the tool and gives it back with answers added, all else as it was. */
  amend?(answers: Answers, context: FileContext): Reader & { written(): Written };
}

/** A format whose files others than the tool itself may write. */
export interface WritableFormat extends Format {
  write(data: CategoricalData, options?: WriteOptions): Written | Promise<Written>;
}

export type Written = Iterable<string | Uint8Array>;

/** Takes the bytes of one file, in pieces of any size, from first to last. */
export interface Reader {
  /** The bytes may be overwritten once this returns. */
  push(bytes: Uint8Array): void;
  finish(): void | Promise<void>;
  /** Reads by itself what it needs, instead of push and finish: for formats that jump about. */
  readFrom?(file: RandomAccess): Promise<void>;
}

/** A file that can be read anywhere. */
export interface RandomAccess {
  readonly byteLength: number;
  slice(start: number, end?: number): Promise<ArrayBuffer>;
}

/** Where a table goes: told the names of its columns, it says which cells it wants filled. */
export interface TableTarget {
  /** `line` is where the header stands, 0 where the names are not in a line of their own. */
  columns(header: readonly string[], line: number): readonly (Cell | undefined)[];
  /**
   * Says which cell to fill from a column that first appears in this line, as the last of `header`; the rows before
   * have none. Throws if that column would change what the others are. Absent where every column must be there
   * from the start.
   */
  lateColumn?(header: readonly string[], line: number): Cell | undefined;
  /** The cells hold a whole row, which began in this line. */
  row(line: number): void;
  /** The row that began in this line is not one. */
  problem(line: number, what: string): void;
  /** The file ends. */
  finish?(): void;
}

/** The file being read, and where to say what is wrong with it or worth knowing. */
export interface FileContext {
  readonly file: string;
  readonly options: ReadOptions;
  readonly problems: Problems;
  /** Something a user would want to hear. */
  note(text: string): void;
  /** What the file was taken for: its format, separator and columns. */
  understood(text: string): void;
}

export interface ReadOptions extends CleaningOptions, UnpackLimits {
  /** Columns by name, where they are not recognised by themselves. */
  readonly columns?: ColumnNames | undefined;
  /** False where the first row already holds data; columns are then named "1", "2", "3". */
  readonly header?: boolean | undefined;
  /** Default: whichever of comma, semicolon, tab and bar fits. */
  readonly separator?: string | undefined;
  /** False where a quote is a character like any other. */
  readonly quotes?: boolean | undefined;
  /** Whether rows with problems are an error (the default) or are left out, counted and noted. */
  readonly badRows?: "error" | "drop" | undefined;
  /** Labels to treat as missing, besides the empty cell: ["NA"]. */
  readonly missing?: readonly string[] | undefined;
  /** Whether what models said in the export of a tool counts as labels of workers. Default false. */
  readonly predictions?: boolean | undefined;
  /** Whether work that was rejected in the tool counts all the same. Default false. */
  readonly rejected?: boolean | undefined;
  /** How options are worded in notes; default: as properties. */
  readonly wording?: ((hint: Hint) => string) | undefined;
  /** More different labels than this are taken for a mistake. Default 10,000. */
  readonly maxClasses?: number | undefined;
}

interface WriteOptions {
  /** Between the cells of a row, for formats that have any. Default: a comma. */
  readonly separator?: "," | "\t" | undefined;
  /** Told what the format cannot hold and was left out. */
  readonly onNote?: (text: string) => void;
}

/** A line, a record or a row longer than this is taken for a broken file. */
export const MAX_RECORD_BYTES = 8 * 2 ** 20;

/** How much of a file formats look at to decide what it is. */
export const HEAD_BYTES = 65_536;
