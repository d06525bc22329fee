/** The formats, and how to tell which one per file has. */

import { CrowdError, hint } from "../error.ts";
import { arrow } from "./arrow.ts";
import { conll } from "./conll.ts";
import { csv } from "./csv.ts";
import { textOfBytes } from "./encoding.ts";
import type { Format, WritableFormat } from "./format.ts";
import { json } from "./json.ts";
import { jsonl } from "./jsonl.ts";
import { npy } from "./npy.ts";
import { isNpz, npz } from "./npz.ts";
import { parquet } from "./parquet.ts";
import { argilla } from "./tools/argilla.ts";
import { doccano } from "./tools/doccano.ts";
import { labelStudio } from "./tools/label-studio.ts";
import { mturk } from "./tools/mturk.ts";
import { prodigy } from "./tools/prodigy.ts";
import { toloka } from "./tools/toloka.ts";
import { zooniverse } from "./tools/zooniverse.ts";
import { wideMatrix } from "./wide-matrix.ts";

const tables: readonly WritableFormat[] = [csv, jsonl, wideMatrix, npy, parquet, arrow];
const tools: readonly Format[] = [
  labelStudio,
  doccano,
  argilla,
  prodigy,
  mturk,
  toloka,
  zooniverse,
];

/** Every file format that can be read. */
export const formats: readonly Format[] = [...tables, json, npz, conll, ...tools];

/** Formats that others than the tool itself may write. */
export const writableFormats: readonly WritableFormat[] = [...tables, labelStudio];

/** A format by its id. */
export function formatNamed(id: string): Format {
  const found = formats.find((format) => format.id === id);
  if (found) return found;
  const known = formats.map((format) => format.id).join(", ");
  throw new CrowdError("bad-option", `There is no format "${id}". Try: ${known}.`);
}

/** A format to write, by its id. */
export function writableNamed(id: string): WritableFormat {
  const found = writableFormats.find((format) => format.id === id);
  if (found) return found;
  const { title } = formatNamed(id);
  const known = writableFormats.map((format) => format.id).join(", ");
  throw new CrowdError("bad-option", `${title} can be read, not written. Try: ${known}.`);
}

/** The format of a file to be written, by its name. */
export function formatForName(fileName: string): WritableFormat {
  const name = plainName(fileName);
  const found = writableFormats.find(({ extensions }) =>
    extensions.some((end) => name.endsWith(end)),
  );
  if (found) return found;
  const known = writableFormats.flatMap(({ extensions }) => extensions).join(", ");
  throw new CrowdError(
    "bad-option",
    `${fileName}: the format is not clear from the name. Use one of ${known}, or use ${hint("format", "csv")}.`,
  );
}

/** The format of a file to be read: the one that was named, else the one it looks like. */
export function formatOf(head: Uint8Array, fileName: string, id: string | undefined): Format {
  if (id === undefined) return sniff(head, fileName);
  const format = formatNamed(id);
  if (startOf(head).startsWith(ZIP) && !isNpz(head)) throw stranger(fileName, ZIP_ADVICE);
  return format;
}

/** The format of a table to be read; it is never a matrix of labels, though it may look like one. */
export function tableFormatOf(head: Uint8Array, fileName: string, id: string | undefined): Format {
  const format = formatOf(head, fileName, id);
  return format.id === "wide-matrix" && id === undefined ? csv : format;
}

/** The format of a file to be read, by its first bytes (64 KB will do) and its name. */
export function sniff(head: Uint8Array, fileName: string): Format {
  const name = plainName(fileName);
  if (head.length === 0) {
    // An empty file has no format; whoever reads it says that it is empty.
    return formats.find(({ extensions }) => extensions.some((end) => name.endsWith(end))) ?? csv;
  }
  const start = startOf(head);
  const [, advice] = strangers.find(([magic]) => start.startsWith(magic)) ?? [];
  if (advice && !isNpz(head)) throw stranger(fileName, advice);
  let best: Format | undefined;
  let bestScore = 0;
  for (const format of formats) {
    const score = format.sniff(head, name);
    if (score > bestScore) [best, bestScore] = [format, score];
  }
  if (start.trimStart().startsWith("[") && bestScore < 0.6) {
    throw new CrowdError(
      "bad-data",
      `${fileName}: this JSON list does not hold objects. Each label should be an object such as ` +
        `{"task": "img-17", "worker": "ana", "label": "cat"}.`,
    );
  }
  if (best) return best;
  const titles = formats.map(({ title }) => title).join("; ");
  throw new CrowdError(
    "bad-data",
    `${fileName}: this is none of the formats that can be read (${titles}).`,
  );
}

/** Small letters, without `.gz`. */
function plainName(fileName: string): string {
  return fileName.toLowerCase().replace(/\.gz$/, "");
}

const startOf = (head: Uint8Array) => textOfBytes(head.subarray(0, 8));

const stranger = (fileName: string, advice: string) =>
  new CrowdError("bad-data", `${fileName}: ${advice}`);

const ZIP = "PK\x03\x04";
const ZIP_ADVICE =
  "this is a ZIP file or an Excel workbook. Unpack it and name the files in it (doccano's export has one for " +
  "each member), or save the sheet as CSV.";

/** Files that people try, and what to do with them. */
const strangers: readonly (readonly [start: string, advice: string])[] = [
  [ZIP, ZIP_ADVICE],
  ["\xd0\xcf\x11\xe0", "this is an old Excel workbook. Save the sheet as CSV."],
  ["\x1f\x8b", "this is packed with gzip. Unpack it first."],
  ["\x28\xb5\x2f\xfd", "this is packed with zstd. Unpack it first, or use gzip."],
  ["BZh", "this is packed with bzip2. Unpack it first, or use gzip."],
  ["\xfd7zXZ", "this is packed with xz. Unpack it first, or use gzip."],
  ["FEA1", "this is Feather version 1. Save it as version 2 (Arrow) or as Parquet."],
  ["SQLite", "this is a database. Export the table as CSV."],
  ["%PDF", "this is a PDF. Labels have to be in a table, such as CSV."],
  ["<", "this is HTML or XML. Labels have to be in a table, such as CSV."],
];
