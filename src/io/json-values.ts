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
import { excerpt, place } from "./problems.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

const [QUOTE, BACKSLASH, LF, COMMA] = [0x22, 0x5c, 0x0a, 0x2c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Deeper than any tool nests, and far from where the language itself would give up. */
const MAX_DEPTH = 100;

/** An object as it stands in its file. */
export interface JsonPlace {
  readonly text: string;
  /** True between the brackets of a list. */
  readonly inList: boolean;
}

/** Calls `each` with every object, the line in which it begins, and its text. */
export function scanJson(
  each: (value: JsonObject, line: number, place: JsonPlace) => void,
  context: FileContext,
  finish: () => void = () => {},
): Reader {
  const { file } = context;
  let held = new Uint8Array(65_536);
  let length = 0;
  let line = 1;
  /** Where the object that is being read began; 0 between objects. */
  let began = 0;
  let depth = 0;
  let quoted = false;
  let escaped = false;
  let list = false;
  let ended = false;

  function hold(bytes: Uint8Array, start: number, end: number): void {
    if (length + end - start > held.length) {
      const more = new Uint8Array(Math.max(held.length * 2, length + end - start));
      more.set(held.subarray(0, length));
      held = more;
    }
    held.set(bytes.subarray(start, end), length);
    length += end - start;
    if (length > MAX_RECORD_BYTES) {
      throw new CrowdError(
        "bad-data",
        `${place(file, began)}: an object is longer than ${MAX_RECORD_BYTES / 2 ** 20} MB.`,
      );
    }
  }

  function take(): void {
    const text = decodeText(held, 0, length);
    length = 0;
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
    each(value as JsonObject, began, { text, inList: list });
    began = 0;
  }

  /** A byte between objects: only commas, blanks and the brackets of the list may stand there. */
  function between(byte: number, rest: () => string): void {
    if (byte <= 0x20) return;
    if (byte === LIST && !list && !ended) list = true;
    else if (byte === LIST_END && list) [list, ended] = [false, true];
    else if (byte !== COMMA || !list) {
      throw new CrowdError(
        "bad-data",
        `${place(file, line)}: there should be a JSON object, but there is ${excerpt(rest())}.`,
      );
    }
  }

  function push(bytes: Uint8Array): void {
    let start = 0;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (byte === LF) line++;
      if (began === 0) {
        if (byte === OBJECT) {
          began = line;
          depth = 1;
          start = i;
        } else between(byte, () => decodeText(bytes, i, Math.min(bytes.length, i + 40)));
        continue;
      }
      if (quoted) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) quoted = false;
      } else if (byte === QUOTE) quoted = true;
      else if (byte === OBJECT || byte === LIST) {
        if (++depth > MAX_DEPTH) throw tooDeep(place(file, began));
      } else if ((byte === OBJECT_END || byte === LIST_END) && --depth === 0) {
        hold(bytes, start, i + 1);
        take();
      }
    }
    if (began > 0) hold(bytes, start, bytes.length);
  }

  const text = createUtf8Stream(push);
  return {
    push: text.push,
    finish() {
      text.finish();
      if (began > 0) {
        throw new CrowdError(
          "bad-data",
          `${place(file, began)}: the file ends within this object. It is cut off; export it again.`,
        );
      }
      if (list)
        throw new CrowdError(
          "bad-data",
          `${file}: the file ends within its list. It is cut off; export it again.`,
        );
      finish();
    },
  };
}

function tooDeep(where: string): CrowdError {
  return new CrowdError(
    "bad-data",
    `${where}: lists and objects lie more than ${MAX_DEPTH} deep in each other, as in no export of a tool. Leave this one out.`,
  );
}

/** The value of a text, or undefined where it is not JSON or nests too deep. */
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

/** Any value as text for a message. */
export function shown(value: unknown): string {
  if (typeof value === "string") return excerpt(value);
  const text = JSON.stringify(value, (_, part) => textOfBigInt(part)) ?? "missing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const textOfBigInt = (value: unknown) => (typeof value === "bigint" ? String(value) : value);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The first objects of a file, as far as its head has them whole. */
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
