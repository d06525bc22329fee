/** Features from a file that is in memory: .npy, IDX, or any table with a task column. */
import { CrowdError, plural } from "../error.ts";
import { type CleaningOptions, cleanName } from "./cleaning.ts";
import { type ArrayOptions, featuresFromArray, type ReadFeatures } from "./feature-array.ts";
import { featureTable } from "./feature-table.ts";
import { type NamedBytes, tableFromBytes, unpacked } from "./from-bytes.ts";
import { isIdx, readIdx } from "./idx.ts";
import { isNpy, readNpy } from "./npy.ts";
import { featuresIn, isNpz, readNpz } from "./npz.ts";
import type { TableOptions } from "./table.ts";
import type { UnpackLimits } from "./unpack-limit.ts";

/** How features are read. */
export interface FeatureOptions extends ArrayOptions, TableOptions, UnpackLimits {
  /** Id of the format of a table; default: found out from the file. */
  readonly format?: string | undefined;
}

/**
 * Features from the bytes of a file, packed with gzip or not. The rows of arrays follow `tasks`;
 * those of tables are named by their task column. The bytes must not change afterwards.
 */
export async function featuresFromBytes(
  { name, bytes: given }: NamedBytes,
  options: FeatureOptions = {},
): Promise<ReadFeatures> {
  const bytes = await unpacked({ name, bytes: given }, options);
  if (bytes.length === 0) throw new CrowdError("bad-data", `${name} is empty.`);
  if (isNpz(bytes)) return featuresOfNpz(name, bytes, options);
  if (isArray(bytes)) return featuresOfArray(name, bytes, options);
  return tableFromBytes(featureTable(), { name, bytes }, options);
}

/** True if a file that begins so is an array of numbers, and no table. */
export function isArray(head: Uint8Array): boolean {
  return isNpy(head) || isIdx(head);
}

/** Features from the bytes of a .npy or IDX file. */
export function featuresOfArray(
  name: string,
  bytes: Uint8Array,
  options: ArrayOptions & Pick<FeatureOptions, "onUnderstood">,
): ReadFeatures {
  const idx = isIdx(bytes);
  const array = idx ? readIdx(bytes, name) : readNpy(bytes, name);
  options.onUnderstood?.(sayArray(name, array, idx));
  // Labels of such files have no names either: their place is their name.
  const unnamed = idx && !options.tasks && array.data.length > 0;
  const tasks = unnamed
    ? Array.from({ length: array.shape[0] }, (_, row) => String(row))
    : options.tasks;
  const features = featuresFromArray(array, { ...options, tasks }, name);
  if (!unnamed) return features;
  return { ...features, notes: [...features.notes, `${name}: tasks are numbered from 0.`] };
}

/**
 * Makes features of an archive of arrays. Rows are named by the tasks that were given, else by the archive's own list,
 * else by what `others` finds.
 */
export async function featuresOfNpz(
  name: string,
  bytes: Uint8Array,
  options: ArrayOptions & UnpackLimits & CleaningOptions & Pick<FeatureOptions, "onUnderstood">,
  others: () => Promise<Pick<ArrayOptions, "tasks" | "tasksName">> = async () => ({}),
): Promise<ReadFeatures> {
  const { features, tasks: own } = featuresIn(await readNpz(bytes, name, options), name);
  const where = `${name}: ${JSON.stringify(features.name)}`;
  if (options.tasks) return featuresOfArray(where, features.bytes, options);
  const named = own
    ? {
        tasks: own.map((task) => cleanName(task, options)),
        tasksName: `the list of tasks in ${name}`,
      }
    : await others();
  return featuresOfArray(where, features.bytes, { ...options, ...named });
}

/** What an array was taken for. */
export function sayArray(
  name: string,
  { shape, dtype }: { shape: readonly number[]; dtype: string },
  idx = false,
): string {
  const kind = idx ? "IDX" : "NumPy array";
  return `${name}: ${kind} of ${dtype.slice(1)}, shape (${shape.join(", ")}); ${plural(shape[0] ?? 0, "row")}`;
}
