/** The table in a file of separated values: finds out how it is written, then fills cells. */
import { CrowdError } from "../error.ts";
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
import { place } from "./problems.ts";

const SEMICOLON = 0x3b;
const APOSTROPHE = 0x27;

export function scanCsv(target: TableTarget, context: FileContext): Reader {
  const { file, options } = context;
  /** What is not parsed yet: work[from..to). */
  let work = new Uint8Array(HEAD_BYTES * 2);
  let from = 0;
  let to = 0;
  /** No use in parsing before there is so much: the row that begins here is longer. */
  let enough = HEAD_BYTES;
  let skippedLines = 0;
  let excel: ReturnType<typeof separatorLine>;
  let parser: CsvParser | undefined;

  function push(bytes: Uint8Array) {
    if (to + bytes.length > work.length) {
      const held = to - from;
      const kept = work.subarray(from, to);
      if (held + bytes.length > work.length) {
        work = new Uint8Array(Math.max(work.length * 2, held + bytes.length));
        work.set(kept);
      } else work.copyWithin(0, from, to);
      from = 0;
      to = held;
    }
    work.set(bytes, to);
    to += bytes.length;
    if (to - from >= enough) parse(false);
  }

  function parse(last: boolean) {
    parser ??= begin(last);
    if (!parser) return;
    const used = parser.parse(work, from, to, last) - from;
    from += used;
    enough = used > 0 ? 1 : Math.min((to - from) * 2, MAX_RECORD_BYTES + 1);
    if (!last && to - from > MAX_RECORD_BYTES) {
      const line = parser.line + skippedLines;
      throw new CrowdError(
        "bad-data",
        `${place(file, line)}: the row that begins here is longer than ${MAX_RECORD_BYTES / 2 ** 20} MB. ` +
          `Is a quote left open? Where quotes mean nothing, say quotes: false.`,
      );
    }
  }

  /** Looks at the head, reads the header, and asks which cells to fill. */
  function begin(last: boolean): CsvParser | undefined {
    if (!excel) {
      excel = separatorLine(work.subarray(from, to));
      from += excel?.length ?? 0;
      skippedLines = excel ? 1 : 0;
    }
    const head = work.subarray(from, Math.min(to, from + HEAD_BYTES));
    const quotes = options.quotes ?? true;
    const separator = options.separator ?? excel?.separator ?? sniffSeparator(head, quotes, file);
    if (!/^[^"\r\n]$/.test(separator) || separator.charCodeAt(0) > 127) {
      throw new CrowdError(
        "bad-option",
        `separator must be one ASCII character, not ${JSON.stringify(separator)}.`,
      );
    }
    const dialect = { separator: separator.charCodeAt(0), quotes };
    const header = readHeader(dialect, last);
    if (!header) return undefined;
    const names =
      options.header === false ? header.names.map((_, i) => String(i + 1)) : header.names;
    context.understood(`separated by ${separatorNames.get(separator) ?? separator}`);
    const line = options.header === false ? 0 : header.line + skippedLines;
    const rows = createRows(target.columns(names, line), names.length, dialect);
    if (options.header === false) return createCsvParser(dialect, rows);
    from = header.next;
    skippedLines = header.nextLine + skippedLines - 1;
    return createCsvParser(dialect, rows);
  }

  /** The first row, without the empty cells behind it. */
  function readHeader(dialect: Dialect, last: boolean) {
    let names: string[] | undefined;
    let line = 0;
    const parser = createCsvParser(dialect, (row) => {
      names = rowText(row).slice(0, widthOf(row));
      line = row.line;
    });
    const next = parser.parse(work, from, to, last, 1);
    if (!names) {
      if (!last) tooLongHeader();
      return undefined;
    }
    return { names, line, next, nextLine: parser.line };
  }

  function tooLongHeader() {
    enough = Math.min((to - from) * 2, MAX_RECORD_BYTES + 1);
    if (to - from <= MAX_RECORD_BYTES) return;
    throw new CrowdError(
      "bad-data",
      `${file}:1: the first row is longer than ${MAX_RECORD_BYTES / 2 ** 20} MB, so this is hardly a ` +
        `table. Is a quote left open?`,
    );
  }

  function createRows(cells: readonly (Cell | undefined)[], width: number, { separator }: Dialect) {
    const wanted = cells.flatMap((cell, column) => (cell ? [{ cell, at: column * 3 }] : []));
    const decimalComma = separator === SEMICOLON;
    return (row: CsvRow) => {
      const line = row.line + skippedLines;
      if (row.broken) return target.problem(line, row.broken);
      // Separators behind the last cell are harmless.
      if (row.columns < width || (row.columns > width && widthOf(row) > width)) {
        return target.problem(
          line,
          `the row has ${row.columns} cells, but the header has ${width}.`,
        );
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

  const text = createUtf8Stream(push, (encoding) => {
    if (encoding !== "utf-8") context.understood(encoding.toUpperCase());
  });

  return {
    push: text.push,
    finish() {
      text.finish();
      parse(true);
      target.finish?.();
    },
  };
}

/** Within quotes a NUL is a character like any other; elsewhere it is a sign of a file of another kind. */
function holdsNul(cell: Cell, bytes: Uint8Array, start: number, end: number): boolean {
  return cell.kind === "name" && cell.names.nul && bytes.subarray(start, end).includes(0);
}

/** How many cells a row has, without the empty ones behind. */
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
