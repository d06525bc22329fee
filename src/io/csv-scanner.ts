/** The table in a file of separated values: finds out how it is written, then fills cells. */
import { CrowdError, hint, plural } from "../error.ts";
import { type Cell, fillNumberBytes, isBlank } from "./cell.ts";
import { rowText, separatorLine, sniffSeparator } from "./csv-dialect.ts";
import {
  type CsvParser,
  type CsvRow,
  createCsvParser,
  type Dialect,
  PLAIN,
  UNESCAPED,
} from "./csv-parser.ts";
import { createUtf8Stream } from "./encoding.ts";
import {
  type FileContext,
  HEAD_BYTES,
  MAX_RECORD_BYTES,
  type Reader,
  type TableTarget,
} from "./format.ts";
import { skipEscape } from "./formula.ts";
import { createHeldBytes, type HeldBytes, hold } from "./held-bytes.ts";
import { place } from "./problems.ts";

const SEMICOLON = 0x3b;
const APOSTROPHE = 0x27;

/** What is not parsed yet, and what is known of the file so far. */
interface Scan {
  readonly target: TableTarget;
  readonly context: FileContext;
  readonly held: HeldBytes;
  /** Parsing waits until so many bytes are held: the row that begins here is longer than fewer. */
  enough: number;
  /** Lines before those that the parser counts. */
  skippedLines: number;
  excel: ReturnType<typeof separatorLine>;
  parser: CsvParser | undefined;
}

/** Reads separated values: the first bytes say how the file is written, the first row what it holds. */
export function scanCsv(target: TableTarget, context: FileContext): Reader {
  const scan: Scan = {
    target,
    context,
    held: createHeldBytes(HEAD_BYTES * 2),
    enough: HEAD_BYTES,
    skippedLines: 0,
    excel: undefined,
    parser: undefined,
  };
  const push = (bytes: Uint8Array) => {
    hold(scan.held, bytes);
    if (scan.held.to - scan.held.from >= scan.enough) parse(scan, false);
  };
  const text = createUtf8Stream(push, (encoding) => {
    if (encoding !== "utf-8") context.understood(encoding.toUpperCase());
  });
  return {
    push: text.push,
    finish() {
      text.finish();
      parse(scan, true);
      target.finish?.();
    },
  };
}

/** Parses the rows that are complete; with `last` all that is left. */
function parse(scan: Scan, last: boolean): void {
  scan.parser ??= begin(scan, last);
  if (!scan.parser) return;
  const { parser, held } = scan;
  const used = parser.parse(held.bytes, held.from, held.to, last) - held.from;
  held.from += used;
  if (used > 0) scan.enough = 1;
  else waitForMore(scan);
  if (!last && held.to - held.from > MAX_RECORD_BYTES) {
    const where = place(scan.context.file, parser.line + scan.skippedLines);
    throw new CrowdError(
      "bad-data",
      `${where}: the row that begins here is longer than ${MAX_RECORD_BYTES / 2 ** 20} MB. ` +
        `Is a quote left open? If quotes are ordinary characters, use ${hint("quotes", false)}.`,
    );
  }
}

/** Waits until twice as much is held, or more than a row may take. */
function waitForMore(scan: Scan): void {
  scan.enough = Math.min((scan.held.to - scan.held.from) * 2, MAX_RECORD_BYTES + 1);
}

/** Looks at the head, reads the header, and asks which cells to fill; undefined if too little is here. */
function begin(scan: Scan, last: boolean): CsvParser | undefined {
  const { target, context, held } = scan;
  const separator = separatorOf(scan);
  const dialect = { separator: separator.charCodeAt(0), quotes: context.options.quotes ?? true };
  const header = readHeader(scan, dialect, last);
  if (!header) return undefined;
  context.understood(`separated by ${separatorNames.get(separator) ?? separator}`);
  const headless = context.options.header === false;
  const names = headless ? header.names.map((_, i) => String(i + 1)) : header.names;
  const cells = target.columns(names, headless ? 0 : header.line + scan.skippedLines);
  if (!headless) {
    held.from = header.next;
    scan.skippedLines += header.nextLine - 1;
  }
  return createCsvParser(dialect, rowFiller(scan, cells, names.length, dialect));
}

/** Returns the separator: given, said in a first line as Excel does, or found by trying. */
function separatorOf(scan: Scan): string {
  const { file, options } = scan.context;
  const { held } = scan;
  if (!scan.excel) {
    scan.excel = separatorLine(held.bytes.subarray(held.from, held.to));
    held.from += scan.excel?.length ?? 0;
    scan.skippedLines = scan.excel ? 1 : 0;
  }
  const head = held.bytes.subarray(held.from, Math.min(held.to, held.from + HEAD_BYTES));
  const separator =
    options.separator ??
    scan.excel?.separator ??
    sniffSeparator(head, options.quotes ?? true, file);
  if (!/^[^"\r\n]$/.test(separator) || separator.charCodeAt(0) > 127) {
    throw new CrowdError(
      "bad-option",
      `separator must be one ASCII character, not ${JSON.stringify(separator)}.`,
    );
  }
  return separator;
}

/** Reads the first row, without the empty cells behind it; undefined if it is not here yet. */
function readHeader(scan: Scan, dialect: Dialect, last: boolean) {
  const { bytes, from, to } = scan.held;
  let names: string[] | undefined;
  let line = 0;
  const parser = createCsvParser(dialect, (row) => {
    names = rowText(row).slice(0, widthOf(row));
    line = row.line;
  });
  const next = parser.parse(bytes, from, to, last, 1);
  if (names) return { names, line, next, nextLine: parser.line };
  if (!last) waitForMore(scan);
  if (!last && to - from > MAX_RECORD_BYTES) {
    throw new CrowdError(
      "bad-data",
      `${scan.context.file}:1: the first row is longer than ${MAX_RECORD_BYTES / 2 ** 20} MB, so this is ` +
        `probably not a table. Is a quote left open?`,
    );
  }
  return undefined;
}

/** Returns what fills the wanted cells from a row, and hands the row on. */
function rowFiller(
  { target, context, skippedLines }: Scan,
  cells: readonly (Cell | undefined)[],
  width: number,
  { separator }: Dialect,
): (row: CsvRow) => void {
  const wanted = cells.flatMap((cell, column) => (cell ? [{ cell, at: column * 3 }] : []));
  const decimalComma = separator === SEMICOLON;
  return (row) => {
    const line = row.line + skippedLines;
    if (row.broken) return reportBroken(target, context, row, line);
    // Separators behind the last cell are harmless.
    if (row.columns < width || (row.columns > width && widthOf(row) > width)) {
      return target.problem(line, `the row has ${row.columns} cells, but the header has ${width}.`);
    }
    for (let i = 0; i < wanted.length; i++) {
      const { cell, at } = wanted[i];
      const start = row.cells[at];
      const end = row.cells[at + 1];
      const kind = row.cells[at + 2];
      const bytes = kind === UNESCAPED ? row.unescaped : row.bytes;
      if (cell.kind !== "name") fillNumberBytes(cell, bytes, start, end, decimalComma);
      else if (start === end) cell.code = -1;
      else if (bytes[start] > APOSTROPHE) cell.code = cell.names.add(bytes, start, end);
      else if (kind === PLAIN && isBlank(bytes, start, end)) cell.code = -1;
      else cell.code = cell.names.add(bytes, skipEscape(bytes, start, end), end);
      if (kind === PLAIN && holdsNul(cell, bytes, start, end)) {
        return target.problem(line, "there is a NUL byte; is this a text file?");
      }
    }
    target.row(line);
  };
}

/**
 * Reports a row with a misplaced quote. If such rows are left out, each line of the row counts; a quote that
 * never ends is refused, since all the rest of the file would be left out.
 */
function reportBroken(
  target: TableTarget,
  { file, options }: FileContext,
  { broken, newlines }: CsvRow,
  line: number,
): void {
  const drop = options.badRows === "drop";
  const lines = newlines + 1;
  if (broken === "open quote" && drop && newlines > 0) {
    throw new CrowdError(
      "bad-data",
      `${place(file, line)}: a quoted cell begins here and never ends, so ${plural(lines, "line")} would be ` +
        `left out. Close the quote. If quotes are ordinary characters, use ${hint("quotes", false)}.`,
    );
  }
  const what =
    broken === "open quote"
      ? "a quoted cell begins here and never ends"
      : "something follows the closing quote of a cell";
  const span = newlines > 0 ? `; the row spans ${plural(lines, "line")}` : "";
  for (let i = 0; i < (drop ? lines : 1); i++) target.problem(line + i, `${what}${span}.`);
}

/** Finds NULs. Within quotes one is a character like any other; elsewhere it is a sign of another kind of file. */
function holdsNul(cell: Cell, bytes: Uint8Array, start: number, end: number): boolean {
  return cell.kind === "name" && cell.names.nul && bytes.subarray(start, end).includes(0);
}

/** Counts the cells of a row, without the empty ones behind. */
function widthOf({ columns, cells, bytes }: CsvRow): number {
  let width = columns;
  while (width > 1) {
    const at = (width - 1) * 3;
    if (cells[at] < cells[at + 1]) {
      if (cells[at + 2] !== PLAIN || !isBlank(bytes, cells[at], cells[at + 1])) break;
    }
    width--;
  }
  return width;
}

const separatorNames = new Map([
  [",", "commas"],
  [";", "semicolons"],
  ["\t", "tabs"],
  ["|", "bars"],
]);
