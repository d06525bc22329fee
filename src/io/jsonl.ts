/**
 * JSON lines: one object per line, one label an object.
 *
 *   {"task": "img-17", "worker": "ana", "label": "cat"}
 */
import type { CategoricalData } from "../data/categorical.ts";
import { utf8Head } from "./csv.ts";
import { decodeText } from "./encoding.ts";
import type { FileContext, Reader, TableTarget, WritableFormat } from "./format.ts";
import { createJsonRows, type JsonRows } from "./json-rows.ts";
import { isObject } from "./json-values.ts";
import { inPieces, labelHeader, labelRows } from "./label-rows.ts";
import { excerpt } from "./problems.ts";
import { scanLines } from "./text-lines.ts";

export const jsonl: WritableFormat = {
  id: "jsonl",
  title: "JSON lines",
  extensions: [".jsonl", ".ndjson", ".jsonlines"],
  sniff(head, fileName) {
    const text = decodeText(utf8Head(head)).trimStart();
    if (!text.startsWith("{")) return 0;
    const line = text.slice(0, text.search(/\r?\n|$/));
    const named = jsonl.extensions.some((extension) => fileName.toLowerCase().endsWith(extension));
    return typeof parse(line) === "object" ? 0.98 : named ? 0.9 : 0.2;
  },
  reader: (sink, context) => scanJsonl(sink.target(context), context),
  table: scanJsonl,
  write: (data) => inPieces(jsonLines(data)),
};

function* jsonLines(data: CategoricalData): Iterable<string> {
  const keys = labelHeader(data).map((name) => `${JSON.stringify(name)}:`);
  for (const row of labelRows(data, (value) => JSON.stringify(value))) {
    // An unknown time is left out.
    const pairs = row.flatMap((value, i) => (value === '""' ? [] : [keys[i] + value]));
    yield `{${pairs.join(",")}}\n`;
  }
}

/** Reads a table of JSON lines. */
function scanJsonl(target: TableTarget, context: FileContext): Reader {
  const rows = createJsonRows(target, context);
  return scanLines(
    (text, line, length) => readLine(rows, text, line, length),
    context,
    "JSON lines have one object per line.",
    () => {
      rows.finish();
      target.finish?.();
    },
  );
}

/** Reads a line that is not blank. */
function readLine(rows: JsonRows, text: string, line: number, length: number): void {
  if (text.trim() === "") return;
  const value = parse(text);
  if (isObject(value)) rows.add(value, line, length);
  else {
    const what = `the line should be a JSON object, but is ${excerpt(text)}.`;
    rows.problem(line, what, length);
  }
}

/** Returns the value of a line, or undefined if it is not JSON. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
