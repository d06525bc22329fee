/** How a file of separated values is written, found by trying. */
import { type CsvRow, createCsvParser, type Dialect, PLAIN, UNESCAPED } from "./csv-parser.ts";
import { decodeText } from "./encoding.ts";
import { HEAD_BYTES } from "./format.ts";
import { unescapeFormula } from "./formula.ts";

const SEPARATORS = [",", "\t", ";", "|"] as const;
const ROWS = 50;
const QUOTE = 0x22;

/** The cells of a row as text. */
export function rowText({ columns, bytes, unescaped, cells }: CsvRow): string[] {
  return Array.from({ length: columns }, (_, i) => {
    const from = cells[i * 3 + 2] === UNESCAPED ? unescaped : bytes;
    return unescapeFormula(decodeText(from, cells[i * 3], cells[i * 3 + 1]));
  });
}

/** The first rows of a file as text, for looking at. */
export function firstRows(head: Uint8Array, dialect: Dialect, maxRows: number): string[][] {
  const rows: string[][] = [];
  createCsvParser(dialect, (row) => rows.push(rowText(row))).parse(
    head,
    0,
    head.length,
    true,
    maxRows,
  );
  return rows;
}

/** Excel writes the separator into a first line of its own: `sep=;`. */
export function separatorLine(head: Uint8Array): { separator: string; length: number } | undefined {
  const [match, separator] = /^sep=([^\r\n])\r?\n/i.exec(decodeText(head.subarray(0, 16))) ?? [];
  return match && separator ? { separator, length: match.length } : undefined;
}

/**
 * The separator that cuts the first rows into the same number of cells, the more the better. A file
 * with one column has none: then it is the comma.
 */
export function sniffSeparator(head: Uint8Array, quotes: boolean, fileName: string): string {
  let best: string = ",";
  let bestScore = 0;
  for (const separator of SEPARATORS) {
    const rows = looks(head, { separator: separator.charCodeAt(0), quotes });
    // The last row of a long file is cut off by the end of the head.
    if (rows.length > 1 && rows.length < ROWS && head.length >= HEAD_BYTES) rows.pop();
    const width = rows[0]?.columns ?? 0;
    if (width < 2) continue;
    const even = rows.filter(({ columns, broken }) => columns === width && !broken).length;
    const stray = rows.filter((row) => row.stray).length;
    const named = separator === "\t" && /\.tsv$/i.test(fileName) ? 0.5 : 0;
    const score = (even - stray / 2) / rows.length + named + Math.min(width, 20) / 1000;
    if (score > bestScore) [best, bestScore] = [separator, score];
  }
  return best;
}

interface Look {
  readonly columns: number;
  readonly broken: boolean;
  /** A quote in the middle of a cell: a sign that the cell was cut at the wrong place. */
  readonly stray: boolean;
}

function looks(head: Uint8Array, dialect: Dialect): Look[] {
  const rows: Look[] = [];
  const parser = createCsvParser(dialect, ({ columns, broken, bytes, cells }) => {
    let stray = false;
    for (let at = 0; at < columns * 3 && dialect.quotes; at += 3) {
      stray ||= cells[at + 2] === PLAIN && bytes.subarray(cells[at], cells[at + 1]).includes(QUOTE);
    }
    rows.push({ columns, broken: broken !== undefined, stray });
  });
  parser.parse(head, 0, head.length, true, ROWS);
  return rows;
}
