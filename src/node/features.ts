/** Features from files: .npy (on disk where large), tables, IDX, and images. */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CrowdError } from "../error.ts";
import { cleaningOf } from "../io/cleaning.ts";
import { textRows } from "../io/csv.ts";
import type { ReadFeatures } from "../io/feature-array.ts";
import { featureTable, tasksTable } from "../io/feature-table.ts";
import {
  type FeatureOptions,
  featuresOfArray,
  featuresOfNpz,
  isArray,
  sayArray,
} from "../io/features.ts";
import { isNpy, readNpyHeader } from "../io/npy.ts";
import { isNpz } from "../io/npz.ts";
import { plainTable } from "../io/table.ts";
import {
  type FileOptions,
  limitOf,
  type ReadTableOptions,
  readSource,
  wholeSource,
  withSource,
} from "./files.ts";
import {
  type ImageNames,
  type ImageOptions,
  imagesInFolder,
  imagesInTable,
  isImageList,
  readImages,
} from "./images.ts";
import { openNpyFile } from "./npy-file.ts";
import type { Source } from "./source.ts";

/** How features are read from a file or a folder of images. */
export interface OpenFeaturesOptions
  extends Omit<FeatureOptions, "tasks">,
    FileOptions,
    ImageOptions,
    ImageNames {
  /**
   * The task of each row, or the file that has them in a column; for .npy and IDX only. Default: a
   * file `tasks.csv` or `X_tasks.csv` beside `X.npy`.
   */
  readonly tasks?: string | readonly string[] | undefined;
  /** A .npy file of more bytes than this stays on disk. Default 256 MB. */
  readonly memory?: number | undefined;
}

/** Features from a file. Those that stay on disk hold it open until they are closed. */
export interface OpenFeatures extends ReadFeatures {
  close?(): void;
}

const MEMORY = 256 * 2 ** 20;
/** What Node reads in one go. */
const MOST = 2 ** 31 - 1;

/** Features from a file, or from a folder of images. */
export async function openFeatures(
  path: string,
  options: OpenFeaturesOptions = {},
): Promise<OpenFeatures> {
  if (path !== "-" && statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return readImages(imagesInFolder(path, options), options, limitOf(options));
  }
  return withSource(path, options, async (source) => {
    if (source.head.length === 0) throw new CrowdError("bad-data", `${source.name} is empty.`);
    const tableOptions: ReadTableOptions = options;
    if (isNpz(source.head)) {
      const bytes = await wholeSource(source, options);
      const named = options.tasks === undefined ? {} : await tasksOf(path, options);
      const own = { ...options, tasks: undefined, ...named };
      return featuresOfNpz(source.name, bytes, own, () => tasksOf(path, options));
    }
    if (isArray(source.head)) return arrayFeatures(source, path, options);
    if (isImageList(textRows(source.head, source.name)?.[0] ?? [])) {
      const table = await readSource(plainTable, source, { ...tableOptions, only: undefined });
      return readImages(
        imagesInTable(table, source.name, options.columns, options),
        options,
        limitOf(options),
      );
    }
    return readSource(featureTable(limitOf(options)), source, tableOptions);
  });
}

/** The rows of a table's task column, in their order. */
export async function readTasks(
  path: string,
  options: ReadTableOptions = {},
): Promise<readonly string[]> {
  return withSource(path, options, (source) => readSource(tasksTable, source, options));
}

async function arrayFeatures(
  source: Source,
  path: string,
  { memory = MEMORY, ...options }: OpenFeaturesOptions,
): Promise<OpenFeatures> {
  const named = { ...options, tasks: undefined, ...(await tasksOf(path, options)) };
  const onDisk = isNpy(source.head) && source.random;
  if (onDisk && onDisk.byteLength > Math.min(memory, MOST)) {
    options.onUnderstood?.(sayArray(path, readNpyHeader(source.head, path)));
    return openNpyFile(path, named);
  }
  return featuresOfArray(source.name, await wholeSource(source, options), named);
}

/** The names of the rows: given, in the file that was named, or in one beside the array. */
async function tasksOf(
  path: string,
  { tasks, tasksName, ...options }: OpenFeaturesOptions,
): Promise<Pick<FeatureOptions, "tasks" | "tasksName">> {
  if (tasks !== undefined && typeof tasks !== "string") return { tasks, tasksName };
  const file = tasks ?? tasksBeside(path);
  if (file === undefined) return {};
  const { signal, onUnderstood, columns, separator, stdin } = options;
  const given = tasks === undefined ? {} : { columns, separator, stdin };
  const clean = cleaningOf(options);
  return {
    tasks: await readTasks(file, { signal, onUnderstood, ...clean, ...given }),
    tasksName: file,
  };
}

/** `X_tasks.csv` beside `X.npy` or `X_features.npy`, or `tasks.csv` unless the array is of a test set. */
function tasksBeside(path: string): string | undefined {
  if (path === "-") return undefined;
  const stem = basename(path)
    .replace(/\.gz$/i, "")
    .replace(/\.\w+$/, "");
  const set = /^(.+)[_-]features$/.exec(stem)?.[1];
  const other = /^(test|valid|val|validation|dev)([_-]|$)/i.test(stem);
  return [`${stem}_tasks`, ...(set ? [`${set}_tasks`] : []), ...(other ? [] : ["tasks"])]
    .flatMap((name) => [`${name}.csv`, `${name}.csv.gz`])
    .map((name) => join(dirname(path), name))
    .find((candidate) => existsSync(candidate));
}
