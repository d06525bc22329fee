/** Separated values for people and spreadsheets: UTF-8, LF, RFC 4180, and nothing a spreadsheet runs. */
import { escapeFormula } from "./formula.ts";
import { inPieces } from "./label-rows.ts";

export type CsvValue = string | number | boolean | null | undefined;

/** Rows as text, in pieces of about 64 KB; null, undefined and NaN are empty cells. */
export function* writeCsv(
  header: readonly string[],
  rows: Iterable<readonly CsvValue[]>,
): Iterable<string> {
  yield* inPieces(csvRows(header, rows));
}

function* csvRows(
  header: readonly string[],
  rows: Iterable<readonly CsvValue[]>,
): Iterable<string> {
  yield csvRow(header);
  for (const row of rows) yield csvRow(row);
}

function csvRow(row: readonly CsvValue[]): string {
  let line = "";
  for (let i = 0; i < row.length; i++) {
    if (i > 0) line += ",";
    line += csvCell(row[i]);
  }
  // A lone empty cell would be a blank line.
  return `${row.length === 1 && line === "" ? '""' : line}\n`;
}

/**
 * Besides what must be quoted, a blank at either end is, so that nobody takes it for padding, and
 * whatever else might be taken for the separator.
 */
const QUOTED = /[",;|\t\n\r\0]|^[\s\ufeff]|\s$/;

export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(value);
  const text = escapeFormula(String(value));
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
