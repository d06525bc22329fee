/** What is written for Label Studio: tasks with annotations, predictions, and exports with predictions added. */
import type { CategoricalData } from "../../data/categorical.ts";
import { CrowdError, hint } from "../../error.ts";
import type { Answers } from "../answers.ts";
import { textOf } from "../cell.ts";
import type { FileContext } from "../format.ts";
import { isObject, type JsonObject, listOf } from "../json-values.ts";
import { isoTime, labelNames } from "../label-rows.ts";
import { AGENT, type Amender, createAmender } from "./amend.ts";
import { appendTo, setKey } from "./json-edit.ts";
import { answerIn, taskName, VALUE_KEYS } from "./label-studio-values.ts";
import { createQuestions } from "./tool-labels.ts";

const choice = (label: string) => ({
  from_name: "label",
  to_name: "task",
  type: "choices",
  value: { choices: [label] },
});

const prediction = (result: object, score = Number.NaN) => ({
  model_version: AGENT,
  ...(!Number.isNaN(score) && { score }),
  result: [result],
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

export function* tasksOf(data: CategoricalData): Iterable<string> {
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
          completed_by: { id: worker[i] + 1, email: workers.at(worker[i]) },
          result: [choice(names[label[i]])],
          was_cancelled: false,
          ground_truth: false,
          ...(when !== "" && { created_at: when }),
        });
      }
      if (gold[t] >= 0) {
        annotations.push({ result: [choice(classes.at(gold[t]))], ground_truth: true });
      }
      yield { id: t + 1, data: { task: tasks.at(t) }, annotations };
    }
  }
  yield* list(each());
}

export function* predictionsOf({ tasks, labels, confidence }: Answers): Iterable<string> {
  yield* list(
    tasks.map((task, t) => ({
      id: t + 1,
      data: { task },
      predictions: [prediction(choice(labels[t]), confidence?.[t])],
    })),
  );
}

/** The control that the answers of an export came from. */
interface Control {
  readonly from_name: unknown;
  readonly to_name: unknown;
  readonly type: unknown;
}

/** An export as it was, with one more prediction per task, in the words of the control that was read. */
export function amendTasks(answers: Answers, context: FileContext): Amender {
  const { file, problems, options } = context;
  const { columns = {} } = options;
  const problem = (line: number, what: string) => problems.add(file, line, what);
  const questions = createQuestions(columns.label, "question", problem);
  const values = new Map<string, unknown>();
  let control: Control | undefined;

  function learn(task: JsonObject, line: number): unknown {
    if (Object.hasOwn(task, "annotation_id")) {
      throw new CrowdError(
        "bad-data",
        `${file}: JSON-MIN has no place for predictions. Export the project as JSON.`,
      );
    }
    for (const by of listOf(task["annotations"] ?? task["completions"]).filter(isObject)) {
      const results = listOf(by["result"])
        .filter(isObject)
        .filter((result) => answerIn(result) !== undefined);
      const question = questions.pick(
        results.map((result) => textOf(result["from_name"]) ?? ""),
        line,
      );
      for (const result of results) {
        if (question === undefined || result["from_name"] !== question) continue;
        const { from_name, to_name, type } = result;
        control ??= { from_name, to_name, type };
        for (const [text, value] of wordsOf(result)) values.set(text, value);
      }
    }
    return taskName(task, columns.task);
  }

  function edit(text: string, task: JsonObject, t: number): string {
    const key = VALUE_KEYS.get(textOf(control?.type) ?? "") ?? "choices";
    const label = answers.labels[t];
    const word = values.get(label) ?? guess(key, label);
    const value = { [key]: key === "choices" || key === "taxonomy" ? [word] : word };
    const added = JSON.stringify(prediction({ ...control, value }, answers.confidence?.[t]));
    return setKey(
      text,
      "predictions",
      appendTo(task["predictions"], text, "predictions", added, isOurs),
    );
  }

  function finish(): void {
    questions.finish();
    if (!control && problems.count === 0) throw noControl(file);
  }
  return createAmender({ answers, context, learn, edit, finish });
}

/** Predictions of an earlier time make way. */
const isOurs = (value: unknown) => isObject(value) && value["model_version"] === AGENT;

/** Each answer of a result as the label it was read as, and as it stands. */
function wordsOf(result: JsonObject): [string, unknown][] {
  const key = VALUE_KEYS.get(textOf(result["type"]) ?? "");
  const raw = isObject(result["value"]) && key ? result["value"][key] : undefined;
  const read = answerIn(result);
  const [texts, words] = [read, raw].map((one) => (Array.isArray(one) ? one : [one]));
  return texts.flatMap((text, i): [string, unknown][] => {
    const name = textOf(text);
    return name === undefined ? [] : [[name, words[i]]];
  });
}

/** A label that no annotation of the export gave. */
function guess(key: string, label: string): unknown {
  if (key === "taxonomy") return label.split(" / ");
  const number = Number(label);
  return (key === "rating" || key === "number") && label.trim() !== "" && !Number.isNaN(number)
    ? number
    : label;
}

function noControl(file: string): CrowdError {
  return new CrowdError(
    "bad-data",
    `${file}: no annotation answers a question, so the name of the control in the project is unknown. ` +
      `Leave ${hint("into")} out to get predictions for a control called label.`,
  );
}
