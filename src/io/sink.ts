/**
 * Where the rows of files go: one sink per kind of answers. Formats know bytes and rows; the sink
 * knows the columns of its kind and what becomes of a row.
 */
import type { CrowdData } from "../data/crowd-data.ts";
import type { FileContext, ReadOptions, TableTarget } from "./format.ts";
import type { LabelCollector } from "./label-collector.ts";
import type { TableKind } from "./table.ts";

export interface Sink<Data extends CrowdData = CrowdData> {
  /** Takes the rows of one more table. */
  target(context: FileContext): TableTarget;
  /** Takes labels one by one, as exports of labelling tools hold them; throws where the kind has none. */
  labels(context: FileContext): LabelCollector;
  /** Number of answers so far. */
  rows(): number;
  /** Bytes of memory held now. */
  byteLength(): number;
  /** Number of different names of tasks, workers and items so far. */
  names(): number;
  /** Number of cells so far that were not in UTF-8. */
  latin1(): number;
  /** The kind that the answers turned out to be, of a sink that could be told only by its rows. */
  reading?(): Reading;
  /** Says why rows were left out; for files that hold no answers at all. */
  dropped(): readonly string[];
  /** Makes data of all rows, with gold and the notes of the reader. */
  finish(options: FinishOptions): Data;
}

/**
 * What answers look like in exports of labelling tools: one class, one of classes in order, several classes, a number,
 * the better of two items, or spans of a text as tags of its tokens.
 */
export type Shape = "classes" | "levels" | "sets" | "values" | "pairs" | "tags";

/** Answers that an export holds, and how one sees that. */
export interface Offer {
  readonly shape: Shape;
  /** Completes "taken for … answers, since …". */
  readonly why: string;
}

/** Where formats put what they read: a sink, or one that is chosen by the first file. */
export interface Intake extends Pick<Sink, "target" | "labels"> {
  /**
   * Chooses what to read of an export: of all that it holds, most likely first, what the kind takes. Throws where it
   * takes none of it.
   */
  take(offers: readonly Offer[], context: FileContext): Shape;
  /** A known answer that a file holds besides what workers said. */
  known(pair: GoldPair): void;
}

interface FinishOptions extends ReadOptions {
  readonly gold?: GoldPairs | undefined;
  readonly notes: readonly string[];
}

/**
 * One known answer: a class by its name, a value or a score by its number; of sequences, at which position; of tasks with
 * several numbers, of which output.
 */
export type GoldPair = readonly [
  name: string,
  known: string | number,
  position?: number | undefined,
  output?: string | undefined,
];

/** Known answers by name. */
export type GoldPairs = Iterable<GoldPair>;

export interface GoldTable {
  readonly gold: readonly GoldPair[];
  readonly notes: readonly string[];
}

/** A kind of answers as far as reading goes. */
export interface Reading<Data extends CrowdData = CrowdData> {
  readonly id: string;
  /** Says why a table with these columns holds answers of this kind; undefined where it need not. */
  recognise(header: readonly string[]): string | undefined;
  sink(options: ReadOptions): Sink<Data>;
  /** What it takes from exports of labelling tools; an export of the first is of this kind. */
  readonly takes?: readonly Shape[];
  /** A sink for columns that this kind shares with another, told apart by the rows; absent where columns suffice. */
  undecided?(options: ReadOptions): Sink;
  /** Reads known answers from a table. */
  readonly gold: TableKind<GoldTable>;
  /** What a file of answers looks like, for messages: `task,worker,label`. */
  readonly example: string;
  /** What a file of gold looks like: `task,label`. */
  readonly goldExample: string;
}
