/**
 * Answers to be scored: `task,label` with or without `confidence`, or a probability for each class.
 *
 *   task,label,confidence        task,cat,dog
 *   img-17,cat,0.93              img-17,0.93,0.07
 */
import { CrowdError } from "../error.ts";
import { type Cell, type NumberCell, numberCell } from "./cell.ts";
import { type ColumnNames, findColumns, mapping, type Role } from "./column-names.ts";
import type { FileContext } from "./format.ts";
import { numbered } from "./gold.ts";
import { sayColumns } from "./label-target.ts";
import { excerpt, place } from "./problems.ts";
import type { TableKind } from "./table.ts";
import { createTaskLabels, type TaskLabels } from "./task-labels.ts";

export interface Answers {
  readonly tasks: readonly string[];
  /** The answer of each task; of a file with probabilities, the most probable class. */
  readonly labels: readonly string[];
  /** How sure each answer is; absent where the file does not say. */
  readonly confidence?: Float64Array;
  /** Where the file has a probability for each class: posterior[task * K + class]. */
  readonly classes?: readonly string[];
  readonly posterior?: Float64Array;
  readonly notes: readonly string[];
}

/** How far from 1 the probabilities of a task may sum up to, for rounding. */
const TOLERANCE = 0.01;

/** A column that may be a class: its cell holds a probability. */
interface ClassColumn {
  readonly name: string;
  readonly cell: NumberCell;
}

/** What was read so far. */
interface Gathered {
  readonly taken: TaskLabels;
  readonly seen: Set<number>;
  readonly confidence: NumberCell;
  readonly confidences: number[];
  header: readonly string[];
  places: ReadonlyMap<Role, number>;
  others: ClassColumn[];
  /** The numbers in these columns, row after row. */
  readonly numbers: number[];
}

/** Reads answers, one per task; a task without an answer is counted. */
export const answersTable: TableKind<Answers> = (context, options) => {
  const { file, problems } = context;
  const gathered: Gathered = {
    taken: createTaskLabels(options),
    seen: new Set(),
    confidence: numberCell(),
    confidences: [],
    header: [],
    places: new Map(),
    others: [],
    numbers: [],
  };
  const { taken } = gathered;
  return {
    interners: [taken.task.names, taken.label.names],
    rows: () => taken.rows,
    target: {
      problem: (line, what) => problems.add(file, line, what),
      columns: (names, line) =>
        chooseColumns(
          gathered,
          names,
          options.columns ?? numbered(options.header),
          place(file, line),
        ),
      row(line) {
        const wrong = takeRow(gathered);
        if (wrong) problems.add(file, line, wrong);
      },
    },
    finish: (notes) => answersOf(gathered, context, [...notes, ...taken.notes(file)]),
  };
};

/** Finds task, label and confidence, and returns the cells; each other column may be a class. */
function chooseColumns(
  gathered: Gathered,
  names: readonly string[],
  given: ColumnNames,
  where: string,
): readonly (Cell | undefined)[] {
  const { taken, confidence } = gathered;
  const places = findColumns(
    names,
    [
      { role: "task", aliases: "task", required: true },
      { role: "label", aliases: "answer" },
      { role: "confidence", aliases: "confidence" },
    ],
    given,
    where,
  );
  gathered.header = names;
  gathered.places = places;
  return names.map((name, at) => {
    if (at === places.get("task")) return taken.task;
    if (at === places.get("label")) return taken.label;
    if (at === places.get("confidence")) return confidence;
    const cell = numberCell();
    gathered.others.push({ name, cell });
    return cell;
  });
}

/** Takes a row from the cells; returns what is wrong with it. */
function takeRow(gathered: Gathered): string | undefined {
  const { taken, seen, places } = gathered;
  const { task, label } = taken;
  if (task.code < 0) return "the task is empty.";
  if (seen.has(task.code)) return `task ${excerpt(task.names.name(task.code))} is answered twice.`;
  const wrong = gathered.others.find(({ cell }) => Number.isNaN(cell.value));
  if (places.get("label") === -1) {
    if (wrong) return notProbability(wrong);
  } else if (label.code < 0) {
    taken.empty++;
    return undefined;
  }
  // Once a cell is no number, the columns are not classes, and are not gathered any longer.
  if (wrong) gathered.others = [];
  seen.add(task.code);
  taken.add();
  gathered.confidences.push(gathered.confidence.value);
  for (const { cell } of gathered.others) gathered.numbers.push(cell.value);
  return undefined;
}

/** Puts the answers together: from probabilities, if the file holds them, else from labels. */
function answersOf(gathered: Gathered, context: FileContext, notes: readonly string[]): Answers {
  const { header, places, confidences } = gathered;
  const { tasks, labels } = gathered.taken.finish();
  if (tasks.length === 0) return { tasks, notes, labels };
  const spread = posteriorOf(context, gathered, labels);
  if (spread) return { tasks, notes, ...spread };
  context.understood(sayColumns(header, places));
  const sure = confidences.some((value) => !Number.isNaN(value));
  return { tasks, notes, labels, ...(sure && { confidence: Float64Array.from(confidences) }) };
}

/**
 * Reads the columns as probabilities, if that is what they are. A class may be called `answer` or `label`,
 * so if there is such a column the numbers decide: all of each row together must sum to 1.
 */
function posteriorOf(
  context: FileContext,
  { header, places, others, numbers }: Gathered,
  given: readonly string[],
) {
  const labelAt = places.get("label") ?? -1;
  const named = labelAt >= 0;
  if (named && (places.get("confidence") !== -1 || others.length === 0)) return undefined;
  const names = new Set(others.map(({ name }) => name));
  const classes = header.filter((name, at) => at === labelAt || names.has(name));
  if (!named) checkClasses(context.file, header, places, classes);
  const K = classes.length;
  const labelPlace = classes.indexOf(header[labelAt]);
  const posterior = new Float64Array(given.length * K);
  for (let t = 0, from = 0; t < given.length; t++) {
    let sum = 0;
    for (let k = 0; k < K; k++) {
      const p = k === labelPlace ? Number(given[t] || Number.NaN) : numbers[from++];
      posterior[t * K + k] = p;
      sum = p >= 0 && p <= 1 ? sum + p : Number.NaN;
    }
    if (!(Math.abs(sum - 1) <= TOLERANCE)) {
      if (named) return undefined;
      throw new CrowdError(
        "bad-data",
        `${context.file}: the probabilities of row ${t + 1} should be from 0 to 1 and sum to 1. ` +
          `If a column holds the answer, map it: ${mapping("label")}.`,
      );
    }
  }
  context.understood(
    `task = ${excerpt(header[places.get("task") ?? 0])}, ${K} columns of probabilities`,
  );
  return { ...mostProbable(classes, posterior), classes, posterior };
}

/** Refuses columns that cannot be classes, in a file without a label column. */
function checkClasses(
  file: string,
  header: readonly string[],
  places: ReadonlyMap<Role, number>,
  classes: readonly string[],
): void {
  if ((places.get("confidence") ?? -1) >= 0) {
    throw new CrowdError("bad-data", `${file}: there is a confidence, but no label column.`);
  }
  if (classes.length < 2) {
    throw new CrowdError(
      "bad-data",
      `${file}: there is neither a label column nor a column for each class. ` +
        `The columns are: ${header.join(", ")}. Map one: ${mapping("label")}.`,
    );
  }
}

/** Returns the most probable class of each task, the first of equals, and its probability. */
function mostProbable(classes: readonly string[], posterior: Float64Array) {
  const K = classes.length;
  const labels: string[] = [];
  const confidence = new Float64Array(posterior.length / K);
  for (let t = 0; t < confidence.length; t++) {
    let best = 0;
    for (let k = 1; k < K; k++) if (posterior[t * K + k] > posterior[t * K + best]) best = k;
    labels.push(classes[best]);
    confidence[t] = posterior[t * K + best];
  }
  return { labels, confidence };
}

/** Says what a cell holds in place of a probability. */
function notProbability({ name, cell }: ClassColumn): string {
  const found = cell.wrong === undefined ? "is empty" : `holds ${excerpt(cell.wrong)}`;
  return `the column ${excerpt(name)} should hold a probability, but ${found}.`;
}
