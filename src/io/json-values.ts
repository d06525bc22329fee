/**
 * The objects of a JSON file, one after another, without holding the whole of it: the elements of a list,
 * or objects on lines of their own, or just behind each other.
 *
 *   [{"id": 1}, {"id": 2}]        {"id": 1}
 *                                 {"id": 2}
 */
import { CrowdError } from "../error.ts";
import { createUtf8Stream, decodeText } from "./encoding.ts";
import { type FileContext, MAX_RECORD_BYTES, type Reader } from "./format.ts";
import { createHeldBytes, type HeldBytes, hold } from "./held-bytes.ts";
import { excerpt, place } from "./problems.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

const [QUOTE, BACKSLASH, LF, SPACE, COMMA] = [0x22, 0x5c, 0x0a, 0x20, 0x2c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Deeper than any tool nests, and far from where the language itself would give up. */
const MAX_DEPTH = 100;

/** An object as it stands in its file. */
interface JsonPlace {
  readonly text: string;
  /** True between the brackets of a list. */
  readonly inList: boolean;
}

/** Where the scan of a file is. */
interface Scan {
  readonly file: string;
  readonly each: EachObject;
  /** What there is of the object that is being read, from pieces before this one. */
  readonly held: HeldBytes;
  line: number;
  /** The line where the object that is being read began; 0 between objects. */
  began: number;
  depth: number;
  quoted: boolean;
  escaped: boolean;
  /** Within the list, and behind it. */
  list: boolean;
  ended: boolean;
}

type EachObject = (value: JsonObject, line: number, place: JsonPlace) => void;

/** Calls `each` with every object, the line in which it begins, and its text. */
export function scanJson(
  each: EachObject,
  context: FileContext,
  finish: () => void = () => {},
): Reader {
  const scan: Scan = {
    file: context.file,
    each,
    held: createHeldBytes(65_536),
    line: 1,
    began: 0,
    depth: 0,
    quoted: false,
    escaped: false,
    list: false,
    ended: false,
  };
  const text = createUtf8Stream((bytes) => scanPiece(scan, bytes));
  return {
    push: text.push,
    finish() {
      text.finish();
      checkEnd(scan);
      finish();
    },
  };
}

/** Looks at each byte of a piece, and takes the objects that end in it. */
function scanPiece(scan: Scan, bytes: Uint8Array): void {
  let start = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === LF) scan.line++;
    if (scan.began === 0) {
      if (byte === OBJECT) {
        scan.began = scan.line;
        scan.depth = 1;
        start = i;
      } else if (byte > SPACE) checkBetween(scan, bytes, i);
      continue;
    }
    if (scan.quoted) {
      if (scan.escaped) scan.escaped = false;
      else if (byte === BACKSLASH) scan.escaped = true;
      else if (byte === QUOTE) scan.quoted = false;
    } else if (byte === QUOTE) scan.quoted = true;
    else if (byte === OBJECT || byte === LIST) {
      if (++scan.depth > MAX_DEPTH) throw tooDeep(place(scan.file, scan.began));
    } else if ((byte === OBJECT_END || byte === LIST_END) && --scan.depth === 0) {
      holdPart(scan, bytes.subarray(start, i + 1));
      takeObject(scan);
    }
  }
  if (scan.began > 0) holdPart(scan, bytes.subarray(start));
}

/** Checks a byte between objects: only commas, blanks and the brackets of the list may stand there. */
function checkBetween(scan: Scan, bytes: Uint8Array, at: number): void {
  const byte = bytes[at];
  if (byte === LIST && !scan.list && !scan.ended) scan.list = true;
  else if (byte === LIST_END && scan.list) {
    scan.list = false;
    scan.ended = true;
  } else if (byte !== COMMA || !scan.list) {
    const rest = decodeText(bytes, at, Math.min(bytes.length, at + 40));
    throw new CrowdError(
      "bad-data",
      `${place(scan.file, scan.line)}: there should be a JSON object, but there is ${excerpt(rest)}.`,
    );
  }
}

/** Keeps a part of an object. */
function holdPart({ held, file, began }: Scan, part: Uint8Array): void {
  hold(held, part);
  if (held.to > MAX_RECORD_BYTES) {
    throw new CrowdError(
      "bad-data",
      `${place(file, began)}: an object is longer than ${MAX_RECORD_BYTES / 2 ** 20} MB.`,
    );
  }
}

/** Parses the object that is held, and hands it on. */
function takeObject(scan: Scan): void {
  const { held, file, began } = scan;
  const text = decodeText(held.bytes, 0, held.to);
  held.to = 0;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CrowdError(
      "bad-data",
      `${place(file, began)}: this is not JSON: ${why}. Mend the object that begins here, or export the file again.`,
    );
  }
  scan.each(value as JsonObject, began, { text, inList: scan.list });
  scan.began = 0;
}

/** Refuses a file that ends within an object or a list. */
function checkEnd({ file, began, list }: Scan): void {
  if (began > 0) {
    throw new CrowdError(
      "bad-data",
      `${place(file, began)}: the file ends within this object. It is cut off; export it again.`,
    );
  }
  if (list) {
    throw new CrowdError(
      "bad-data",
      `${file}: the file ends within its list. It is cut off; export it again.`,
    );
  }
}

function tooDeep(where: string): CrowdError {
  return new CrowdError(
    "bad-data",
    `${where}: lists and objects lie more than ${MAX_DEPTH} deep in each other, as in no export of a tool. Leave this one out.`,
  );
}

/** Returns the value of a text, or undefined if it is not JSON or nests too deep. */
export function parseJson(text: string): unknown {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) quoted = !quoted;
    else if (quoted) i += code === BACKSLASH ? 1 : 0;
    else if (code === LIST || code === OBJECT) {
      if (++depth > MAX_DEPTH) return undefined;
    } else if (code === LIST_END || code === OBJECT_END) depth--;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns any value as text for a message. */
export function shown(value: unknown): string {
  if (typeof value === "string") return excerpt(value);
  const text = JSON.stringify(value, (_, part) => textOfBigInt(part)) ?? "missing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const textOfBigInt = (value: unknown) => (typeof value === "bigint" ? String(value) : value);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the first objects of a file, as far as its head has them whole. */
export function firstObjects(head: Uint8Array): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const context = { file: "", options: {} } as FileContext;
  try {
    const reader = scanJson((value) => found.push(value), context);
    reader.push(head);
    void reader.finish();
  } catch {
    // Whoever reads the file says what is wrong with it.
  }
  return found;
}
