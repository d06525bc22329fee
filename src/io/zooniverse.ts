/**
 * Classifications of a Zooniverse project: a CSV with a row a classification, answers as JSON in a cell.
 *
 *   classification_id,user_name,workflow_id,workflow_version,created_at,annotations,subject_ids
 *   17,ana,11,4.8,2024-05-31 12:30:15 UTC,"[{""task"":""T0"",""value"":""Spiral""}]",52
 *
 * One workflow and one of its tasks are read.
 */
import { textRows } from "./csv.ts";
import { scanCsv } from "./csv-scanner.ts";
import type { FileContext, Format, TableTarget } from "./format.ts";
import { isObject } from "./json-values.ts";
import type { LabelCollector } from "./label-collector.ts";
import { excerpt } from "./problems.ts";
import { chooseOne, createToolLabels } from "./tool-labels.ts";
import { textTarget } from "./tool-table.ts";

const COLUMNS = [
  ...["user_name", "user_id", "user_ip", "workflow_id", "workflow_name", "created_at"],
  ...["gold_standard", "annotations", "subject_ids"],
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
  reader: (labels, context) => scanCsv(zooniverseTarget(labels, context), context),
};

function zooniverseTarget(labels: LabelCollector, context: FileContext): TableTarget {
  const sink = createToolLabels(labels, context);
  // "11/T0" is the task T0 of workflow 11; "T0" is that of the only workflow.
  const [chosenTask, chosenFlow] = (context.options.columns?.label ?? "").split("/").reverse();
  let workflow = chosenFlow;
  let question = chosenTask || undefined;
  return textTarget(
    context,
    () => COLUMNS,
    (text, line) => {
      const flow = text("workflow_id");
      if (chosenFlow !== undefined && flow !== chosenFlow) return sink.drop("another workflow");
      workflow ??= flow;
      if (flow !== workflow) {
        return sink.problem(
          line,
          `there are several workflows: ${workflow} and ${flow}. Choose one and its task: columns: { label: "${workflow}/T0" } (--columns label=${workflow}/T0).`,
        );
      }
      const annotations = parse(text("annotations"));
      if (!annotations) {
        return sink.problem(line, `"annotations" is not JSON: ${excerpt(text("annotations"))}.`);
      }
      const { name, wrong } = chooseOne(
        annotations.map(({ task }) => String(task)),
        undefined,
        "task",
      );
      if (question === undefined && wrong) return sink.problem(line, wrong);
      question ??= name;
      const found = annotations.find(({ task }) => task === question);
      if (!found) return sink.drop("the question was not asked");
      const { value } = found;
      if (typeof value !== "string" && typeof value !== "number") {
        const several = Array.isArray(value) && value.length !== 1;
        if (several)
          return sink.problem(
            line,
            `the answer is ${excerpt(JSON.stringify(value))}, not one class.`,
          );
      }
      const label = Array.isArray(value) ? value[0] : value;
      const task = text("subject_ids");
      if (text("gold_standard") === "true") return sink.gold(task, label, line);
      const worker = text("user_name") || text("user_id") || text("user_ip");
      sink.add({ task, worker, label, time: text("created_at") }, line);
    },
    () => {
      if (question !== undefined)
        context.understood(`label = ${excerpt(`${workflow}/${question}`)}`);
    },
  );
}

function parse(cell: string): Readonly<Record<string, unknown>>[] | undefined {
  try {
    const value: unknown = JSON.parse(cell);
    return Array.isArray(value) ? value.filter(isObject) : undefined;
  } catch {
    return undefined;
  }
}
