/**
 * What tasks look like: one row of numbers per task, in memory or read from disk when asked for.
 *
 * A learner asks for the rows of one minibatch at a time, so features never need to fit in memory.
 */

import { CrowdError } from "../error.ts";
import { type Names, namesOf } from "./names.ts";

/** Rows of numbers that describe tasks. */
export interface Features {
  /** The task of each row. */
  readonly tasks: Names;
  /** Of one row: [512] for a vector, [channels, height, width] for an image. */
  readonly shape: readonly number[];
  /** What the stored numbers are multiplied by when read, such as 1/255; absent where it is 1. */
  readonly scale?: number;
  /** Copies the given rows one after another into `into`. */
  read(rows: ArrayLike<number>, into: Float32Array): void;
}

/** Numbers of one row. */
export const rowSize = ({ shape }: Pick<Features, "shape">): number =>
  shape.reduce((product, size) => product * size, 1);

/** Features that are in memory already: rows one after another, times `scale`. */
export function fromMatrix(
  tasks: Names | readonly string[],
  shape: readonly number[],
  matrix: Float32Array | Float64Array | Uint8Array,
  scale = 1,
): Features {
  const size = rowSize({ shape });
  if (matrix.length !== tasks.length * size) {
    throw new CrowdError(
      "bad-data",
      `Features of ${tasks.length} tasks with ${size} numbers each are ${tasks.length * size} numbers, ` +
        `not ${matrix.length}.`,
    );
  }
  const read = (rows: ArrayLike<number>, into: Float32Array) => {
    checkRows(rows, tasks.length, size, into);
    for (let i = 0; i < rows.length; i++) {
      const from = rows[i] * size;
      if (scale === 1) into.set(matrix.subarray(from, from + size), i * size);
      else for (let j = 0; j < size; j++) into[i * size + j] = matrix[from + j] * scale;
    }
  };
  return { tasks: namesOf(tasks), shape, read, ...(scale !== 1 && { scale }) };
}

/** Refuses rows that are not there, and room that is too small for them. */
export function checkRows(
  rows: ArrayLike<number>,
  count: number,
  size: number,
  into: Float32Array,
): void {
  if (into.length < rows.length * size) {
    throw new CrowdError(
      "bad-data",
      `${rows.length} rows of ${size} numbers do not fit into an array of ${into.length}.`,
    );
  }
  for (let i = 0; i < rows.length; i++) {
    if (!(Number.isInteger(rows[i]) && rows[i] >= 0 && rows[i] < count)) {
      throw new CrowdError("bad-data", `Features have ${count} rows; there is no row ${rows[i]}.`);
    }
  }
}

/** The row of each task of `data`, or of what else `noun` names; refuses one without a row. */
export function rowsOfTasks(
  { tasks }: { readonly tasks: Names },
  features: Features,
  noun: "task" | "item" = "task",
): Int32Array {
  const rowOf = new Map(Array.from(features.tasks, (task, row) => [task, row]));
  const rows = Int32Array.from(tasks, (task) => rowOf.get(task) ?? -1);
  const missing = [...tasks].filter((_, t) => rows[t] < 0);
  if (missing.length > 0) {
    const shown = missing.slice(0, 10).join(", ") + (missing.length > 10 ? ", …" : "");
    throw new CrowdError(
      "bad-data",
      `${missing.length} of ${tasks.length} labelled ${noun}s have no features: ${shown}. ` +
        "Give a row for each of them, or leave their labels out.",
    );
  }
  return rows;
}
