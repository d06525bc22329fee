/**
 * A JSON list of objects, one label per object.
 *
 *   [{"task": "img-17", "worker": "ana", "label": "cat"}, …]
 *
 * The list is read object by object, so a file may be larger than memory.
 */
import { beginsList, utf8Head } from "./csv.ts";
import type { FileContext, Format, Reader, TableTarget } from "./format.ts";
import { createJsonRows } from "./json-rows.ts";
import { scanJson } from "./json-values.ts";

export const json: Format = {
  id: "json",
  title: "JSON list",
  extensions: [".json"],
  // Exports of tools are lists too, and more sure of themselves.
  sniff: (head) => (beginsList(utf8Head(head)) ? 0.6 : 0),
  reader: (sink, context) => scanList(sink.target(context), context),
  table: scanList,
};

/** Reads a table out of a list of objects. */
function scanList(target: TableTarget, context: FileContext): Reader {
  const rows = createJsonRows(target, context);
  return scanJson(
    (row, line, { text }) => rows.add(row, line, text.length),
    context,
    () => {
      rows.finish();
      target.finish?.();
    },
  );
}
