/**
 * Long CSV or TSV: a header, then one label a row.
 *
 *   task,worker,label
 *   img-17,ana,cat
 */
import type { CategoricalData } from "../data/categorical.ts";
import { hasColumn } from "./column-names.ts";
import { firstRows, separatorLine, sniffSeparator } from "./csv-dialect.ts";
import { scanCsv } from "./csv-scanner.ts";
import { csvCell } from "./csv-writer.ts";
import { createUtf8Stream } from "./encoding.ts";
import { HEAD_BYTES, type WritableFormat } from "./format.ts";
import { inPieces, labelHeader, labelRows } from "./label-rows.ts";

export const csv: WritableFormat = {
  id: "csv",
  title: "CSV or TSV, one label a row",
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
  if (text.length === 0 || text.includes(0)) return undefined;
  const first = separatorLine(text);
  const body = text.subarray(first?.length ?? 0);
  const separator = first?.separator ?? sniffSeparator(body, true, fileName);
  return firstRows(body, { separator: separator.charCodeAt(0), quotes: true }, 50);
}

/** The head of a text file in UTF-8, without a byte order mark. */
export function utf8Head(head: Uint8Array): Uint8Array {
  let text = new Uint8Array(0) as Uint8Array;
  const stream = createUtf8Stream((bytes) => {
    if (text.length === 0) text = bytes.slice();
  });
  stream.push(head.subarray(0, HEAD_BYTES));
  stream.finish();
  return text;
}
