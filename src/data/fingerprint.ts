/** A short name for the content of a dataset, so that a result can say what it was made from. */
import type { CrowdDataset } from "./dataset.ts";

/** Sixteen hexadecimal digits; the same labels in the same order give the same ones. */
export function fingerprint({
  tasks,
  workers,
  classes,
  task,
  worker,
  label,
  gold,
}: CrowdDataset): string {
  const hash = createHash();
  for (const names of [tasks, workers, classes]) {
    hash.add(names.length);
    for (const name of names) hash.addText(name);
  }
  for (const column of [task, worker, label, gold]) {
    hash.add(column.length);
    for (let i = 0; i < column.length; i++) hash.add(column[i]);
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
