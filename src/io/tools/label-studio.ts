/**
 * Label Studio's exports: JSON, a task an object with all its annotations, and JSON-MIN or CSV, an annotation
 * an object or a row.
 *
 *   [{"id": 7, "data": {"text": "…"}, "annotations": [{"completed_by": 3, "result": [
 *     {"from_name": "sentiment", "type": "choices", "value": {"choices": ["positive"]}}]}]}]
 *
 * An annotation marked as ground truth is a known class and no vote.
 */
import { mapping } from "../column-names.ts";
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
import { createQuestions, createToolLabels, PREDICTED } from "./tool-labels.ts";
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

function readLabelStudio(labels: LabelCollector, context: FileContext): Reader {
  const { columns = {}, predictions = false } = context.options;
  const sink = createToolLabels(labels, context, {
    task: columns.task ?? ID,
    worker: "completed_by",
    label: columns.label ?? "result",
  });
  const questions = createQuestions(columns.label, "question", sink.problem);
  const regions = new Set<string>();
  let overwritten = false;

  /** What was answered, whoever did. */
  function give(task: unknown, worker: unknown, given: Given, line: number): void {
    const { answers, by } = given;
    const [label] = answers;
    if (answers.length === 0) sink.drop("the question has no answer");
    else if (answers.length > 1) {
      sink.problem(line, `there are several answers: ${shown(answers)}. Methods choose one class.`);
    } else if (by["ground_truth"] === true) sink.gold(task, label, line);
    else sink.add({ task, worker, label, time: by[CREATED] }, line);
  }

  function giveResults(task: unknown, worker: unknown, by: JsonObject, line: number): void {
    const found = answersOf(by["result"], regions);
    const question = questions.pick(found.keys(), line);
    // Several questions are a problem that was told already.
    if (question === undefined && columns.label === undefined && found.size > 0) return;
    give(task, worker, { answers: found.get(question ?? "") ?? [], by }, line);
  }

  function readTask(task: JsonObject, line: number): void {
    const name = taskName(task, columns.task);
    const annotations = task["annotations"] ?? task["completions"] ?? [];
    if (!Array.isArray(annotations)) {
      sink.problem(line, `"annotations" should be a list, but is ${shown(annotations)}.`);
    }
    for (const each of listOf(annotations)) {
      if (!isObject(each)) {
        sink.problem(line, `an annotation should be an object, but is ${shown(each)}.`);
      } else if (each["was_cancelled"] === true) sink.drop("the worker skipped the task");
      else giveResults(name, workerOf(each), each, line);
    }
    for (const each of listOf(task["predictions"])) {
      if (!isObject(each)) continue;
      if (!predictions) sink.drop(PREDICTED);
      else giveResults(name, each["model_version"] ?? "model", each, line);
    }
  }

  /** Answers stand between the task's number and who gave them. */
  function minimalQuestion(keys: readonly string[], line: number): string | undefined {
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
    overwritten ||= columns.label !== undefined && keys.indexOf(columns.label) < keys.indexOf(ID);
    return questions.pick(columns.label === undefined ? asked : keys, line);
  }

  function readMinimal(row: JsonObject, line: number): void {
    const question = minimalQuestion(Object.keys(row), line);
    if (question === undefined) return;
    const task = row[columns.task ?? ID];
    const worker = workerOf({ completed_by: row[ANNOTATOR] });
    give(task, worker, { answers: minimalAnswers(row[question]), by: row }, line);
  }

  function readCsv(): Reader {
    const task = columns.task ?? ID;
    let question: string | undefined;
    const target = textTarget(
      context,
      (header, line) => {
        question = minimalQuestion(header, line);
        return [task, ANNOTATOR, CREATED, ...(question === undefined ? [] : [question])];
      },
      (text, line) => {
        if (question === undefined) return;
        const cell = text(question);
        const value = /^[[{]/.test(cell) ? (parseJson(cell) ?? cell) : cell;
        const by = { [CREATED]: text(CREATED) };
        const answers = value === "" ? [] : minimalAnswers(value);
        give(text(task), text(ANNOTATOR), { answers, by }, line);
      },
      finish,
    );
    return scanCsv(target, context);
  }

  function finish(): void {
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

  const readObject = (value: JsonObject, line: number) =>
    Object.hasOwn(value, "annotation_id") ? readMinimal(value, line) : readTask(value, line);
  return jsonOrCsv(() => scanJson(readObject, context, finish), readCsv);
}

interface Given {
  readonly answers: readonly unknown[];
  /** The annotation or prediction itself. */
  readonly by: JsonObject;
}
