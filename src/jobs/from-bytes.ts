/** Data of any kind from files that are already in memory, such as those dropped on a page. */
import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { cleaningOf } from "../io/cleaning.ts";
import { csv } from "../io/csv.ts";
import { type NamedBytes, pour, readBytes, tableFromBytes, unpacked } from "../io/from-bytes.ts";
import { someGold } from "../io/gold.ts";
import { goldFromIdx, isIdx } from "../io/idx.ts";
import { createReader, type ReaderOptions } from "../io/read.ts";
import type { UnpackLimits } from "../io/unpack-limit.ts";
import { type AnyData, type DataByKind, readingsOf } from "../kinds.ts";

/** How answers are read, whatever they are read from. */
export interface FromOptions<Id extends keyof DataByKind | "auto"> extends ReaderOptions {
  /** Kind of the answers; `auto` recognises it by the columns of the first file. Default: categorical. */
  readonly kind?: Id | undefined;
}

/** How files in memory are read. */
export interface BytesOptions<Id extends keyof DataByKind | "auto" = "categorical">
  extends FromOptions<Id>,
    UnpackLimits {
  /** Id of the format; default: found out from each file. */
  readonly format?: string | undefined;
  /** A file of gold, read once the kind is known. */
  readonly goldFile?: NamedBytes | undefined;
}

/** Builds categorical data from one or more files of any format, packed with gzip or not. */
export function fromBytes(
  files: readonly NamedBytes[],
  options?: BytesOptions,
): Promise<CategoricalData>;
/** Builds data of the given kind from one or more files of any format, packed with gzip or not. */
export function fromBytes<Id extends keyof DataByKind>(
  files: readonly NamedBytes[],
  options: BytesOptions<Id> & { readonly kind: Id },
): Promise<DataByKind[Id]>;
/** Builds data of the kind that the columns of the first file show. */
export function fromBytes(
  files: readonly NamedBytes[],
  options: BytesOptions<"auto"> & { readonly kind: "auto" },
): Promise<AnyData>;
export async function fromBytes(
  files: readonly NamedBytes[],
  options: BytesOptions<keyof DataByKind | "auto"> = {},
): Promise<CrowdData> {
  const { kind = "categorical", format, goldFile, ...reading } = options;
  const readings = readingsOf(kind);
  const reader = createReader(readings, reading);
  await readBytes(reader, files, format, reading);
  if (!goldFile) return reader.finish();
  const { gold: table, goldExample } = reader.reading() ?? readings[0];
  const bytes = await unpacked(goldFile, reading);
  const { onUnderstood, wording, maxUnpackedBytes, maxUnpackRatio } = reading;
  const beside = {
    onUnderstood,
    wording,
    maxUnpackedBytes,
    maxUnpackRatio,
    ...cleaningOf(reading),
  };
  const gold = isIdx(bytes)
    ? goldFromIdx(bytes, goldFile.name)
    : await tableFromBytes(table, { ...goldFile, bytes }, beside);
  return reader.finish(someGold(gold, goldFile.name, goldExample));
}

/** Builds categorical data from the text or bytes of a CSV or TSV file. */
export function fromCsv(
  text: string | Uint8Array,
  options?: FromOptions<"categorical">,
): CategoricalData;
/** Builds data of the given kind from the text or bytes of a CSV or TSV file. */
export function fromCsv<Id extends keyof DataByKind>(
  text: string | Uint8Array,
  options: FromOptions<Id> & { readonly kind: Id },
): DataByKind[Id];
/** Builds data of the kind that the columns show. */
export function fromCsv(
  text: string | Uint8Array,
  options: FromOptions<"auto"> & { readonly kind: "auto" },
): AnyData;
export function fromCsv(
  text: string | Uint8Array,
  { kind = "categorical", ...options }: FromOptions<keyof DataByKind | "auto"> = {},
): CrowdData {
  const reader = createReader(readingsOf(kind), options);
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  // Reading CSV never waits.
  void pour(bytes, reader.open("labels.csv", csv));
  return reader.finish();
}
