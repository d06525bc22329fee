/** From the bytes of one or more files to data, in Node and in the browser alike. */

import type { CategoricalData } from "../data/categorical.ts";
import type { CategoricalOptions } from "../data/categorical-from-columns.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { asProperty, CrowdError, hint, plural, wordHints } from "../error.ts";
import { cleanLabel, cleanName } from "./cleaning.ts";
import type { FileContext, Format, Reader, ReadOptions, TableTarget } from "./format.ts";
import { createProblems, type Problems } from "./problems.ts";
import type { GoldPair, GoldPairs, Intake, Offer, Reading, Shape, Sink } from "./sink.ts";
import { categoricalReading } from "./sinks/categorical.ts";

export interface ReaderOptions extends ReadOptions, Omit<CategoricalOptions, "gold"> {
  /** Known answers by name; a reader may also be told them at the end. */
  readonly gold?: GoldPairs | undefined;
  /** Told what each file was taken for. */
  readonly onUnderstood?: ((text: string) => void) | undefined;
}

export interface AnswerReader<Data extends CrowdData = CrowdData> {
  /** The answers so far; undefined until the first file has shown what kind they are. */
  sink(): Sink | undefined;
  /** The kind of the answers; undefined until the first file has shown it. */
  reading(): Reading | undefined;
  /** Begins a file; it is to be finished before the next one begins. */
  open(file: string, format: Format): Reader;
  /** Makes data of the answers of all files. */
  finish(known?: { readonly gold?: GoldPairs; readonly notes?: readonly string[] }): Data;
}

/** Reads labels. */
export function createLabelReader(options: ReaderOptions = {}): AnswerReader<CategoricalData> {
  return createReader([categoricalReading], options) as AnswerReader<CategoricalData>;
}

/**
 * Reads answers of whichever of these kinds the first table's columns show, or what the first export of a labelling
 * tool holds; where none is recognised, of the first.
 */
export function createReader(
  readings: readonly Reading[],
  options: ReaderOptions = {},
): AnswerReader {
  const problems = createProblems();
  const notes: string[] = [];
  const files: string[] = [];
  let chosen: Reading | undefined = readings.length === 1 ? readings[0] : undefined;
  let sink: Sink | undefined = chosen?.sink(options);
  const ownGold: GoldPair[] = [];
  const settle = (reading: Reading): Sink => {
    chosen = reading;
    sink = reading.undecided ? reading.undecided(options) : reading.sink(options);
    return sink;
  };
  /** A sink that takes the first header or export to choose its kind. */
  const intake: Intake = {
    target: (context) => sink?.target(context) ?? decidingTarget(readings, context, settle),
    labels: (context) => (sink ?? settle(readings[0])).labels(context),
    take(offers, context) {
      const given = sink?.reading?.() ?? chosen;
      const { reading, shape } = given ? takenBy(given, offers, context) : choose(readings, offers);
      if (given) return shape;
      if (reading !== readings[0]) context.understood(takenFor(reading, offers, readings[0]));
      chosen = reading;
      sink = reading.sink(options);
      return shape;
    },
    known: ([task, known, ...rest]) =>
      ownGold.push([
        cleanName(task, options),
        typeof known === "string" ? cleanLabel(known, options) : known,
        ...rest,
      ]),
  };
  const [rows, latin1] = [() => sink?.rows() ?? 0, () => sink?.latin1() ?? 0];
  return {
    sink: () => sink,
    reading: () => sink?.reading?.() ?? chosen,
    open(file, format) {
      files.push(file);
      const context = createContext(file, options, problems, notes);
      const reader = format.reader(intake, context);
      const before = { rows: rows(), latin1: latin1() };
      let bytes = 0;
      const done = () => {
        context.say(format, rows() - before.rows);
        if (bytes === 0) notes.push(`${file} is empty.`);
        else if (rows() === before.rows) notes.push(`${file} holds no labels.`);
        const odd = latin1() - before.latin1;
        if (odd > 0) notes.push(latin1Note(file, odd));
      };
      return {
        push(piece) {
          bytes += piece.length;
          reader.push(piece);
        },
        finish() {
          const wait = reader.finish();
          return wait ? wait.then(done) : done();
        },
        ...(reader.readFrom && {
          async readFrom(source) {
            bytes = source.byteLength;
            await reader.readFrom?.(source);
            done();
          },
        }),
      };
    },
    finish(known = {}) {
      raiseOrNote(problems, options, notes);
      const { example } = chosen ?? readings[0];
      if (!sink || sink.rows() === 0) throw noLabels(files, sink?.dropped() ?? [], notes, example);
      const all = [...(options.notes ?? []), ...(known.notes ?? []), ...notes];
      const given = known.gold ?? options.gold;
      const own = given || ownGold.length === 0 ? undefined : ownGold;
      if (own) all.push(ownGoldNote(own));
      const data = sink.finish({ ...options, gold: given ?? own, notes: all });
      return { ...data, notes: wordNotes(data.notes, options) };
    },
  };
}

/** What a kind takes of an export, what it takes most gladly first. */
function takenBy(
  reading: Reading,
  offers: readonly Offer[],
  { file }: FileContext,
): { reading: Reading; shape: Shape } {
  const shape = reading.takes?.find((each) => offers.some((offer) => offer.shape === each));
  if (shape !== undefined) return { reading, shape };
  throw new CrowdError(
    "not-supported",
    `${file}: this file holds no ${reading.id} answers: ${offers[0]?.why ?? "there are none"}. ` +
      `Use ${hint("kind", "auto")}, or another kind that fits.`,
  );
}

/** The kind of an export: that of the first answers on offer that are what some kind takes first. */
function choose(
  readings: readonly Reading[],
  offers: readonly Offer[],
): { reading: Reading; shape: Shape } {
  for (const { shape } of offers) {
    const reading = readings.find(({ takes }) => takes?.[0] === shape);
    if (reading) return { reading, shape };
  }
  return { reading: readings[0], shape: readings[0].takes?.[0] ?? "classes" };
}

function takenFor(reading: Reading, offers: readonly Offer[], usual: Reading): string {
  const why = offers.find(({ shape }) => shape === reading.takes?.[0])?.why ?? "";
  // Where labels could be read as well, their kind is what would change it.
  const other = offers.some(({ shape }) => usual.takes?.includes(shape));
  const change = other ? ` (${hint("kind", usual.id)} changes that)` : "";
  return `taken for ${reading.id} answers, since ${why}${change}`;
}

function ownGoldNote(gold: readonly GoldPair[]): string {
  const tasks = new Set(gold.map(([task]) => task)).size;
  return `${plural(tasks, "task")} with known answers in the answers' own files.`;
}

/** Chooses the kind when the header is there, then hands everything on to that kind's target. */
function decidingTarget(
  readings: readonly Reading[],
  context: FileContext,
  settle: (reading: Reading) => Sink,
): TableTarget {
  let target: TableTarget | undefined;
  let chosen: Reading | undefined;
  const firstKind = () => {
    target ??= settle(readings[0]).target(context);
    return target;
  };
  return {
    columns(header, line) {
      const found = readings.find((reading) => reading.recognise(header) !== undefined);
      const [usual] = readings;
      // Where the rows decide, their sink says so.
      if (found && found !== usual && !found.undecided) {
        context.understood(
          `taken for ${found.id} answers, since ${found.recognise(header)} ` +
            `(${hint("kind", usual.id)} changes that)`,
        );
      }
      chosen = found ?? usual;
      target = settle(chosen).target(context);
      return target.columns(header, line);
    },
    lateColumn(header, line) {
      const found = readings.find((reading) => reading.recognise(header) !== undefined);
      if (chosen && found && found !== chosen) {
        const key = JSON.stringify(header[header.length - 1]);
        throw new CrowdError(
          "bad-data",
          `${context.file}:${line}: the key ${key} first appears here and is one of ${found.id} answers, but the ` +
            `rows before were read as ${chosen.id} answers. Say which they are: ${hint("kind", found.id)}.`,
        );
      }
      return target?.lateColumn?.(header, line);
    },
    row: (line) => firstKind().row(line),
    problem: (line, what) => firstKind().problem(line, what),
    finish: () => target?.finish?.(),
  };
}

/** A context that keeps what is said of the file in one line. */
export function createContext(
  file: string,
  options: ReadOptions & Pick<ReaderOptions, "onUnderstood">,
  problems: Problems,
  notes: string[],
): FileContext & { say(format: Format, rows: number): void } {
  const understood: string[] = [];
  return {
    file,
    options,
    problems,
    note: (text) => notes.push(text),
    understood: (text) => understood.push(text),
    say(format, rows) {
      const about = [format.title, ...understood].join(", ");
      const text = `${file}: ${about}; ${plural(rows, "row")}`;
      options.onUnderstood?.(wordHints(text, options.wording ?? asProperty));
    },
  };
}

/** Throws what is wrong with the rows, unless they are to be left out. */
export function raiseOrNote(problems: Problems, options: ReadOptions, notes: string[]): void {
  if (options.badRows !== "drop") problems.raise();
  const note = problems.note();
  if (note) notes.push(note);
}

/** Words the options that notes name. */
export function wordNotes(
  notes: readonly string[],
  { wording = asProperty }: ReadOptions,
): string[] {
  return notes.map((note) => wordHints(note, wording));
}

export function latin1Note(file: string, cells: number): string {
  return `${file}: ${plural(cells, "cell")} not in UTF-8 and read as Latin-1 (Windows-1252).`;
}

function noLabels(
  files: readonly string[],
  dropped: readonly string[],
  notes: readonly string[],
  example: string,
): CrowdError {
  const [only] = files;
  const why = [...notes, ...dropped]
    .filter((note) => note !== `${only} holds no labels.`)
    .join(" ");
  const subject = files.length === 1 ? only : `${files.length} files`;
  const what = why === `${only} is empty.` ? why : `${subject}: there are no labels. ${why}`;
  return new CrowdError(
    "no-labels",
    `${what.trim()} A file of labels has a header such as ${example} and a row for each label.`,
  );
}
