/** Features in parts, and whole. */

import { type Features, rowSize } from "../data/features.ts";
import type { Names } from "../data/names.ts";
import { namesOf } from "../data/names.ts";

/** As many rows as there are tasks, beginning with row `from`. */
export function sliceFeatures(features: Features, from: number, tasks: Names): Features {
  const { shape } = features;
  if (from === 0) return { tasks, shape, read: (rows, into) => features.read(rows, into) };
  const read = (rows: ArrayLike<number>, into: Float32Array) =>
    features.read(
      Int32Array.from(rows, (row) => row + from),
      into,
    );
  return { tasks, shape, read };
}

/** Some of the rows, in the given order. */
export function pickFeatures(features: Features, picked: ArrayLike<number>): Features {
  const rows = Int32Array.from(picked);
  return {
    tasks: namesOf(Array.from(rows, (row) => features.tasks.at(row))),
    shape: features.shape,
    read: (wanted, into) =>
      features.read(
        Int32Array.from(wanted, (row) => rows[row]),
        into,
      ),
  };
}

/** All rows of one after the other. */
export function readAll(...parts: readonly Features[]): Float32Array {
  const sizes = parts.map((features) => features.tasks.length * rowSize(features));
  const all = new Float32Array(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  parts.forEach((features, i) => {
    features.read([...[...features.tasks].keys()], all.subarray(at, at + sizes[i]));
    at += sizes[i];
  });
  return all;
}
