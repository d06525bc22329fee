/**
 * Batch results of Amazon Mechanical Turk: a CSV with a row an assignment.
 *
 *   HITId,WorkerId,AssignmentStatus,SubmitTime,Input.image_url,Answer.category.label,…
 *
 * Rejected assignments are left out.
 */
import { CrowdError } from "../error.ts";
import { textRows } from "./csv.ts";
import { scanCsv } from "./csv-scanner.ts";
import type { FileContext, Format, TableTarget } from "./format.ts";
import { isObject } from "./json-values.ts";
import type { LabelCollector } from "./label-collector.ts";
import { excerpt, place } from "./problems.ts";
import { chooseOne, createToolLabels } from "./tool-labels.ts";
import { type TextOf, textTarget } from "./tool-table.ts";

const ANSWER = "Answer.";
const JSON_ANSWERS = "Answer.taskAnswers";

export const mturk: Format = {
  id: "mturk",
  title: "Mechanical Turk results",
  extensions: [],
  sniff(head, fileName) {
    const [header = []] = textRows(head, fileName) ?? [];
    return header.includes("HITId") && header.includes("WorkerId") ? 0.99 : 0;
  },
  reader: (labels, context) => scanCsv(mturkTarget(labels, context), context),
};

function mturkTarget(labels: LabelCollector, context: FileContext): TableTarget {
  const { file, options } = context;
  const { task = "HITId", label } = options.columns ?? {};
  const sink = createToolLabels(labels, context);
  let asked: Question = () => ({});
  return textTarget(
    context,
    (header, line) => {
      const answers = header.filter((name) => name.startsWith(ANSWER));
      for (const name of [task, ...(answers.length > 0 ? [] : [ANSWER])]) {
        if (!header.includes(name)) {
          throw new CrowdError(
            "bad-data",
            `${place(file, line)}: there is no column ${excerpt(name)}.`,
          );
        }
      }
      asked = question(answers, label);
      context.understood(`task = ${excerpt(task)}`);
      return [task, "WorkerId", "AssignmentStatus", "SubmitTime", ...answers];
    },
    (text, line) => {
      if (text("AssignmentStatus") === "Rejected") return sink.drop("the assignment was rejected");
      const { answer, wrong } = asked(text);
      if (wrong) return sink.problem(line, wrong);
      sink.add(
        { task: text(task), worker: text("WorkerId"), label: answer, time: text("SubmitTime") },
        line,
      );
    },
  );
}

type Question = (text: TextOf) => { readonly answer?: unknown; readonly wrong?: string };

/** How an answer is read: from JSON, from a column, or from boxes of which one is ticked. */
function question(columns: readonly string[], chosen: string | undefined): Question {
  if (columns.includes(JSON_ANSWERS)) return (text) => fromJson(text(JSON_ANSWERS), chosen);
  const plain = new Map<string, string>();
  const boxes = new Map<string, Map<string, string>>();
  for (const column of columns) {
    const name = column.slice(ANSWER.length);
    const dot = name.endsWith(".label") ? -1 : name.indexOf(".");
    if (dot < 0) plain.set(name.replace(/\.label$/, ""), column);
    else {
      const options = boxes.get(name.slice(0, dot)) ?? new Map<string, string>();
      boxes.set(name.slice(0, dot), options.set(name.slice(dot + 1), column));
    }
  }
  const wanted = chosen?.replace(/^Answer\./, "").replace(/\.label$/, "");
  const { name = "", wrong } = chooseOne([...plain.keys(), ...boxes.keys()], wanted, "question");
  if (wrong) return () => ({ wrong });
  const column = plain.get(name);
  if (column !== undefined) return (text) => ({ answer: text(column) });
  const options = [...(boxes.get(name) ?? [])];
  return (text) =>
    onlyOne(
      options.flatMap(([option, box]) => (text(box).toLowerCase() === "true" ? [option] : [])),
    );
}

function onlyOne(ticked: readonly string[]): ReturnType<Question> {
  if (ticked.length <= 1) return { answer: ticked[0] ?? "" };
  return { wrong: `several options are ticked: ${ticked.map(excerpt).join(", ")}.` };
}

/** `[{"category": {"label": "cat"}}]`, or with boxes: `[{"category": {"cat": true, "dog": false}}]`. */
function fromJson(cell: string, chosen: string | undefined): ReturnType<Question> {
  let value: unknown;
  try {
    value = JSON.parse(cell);
  } catch {
    return { wrong: `${JSON_ANSWERS} is not JSON: ${excerpt(cell)}.` };
  }
  const [form] = Array.isArray(value) ? value : [value];
  if (!isObject(form)) return { wrong: `${JSON_ANSWERS} holds no answers: ${excerpt(cell)}.` };
  const { name = "", wrong } = chooseOne(Object.keys(form), chosen, "question");
  if (wrong) return { wrong };
  const answer = form[name];
  if (!isObject(answer)) return { answer };
  if ("label" in answer) return { answer: answer["label"] };
  return onlyOne(Object.keys(answer).filter((option) => answer[option] === true));
}
