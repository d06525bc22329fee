/**
 * NumPy archives (.npz): arrays by name in a ZIP file, stored or deflated. Labels are one array of shape (N, 3) as in
 * .npy, or a list per column; features are one array, with a list of their tasks or without.
 *
 *   np.savez("labels.npz", task=tasks, worker=workers, label=labels)
 *   np.savez("features.npz", features=embeddings, tasks=tasks)
 *
 * Pickled objects are never loaded.
 */
import { CrowdError, hint } from "../error.ts";
import { fillValue } from "./cell.ts";
import type { FileContext, Format, TableTarget } from "./format.ts";
import { gatheringReader, wholeFile } from "./gather.ts";
import {
  fillMatrix,
  matrixColumns,
  type NpyHeader,
  readNpy,
  readNpyHeader,
  readNpyTexts,
} from "./npy.ts";
import { excerpt } from "./problems.ts";
import type { UnpackLimits } from "./unpack-limit.ts";
import { firstZipName, readZip } from "./zip.ts";

export const npz: Format = {
  id: "npz",
  title: "NumPy archive",
  extensions: [".npz"],
  sniff: (head) => (isNpz(head) ? 1 : 0),
  reader: (sink, context) =>
    gatheringReader(async (source) => {
      if (source.byteLength === 0) return;
      const arrays = await readNpz(await wholeFile(source), context.file, context.options);
      const matrix = arrays.find(({ name }) => /^(labels|data)$/i.test(name)) ?? only(arrays);
      if (matrix && matrix.header.shape.length !== 1) {
        const target = matrixColumns(sink.labels(context), context);
        fillMatrix(target, readNpy(matrix.bytes, placeOf(matrix, context.file)), context.file);
      } else readLists(arrays, sink.target(context), context);
    }),
  table: (target, context) =>
    gatheringReader(async (source) => {
      if (source.byteLength === 0) return;
      const bytes = await wholeFile(source);
      readLists(await readNpz(bytes, context.file, context.options), target, context);
    }),
};

/** An array of an archive: its name, what it says of itself, and its bytes as those of a .npy file. */
export interface NamedArray {
  readonly name: string;
  readonly header: NpyHeader;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Returns whether a file that begins so is an archive whose first file is an array. */
export function isNpz(head: Uint8Array): boolean {
  return firstZipName(head)?.endsWith(".npy") ?? false;
}

/** Unpacks the arrays of an archive; other files in it are left alone. */
export async function readNpz(
  bytes: Uint8Array,
  file: string,
  limits: UnpackLimits,
): Promise<readonly NamedArray[]> {
  const arrays: NamedArray[] = [];
  for (const entry of readZip(bytes, file, limits)) {
    if (!entry.name.endsWith(".npy")) continue;
    const name = entry.name.slice(0, -4);
    const unpacked = await entry.bytes();
    const header = readNpyHeader(unpacked, `${file}: ${excerpt(name)}`);
    arrays.push({ name, bytes: unpacked, header });
  }
  return arrays;
}

/** The features in an archive, and the names of their rows if it has them. */
export interface NpzFeatures {
  readonly features: NamedArray;
  readonly tasks: readonly string[] | undefined;
}

/** Finds the features: the array `features`, `data` or `x`, or the only one beside the list of tasks. */
export function featuresIn(arrays: readonly NamedArray[], file: string): NpzFeatures {
  const tasks = arrays.find(
    ({ name, header }) => /^(tasks?|task_ids?|names|ids)$/i.test(name) && header.shape.length === 1,
  );
  const others = arrays.filter((array) => array !== tasks);
  const features =
    others.find(({ name }) => /^features$/i.test(name)) ??
    others.find(({ name }) => /^data$/i.test(name)) ??
    others.find(({ name }) => /^x$/i.test(name)) ??
    only(others);
  if (!features) {
    throw new CrowdError(
      "bad-data",
      `${file}: it is not clear which array holds the features. Name it features. The arrays are: ${listed(arrays)}.`,
    );
  }
  const names = tasks && valuesOf(tasks, file);
  return { features, tasks: names && Array.from(names, (name) => String(name)) };
}

/** Fills cells from lists of one length, each a column by its name. */
function readLists(
  arrays: readonly NamedArray[],
  target: TableTarget,
  { file }: FileContext,
): void {
  const lists = arrays.filter(({ header }) => header.shape.length === 1);
  if (lists.length < 2) {
    throw new CrowdError(
      "bad-data",
      `${file}: labels should be one array of shape (N, 3), named labels or the only one, or lists of one length ` +
        `named task, worker and label. The arrays are: ${listed(arrays)}.`,
    );
  }
  const cells = target.columns(
    lists.map(({ name }) => name),
    0,
  );
  const wanted = lists.flatMap((array, i) => {
    const cell = cells[i];
    return cell ? [{ cell, array, values: valuesOf(array, file) }] : [];
  });
  const rows = wanted[0]?.values.length ?? 0;
  const other = wanted.find(({ values }) => values.length !== rows);
  if (other) {
    throw new CrowdError(
      "bad-data",
      `${file}: ${excerpt(wanted[0].array.name)} has ${rows} values, but ${excerpt(other.array.name)} has ` +
        `${other.values.length}. Use lists of one length, or choose others with ${hint("columns", "label=…")}.`,
    );
  }
  for (let row = 0; row < rows; row++) {
    for (const { cell, values } of wanted) fillValue(cell, values[row]);
    target.row(row + 1);
  }
  target.finish?.();
}

/** Returns the numbers or texts of a list. */
function valuesOf({ name, header, bytes }: NamedArray, file: string): ArrayLike<unknown> {
  const where = `${file}: ${excerpt(name)}`;
  if (/^[<>|=][US]\d+$/.test(header.dtype)) return readNpyTexts(bytes, where);
  return readNpy(bytes, where).data;
}

function only(arrays: readonly NamedArray[]): NamedArray | undefined {
  return arrays.length === 1 ? arrays[0] : undefined;
}

const placeOf = ({ name }: NamedArray, file: string) => `${file}: ${excerpt(name)}`;

/** The first ten arrays with their shapes. */
function listed(arrays: readonly NamedArray[]): string {
  const shown = arrays
    .slice(0, 10)
    .map(({ name, header }) => `${excerpt(name)} (${header.shape.join(" × ") || "one number"})`);
  const more = arrays.length > 10 ? ` and ${arrays.length - 10} more` : "";
  return (shown.join(", ") || "none") + more;
}
