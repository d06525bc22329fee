/** A short name for the content of data, so that a result can say what it was made from. */
import type { CategoricalData } from "./categorical.ts";
import type { Names } from "./names.ts";

/** Returns sixteen hexadecimal digits; the same labels in the same order give the same ones. */
export function fingerprint({
  tasks,
  workers,
  classes,
  task,
  worker,
  label,
  gold,
}: CategoricalData): string {
  return fingerprintOf([tasks, workers, classes], [task, worker, label, gold]);
}

/** Returns the fingerprint of lists of names and columns of numbers, in this order. */
export function fingerprintOf(
  lists: readonly Names[],
  columns: readonly (Int32Array | Float64Array)[],
): string {
  const hash = createHash();
  for (const names of lists) {
    hash.add(names.length);
    for (const name of names) hash.addText(name);
  }
  for (const column of columns) {
    hash.add(column.length);
    const words =
      column instanceof Int32Array
        ? column
        : new Int32Array(column.buffer, column.byteOffset, 2 * column.length);
    for (let i = 0; i < words.length; i++) hash.add(words[i]);
  }
  return hash.digest();
}

/** Two 32-bit FNV-like lanes with different primes: not for secrets, only to tell data apart. */
function createHash() {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  const add = (x: number) => {
    a = Math.imul(a ^ x, 0x01000193);
    b = Math.imul(b ^ x, 0x85ebca6b);
    b ^= b >>> 13;
  };
  const hex = (x: number) => (x >>> 0).toString(16).padStart(8, "0");
  return {
    add,
    addText(text: string) {
      add(text.length);
      for (let i = 0; i < text.length; i++) add(text.charCodeAt(i));
    },
    digest: () => hex(a ^ (a >>> 15)) + hex(b ^ (b >>> 16)),
  };
}
