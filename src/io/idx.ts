/**
 * IDX, the format of MNIST: four bytes of kind and dimensions, a size for each, then the numbers,
 * high byte first. http://yann.lecun.com/exdb/mnist/
 */
import { CrowdError, plural } from "../error.ts";
import type { Gold } from "./gold.ts";
import { decodeNumbers, type NpyData } from "./npy.ts";

/** An array from an IDX file, the format of MNIST. */
export interface IdxArray {
  readonly shape: readonly number[];
  /** As NumPy would write it: `|u1`, `>f4`. */
  readonly dtype: string;
  /** May share memory with the bytes it was read from. */
  readonly data: NpyData;
}

/** The third byte of a file, and what numbers it means. */
const kinds: ReadonlyMap<number, { readonly dtype: string; readonly bytes: number }> = new Map([
  [0x08, { dtype: "|u1", bytes: 1 }],
  [0x09, { dtype: "|i1", bytes: 1 }],
  [0x0b, { dtype: ">i2", bytes: 2 }],
  [0x0c, { dtype: ">i4", bytes: 4 }],
  [0x0d, { dtype: ">f4", bytes: 4 }],
  [0x0e, { dtype: ">f8", bytes: 8 }],
]);

/** True if a file that begins so can be IDX. */
export function isIdx(head: Uint8Array): boolean {
  return head[0] === 0 && head[1] === 0 && kinds.has(head[2]) && head[3] >= 1 && head[3] <= 8;
}

/** An array out of an IDX file; `file` names it in messages. */
export function readIdx(bytes: Uint8Array, file = "The array"): IdxArray {
  const kind = kinds.get(bytes[2]);
  if (!isIdx(bytes) || !kind) {
    throw new CrowdError("bad-data", `${file}: this is not an IDX file.`);
  }
  const start = 4 + bytes[3] * 4;
  if (bytes.length < start) throw new CrowdError("bad-data", `${file}: the header is cut off.`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shape = Array.from({ length: bytes[3] }, (_, i) => view.getUint32(4 + i * 4));
  const size = shape.reduce((product, length) => product * length, kind.bytes);
  if (size !== bytes.length - start) {
    throw new CrowdError(
      "bad-data",
      `${file}: the shape (${shape.join(", ")}) takes ${size} bytes, but there are ` +
        `${bytes.length - start}. Copy or download the file again.`,
    );
  }
  return { shape, dtype: kind.dtype, data: decodeNumbers(bytes.subarray(start), kind.dtype) };
}

/** Gold from an IDX file of labels. Without names, tasks are numbered from 0 as rows are. */
export function goldFromIdx(
  bytes: Uint8Array,
  file = "The labels",
  tasks?: readonly string[],
): Gold {
  const { shape, data } = readIdx(bytes, file);
  if (shape.length !== 1) {
    throw new CrowdError(
      "bad-data",
      `${file}: labels are one number per task, but the shape is (${shape.join(", ")}).`,
    );
  }
  if (tasks && tasks.length !== data.length) {
    throw new CrowdError(
      "bad-data",
      `${file} has ${plural(data.length, "label")}, but the data has ${plural(tasks.length, "task")}.`,
    );
  }
  const gold = Array.from(data as ArrayLike<number>, (label, row): [string, string] => [
    tasks?.[row] ?? String(row),
    String(label),
  ]);
  return { gold, notes: [] };
}
