/** Pictures as features: a folder of PNG and JPEG files, or a table that names them. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { Metadata, Sharp } from "sharp";
import { fromMatrix } from "../data/features.ts";
import type { Names } from "../data/names.ts";
import { namesOf } from "../data/names.ts";
import { CrowdError, grouped, hint, plural } from "../error.ts";
import { type CleaningOptions, cleanName } from "../io/cleaning.ts";
import { type ColumnNames, findColumns, hasColumn } from "../io/column-names.ts";
import {
  copyRow,
  firstTen,
  layoutOf,
  type ReadFeatures,
  refuseRepeats,
} from "../io/feature-array.ts";
import { excerpt } from "../io/problems.ts";
import type { Table } from "../io/table.ts";

export interface ImageOptions {
  /** Height and width to bring all images to, one number where they are the same. */
  readonly size?: number | readonly [height: number, width: number] | undefined;
  /** Where the decoder comes from. Default: the package sharp. */
  readonly loadSharp?: (() => Promise<unknown>) | undefined;
}

/** Which image belongs to which task. */
export interface ImageList {
  /** The folder or the table, for messages. */
  readonly name: string;
  readonly tasks: Names;
  readonly paths: readonly string[];
  readonly notes: readonly string[];
}

const EXTENSIONS = /\.(png|jpe?g)$/i;
/** Images decoded at the same time. */
const TOGETHER = 16;

/** How the images of a folder are named. */
export interface ImageNames extends CleaningOptions {
  /**
   * Tasks to find images for, such as those that have labels: an image is named with its ending if the tasks are.
   * Default: without.
   */
  readonly match?: Iterable<string> | undefined;
}

/** Lists the images of a folder; the task is the name of the file, without its ending unless tasks are named with it. */
export function imagesInFolder(folder: string, options: ImageNames = {}): ImageList {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(
    ({ name }) => !name.startsWith("."),
  );
  const names = entries
    .filter((entry) => !entry.isDirectory() && EXTENSIONS.test(entry.name))
    .map(({ name }) => name)
    .sort((a, b) => (a < b ? -1 : 1));
  const others = entries.length - names.length;
  if (names.length === 0) {
    const within = entries.some((entry) => entry.isDirectory())
      ? ' For images in folders within it, name them in a CSV with columns "task" and "path".'
      : "";
    throw new CrowdError("bad-data", `${folder}: there is no PNG or JPEG in this folder.${within}`);
  }
  const { tasks, ended } = nameImages(names, options);
  const notes = others > 0 ? [`${folder}: ${plural(others, "other file")} not read.`] : [];
  if (ended.length > 0) {
    notes.push(
      `${folder}: ${plural(ended.length, "image")} ${ended.length === 1 ? "is" : "are"} named with their ending, as ` +
        `the labels name them, such as ${excerpt(ended[0])}.`,
    );
  }
  return {
    name: folder,
    tasks: namesOf(tasks),
    paths: names.map((name) => join(folder, name)),
    notes,
  };
}

/** Names images as the tasks are named; `ended` are those that keep their ending. */
function nameImages(files: readonly string[], { match = [], ...options }: ImageNames) {
  const known = new Set(match);
  const ended: string[] = [];
  const tasks = files.map((file) => {
    const whole = cleanName(file, options);
    const stem = cleanName(basename(file, extname(file)), options);
    if (known.has(stem) || !known.has(whole)) return stem;
    ended.push(whole);
    return whole;
  });
  return { tasks, ended };
}

/** Which column holds paths. `file` is also a name for tasks, so it has to be the only other one. */
function pathColumn(header: readonly string[]): number {
  const names = header.map((name) => name.toLowerCase().replace(/[^a-z]/g, ""));
  const known = [
    "path",
    "filepath",
    "imagepath",
    ...(header.length === 2 ? ["filename", "file"] : []),
  ];
  return names.indexOf(known.find((name) => names.includes(name)) ?? "-");
}

/** True if a table with these columns names images rather than holding numbers. */
export function isImageList(header: readonly string[]): boolean {
  const at = pathColumn(header);
  return at >= 0 && hasColumn(header.toSpliced(at, 1), "task");
}

/** The images that a table names; paths start from its folder. */
export function imagesInTable(
  { header, columns, rows }: Table,
  file: string,
  given: ColumnNames = {},
  options: CleaningOptions = {},
): ImageList {
  const at = pathColumn(header);
  const task = findColumns(
    header.map((name, i) => (i === at ? "" : name)),
    [{ role: "task", aliases: "task", required: true }],
    given,
    file,
  ).get("task");
  const texts = (column: number, what: string) =>
    Array.from(columns[column].code, (code, row) => {
      if (code >= 0) return columns[column].texts[code];
      throw new CrowdError("bad-data", `${file}: the ${what} of row ${row + 1} is empty.`);
    });
  const folder = file === "stdin" ? "." : dirname(file);
  return {
    name: file,
    notes: [],
    tasks: namesOf(
      rows > 0 ? texts(task ?? -1, "task").map((name) => cleanName(name, options)) : [],
    ),
    paths: rows > 0 ? texts(at, "path").map((path) => resolve(folder, path)) : [],
  };
}

/** All images as bytes in memory, read as 0 to 1; at most `limit` bytes. */
export async function readImages(
  { name, tasks, paths, notes }: ImageList,
  { size, loadSharp = () => import("sharp") }: ImageOptions,
  limit: number,
): Promise<ReadFeatures> {
  if (tasks.length === 0) throw new CrowdError("bad-data", `${name}: there are no images.`);
  refuseRepeats([...tasks], name);
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length > 0) {
    throw new CrowdError(
      "bad-data",
      `${name}: ${plural(missing.length, "image")} not found: ${firstTen(missing)}.`,
    );
  }
  const sharp = await load(loadSharp);
  const facts = await decodeAll(name, paths, async (path) => {
    const found = await sharp(path).metadata();
    checkRatio(found, statSync(path).size);
    return found;
  });
  const { height, width } = size === undefined ? sameSize(name, paths, facts) : sizeOf(size);
  const grey = facts.filter(({ space }) => space === "b-w" || space === "grey16").length;
  const channels = grey === facts.length ? 1 : 3;
  const pixels = channels * height * width;
  if (tasks.length * pixels > Math.min(limit, 2 ** 32)) {
    throw new CrowdError(
      "too-large",
      `${name}: ${plural(tasks.length, "image")} of ${height} × ${width} take ` +
        `${grouped(Math.ceil((tasks.length * pixels) / 2 ** 20))} MB. Make them smaller with ${hint("size")}, or ` +
        "save them as .npy, which is read from disk.",
    );
  }
  const matrix = new Uint8Array(tasks.length * pixels);
  const layout = layoutOf(
    { shape: [1, height, width, channels], dtype: "|u1" },
    { layout: "nhwc" },
    name,
  );
  await decodeAll(name, paths, async (path, row) => {
    const decoded = await pixelsOf(
      sharp(path),
      size === undefined ? undefined : { height, width },
      channels,
    );
    if (decoded.length !== pixels) throw new Error("its size is not what its header says");
    copyRow(decoded, 0, layout, matrix, row * pixels, pixels);
  });
  const said = [...notes, `${name}: ${imageNote(tasks.length, [channels, height, width])}`];
  if (grey > 0 && channels === 3)
    said.push(`${name}: ${plural(grey, "image")} of grey read as colours.`);
  const clear = facts.filter(({ hasAlpha }) => hasAlpha).length;
  if (clear > 0)
    said.push(`${name}: ${plural(clear, "image")} had transparency, which is left out.`);
  return { ...fromMatrix([...tasks], [channels, height, width], matrix, 1 / 255), notes: said };
}

/** Refuses a header that says more pixels than the file can hold: neither PNG nor JPEG packs 2000 bytes into one. */
function checkRatio({ width, height, channels = 3 }: Metadata, bytes: number): void {
  if (width * height * channels <= 2000 * bytes + 2 ** 20) return;
  throw new Error(`its header says ${width} × ${height} pixels, too many for ${bytes} bytes`);
}

function imageNote(count: number, [channels, height, width]: readonly number[]): string {
  return (
    `${plural(count, "image")} of ${plural(channels, "channel")}, ${height} × ${width}; ` +
    "their 0 to 255 are scaled to 0 to 1."
  );
}

/** Bytes of one image, pixel by pixel, upright as viewers show it. */
function pixelsOf(
  image: Sharp,
  size: { readonly height: number; readonly width: number } | undefined,
  channels: number,
): Promise<Uint8Array> {
  const upright = image.rotate().removeAlpha();
  const sized = size ? upright.resize({ ...size, fit: "fill" }) : upright;
  const coloured =
    channels === 1 ? sized.greyscale().toColourspace("b-w") : sized.toColourspace("srgb");
  return coloured.raw({ depth: "uchar" }).toBuffer();
}

async function load(loadSharp: () => Promise<unknown>): Promise<(path: string) => Sharp> {
  try {
    return ((await loadSharp()) as typeof import("sharp")).default;
  } catch (cause) {
    throw new CrowdError(
      "not-supported",
      "Reading PNG and JPEG needs the package sharp, which is not installed: npm i sharp",
      { cause },
    );
  }
}

/** Does something with every image, several at a time; those that fail are named together. */
async function decodeAll<Result>(
  name: string,
  paths: readonly string[],
  work: (path: string, row: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(paths.length);
  const broken: string[] = [];
  for (let start = 0; start < paths.length; start += TOGETHER) {
    const some = paths.slice(start, start + TOGETHER);
    const settled = await Promise.allSettled(some.map((path, i) => work(path, start + i)));
    for (const [i, one] of settled.entries()) {
      if (one.status === "fulfilled") results[start + i] = one.value;
      else broken.push(`${some[i]} (${reason(one.reason)})`);
    }
  }
  if (broken.length === 0) return results;
  throw new CrowdError(
    "bad-data",
    `${name}: ${plural(broken.length, "image")} cannot be read: ${firstTen(broken)}.`,
  );
}

function reason(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split("\n")[0];
}

/** The size of all images; an error names the first that differ. */
function sameSize(name: string, paths: readonly string[], facts: readonly Metadata[]) {
  // From 5 on the picture lies on its side.
  const sizes = facts.map(({ height, width, orientation = 1 }) =>
    orientation < 5 ? { height, width } : { height: width, width: height },
  );
  const [first] = sizes;
  const others = sizes.flatMap(({ height, width }, i) =>
    height === first.height && width === first.width
      ? []
      : [`${basename(paths[i])} is ${height} × ${width}`],
  );
  if (others.length === 0) return first;
  throw new CrowdError(
    "bad-data",
    `${name}: images should have one size. ${basename(paths[0])} is ${first.height} × ${first.width} ` +
      `(height × width), but ${firstTen(others)}. To bring all to one size, use ${hint("size", 64)}.`,
  );
}

function sizeOf(size: number | readonly [number, number]) {
  const [height, width] = typeof size === "number" ? [size, size] : size;
  if ([height, width].every((side) => Number.isInteger(side) && side >= 1 && side <= 16_384)) {
    return { height, width };
  }
  throw new CrowdError(
    "bad-option",
    `size must be one or two whole numbers from 1 to 16384, not ${excerpt(String(size))}.`,
  );
}
