/**
 * A fitted result as bytes, and back: a JSON head that says what the arrays are, then the arrays.
 *
 *   "CONSILIENCE 1\n" · length of the head as 10 digits · head · arrays, each at a multiple of 8
 *
 * Files may come from anywhere, so loading believes nothing: every size is checked against the
 * shape and the file before it is used, and numbers must be what they are said to be.
 */
import { CrowdError } from "../../error.ts";
import type { Aggregation } from "./aggregator.ts";

const MAGIC = "CONSILIENCE 1\n";
const DIGITS = 10;

type Numbers = Float64Array | Int32Array;

interface Head {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly arrays: readonly {
    readonly name: string;
    readonly type: "f64" | "i32";
    readonly length: number;
  }[];
}

/** Everything in the result, as bytes for `load`. */
export function save(result: Aggregation): Uint8Array {
  const fields: Record<string, unknown> = {};
  const arrays: { name: string; values: Numbers }[] = [];
  for (const [name, value] of Object.entries(result)) {
    if (value instanceof Float64Array || value instanceof Int32Array) {
      arrays.push({ name, values: value });
    } else if (value !== undefined) fields[name] = value;
  }
  const head: Head = {
    fields,
    arrays: arrays.map(({ name, values }) => ({
      name,
      type: values instanceof Float64Array ? "f64" : "i32",
      length: values.length,
    })),
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const first = aligned(MAGIC.length + DIGITS + text.length);
  const total = arrays.reduce((sum, { values }) => sum + aligned(values.byteLength), first);
  const bytes = new Uint8Array(total);
  const start = new TextEncoder().encode(`${MAGIC}${String(text.length).padStart(DIGITS, "0")}`);
  bytes.set(start);
  bytes.set(text, start.length);
  let at = first;
  for (const { values } of arrays) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += aligned(values.byteLength);
  }
  return bytes;
}

/** The result that `save` wrote. Throws `bad-data` on anything else. */
export function load(bytes: Uint8Array): Aggregation {
  const start = MAGIC.length + DIGITS;
  const text = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to));
  if (bytes.length < start || text(0, MAGIC.length) !== MAGIC) {
    throw broken(`it does not begin with "${MAGIC.trim()}"`);
  }
  const digits = text(MAGIC.length, start);
  const size = Number(digits);
  if (!/^\d+$/.test(digits) || start + size > bytes.length) throw broken("its head is cut off");
  const head = parse(text(start, start + size));
  const result: Record<string, unknown> = { ...head.fields };
  let at = aligned(start + size);
  for (const { name, type, length } of head.arrays) {
    const width = type === "f64" ? 8 : 4;
    if (at + length * width > bytes.length) throw broken(`its array "${name}" is cut off`);
    // Not bytes.slice: Node's Buffer has one that does not copy.
    const copy = Uint8Array.from(bytes.subarray(at, at + length * width)).buffer;
    result[name] = type === "f64" ? new Float64Array(copy) : new Int32Array(copy);
    at += aligned(length * width);
  }
  return checked(result);
}

function parse(text: string): Head {
  let head: Partial<Head>;
  try {
    head = JSON.parse(text);
  } catch (cause) {
    throw broken("its head is not JSON", cause);
  }
  const { fields, arrays } = head ?? {};
  if (
    typeof fields !== "object" ||
    fields === null ||
    Array.isArray(fields) ||
    !Array.isArray(arrays)
  ) {
    throw broken("its head has no fields or arrays");
  }
  for (const each of arrays) {
    const sound =
      typeof each?.name === "string" &&
      /^[a-z][A-Za-z]*$/.test(each.name) &&
      (each.type === "f64" || each.type === "i32") &&
      Number.isSafeInteger(each.length) &&
      each.length >= 0;
    if (!sound) throw broken("an array in its head has no sound name, type and length");
  }
  return { fields, arrays };
}

/** Refuses a result whose parts do not fit together. */
function checked(result: Record<string, unknown>): Aggregation {
  const names = (field: string): readonly string[] => {
    const list = result[field];
    if (!Array.isArray(list) || !list.every((name) => typeof name === "string")) {
      throw broken(`"${field}" is no list of names`);
    }
    return list;
  };
  const T = names("tasks").length;
  const W = names("workers").length;
  const K = names("classes").length;
  names("notes");
  const L = result["given"];
  if (typeof result["method"] !== "string") throw broken('"method" is missing');
  if (L !== K && L !== K + 1) throw broken('"given" does not fit the classes');
  if (typeof result["options"] !== "object" || result["options"] === null)
    throw broken('"options" are missing');
  const need = (name: string, length: number, type: "f64" | "i32", optional = false) => {
    const values = result[name];
    if (values === undefined && optional) return;
    const right = type === "f64" ? values instanceof Float64Array : values instanceof Int32Array;
    if (!right || (values as Numbers).length !== length) {
      throw broken(`"${name}" should hold ${length} numbers`);
    }
    if (!(values as Float64Array).every(Number.isFinite))
      throw broken(`"${name}" holds what is no number`);
  };
  need("posterior", T * K, "f64");
  need("prior", K, "f64");
  need("skill", W, "f64");
  need("confusion", W * K * L, "f64", true);
  need("exposure", W * K, "f64", true);
  need("weights", W, "f64", true);
  need("consensus", T, "i32");
  need("support", T, "i32");
  need("workload", W, "i32");
  const iterations = result["iterations"];
  if (typeof iterations !== "number" || !(iterations >= 0))
    throw broken('"iterations" is no count');
  need("trace", iterations, "f64");
  if (typeof result["converged"] !== "boolean") throw broken('"converged" is missing');
  return result as unknown as Aggregation;
}

function broken(why: string, cause?: unknown): CrowdError {
  return new CrowdError("bad-data", `This is no saved result: ${why}.`, { cause });
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
