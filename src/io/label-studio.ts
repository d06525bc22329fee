/**
 * Label Studio's exports: JSON, a task an object with all its annotations, and JSON-MIN, an annotation an
 * object.
 *
 *   [{"id": 7, "data": {"text": "…"}, "annotations": [{"completed_by": 3, "result": [
 *     {"from_name": "sentiment", "type": "choices", "value": {"choices": ["positive"]}}]}]}]
 *
 * An annotation marked as ground truth is a known class and no vote.
 */
import type { CrowdDataset } from "../dataset/dataset.ts";
import type { Answers } from "./answers.ts";
import { utf8Head } from "./csv.ts";
import { decodeText } from "./encoding.ts";
import type { FileContext, Reader, WritableFormat } from "./format.ts";
import { isObject, type JsonObject, scanJson } from "./json-values.ts";
import type { LabelCollector } from "./label-collector.ts";
import { inPieces, isoTime, labelNames } from "./label-rows.ts";
import { excerpt } from "./problems.ts";
import { createToolLabels } from "./tool-labels.ts";

export const labelStudio: WritableFormat = {
  id: "label-studio",
  title: "Label Studio JSON",
  extensions: [],
  sniff(head) {
    const text = decodeText(utf8Head(head)).trimStart();
    if (!/^[[{]/.test(text)) return 0;
    const tasks =
      /"(annotations|completions|predictions)"\s*:\s*\[/.test(text) && /"data"\s*:\s*\{/.test(text);
    const minimal = /"annotation_id"\s*:/.test(text) && /"annotator"\s*:/.test(text);
    return tasks || minimal ? 0.99 : 0;
  },
  reader: readLabelStudio,
  write(data, options) {
    if (data.weight) options?.onNote?.("Label Studio holds no weights; left out.");
    return inPieces(tasksOf(data));
  },
  writeAnswers: (answers) => inPieces(predictionsOf(answers)),
};

/** Columns of JSON-MIN that are no answers. */
const AFTER_ANSWERS = "annotator";

function readLabelStudio(labels: LabelCollector, context: FileContext): Reader {
  const sink = createToolLabels(labels, context);
  const { columns = {}, predictions = false } = context.options;
  const regions = new Set<string>();
  let question = columns.label;

  /** All answers to the question that is asked; without one, the first question of the file. */
  function answersOf(results: readonly unknown[], line: number): unknown[] {
    const found: unknown[] = [];
    for (const result of results.filter(isObject)) {
      const value = answerIn(result);
      const name = String(result["from_name"]);
      if (value === undefined) {
        regions.add(String(result["type"]));
        continue;
      }
      question ??= name;
      if (name === question) found.push(...(Array.isArray(value) ? value : [value]));
      else if (columns.label === undefined) {
        sink.problem(
          line,
          `there are several questions: ${excerpt(question)} and ${excerpt(name)}. Choose one: ` +
            `columns: { label: ${JSON.stringify(name)} } (--columns label=${name}).`,
        );
      }
    }
    return found;
  }

  /** What was answered, whoever did. */
  function give(
    task: unknown,
    worker: unknown,
    answers: readonly unknown[],
    by: JsonObject,
    line: number,
  ): void {
    const [label] = answers;
    if (answers.length === 0) sink.drop("the question has no answer");
    else if (answers.length > 1) {
      sink.problem(line, `there are several answers: ${excerpt(JSON.stringify(answers))}.`);
    } else if (by["ground_truth"] === true) sink.gold(task, label, line);
    else sink.add({ task, worker, label, time: by["created_at"] }, line);
  }

  function readTask(task: JsonObject, line: number): void {
    const name = taskName(task, columns.task);
    for (const each of listOf(task["annotations"] ?? task["completions"])) {
      if (!isObject(each)) {
        sink.problem(line, `an annotation should be an object, but is ${excerpt(String(each))}.`);
      } else if (each["was_cancelled"] === true) sink.drop("the worker skipped the task");
      else {
        give(name, workerOf(each), answersOf(listOf(each["result"]), line), each, line);
      }
    }
    for (const each of listOf(task["predictions"])) {
      if (!isObject(each)) continue;
      if (!predictions) sink.drop("a model said it, not a worker (--with-predictions counts it)");
      else {
        const model = each["model_version"] ?? "model";
        give(name, model, answersOf(listOf(each["result"]), line), each, line);
      }
    }
  }

  /** Answers stand between the task's number and who gave them. */
  function readMinimal(row: JsonObject, line: number): void {
    const keys = Object.keys(row);
    const asked = keys.slice(keys.indexOf("id") + 1, keys.indexOf(AFTER_ANSWERS));
    if (question === undefined && asked.length !== 1) {
      sink.problem(
        line,
        `it is not clear which of ${asked.map(excerpt).join(", ")} is the answer. Choose one: ` +
          `columns: { label: "…" } (--columns label=…).`,
      );
      return;
    }
    question ??= asked[0];
    const task = columns.task === undefined ? row["id"] : row[columns.task];
    const value = row[question];
    const answer = isObject(value) ? value["choices"] : value;
    const answers = Array.isArray(answer) ? answer : [answer ?? []].flat();
    give(task, row[AFTER_ANSWERS], answers, row, line);
  }

  return scanJson(
    (value, line) =>
      Object.hasOwn(value, "annotation_id") ? readMinimal(value, line) : readTask(value, line),
    context,
    () => {
      if (question !== undefined) context.understood(`label = ${excerpt(question)}`);
      if (regions.size > 0) {
        context.note(
          `${context.file}: results of type ${[...regions].join(", ")} mark places, not classes; left out.`,
        );
      }
    },
  );
}

/** The task's own name where its data have one, else Label Studio's number. */
function taskName({ id, data }: JsonObject, column: string | undefined): unknown {
  if (!isObject(data)) return id;
  return data[column ?? "task"] ?? (column === undefined ? id : undefined);
}

/** Who annotated: a number, or an account with a number and an address. */
function workerOf({ completed_by: by, created_username: old }: JsonObject): unknown {
  return isObject(by) ? (by["email"] ?? by["id"]) : (by ?? old);
}

/** What a result says, for controls that ask for a class. */
function answerIn({ type, value }: JsonObject): unknown {
  if (!isObject(value)) return undefined;
  if (type === "taxonomy") return listOf(value["taxonomy"]).map((path) => listOf(path).join(" / "));
  const key = { choices: "choices", rating: "rating", number: "number", pairwise: "selected" }[
    String(type)
  ];
  return key === undefined ? undefined : value[key];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const choice = (label: string) => ({
  ...{ from_name: "label", to_name: "task", type: "choices", value: { choices: [label] } },
});

/** A task for each line, between the brackets of a list. */
function* list(objects: Iterable<object>): Iterable<string> {
  let before = "[\n";
  for (const object of objects) {
    yield before + JSON.stringify(object);
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

function* tasksOf(data: CrowdDataset): Iterable<string> {
  const { tasks, workers, classes, task, worker, label, time, gold } = data;
  const names = labelNames(data);
  const order = Int32Array.from(task.keys()).sort((a, b) => task[a] - task[b] || a - b);
  function* each() {
    for (let t = 0, at = 0; t < tasks.length; t++) {
      const annotations: object[] = [];
      for (; at < order.length && task[order[at]] === t; at++) {
        const i = order[at];
        const when = time ? isoTime(time[i]) : "";
        annotations.push({
          completed_by: { id: worker[i] + 1, email: workers[worker[i]] },
          ...{ result: [choice(names[label[i]])], was_cancelled: false, ground_truth: false },
          ...(when !== "" && { created_at: when }),
        });
      }
      if (gold[t] >= 0) {
        annotations.push({ result: [choice(classes[gold[t]])], ground_truth: true });
      }
      yield { id: t + 1, data: { task: tasks[t] }, annotations };
    }
  }
  yield* list(each());
}

function* predictionsOf({ tasks, labels, confidence }: Answers): Iterable<string> {
  yield* list(
    tasks.map((task, t) => ({
      id: t + 1,
      data: { task },
      predictions: [
        {
          model_version: "consilience",
          ...(confidence && { score: confidence[t] }),
          result: [choice(labels[t])],
        },
      ],
    })),
  );
}
