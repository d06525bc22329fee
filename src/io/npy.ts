/**
 * NumPy arrays, versions 1 to 3 of the format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 * Labels are whole numbers of shape (N, 3): task, worker, label. Pickled objects are never loaded.
 */

import type { CategoricalData } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import { fillValue, type NameCell } from "./cell.ts";
import { decodeText } from "./encoding.ts";
import type { FileContext, Reader, TableTarget, WritableFormat } from "./format.ts";
import { gatheringReader, wholeFile } from "./gather.ts";
import type { LabelCollector } from "./label-collector.ts";
import { labelTarget } from "./label-target.ts";
import { excerpt } from "./problems.ts";

/** The numbers of an array, in the type that the file has. */
export type NpyData =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

export interface NpyHeader {
  readonly shape: readonly number[];
  /** As NumPy writes it: `<f4`, `|u1`. */
  readonly dtype: string;
  /** True where the first index runs fastest. */
  readonly fortran: boolean;
  /** Where the numbers begin. */
  readonly offset: number;
}

/** An array from a NumPy `.npy` file. */
export interface NpyArray extends Omit<NpyHeader, "offset"> {
  /** The numbers in the order of the file; float16 is widened to float32, bool is 0 or 1. */
  readonly data: NpyData;
}

const kinds = {
  b1: Uint8Array,
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
  f2: Uint16Array,
  f4: Float32Array,
  f8: Float64Array,
} as const;

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

export function isNpy(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

/** What the file says of itself; the first kilobyte is nearly always enough. */
export function readNpyHeader(bytes: Uint8Array, file = "The array"): NpyHeader {
  const bad = (what: string) => new CrowdError("bad-data", `${file}: ${what}`);
  if (!isNpy(bytes)) throw bad("this is not a NumPy array (.npy).");
  const major = bytes[6];
  const prefix = major === 1 ? 10 : 12;
  if (!(major >= 1 && major <= 3) || bytes.length < prefix) {
    throw bad(`NPY version ${major} is not known, or the file is cut off.`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const offset = prefix + length;
  if (offset > bytes.length) throw bad("the header is cut off.");
  const text = new TextDecoder().decode(bytes.subarray(prefix, offset));
  const [, dtype] = /'descr'\s*:\s*'([^']*)'/.exec(text) ?? [];
  const [, order] = /'fortran_order'\s*:\s*(True|False)/.exec(text) ?? [];
  const [, sizes] = /'shape'\s*:\s*\(([\d\s,]*)\)/.exec(text) ?? [];
  if (dtype === undefined || order === undefined || sizes === undefined) {
    throw bad(
      `the header is not understood: ${excerpt(text.trim())}. Records and objects are not read.`,
    );
  }
  const shape = sizes.split(",").flatMap((size) => (size.trim() === "" ? [] : [Number(size)]));
  const count = shape.reduce((product, size) => product * size, 1);
  if (!Number.isSafeInteger(count * 8)) throw bad(`the shape (${shape.join(", ")}) is too large.`);
  return { shape, dtype, fortran: order === "True", offset };
}

/** A NumPy array; `file` names it in messages. The data may share memory with `bytes`. */
export function readNpy(bytes: Uint8Array, file = "The array"): NpyArray {
  const { offset, ...header } = readNpyHeader(bytes, file);
  const size = npyBytes(header, bytes.length - offset, file);
  return { ...header, data: decodeNumbers(bytes.subarray(offset, offset + size), header.dtype) };
}

/** Reads a list of texts: `U` in UTF-32, `S` in UTF-8 or Latin-1; NULs behind a text are no part of it. */
export function readNpyTexts(bytes: Uint8Array, file = "The array"): string[] {
  const { shape, dtype, offset } = readNpyHeader(bytes, file);
  const width = Number(dtype.slice(2)) * (dtype[1] === "U" ? 4 : 1);
  const count = shape.reduce((product, length) => product * length, 1);
  const body = bytes.subarray(offset);
  if (!(width * count <= body.length && count <= body.length)) {
    throw new CrowdError(
      "bad-data",
      `${file}: the file is cut off: the shape (${shape.join(", ")}) of ${excerpt(dtype)} takes ` +
        `${width * count} bytes, but there are ${body.length}.`,
    );
  }
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  return Array.from({ length: count }, (_, i) => {
    const start = i * width;
    if (dtype[1] === "S") return withoutNuls(decodeText(body, start, start + width));
    let text = "";
    for (let at = start; at < start + width; at += 4) {
      const point = view.getUint32(at, dtype[0] !== ">");
      text += point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
    }
    return withoutNuls(text);
  });
}

function withoutNuls(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end--;
  return text.slice(0, end);
}

/** Bytes that the numbers take; refuses kinds that cannot be read, and a file with fewer. */
export function npyBytes(
  { dtype, shape }: Pick<NpyHeader, "dtype" | "shape">,
  there: number,
  file = "The array",
): number {
  if (!Object.hasOwn(kinds, dtype.slice(1)) || !"<>|=".includes(dtype[0])) {
    throw new CrowdError(
      "not-supported",
      `${file}: an array of ${excerpt(dtype)} cannot be read. Numbers can: integers of 8 to 64 ` +
        `bits, floats of 16 to 64 bits, and bool.`,
    );
  }
  const size = shape.reduce((product, length) => product * length, kindOf(dtype).BYTES_PER_ELEMENT);
  if (there < size) {
    throw new CrowdError(
      "bad-data",
      `${file}: the file is cut off: the shape (${shape.join(", ")}) of ${dtype} takes ` +
        `${size} bytes, but there are ${there}.`,
    );
  }
  return size;
}

/** Numbers of a kind that NumPy calls by this name; they may share memory with `bytes`. */
export function decodeNumbers(bytes: Uint8Array, dtype: string): NpyData {
  const Kind = kindOf(dtype);
  const width = Kind.BYTES_PER_ELEMENT;
  const swap = dtype[0] === ">" && width > 1;
  const from = swap || bytes.byteOffset % width !== 0 ? new Uint8Array(bytes) : bytes;
  if (swap) swapBytes(from, width);
  const data = new Kind(from.buffer as ArrayBuffer, from.byteOffset, from.length / width);
  return dtype.endsWith("f2") ? widen(data as Uint16Array) : data;
}

function kindOf(dtype: string) {
  return kinds[dtype.slice(1) as keyof typeof kinds];
}

function swapBytes(bytes: Uint8Array, width: number): void {
  for (let at = 0; at < bytes.length; at += width) {
    for (let low = at, high = at + width - 1; low < high; low++, high--) {
      const byte = bytes[low];
      bytes[low] = bytes[high];
      bytes[high] = byte;
    }
  }
}

/** Float16 to float32; all 65,536 values are in a table made on first use. */
let halves: Float32Array | undefined;
function widen(bits: Uint16Array): Float32Array {
  halves ??= Float32Array.from({ length: 65_536 }, (_, half) => {
    const sign = half >> 15 ? -1 : 1;
    const exponent = (half >> 10) & 31;
    const fraction = half & 1023;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
  const wide = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) wide[i] = halves[bits[i]];
  return wide;
}

/** The bytes of a .npy file, version 1, rows first. */
export function writeNpy(shape: readonly number[], data: NpyData): Uint8Array {
  const [kind] = Object.entries(kinds).find(
    ([name, Kind]) => Kind === data.constructor && name !== "b1" && name !== "f2",
  ) ?? [""];
  const dtype = (data.BYTES_PER_ELEMENT > 1 ? "<" : "|") + kind;
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '${dtype}', 'fortran_order': False, 'shape': (${tuple}), }`;
  const offset = Math.ceil((11 + text.length) / 64) * 64;
  const bytes = new Uint8Array(offset + data.byteLength);
  bytes.set([...MAGIC, 1, 0, (offset - 10) & 255, (offset - 10) >> 8]);
  bytes.set(new TextEncoder().encode(`${text.padEnd(offset - 11)}\n`), 10);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
  return bytes;
}

export const npy: WritableFormat = {
  id: "npy",
  title: "NumPy array of task, worker, label",
  extensions: [".npy"],
  sniff: (head) => (isNpy(head) ? 1 : 0),
  reader: (sink, context) => scanNpy(matrixColumns(sink.labels(context), context), context),
  write(data, options) {
    if (data.time || data.weight)
      options?.onNote?.("A NumPy array holds no times or weights; left out.");
    return [writeNpy([data.label.length, 3], triples(data))];
  },
};

/** Takes the three columns of a matrix for task, worker and label, unless they were named. */
export function matrixColumns(labels: LabelCollector, context: FileContext): TableTarget {
  const { columns = { task: "1", worker: "2", label: "3", time: "", weight: "" } } =
    context.options;
  return labelTarget(labels, { ...context, options: { ...context.options, columns } });
}

function scanNpy(target: TableTarget, { file }: FileContext): Reader {
  return gatheringReader(async (source) => {
    if (source.byteLength === 0) target.finish?.();
    else fillMatrix(target, readNpy(await wholeFile(source), file), file);
  });
}

/** Fills the cells from a matrix of whole numbers; its columns are named "1", "2", "3". */
export function fillMatrix(
  target: TableTarget,
  { shape, dtype, fortran, data }: NpyArray,
  file: string,
): void {
  if (shape.length !== 2 || shape[1] !== 3 || !/^.[iu]/.test(dtype)) {
    throw new CrowdError(
      "bad-data",
      `${file}: labels should be whole numbers of shape (N, 3), one row for each task, worker and ` +
        `label, but this is ${dtype} of shape (${shape.join(", ")}).`,
    );
  }
  const [rows] = shape;
  const cells = target.columns(["1", "2", "3"], 0);
  const columns = cells.flatMap((cell, at) =>
    cell ? [{ from: fortran ? at * rows : at, fill: filler(cell as NameCell) }] : [],
  );
  const step = fortran ? 1 : 3;
  for (let row = 0; row < rows; row++) {
    for (const { from, fill } of columns) fill(data[from + row * step]);
    target.row(row + 1);
  }
  target.finish?.();
}

/** Fills a cell with a whole number; small ones are made text only once. */
function filler(cell: NameCell): (value: number | bigint) => void {
  const known = new Map<number | bigint, number>();
  return (value) => {
    let code = known.get(value);
    if (code === undefined) {
      fillValue(cell, value);
      code = cell.code;
      if (known.size < 2 ** 20) known.set(value, code);
    }
    cell.code = code;
  };
}

function triples(data: CategoricalData): Int32Array | BigInt64Array {
  const columns = Array.from(
    [
      { names: data.tasks, codes: data.task },
      { names: data.workers, codes: data.worker },
      { names: data.classes, codes: data.label },
    ],
    ({ names, codes }) => ({ codes, numbers: Array.from(names, wholeNumber) }),
  );
  const small = columns.every(({ numbers }) => numbers.every((n) => BigInt.asIntN(32, n) === n));
  const N = data.label.length;
  const flat = small ? new Int32Array(N * 3) : new BigInt64Array(N * 3);
  for (const [at, { codes, numbers }] of columns.entries()) {
    for (let i = 0; i < N; i++) {
      const number = numbers[codes[i]];
      if (number === undefined) {
        throw new CrowdError("not-supported", "A NumPy array cannot hold abstentions. Use CSV.");
      }
      flat[i * 3 + at] = small ? Number(number) : number;
    }
  }
  return flat;
}

function wholeNumber(name: string): bigint {
  if (/^(0|-?[1-9]\d{0,17})$/.test(name)) return BigInt(name);
  throw new CrowdError(
    "not-supported",
    `A NumPy array of labels holds whole numbers only, and ${excerpt(name)} is not one. Use CSV, ` +
      `Parquet or Arrow.`,
  );
}
