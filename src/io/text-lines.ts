/** The lines of a text file, one after another, without holding the whole of it. */
import { CrowdError, plural } from "../error.ts";
import { createUtf8Stream, decodeText, isUtf8 } from "./encoding.ts";
import { type FileContext, HEAD_BYTES, MAX_RECORD_BYTES, type Reader } from "./format.ts";
import { createHeldBytes, type HeldBytes, hold } from "./held-bytes.ts";
import { place } from "./problems.ts";

const LF = 0x0a;

/** Takes a line, its number and its length in the file. */
type EachLine = (text: string, line: number, length: number) => void;

/** Where the scan of a file is. */
interface Scan {
  readonly file: string;
  readonly each: EachLine;
  /** What a line should be, for one that is too long. */
  readonly rule: string;
  /** What has no line ending yet. */
  readonly held: HeldBytes;
  line: number;
  latin1: number;
}

/** Calls `each` with every line, which may end in a carriage return. */
export function scanLines(
  each: EachLine,
  context: FileContext,
  rule: string,
  finish: () => void,
): Reader {
  const { file } = context;
  const scan: Scan = {
    file,
    each,
    rule,
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
      const { latin1 } = scan;
      finish();
      if (latin1 > 0)
        context.note(`${file}: ${plural(latin1, "line")} not in UTF-8 and read as Latin-1.`);
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
      `${place(scan.file, scan.line + 1)}: the line is longer than ${MAX_RECORD_BYTES / 2 ** 20} MB. ${scan.rule}`,
    );
  }
}

/** Reads the lines that are held, and lets them go. */
function readHeld(scan: Scan): void {
  const bytes = scan.held.bytes.subarray(0, scan.held.to);
  scan.held.to = 0;
  if (isUtf8(bytes, 0, bytes.length)) {
    for (const text of splitLines(decodeText(bytes))) scan.each(text, ++scan.line, text.length);
    return;
  }
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LF, start);
    const end = found < 0 ? bytes.length : found;
    if (!isUtf8(bytes, start, end)) scan.latin1++;
    scan.each(decodeText(bytes, start, end), ++scan.line, end - start);
    start = end + 1;
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
