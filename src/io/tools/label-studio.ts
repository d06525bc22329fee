/**
 * Label Studio's exports: JSON, a task an object with all its annotations, and JSON-MIN or CSV, an annotation
 * an object or a row.
 *
 *   [{"id": 7, "data": {"text": "…"}, "annotations": [{"completed_by": 3, "result": [
 *     {"from_name": "sentiment", "type": "choices", "value": {"choices": ["positive"]}}]}]}]
 *
 * An annotation marked as ground truth is a known class and no vote.
 */
import { type ColumnNames, mapping } from "../column-names.ts";
import { textRows, utf8Head } from "../csv.ts";
import { scanCsv } from "../csv-scanner.ts";
import { decodeText } from "../encoding.ts";
import type { FileContext, Reader, WritableFormat } from "../format.ts";
import { isObject, type JsonObject, listOf, parseJson, scanJson, shown } from "../json-values.ts";
import type { LabelCollector } from "../label-collector.ts";
import { inPieces } from "../label-rows.ts";
import { excerpt } from "../problems.ts";
import { csvTable, jsonOrCsv } from "./json-or-csv.ts";
import { amendTasks, predictionsOf, tasksOf } from "./label-studio-tasks.ts";
import { answersOf, minimalAnswers, taskName, workerOf } from "./label-studio-values.ts";
import {
  createQuestions,
  createToolLabels,
  PREDICTED,
  type Questions,
  type ToolLabels,
} from "./tool-labels.ts";
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
  reader: (sink, context) => readLabelStudio(sink.labels(context), context),
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
  readonly sink: ToolLabels;
  readonly questions: Questions;
  /** Types of results that mark places, not classes. */
  readonly regions: Set<string>;
  /** True if the data have a field that is called like the question. */
  overwritten: boolean;
}

/** What was answered, and the annotation or prediction itself. */
interface Given {
  readonly answers: readonly unknown[];
  readonly by: JsonObject;
}

function readLabelStudio(labels: LabelCollector, context: FileContext): Reader {
  const { columns = {} } = context.options;
  const sink = createToolLabels(labels, context, {
    task: columns.task ?? ID,
    worker: "completed_by",
    label: columns.label ?? "result",
  });
  const questions = createQuestions(columns.label, "question", sink.problem);
  const reading = {
    context,
    columns,
    sink,
    questions,
    regions: new Set<string>(),
    overwritten: false,
  };
  const readObject = (value: JsonObject, line: number) =>
    Object.hasOwn(value, "annotation_id")
      ? readMinimal(reading, value, line)
      : readTask(reading, value, line);
  return jsonOrCsv(
    () => scanJson(readObject, context, () => finish(reading)),
    () => readCsv(reading),
  );
}

/** Reads a task with all its annotations and predictions. */
function readTask(reading: Reading, task: JsonObject, line: number): void {
  const { context, columns, sink } = reading;
  const name = taskName(task, columns.task);
  const annotations = task["annotations"] ?? task["completions"] ?? [];
  if (!Array.isArray(annotations)) {
    sink.problem(line, `"annotations" should be a list, but is ${shown(annotations)}.`);
  }
  for (const each of listOf(annotations)) {
    if (!isObject(each)) {
      sink.problem(line, `an annotation should be an object, but is ${shown(each)}.`);
    } else if (each["was_cancelled"] === true) sink.drop("the worker skipped the task");
    else giveResults(reading, name, workerOf(each), each, line);
  }
  for (const each of listOf(task["predictions"])) {
    if (!isObject(each)) continue;
    if (!context.options.predictions) sink.drop(PREDICTED);
    else giveResults(reading, name, each["model_version"] ?? "model", each, line);
  }
}

/** Finds the answer to the question among the results of an annotation. */
function giveResults(
  reading: Reading,
  task: unknown,
  worker: unknown,
  by: JsonObject,
  line: number,
): void {
  const { columns, questions, regions } = reading;
  const found = answersOf(by["result"], regions);
  const question = questions.pick(found.keys(), line);
  // Several questions are a problem that was told already.
  if (question === undefined && columns.label === undefined && found.size > 0) return;
  give(reading, task, worker, { answers: found.get(question ?? "") ?? [], by }, line);
}

/** Takes what was answered, whoever did. */
function give(
  { sink }: Reading,
  task: unknown,
  worker: unknown,
  { answers, by }: Given,
  line: number,
): void {
  const [label] = answers;
  if (answers.length === 0) sink.drop("the question has no answer");
  else if (answers.length > 1) {
    sink.problem(line, `there are several answers: ${shown(answers)}. Methods choose one class.`);
  } else if (by["ground_truth"] === true) sink.gold(task, label, line);
  else sink.add({ task, worker, label, time: by[CREATED] }, line);
}

/** Reads an annotation of JSON-MIN. */
function readMinimal(reading: Reading, row: JsonObject, line: number): void {
  const question = minimalQuestion(reading, Object.keys(row), line);
  if (question === undefined) return;
  const task = row[reading.columns.task ?? ID];
  const worker = workerOf({ completed_by: row[ANNOTATOR] });
  give(reading, task, worker, { answers: minimalAnswers(row[question]), by: row }, line);
}

/** Finds the question: answers stand between the task's number and who gave them. */
function minimalQuestion(
  reading: Reading,
  keys: readonly string[],
  line: number,
): string | undefined {
  const { columns, sink, questions } = reading;
  const asked = keys
    .slice(keys.indexOf(ID) + 1, keys.indexOf(ANNOTATOR))
    .filter((key) => !NO_ANSWERS.has(key));
  if (columns.label === undefined && asked.length === 0) {
    const before = keys.slice(0, keys.indexOf(ID)).map(excerpt).join(", ");
    sink.problem(
      line,
      `no answer stands between "${ID}" and "${ANNOTATOR}". Where the question is called like a field of the data, ` +
        `choose it (${before}): ${mapping("label")}.`,
    );
    return undefined;
  }
  reading.overwritten ||=
    columns.label !== undefined && keys.indexOf(columns.label) < keys.indexOf(ID);
  return questions.pick(columns.label === undefined ? asked : keys, line);
}

/** Reads the annotations of a CSV export, one per row. */
function readCsv(reading: Reading): Reader {
  const { context } = reading;
  const task = reading.columns.task ?? ID;
  let question: string | undefined;
  const target = textTarget(
    context,
    (header, line) => {
      question = minimalQuestion(reading, header, line);
      return [task, ANNOTATOR, CREATED, ...(question === undefined ? [] : [question])];
    },
    (text, line) => {
      if (question === undefined) return;
      const cell = text(question);
      const value = /^[[{]/.test(cell) ? (parseJson(cell) ?? cell) : cell;
      const by = { [CREATED]: text(CREATED) };
      const answers = value === "" ? [] : minimalAnswers(value);
      give(reading, text(task), text(ANNOTATOR), { answers, by }, line);
    },
    () => finish(reading),
  );
  return scanCsv(target, context);
}

/** Says which question was read, and what was left out. */
function finish({ context, columns, questions, regions, overwritten }: Reading): void {
  questions.finish();
  if (questions.name !== undefined) context.understood(`label = ${excerpt(questions.name)}`);
  if (overwritten) {
    context.note(
      `${context.file}: the data have a field ${excerpt(columns.label ?? "")} as well, which Label Studio overwrites with the answer; where there was no answer, the field is taken for one.`,
    );
  }
  if (regions.size > 0) {
    context.note(
      `${context.file}: results of type ${[...regions].join(", ")} mark places, not classes; left out.`,
    );
  }
}
