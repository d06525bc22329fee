/** Labels, gold, answers and tables from files on disk. */
import { totalmem } from "node:os";
import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError, grouped, hint } from "../error.ts";
import { type Answers, answersTable } from "../io/answers.ts";
import { attributesTable, type ReadAttributes } from "../io/attributes.ts";
import { cleaningOf } from "../io/cleaning.ts";
import type { Format, Reader, ReadOptions, Written } from "../io/format.ts";
import { type Gold, goldTable, someGold } from "../io/gold.ts";
import { goldFromIdx, isIdx } from "../io/idx.ts";
import { formatOf, formats, tableFormatOf } from "../io/index.ts";
import { type Probabilities, probabilityTable } from "../io/probabilities.ts";
import { createProblems } from "../io/problems.ts";
import { type AnswerReader, createContext, createReader, type ReaderOptions } from "../io/read.ts";
import type { GoldTable, Reading } from "../io/sink.ts";
import { categoricalReading } from "../io/sinks/categorical.ts";
import {
  openTable,
  plainTable,
  type Table,
  type TableKind,
  type TableOptions,
} from "../io/table.ts";
import type { Kind } from "../kinds/kind.ts";
import type { AnyData, DataByKind } from "../kinds.ts";
import { openSource, type Source, type SourceOptions } from "./source.ts";

export interface FileOptions extends SourceOptions {
  /** Id of the format; default: found out from each file. */
  readonly format?: string | undefined;
  /** The most memory that may be used, in bytes. Default: 80 % of what the machine has. */
  readonly memoryLimit?: number | undefined;
}

export type ReadTableOptions = FileOptions & TableOptions;

/** Options of files of known answers. */
export interface ReadGoldOptions extends ReadTableOptions {
  /** Which column of the gold is what, by role: `{ task: "id", label: "truth" }`. */
  readonly goldColumns?: Readonly<Record<string, string>> | undefined;
}

export interface ReadDataOptions<Id extends string = "categorical">
  extends FileOptions,
    ReaderOptions {
  /** Kind of the answers; `auto` recognises it by the columns of the first file. Default: categorical. */
  readonly kind?: Id | undefined;
  /** A file of gold, read once the kind is known. */
  readonly goldFile?: string | undefined;
  /** Which column of the gold is what, by role: `{ task: "id", label: "truth" }`. */
  readonly goldColumns?: Readonly<Record<string, string>> | undefined;
}

/** Reads the labels of one or more files (`-` is stdin). */
export function readData(
  paths: readonly string[],
  options?: ReadDataOptions,
): Promise<CategoricalData>;
/** Reads answers of the given kind from one or more files (`-` is stdin). */
export function readData<Id extends keyof DataByKind>(
  paths: readonly string[],
  options: ReadDataOptions<Id> & { readonly kind: Id },
): Promise<DataByKind[Id]>;
/** Reads answers of the kind that the columns of the first file show. */
export function readData(
  paths: readonly string[],
  options: ReadDataOptions<string> & { readonly kind: string },
): Promise<AnyData>;
export async function readData(
  paths: readonly string[],
  { kind, goldFile, ...options }: ReadDataOptions<string> = {},
): Promise<CrowdData> {
  const readings = await readingsOf(kind);
  const reader = createReader(readings, options);
  await readInto(reader, paths, options);
  if (goldFile === undefined) return reader.finish();
  const { gold, goldExample } = reader.reading() ?? readings[0];
  return reader.finish(await readKnownFile(goldFile, gold, goldExample, options));
}

/** The kinds are loaded when one is named: labels can be read without their methods and reports. */
async function readingsOf(kind: string | undefined): Promise<readonly Reading[]> {
  return kind === undefined ? [categoricalReading] : (await import("../kinds.ts")).readingsOf(kind);
}

async function readInto(
  reader: AnswerReader,
  paths: readonly string[],
  options: FileOptions,
): Promise<void> {
  if (paths.length === 0) throw new CrowdError("usage", "There is no file of labels to read.");
  if (paths.filter((path) => path === "-").length > 1) {
    throw new CrowdError("usage", "Standard input (-) can be read only once.");
  }
  for (const path of paths) {
    await withSource(path, options, async (source) => {
      const format = formatIn(source, options);
      const check = memoryCheck(reader, source, options);
      await pump(source, reader.open(source.name, format), format, options, check);
    });
  }
}

/** Reads known answers as a kind of table, or an IDX file of labels. */
async function readKnownFile(
  path: string,
  table: TableKind<GoldTable>,
  example: string,
  given: ReadGoldOptions,
): Promise<GoldTable> {
  const { stdin, signal, onUnderstood, wording, memoryLimit, goldColumns: columns } = given;
  const cleaning = cleaningOf(given);
  const options = { stdin, signal, onUnderstood, wording, memoryLimit, columns, ...cleaning };
  const gold = await withSource(path, options, async (source) =>
    isIdx(source.head)
      ? goldFromIdx(await wholeSource(source, options), source.name)
      : readSource(table, source, options),
  ).catch((error) => {
    throw error instanceof CrowdError ? ofGold(error) : error;
  });
  return someGold(gold, nameOf(path), example);
}

/** Names the option for the columns of gold, where a message names that for the columns of labels. */
function ofGold(error: CrowdError): CrowdError {
  const template = error.template.replaceAll('"option":"columns', '"option":"goldColumns');
  return new CrowdError(error.code, template, { cause: error.cause });
}

/** Known classes: a table with a task and a label, or an IDX file of labels. */
export async function readGold(path: string, options: ReadGoldOptions = {}): Promise<Gold> {
  const { gold, notes } = await readKnownFile(path, goldTable, "task and label", options);
  return { gold: gold.map(([task, label]) => [task, String(label)] as const), notes };
}

/** Answers to be scored: task and label, with or without confidence, or a column per class. */
export async function readAnswers(path: string, options: ReadTableOptions = {}): Promise<Answers> {
  const answers = await readAs(answersTable, path, options);
  if (answers.tasks.length > 0) return answers;
  throw noAnswers(path, answers.notes);
}

/** P(class) of each task: a column for each class, or one probability per row. */
export function readProbabilities(
  path: string,
  options: ReadTableOptions = {},
): Promise<Probabilities> {
  return readAs(probabilityTable, path, options);
}

/** Reads facts about tasks or workers: a table with one of the two and one or more columns of facts. */
export function readAttributes(
  path: string,
  options: ReadTableOptions = {},
): Promise<ReadAttributes> {
  return readAs(attributesTable, path, options);
}

/** Reads a file of answers of a kind, to be scored. */
export async function readAnswerTable(
  path: string,
  { answersTable: table }: Pick<Kind, "answersTable">,
  options: ReadTableOptions = {},
): Promise<{ readonly notes: readonly string[] }> {
  const answers = (await readAs(table, path, options)) as {
    readonly tasks?: readonly string[];
    readonly names?: readonly string[];
    readonly notes: readonly string[];
  };
  if ((answers.tasks ?? answers.names ?? []).length > 0) return answers;
  throw noAnswers(path, answers.notes);
}

/** Reads known answers of a kind. */
export function readGoldOf(
  path: string,
  { reading }: Pick<Kind, "reading">,
  options: ReadGoldOptions = {},
): Promise<GoldTable> {
  return readKnownFile(path, reading.gold, reading.goldExample, options);
}

function noAnswers(path: string, notes: readonly string[]): CrowdError {
  const why = notes.map((note) => ` ${note}`).join("");
  return new CrowdError(
    "no-labels",
    `${nameOf(path)}: there are no answers.${why} Answers have columns task and label.`,
  );
}

/** The export of a labelling tool with answers added. */
export interface Amended {
  readonly format: Format;
  readonly written: Written;
  readonly notes: readonly string[];
}

/** The export of a tool with answers added, and all else as it was. */
export function amendFile(
  path: string,
  answers: Answers,
  options: FileOptions & ReadOptions = {},
): Promise<Amended> {
  return withSource(path, options, async (source) => {
    const format = formatIn(source, options);
    if (!format.amend) {
      const known = formats.filter(({ amend }) => amend).map(({ title }) => title);
      throw new CrowdError(
        "not-supported",
        `${source.name}: answers cannot be added to ${format.title}, only to: ${known.join(", ")}.`,
      );
    }
    const notes: string[] = [];
    const problems = createProblems();
    const reader = format.amend(answers, createContext(source.name, options, problems, notes));
    // The records wait until all of them are known; text takes up to two bytes per character.
    const check = () => checkHeld(source.bytesRead * 2, source, format, options);
    await pump(source, reader, format, options, check);
    problems.raise();
    return { format, written: reader.written(), notes };
  });
}

/** Any table, column by column. */
export function readTable(path: string, options: ReadTableOptions = {}): Promise<Table> {
  return readAs(plainTable, path, options);
}

/** The format of a file and the names of its columns, without reading the rest where possible. */
export function readHeader(
  path: string,
  options: ReadTableOptions = {},
): Promise<{ readonly format: string; readonly header: readonly string[] }> {
  return withSource(path, options, async (source) => {
    const format = formatIn(source, options);
    let header: readonly string[] | undefined;
    const kind: TableKind<void> = () => ({
      interners: [],
      rows: () => 0,
      finish: () => {},
      target: {
        columns(names) {
          header = names;
          return [];
        },
        lateColumn: () => undefined,
        row() {},
        problem() {},
      },
    });
    if (!format.table) return { format: format.id, header: [] };
    const reader = openTable(kind, source.name, format, options);
    if (reader.readFrom && source.random) await reader.readFrom(source.random);
    else {
      for await (const piece of source.pieces()) {
        reader.push(piece);
        if (header) break;
      }
      if (!header) await reader.finish();
    }
    return { format: format.id, header: header ?? [] };
  });
}

function readAs<Result>(
  kind: TableKind<Result>,
  path: string,
  options: ReadTableOptions,
): Promise<Result> {
  return withSource(path, options, (source) => readSource(kind, source, options));
}

/** What a kind of table makes of a file that is open. */
export async function readSource<Result>(
  kind: TableKind<Result>,
  source: Source,
  options: ReadTableOptions,
): Promise<Result> {
  const format = tableFormatOf(source.head, source.name, options.format);
  const reader = openTable(kind, source.name, format, options);
  await pump(source, reader, format, options, () => {});
  return reader.result();
}

/** All bytes of a file that is open, unpacked. */
export async function wholeSource(source: Source, options: FileOptions): Promise<Uint8Array> {
  const check = (held: number) => {
    if (held <= limitOf(options)) return;
    throw new CrowdError(
      "too-large",
      `${source.name}: the file is held in memory as a whole, which takes ${gigabytes(held)} or more; the ` +
        `limit is ${gigabytes(limitOf(options))}. Use .npy without gzip, which is read from disk, or ` +
        `raise ${hint("memoryLimit")}.`,
    );
  };
  if (source.random) {
    check(source.random.byteLength);
    return new Uint8Array(await source.random.slice(0));
  }
  const pieces: Uint8Array[] = [];
  let held = 0;
  for await (const piece of source.pieces()) {
    held += piece.length;
    // The pieces, and all of them put together.
    check(held * 2);
    pieces.push(new Uint8Array(piece));
  }
  return Buffer.concat(pieces);
}

function nameOf(path: string): string {
  return path === "-" ? "stdin" : path;
}

/** Opens a file, and closes it when the work is done. */
export async function withSource<Result>(
  path: string,
  options: FileOptions,
  work: (source: Source) => Promise<Result>,
): Promise<Result> {
  const source = await openSource(path, options);
  try {
    return await work(source);
  } finally {
    await source.close();
  }
}

function formatIn({ head, name }: Source, { format }: FileOptions): Format {
  return formatOf(head, name, format);
}

/** Feeds a file to a reader: anywhere it likes if it can, else from first byte to last. */
async function pump(
  source: Source,
  reader: Reader,
  format: Format,
  options: FileOptions,
  check: () => void,
): Promise<void> {
  if (reader.readFrom && source.random) {
    // Parquet is read piece by piece; the others want it all.
    if (format.id !== "parquet") checkHeld(source.random.byteLength, source, format, options);
    await reader.readFrom(source.random);
    return;
  }
  let held = 0;
  for await (const piece of source.pieces()) {
    held += piece.length;
    if (reader.readFrom) checkHeld(held, source, format, options);
    reader.push(piece);
    check();
  }
  await reader.finish();
}

/** The most memory that may be used, in bytes. */
export function limitOf({ memoryLimit }: FileOptions): number {
  return memoryLimit ?? totalmem() * 0.8;
}

/** Formats that jump about need the file in memory. */
function checkHeld(held: number, { name }: Source, { title }: Format, options: FileOptions): void {
  if (held <= limitOf(options)) return;
  throw new CrowdError(
    "too-large",
    `${name}: ${title} is held in memory as a whole, which takes ${gigabytes(held)} or more; the limit ` +
      `is ${gigabytes(limitOf(options))}. Use CSV, or Parquet on disk, or raise ${hint("memoryLimit")}.`,
  );
}

/** Bytes per label takes while the dataset is made of it, and a name as a string. */
const LABEL_BYTES = 30;
const NAME_BYTES = 60;
const FIRST_CHECK = 8 * 2 ** 20;

/** Every time twice as much is read, works out what all of it will take, and stops in time. */
function memoryCheck(reader: AnswerReader, source: Source, options: FileOptions): () => void {
  const before = { rows: reader.sink()?.rows() ?? 0 };
  let next = FIRST_CHECK;
  return () => {
    if (source.bytesRead < next) return;
    next = source.bytesRead * 2;
    const sink = reader.sink();
    if (!sink) return;
    const rows = sink.rows();
    const now = sink.byteLength() + rows * LABEL_BYTES + sink.names() * NAME_BYTES;
    // Of a pipe nobody knows the length: what is there counts.
    const growth = source.size ? Math.max(1, source.size / source.bytesRead) : 1;
    const needed = now * growth;
    if (needed <= limitOf(options)) return;
    const all = Math.round(before.rows + (rows - before.rows) * growth);
    throw new CrowdError(
      "too-large",
      `${source.name}: some ${grouped(all)} labels would take about ${gigabytes(needed)} of memory, more ` +
        `than the limit of ${gigabytes(limitOf(options))}. Use a machine with more memory, leave out times ` +
        `and weights with ${hint("columns", "time=,weight=")}, take a sample of the tasks, or raise ${hint("memoryLimit")}.`,
    );
  };
}

function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(bytes < 2 ** 30 ? 3 : 1)} GiB`;
}
