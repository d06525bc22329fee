/** Features in a .npy file that stays on disk: rows are read when they are asked for. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { checkRows, rowSize } from "../data/features.ts";
import { namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import {
  type ArrayOptions,
  checkFinite,
  checkTasks,
  copyRow,
  layoutNotes,
  layoutOf,
  type ReadFeatures,
  toMatrix,
} from "../io/feature-array.ts";
import { decodeNumbers, npyBytes, readNpyHeader } from "../io/npy.ts";
import { readError } from "./source.ts";

/** Features that hold a file open. */
export interface FileFeatures extends ReadFeatures {
  close(): void;
}

/** Bytes read at once where rows follow each other. */
const BUFFER = 2 ** 20;
const HEADER = 65_536;

/** Opens the file, looks once at every number, and keeps it open for reading rows. */
export function openNpyFile(path: string, options: ArrayOptions): FileFeatures {
  const file = openFile(path);
  try {
    const features = featuresOf(file, path, options);
    checkFinite(features, features.dtype, path);
    return features;
  } catch (error) {
    file.close();
    throw error;
  }
}

function featuresOf(
  { fill, close, byteLength }: OpenFile,
  path: string,
  options: ArrayOptions,
): FileFeatures & { readonly dtype: string } {
  const head = new Uint8Array(Math.min(byteLength, HEADER));
  fill(head, 0);
  const header = readNpyHeader(head, path);
  const { dtype, offset } = header;
  const layout = layoutOf(header, options, path);
  const bytes = npyBytes(header, byteLength - offset, path);
  if (header.fortran) {
    throw new CrowdError(
      "not-supported",
      `${path}: the array is stored column by column (Fortran order), so its rows cannot be read from ` +
        "disk one at a time. Save it with np.ascontiguousarray(x), or hold it in memory: raise memory " +
        `to ${bytes} bytes or more.`,
    );
  }
  const tasks = checkTasks(layout.rows, options, path);
  const size = rowSize(layout);
  const rowBytes = bytes / layout.rows;
  const most = Math.max(1, Math.floor(BUFFER / rowBytes));
  const buffer = new Uint8Array(Math.min(most, layout.rows) * rowBytes);
  const { scale } = layout;

  /** Rows that follow each other in the file are read together. */
  function read(rows: ArrayLike<number>, into: Float32Array): void {
    checkRows(rows, tasks.length, size, into);
    for (let i = 0; i < rows.length; ) {
      let run = 1;
      while (run < most && i + run < rows.length && rows[i + run] === rows[i] + run) run++;
      const raw = buffer.subarray(0, run * rowBytes);
      fill(raw, offset + rows[i] * rowBytes);
      const numbers = toMatrix(decodeNumbers(raw, dtype));
      if (!layout.order) into.set(numbers, i * size);
      else for (let r = 0; r < run; r++) copyRow(numbers, r, layout, into, (i + r) * size, size);
      i += run;
    }
    if (scale !== 1) for (let j = 0; j < rows.length * size; j++) into[j] *= scale;
  }
  const notes = layoutNotes(layout, path);
  return {
    tasks: namesOf(tasks),
    shape: layout.shape,
    read,
    close,
    notes,
    dtype,
    ...(scale !== 1 && { scale }),
  };
}

interface OpenFile {
  readonly byteLength: number;
  /** Fills the buffer from this place on. */
  fill(buffer: Uint8Array, position: number): void;
  close(): void;
}

function openFile(path: string): OpenFile {
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw readError(path, cause);
    }
  };
  const descriptor = guard(() => openSync(path, "r"));
  let open = true;
  return {
    byteLength: guard(() => fstatSync(descriptor).size),
    fill(buffer, position) {
      if (!open) throw new CrowdError("bad-data", `${path}: the features were closed already.`);
      for (let at = 0; at < buffer.length; ) {
        const read = guard(() =>
          readSync(descriptor, buffer, at, buffer.length - at, position + at),
        );
        if (read === 0) throw new CrowdError("bad-data", `${path}: the file became shorter.`);
        at += read;
      }
    },
    close() {
      if (open) closeSync(descriptor);
      open = false;
    },
  };
}
