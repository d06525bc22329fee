/** From the bytes of one or more files to a dataset, in Node and in the browser alike. */
import type { CrowdDataset } from "../data/dataset.ts";
import { type DatasetOptions, fromColumns } from "../data/from-columns.ts";
import { asProperty, CrowdError, wordHints } from "../error.ts";
import type { FileContext, Format, Reader, ReadOptions } from "./format.ts";
import { createLabelCollector, type LabelCollector } from "./label-collector.ts";
import { createProblems, type Problems, plural } from "./problems.ts";

export interface DatasetReaderOptions extends ReadOptions, DatasetOptions {
  /** Told what each file was taken for. */
  readonly onUnderstood?: ((text: string) => void) | undefined;
}

export interface DatasetReader {
  readonly labels: LabelCollector;
  /** Begins a file; it is to be finished before the next one begins. */
  open(file: string, format: Format): Reader;
  /** The labels of all files as one dataset. */
  finish(): CrowdDataset;
}

export function createDatasetReader(options: DatasetReaderOptions = {}): DatasetReader {
  const labels = createLabelCollector();
  const problems = createProblems();
  const notes: string[] = [];
  const files: string[] = [];
  return {
    labels,
    open(file, format) {
      files.push(file);
      const context = createContext(file, options, problems, notes);
      const reader = format.reader(labels, context);
      const before = { rows: labels.rows, latin1: latin1Of(labels) };
      let bytes = 0;
      const done = () => {
        context.say(format, labels.rows - before.rows);
        if (bytes === 0) notes.push(`${file} is empty.`);
        else if (labels.rows === before.rows) notes.push(`${file} holds no labels.`);
        const odd = latin1Of(labels) - before.latin1;
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
    finish() {
      raiseOrNote(problems, options, notes);
      if (labels.rows === 0) throw noLabels(files, labels.finish().notes, notes);
      const { columns, gold, notes: dropped } = labels.finish();
      const labelled = new Set(columns.tasks);
      const found = gold.filter(([task]) => labelled.has(task));
      if (found.length > 0 && !options.gold) {
        notes.push(`${plural(found.length, "task")} with a known class in the labels' own files.`);
      }
      const all = wordNotes([...(options.notes ?? []), ...notes, ...dropped], options);
      return fromColumns(columns, { ...options, gold: options.gold ?? found, notes: all });
    },
  };
}

/** A context that keeps what is said of the file in one line. */
export function createContext(
  file: string,
  options: ReadOptions & Pick<DatasetReaderOptions, "onUnderstood">,
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
      options.onUnderstood?.(`${file}: ${about}; ${plural(rows, "row")}`);
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

function latin1Of({ tasks, workers, labels }: LabelCollector): number {
  return tasks.latin1 + workers.latin1 + labels.latin1;
}

function noLabels(
  files: readonly string[],
  dropped: readonly string[],
  notes: readonly string[],
): CrowdError {
  const [only] = files;
  const why = [...notes, ...dropped]
    .filter((note) => note !== `${only} holds no labels.`)
    .join(" ");
  const subject = files.length === 1 ? only : `${files.length} files`;
  const what = why === `${only} is empty.` ? why : `${subject}: there are no labels. ${why}`;
  return new CrowdError(
    "no-labels",
    `${what.trim()} A file of labels has a header such as task,worker,label and a row for each label.`,
  );
}
