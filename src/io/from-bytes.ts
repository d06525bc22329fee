/** Files that are already in memory, such as those dropped on a page. */
import { CrowdError } from "../error.ts";
import { HEAD_BYTES, type Reader } from "./format.ts";
import { formatOf, tableFormatOf } from "./index.ts";
import { inflate } from "./inflate.ts";
import type { AnswerReader } from "./read.ts";
import { openTable, type TableKind, type TableOptions } from "./table.ts";
import { checkUnpacked, type UnpackLimits } from "./unpack-limit.ts";

/** A file in memory: its name tells its format where its bytes do not. */
export interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Feeds files of any format to a reader, packed with gzip or not. */
export async function readBytes(
  reader: Pick<AnswerReader, "open">,
  files: readonly NamedBytes[],
  format: string | undefined,
  limits: UnpackLimits = {},
): Promise<void> {
  for (const file of files) {
    const bytes = await unpacked(file, limits);
    const head = bytes.subarray(0, HEAD_BYTES);
    await pour(bytes, reader.open(file.name, formatOf(head, file.name, format)));
  }
}

/** Reads one file as a table, packed with gzip or not. */
export async function tableFromBytes<Result>(
  kind: TableKind<Result>,
  file: NamedBytes,
  options: TableOptions & UnpackLimits & { readonly format?: string | undefined },
): Promise<Result> {
  const bytes = await unpacked(file, options);
  const format = tableFormatOf(bytes.subarray(0, HEAD_BYTES), file.name, options.format);
  const reader = openTable(kind, file.name, format, options);
  await pour(bytes, reader);
  return reader.result();
}

/** Pushes all bytes, piece by piece, and finishes. */
export function pour(bytes: Uint8Array, reader: Reader): void | Promise<void> {
  for (let at = 0; at < bytes.length; at += HEAD_BYTES) {
    reader.push(bytes.subarray(at, at + HEAD_BYTES));
  }
  return reader.finish();
}

/** Returns the bytes of a file, unpacked if they are packed with gzip. */
export async function unpacked(
  { name, bytes }: NamedBytes,
  limits: UnpackLimits = {},
): Promise<Uint8Array> {
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzip(bytes, name, limits) : bytes;
}

async function gunzip(bytes: Uint8Array, name: string, limits: UnpackLimits): Promise<Uint8Array> {
  const check = (length: number) => checkUnpacked(name, length, bytes.length, limits);
  try {
    return await inflate(bytes, "gzip", check);
  } catch (cause) {
    if (cause instanceof CrowdError) throw cause;
    throw new CrowdError(
      "bad-data",
      `${name}: the gzip file is cut off or damaged. Copy or download it again.`,
      { cause },
    );
  }
}
