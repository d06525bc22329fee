/**
 * Classifications of a Zooniverse project: a CSV with a row a classification, answers as JSON in a cell.
 *
 *   classification_id,user_name,workflow_id,workflow_version,created_at,annotations,subject_ids
 *   17,ana,11,4.8,2024-05-31 12:30:15 UTC,"[{""task"":""T0"",""value"":""Spiral""}]",52
 *
 * One task of one workflow, in one version of it, is read.
 */

import { textOf } from "../cell.ts";
import { mapping } from "../column-names.ts";
import { textRows } from "../csv.ts";
import { scanCsv } from "../csv-scanner.ts";
import type { FileContext, Format, TableTarget } from "../format.ts";
import { isObject, parseJson, shown } from "../json-values.ts";
import type { LabelCollector } from "../label-collector.ts";
import { excerpt } from "../problems.ts";
import {
  createQuestions,
  createToolLabels,
  type Questions,
  type ToolLabels,
} from "./tool-labels.ts";
import { type TextOf, textTarget } from "./tool-table.ts";

const COLUMNS = [
  "user_name",
  "user_id",
  "user_ip",
  "workflow_id",
  "workflow_version",
  "created_at",
  "gold_standard",
  "annotations",
  "subject_ids",
] as const;

export const zooniverse: Format = {
  id: "zooniverse",
  title: "Zooniverse classifications",
  extensions: [],
  sniff(head, fileName) {
    const [header = []] = textRows(head, fileName) ?? [];
    const needed = ["classification_id", "annotations", "subject_ids"];
    return needed.every((name) => header.includes(name)) ? 0.99 : 0;
  },
  reader: (sink, context) => scanCsv(zooniverseTarget(sink.labels(context), context), context),
};

/** Reads the rows of one task of one workflow. */
function zooniverseTarget(labels: LabelCollector, context: FileContext): TableTarget {
  const sink = createToolLabels(labels, context, {
    task: "subject_ids",
    worker: "user_name",
    label: "annotations",
  });
  const chosen = choiceOf(context.options.columns?.label);
  const questions = createQuestions(chosen.question, "task", sink.problem);
  const found = { workflow: chosen.workflow, version: chosen.version };
  return textTarget(
    context,
    () => COLUMNS,
    (text, line) => {
      if (isAsked(text, line, chosen, found, sink)) readRow(text, line, chosen, questions, sink);
    },
    () => {
      questions.finish();
      if (questions.name === undefined) return;
      const { workflow, version } = found;
      const from = version === undefined || version === "*" ? workflow : `${workflow}@${version}`;
      context.understood(`label = ${excerpt(`${from}/${questions.name}`)}`);
    },
  );
}

/** Returns whether the row is of the workflow and version that are read; says so if that is not clear. */
function isAsked(
  text: TextOf,
  line: number,
  chosen: Choice,
  found: { workflow: string | undefined; version: string | undefined },
  sink: ToolLabels,
): boolean {
  const [flow, of] = [text("workflow_id"), text("workflow_version")];
  found.workflow ??= flow;
  const { workflow } = found;
  if (flow !== workflow) {
    if (chosen.workflow !== undefined) sink.drop("another workflow");
    else sink.problem(line, several("workflows", workflow, flow, workflow));
    return false;
  }
  // Tasks change with what stands before the dot, words with what stands behind it.
  found.version ??= of.replace(/\..*/, "");
  const { version } = found;
  if (version === "*" || of === version || of.startsWith(`${version}.`)) return true;
  if (chosen.version !== undefined) sink.drop("another version of the workflow");
  else {
    const all = `To read all of them, say ${workflow}@*/T0.`;
    const words = several("versions", version, of, `${workflow}@${version}`);
    sink.problem(line, `${words} ${all}`);
  }
  return false;
}

/** Takes the answer to the question from a classification. */
function readRow(
  text: TextOf,
  line: number,
  chosen: Choice,
  questions: Questions,
  sink: ToolLabels,
): void {
  const annotations = parseJson(text("annotations"));
  if (!Array.isArray(annotations)) {
    const found = excerpt(text("annotations"));
    sink.problem(line, `"annotations" is not a JSON list: ${found}.`);
    return;
  }
  const answers = annotations.filter(isObject);
  const asked = answers.map(({ task }) => textOf(task) ?? "");
  const question = questions.pick(asked, line);
  if (question === undefined) {
    // Several tasks are a problem that was told already.
    if (asked.length === 0 || chosen.question !== undefined)
      sink.drop("the question was not asked");
    return;
  }
  const value = answers[asked.indexOf(question)]["value"];
  const label = Array.isArray(value) ? value[0] : value;
  const task = text("subject_ids");
  const worker = text("user_name") || text("user_id") || text("user_ip");
  if (Array.isArray(value) && value.length > 1) {
    sink.problem(line, `the answer is ${shown(value)}, not one class.`);
  } else if (text("gold_standard") === "true") sink.gold(task, label, line);
  else sink.add({ task, worker, label, time: text("created_at") }, line);
}

interface Choice {
  readonly workflow: string | undefined;
  readonly version: string | undefined;
  readonly question: string | undefined;
}

/** Reads a choice: `11@4/T0` is the task T0 of workflow 11 in its versions 4.…; `11/T0` and `T0` leave more open. */
function choiceOf(text = ""): Choice {
  const [question, flow] = text.split("/").reverse();
  const [workflow, version] = (flow ?? "").split("@");
  return {
    workflow: workflow || undefined,
    version: version || undefined,
    question: question || undefined,
  };
}

/** Says how to choose one of several. */
function several(what: string, one: string, other: string, choice: string): string {
  return (
    `there are several ${what}: ${one} and ${other}. Choose one and its task: ` +
    `${mapping("label", `${choice}/T0`)}.`
  );
}
