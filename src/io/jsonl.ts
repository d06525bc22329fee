/**
 * JSON lines: one object per line, one label an object.
 *
 *   {"task": "img-17", "worker": "ana", "label": "cat"}
 */
import type { CategoricalData } from "../data/categorical.ts";
import { CrowdError, plural } from "../error.ts";
import { utf8Head } from "./csv.ts";
import { createUtf8Stream, decodeText, isUtf8 } from "./encoding.ts";
import {
  type FileContext,
  HEAD_BYTES,
  MAX_RECORD_BYTES,
  type Reader,
  type TableTarget,
  type WritableFormat,
} from "./format.ts";
import { createHeldBytes, type HeldBytes, hold } from "./held-bytes.ts";
import { createJsonRows, type JsonRows } from "./json-rows.ts";
import { isObject } from "./json-values.ts";
import { inPieces, labelHeader, labelRows } from "./label-rows.ts";
import { excerpt, place } from "./problems.ts";

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

const LF = 0x0a;

/** Where the scan of a file is. */
interface Scan {
  readonly file: string;
  readonly rows: JsonRows;
  /** What has no line ending yet. */
  readonly held: HeldBytes;
  line: number;
  latin1: number;
}

/** Reads a table of JSON lines. */
function scanJsonl(target: TableTarget, context: FileContext): Reader {
  const { file } = context;
  const scan: Scan = {
    file,
    rows: createJsonRows(target, context),
    held: createHeldBytes(HEAD_BYTES),
    line: 0,
    latin1: 0,
  };
  const text = createUtf8Stream((bytes) => scanPiece(scan, bytes));
  return {
    push: text.push,
    finish() {
      text.finish();
      readHeld(scan);
      scan.rows.finish();
      const { latin1 } = scan;
      if (latin1 > 0)
        context.note(`${file}: ${plural(latin1, "line")} not in UTF-8 and read as Latin-1.`);
      target.finish?.();
    },
  };
}

/** Reads the lines that end in a piece, and holds the rest. */
function scanPiece(scan: Scan, bytes: Uint8Array): void {
  const end = bytes.lastIndexOf(LF) + 1;
  if (end > 0) {
    hold(scan.held, bytes.subarray(0, end));
    readHeld(scan);
  }
  hold(scan.held, bytes.subarray(end));
  if (scan.held.to > MAX_RECORD_BYTES) {
    throw new CrowdError(
      "bad-data",
      `${place(scan.file, scan.line + 1)}: the line is longer than ${MAX_RECORD_BYTES / 2 ** 20} MB. ` +
        `JSON lines have one object per line.`,
    );
  }
}

/** Reads the lines that are held, and lets them go. */
function readHeld(scan: Scan): void {
  const bytes = scan.held.bytes.subarray(0, scan.held.to);
  scan.held.to = 0;
  if (isUtf8(bytes, 0, bytes.length)) {
    for (const text of splitLines(decodeText(bytes))) readLine(scan, text, text.length);
    return;
  }
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LF, start);
    const end = found < 0 ? bytes.length : found;
    if (!isUtf8(bytes, start, end)) scan.latin1++;
    readLine(scan, decodeText(bytes, start, end), end - start);
    start = end + 1;
  }
}

/** Reads a line that is not blank. */
function readLine(scan: Scan, text: string, length: number): void {
  const line = ++scan.line;
  if (text.trim() === "") return;
  const value = parse(text);
  if (isObject(value)) scan.rows.add(value, line, length);
  else {
    const what = `the line should be a JSON object, but is ${excerpt(text)}.`;
    scan.rows.problem(line, what, length);
  }
}

/** Yields the lines of a text; what follows the last line ending is a line only if there is something. */
function* splitLines(text: string): Iterable<string> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    yield text.slice(start, end);
    start = end + 1;
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
