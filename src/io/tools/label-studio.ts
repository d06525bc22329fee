/**
 * Label Studio's exports: JSON, a task an object with all its annotations, and JSON-MIN or CSV, an annotation
 * an object or a row.
 *
 *   [{"id": 7, "data": {"text": "…"}, "annotations": [{"completed_by": 3, "result": [
 *     {"from_name": "sentiment", "type": "choices", "value": {"choices": ["positive"]}}]}]}]
 *
 * An annotation marked as ground truth is a known class and no vote.
 */
import { grouped, hint } from "../../error.ts";
import { type ColumnNames, mapping } from "../column-names.ts";
import { textRows, utf8Head } from "../csv.ts";
import { scanCsv } from "../csv-scanner.ts";
import { decodeText } from "../encoding.ts";
import type { FileContext, Reader, WritableFormat } from "../format.ts";
import { isObject, type JsonObject, listOf, parseJson, scanJson, shown } from "../json-values.ts";
import { inPieces } from "../label-rows.ts";
import { excerpt } from "../problems.ts";
import type { Intake, Shape } from "../sink.ts";
import { afterLook } from "./first-objects.ts";
import { csvTable, jsonOrCsv } from "./json-or-csv.ts";
import { type Taker, takers } from "./label-studio-takers.ts";
import { amendTasks, predictionsOf, tasksOf } from "./label-studio-tasks.ts";
import {
  answersOf,
  isSpans,
  minimalAnswers,
  minimalOffers,
  offersOf,
  type Said,
  SHAPES,
  taskName,
  workerOf,
} from "./label-studio-values.ts";
import { createQuestions, PREDICTED, type Questions } from "./tool-labels.ts";
import { textTarget } from "./tool-table.ts";

export const labelStudio: WritableFormat = {
  id: "label-studio",
  title: "Label Studio export",
  extensions: [],
  sniff(head, fileName) {
    const text = decodeText(utf8Head(head)).trimStart();
    if (!/^[[{]/.test(text)) {
      const [header = []] = textRows(head, fileName) ?? [];
      return MINIMAL.every((name) => header.includes(name)) ? 0.99 : 0;
    }
    const tasks =
      /"(annotations|completions|predictions)"\s*:\s*\[/.test(text) && /"data"\s*:\s*\{/.test(text);
    const minimal = /"annotation_id"\s*:/.test(text) && /"annotator"\s*:/.test(text);
    return tasks || minimal ? 0.99 : 0;
  },
  reader: readLabelStudio,
  table: csvTable("Label Studio's JSON exports"),
  write(data, options) {
    if (data.weight) options?.onNote?.("Label Studio holds no weights; left out.");
    return inPieces(tasksOf(data));
  },
  writeAnswers: (answers) => inPieces(predictionsOf(answers)),
  amend: amendTasks,
};

const [ID, ANNOTATOR, CREATED] = ["id", "annotator", "created_at"];
/** What every row of JSON-MIN and CSV has besides data and answers. */
const MINIMAL = [ID, ANNOTATOR, "annotation_id", "lead_time"];
/** Keys that may stand among the answers and are none. */
const NO_ANSWERS = new Set([...MINIMAL, CREATED, "updated_at", "agreement"]);

/** The reading of one file. */
interface Reading {
  readonly context: FileContext;
  readonly columns: ColumnNames;
  readonly questions: Questions;
  /** Where answers go, once the first ones have shown what they are. */
  taker: Taker | undefined;
  shape: Shape;
  /** Questions of JSON-MIN and CSV that are about spans. */
  readonly spans: Set<string>;
  /** Number of results that were not read, by type. */
  readonly others: Map<string, number>;
  /** True if the data have a field that is called like the question. */
  overwritten: boolean;
}

function readLabelStudio(sink: Intake, context: FileContext): Reader {
  const { columns = {} } = context.options;
  const problem = (line: number, what: string) =>
    reading.taker
      ? reading.taker.problem(line, what)
      : context.problems.add(context.file, line, what);
  const reading: Reading = {
    context,
    columns,
    questions: createQuestions(columns.label, "question", problem),
    taker: undefined,
    shape: "classes",
    spans: new Set(),
    others: new Map(),
    overwritten: false,
  };
  const look = afterLook((first) => begin(reading, sink, first));
  return jsonOrCsv(
    () =>
      scanJson(
        (value, line, { text }) => look.each(value, line, text.length),
        context,
        () => {
          look.finish();
          finish(reading);
        },
      ),
    () => readCsv(reading, look),
  );
}

/** Looks at what the first objects hold, and returns what reads them and all others. */
function begin(reading: Reading, sink: Intake, first: readonly JsonObject[]) {
  const { context, columns, spans } = reading;
  const minimal = first.filter(isMinimal);
  for (const row of minimal) {
    for (const key of askedIn(Object.keys(row), columns)) if (isSpans(row[key])) spans.add(key);
  }
  const values = minimal.flatMap((row) =>
    askedIn(Object.keys(row), columns).map((key) => row[key]),
  );
  const offers = minimal.length > 0 ? minimalOffers(values) : offersOf(first, columns.label);
  reading.shape = sink.take(offers, context);
  const taker = takers[reading.shape](sink, context, first);
  reading.taker = taker;
  return (value: JsonObject, line: number) =>
    isMinimal(value)
      ? readMinimal(reading, taker, value, line)
      : readTask(reading, taker, value, line);
}

const isMinimal = (value: JsonObject) => Object.hasOwn(value, "annotation_id");

/** Reads a task with all its annotations and predictions. */
function readTask(reading: Reading, taker: Taker, task: JsonObject, line: number): void {
  const { context, columns } = reading;
  const name = taskName(task, columns.task);
  const annotations = task["annotations"] ?? task["completions"] ?? [];
  if (!Array.isArray(annotations)) {
    taker.problem(line, `"annotations" should be a list, but is ${shown(annotations)}.`);
  }
  const voted = listOf(annotations).some(
    (each) => isObject(each) && !each["was_cancelled"] && !each["ground_truth"],
  );
  const data = isObject(task["data"]) ? task["data"] : {};
  for (const by of listOf(annotations)) {
    if (!isObject(by)) {
      taker.problem(line, `an annotation should be an object, but is ${shown(by)}.`);
    } else if (by["was_cancelled"] === true) taker.drop("the worker skipped the task");
    else {
      const said = saidIn(reading, by["result"], data, line);
      if (said) give(taker, { task: name, worker: workerOf(by), by, voted }, said, line);
    }
  }
  for (const by of listOf(task["predictions"])) {
    if (!isObject(by)) continue;
    if (!context.options.predictions) {
      taker.drop(PREDICTED);
      continue;
    }
    const said = saidIn(reading, by["result"], data, line);
    const worker = by["model_version"] ?? "model";
    if (said) give(taker, { task: name, worker, by, voted }, said, line);
  }
}

/** Finds the answer to the question among the results of an annotation. */
function saidIn(
  { columns, questions, shape, others }: Reading,
  results: unknown,
  data: JsonObject,
  line: number,
): Said | undefined {
  const found = answersOf(results, shape, data, others);
  const question = questions.pick(found.keys(), line);
  // Several questions are a problem that was told already.
  if (question === undefined && columns.label === undefined && found.size > 0) return undefined;
  return found.get(question ?? "") ?? { answers: [], data };
}

/** An annotation or a prediction: of which task, by whom, and itself. */
interface Annotation {
  readonly task: unknown;
  readonly worker: unknown;
  readonly by: JsonObject;
  /** True if somebody answered for the task. */
  readonly voted: boolean;
}

/** Takes what was answered, whoever did. */
function give(
  taker: Taker,
  { task, worker, by, voted }: Annotation,
  said: Said,
  line: number,
): void {
  if (by["ground_truth"] === true) taker.gold(task, said, line, voted);
  else taker.give({ task, worker, time: by[CREATED] }, said, line);
}

/** Reads an annotation of JSON-MIN. */
function readMinimal(reading: Reading, taker: Taker, row: JsonObject, line: number): void {
  const keys = Object.keys(row);
  const question = minimalQuestion(reading, keys, line);
  if (question === undefined) return;
  const task = row[reading.columns.task ?? ID];
  const worker = workerOf({ completed_by: row[ANNOTATOR] });
  const before = keys.slice(0, keys.indexOf(ID)).filter((key) => key !== question);
  const data = Object.fromEntries(before.map((key) => [key, row[key]]));
  const said = { answers: minimalAnswers(row[question]), data };
  give(taker, { task, worker, by: row, voted: true }, said, line);
}

/** The keys that may be answers: those between the task's number and who gave them, or the one that is named. */
function askedIn(keys: readonly string[], columns: ColumnNames): readonly string[] {
  if (columns.label !== undefined) return keys.filter((key) => key === columns.label);
  return keys
    .slice(keys.indexOf(ID) + 1, keys.indexOf(ANNOTATOR))
    .filter((key) => !NO_ANSWERS.has(key));
}

/** Finds the question: answers stand between the task's number and who gave them. */
function minimalQuestion(
  reading: Reading,
  keys: readonly string[],
  line: number,
): string | undefined {
  const { context, columns, taker, questions, shape, spans } = reading;
  const asked = askedIn(keys, columns);
  if (columns.label === undefined && asked.length === 0) {
    const before = keys.slice(0, keys.indexOf(ID)).map(excerpt).join(", ");
    const what =
      `no answer stands between "${ID}" and "${ANNOTATOR}". Where the question is called like a field of the data, ` +
      `choose it (${before}): ${mapping("label")}.`;
    if (taker) taker.problem(line, what);
    else context.problems.add(context.file, line, what);
    return undefined;
  }
  reading.overwritten ||=
    columns.label !== undefined && keys.indexOf(columns.label) < keys.indexOf(ID);
  const fitting = asked.filter((key) => spans.has(key) === (shape === "tags"));
  const some = fitting.length > 0 ? fitting : asked;
  return questions.pick(columns.label === undefined ? some : keys, line);
}

/** Reads the annotations of a CSV export, one per row, as if they were objects of JSON-MIN. */
function readCsv(reading: Reading, look: ReturnType<typeof afterLook>): Reader {
  const { context, columns } = reading;
  let header: readonly string[] = [];
  let readable = true;
  const target = textTarget(
    context,
    (names, line) => {
      header = names;
      readable = columns.label !== undefined || askedIn(names, columns).length > 0;
      if (!readable) minimalQuestion(reading, names, line);
      return names;
    },
    (text, line) => {
      if (!readable) return;
      const asked = new Set(askedIn(header, columns));
      let length = 0;
      const row = Object.fromEntries(
        header.map((name) => {
          const cell = text(name);
          length += cell.length;
          const json = asked.has(name) && /^[[{]/.test(cell) ? parseJson(cell) : undefined;
          return [name, cell === "" ? null : (json ?? cell)];
        }),
      );
      look.each({ annotation_id: null, ...row }, line, length);
    },
    () => {
      look.finish();
      finish(reading);
    },
  );
  return scanCsv(target, context);
}

/** Says which question was read, and what was left out. */
function finish({ context, columns, taker, questions, others, overwritten }: Reading): void {
  questions.finish();
  taker?.finish();
  if (questions.name !== undefined) context.understood(`label = ${excerpt(questions.name)}`);
  if (overwritten) {
    context.note(
      `${context.file}: the data have a field ${excerpt(columns.label ?? "")} as well, which Label Studio overwrites with the answer; where there was no answer, the field is taken for one.`,
    );
  }
  const readable = [...others.keys()].filter((type) => SHAPES.has(type));
  const regions = [...others.keys()].filter((type) => !SHAPES.has(type));
  const count = (types: readonly string[]) =>
    grouped(types.reduce((sum, type) => sum + (others.get(type) ?? 0), 0));
  if (regions.length > 0) {
    context.note(
      `${context.file}: results of type ${regions.join(", ")} mark places or hold what cannot be read; ${count(regions)} left out.`,
    );
  }
  if (readable.length > 0) {
    context.note(
      `${context.file}: results of type ${readable.join(", ")} are answers of another kind (${hint("kind")}); ${count(readable)} left out.`,
    );
  }
}
