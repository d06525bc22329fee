/**
 * Long CSV or TSV: a header, then one label per row.
 *
 *   task,worker,label
 *   img-17,ana,cat
 */
import type { CategoricalData } from "../data/categorical.ts";
import { hasColumn } from "./column-names.ts";
import { firstRows, separatorLine, sniffSeparator } from "./csv-dialect.ts";
import { createCsvParser, type Dialect, PLAIN } from "./csv-parser.ts";
import { scanCsv } from "./csv-scanner.ts";
import { csvCell } from "./csv-writer.ts";
import { createUtf8Stream, decodeText } from "./encoding.ts";
import { HEAD_BYTES, type WritableFormat } from "./format.ts";
import { inPieces, labelHeader, labelRows } from "./label-rows.ts";

export const csv: WritableFormat = {
  id: "csv",
  title: "CSV or TSV, one label per row",
  extensions: [".csv", ".tsv", ".tab", ".txt"],
  sniff(head, fileName) {
    const rows = textRows(head, fileName);
    if (!rows) return 0;
    const [header = []] = rows;
    if (hasColumn(header, "worker") && hasColumn(header, "label")) return 0.95;
    return header.length > 1 ? 0.5 : 0.3;
  },
  reader: (sink, context) => scanCsv(sink.target(context), context),
  table: scanCsv,
  write: (data, { separator = "," } = {}) => inPieces(csvLines(data, separator)),
};

function* csvLines(data: CategoricalData, separator: string): Iterable<string> {
  yield `${labelHeader(data).join(separator)}\n`;
  for (const row of labelRows(data, csvCell)) yield `${row.join(separator)}\n`;
}

/** The first rows of what may be separated values; undefined where it is no text. */
export function textRows(head: Uint8Array, fileName: string): string[][] | undefined {
  const text = utf8Head(head);
  if (text.length === 0 || beginsList(text)) return undefined;
  const first = separatorLine(text);
  const body = text.subarray(first?.length ?? 0);
  const separator = first?.separator ?? sniffSeparator(body, true, fileName);
  const dialect = { separator: separator.charCodeAt(0), quotes: true };
  if (text.includes(0) && !nulsAreQuoted(body, dialect)) return undefined;
  return firstRows(body, dialect, 50);
}

/** Returns whether a text begins like a JSON list of objects, which no header does. */
export function beginsList(text: Uint8Array): boolean {
  return /^\s*\[\s*[{\]]/.test(decodeText(text.subarray(0, 1024)));
}

/** Returns whether every NUL is within quotes, where it is a character like any other. */
function nulsAreQuoted(body: Uint8Array, dialect: Dialect): boolean {
  let quoted = true;
  const parser = createCsvParser(dialect, ({ columns, bytes, cells, broken }) => {
    if (broken) quoted = false;
    for (let at = 0; at < columns * 3; at += 3) {
      if (cells[at + 2] === PLAIN && bytes.subarray(cells[at], cells[at + 1]).includes(0)) {
        quoted = false;
      }
    }
  });
  const rest = parser.parse(body, 0, body.length, body.length < HEAD_BYTES);
  // The last row may be cut off by the end of the head.
  return quoted && (rest > 0 || body.length < HEAD_BYTES);
}

/** The head of a text file in UTF-8, without a byte order mark. */
export function utf8Head(head: Uint8Array): Uint8Array {
  let text = new Uint8Array(0) as Uint8Array;
  const stream = createUtf8Stream((bytes) => {
    if (text.length === 0) text = new Uint8Array(bytes);
  });
  stream.push(head.subarray(0, HEAD_BYTES));
  stream.finish();
  return text;
}
