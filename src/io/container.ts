/**
 * Named arrays and plain fields in one run of bytes, and back: a JSON head that says what the arrays
 * are, then the arrays.
 *
 *   magic line · length of the head as 10 digits · head · arrays, each at a multiple of 8
 *
 * Files may come from anywhere, so unpacking believes nothing: every size is checked against the file
 * before it is used.
 */
import { CrowdError } from "../error.ts";

const kinds = { f64: Float64Array, f32: Float32Array, i32: Int32Array } as const;
type Kind = keyof typeof kinds;
export type Packed = Float64Array | Float32Array | Int32Array;

export interface Container {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly arrays: ReadonlyMap<string, Packed>;
}

interface Head {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly arrays: readonly {
    readonly name: string;
    readonly type: Kind;
    readonly length: number;
  }[];
}

const DIGITS = 10;

export function pack(magic: string, { fields, arrays }: Container): Uint8Array {
  const head: Head = {
    fields,
    arrays: [...arrays].map(([name, values]) => {
      const [type] = Object.entries(kinds).find(([, Kind]) => values instanceof Kind) ?? [];
      return { name, type: type as Kind, length: values.length };
    }),
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const start = new TextEncoder().encode(`${magic}${String(text.length).padStart(DIGITS, "0")}`);
  let at = aligned(start.length + text.length);
  const total = [...arrays.values()].reduce((sum, { byteLength }) => sum + aligned(byteLength), at);
  const bytes = new Uint8Array(total);
  bytes.set(start);
  bytes.set(text, start.length);
  for (const values of arrays.values()) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += aligned(values.byteLength);
  }
  return bytes;
}

/** What `pack` wrote under the same magic; `what` names it in messages. Throws `bad-data` on anything else. */
export function unpack(magic: string, bytes: Uint8Array, what: string): Container {
  const broken = (why: string) => new CrowdError("bad-data", `${what} cannot be read: ${why}.`);
  const start = magic.length + DIGITS;
  const text = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to));
  if (bytes.length < start || text(0, magic.length) !== magic) {
    throw broken(`it does not begin with "${magic.trim()}"`);
  }
  const digits = text(magic.length, start);
  const size = Number(digits);
  if (!/^\d+$/.test(digits) || start + size > bytes.length) throw broken("its head is cut off");
  const head = parse(text(start, start + size));
  if (!head) throw broken("its head is damaged");
  const arrays = new Map<string, Packed>();
  let at = aligned(start + size);
  for (const { name, type, length } of head.arrays) {
    const Kind = kinds[type];
    const end = at + length * Kind.BYTES_PER_ELEMENT;
    if (end > bytes.length) throw broken(`its array "${name}" is cut off`);
    // Not bytes.slice: Node's Buffer has one that does not copy.
    arrays.set(name, new Kind(Uint8Array.from(bytes.subarray(at, end)).buffer));
    at = aligned(end);
  }
  return { fields: head.fields, arrays };
}

/** The head, or undefined where it is not one. */
function parse(text: string): Head | undefined {
  try {
    const head = JSON.parse(text) as Head;
    const good =
      typeof head.fields === "object" &&
      head.fields !== null &&
      Array.isArray(head.arrays) &&
      head.arrays.every(
        ({ name, type, length }) =>
          typeof name === "string" &&
          Object.hasOwn(kinds, type) &&
          Number.isSafeInteger(length) &&
          length >= 0,
      );
    return good ? head : undefined;
  } catch {
    return undefined;
  }
}

const aligned = (bytes: number) => Math.ceil(bytes / 8) * 8;
