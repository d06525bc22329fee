/**
 * Batch results of Amazon Mechanical Turk: a CSV with a row an assignment.
 *
 *   HITId,WorkerId,AssignmentStatus,SubmitTime,Input.image_url,Answer.category.label,…
 *
 * Rejected assignments are left out, unless they are asked for.
 */
import { CrowdError } from "../../error.ts";
import { textRows } from "../csv.ts";
import { scanCsv } from "../csv-scanner.ts";
import type { FileContext, Format, TableTarget } from "../format.ts";
import { isObject, parseJson, shown } from "../json-values.ts";
import type { LabelCollector } from "../label-collector.ts";
import { excerpt, place } from "../problems.ts";
import { chooseOne, createToolLabels, REJECTED } from "./tool-labels.ts";
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
  reader: (sink, context) => scanCsv(mturkTarget(sink.labels(context), context), context),
};

function mturkTarget(labels: LabelCollector, context: FileContext): TableTarget {
  const { file, options } = context;
  const { task = "HITId", label } = options.columns ?? {};
  const sink = createToolLabels(labels, context, {
    task,
    worker: "WorkerId",
    label: label ?? ANSWER,
  });
  let asked: Question = () => ({});
  return textTarget(
    context,
    (header, line) => {
      const answers = header.filter((name) => name.startsWith(ANSWER));
      for (const name of [task, "WorkerId", ...(answers.length > 0 ? [] : [`${ANSWER}…`])]) {
        if (header.includes(name)) continue;
        throw new CrowdError(
          "bad-data",
          `${place(file, line)}: there is no column ${excerpt(name)}. Is this the file of the batch's results? ` +
            `The columns are: ${header.slice(0, 40).join(", ")}.`,
        );
      }
      asked = question(answers, label);
      context.understood(`task = ${excerpt(task)}`);
      return [task, "WorkerId", "AssignmentStatus", "SubmitTime", ...answers];
    },
    (text, line) => {
      if (text("AssignmentStatus") === "Rejected" && !options.rejected) return sink.drop(REJECTED);
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
  const wanted = chosen?.startsWith(ANSWER) ? chosen.slice(ANSWER.length) : chosen;
  if (columns.includes(JSON_ANSWERS)) return (text) => fromJson(text(JSON_ANSWERS), wanted);
  const plain = new Map<string, string>();
  const boxes = new Map<string, Map<string, string>>();
  for (const column of columns) {
    const name = column.slice(ANSWER.length);
    const dot = name.indexOf(".");
    if (dot < 0) plain.set(name, column);
    else {
      const options = boxes.get(name.slice(0, dot)) ?? new Map<string, string>();
      boxes.set(name.slice(0, dot), options.set(name.slice(dot + 1), column));
    }
  }
  const names = [...plain.keys(), ...boxes.keys()];
  const { name = "", wrong } = chooseOne(names, wanted?.replace(/\.label$/, ""), "question");
  if (wrong) return () => ({ wrong });
  const options = [...(boxes.get(name) ?? [])];
  // A lone `Answer.q.label` holds the class itself.
  const [[only, labelColumn] = []] = options;
  const column = only === "label" && options.length === 1 ? labelColumn : plain.get(name);
  return column === undefined
    ? (text) => ticked(options.map(([option, box]) => [option, text(box)]))
    : (text) => ({ answer: text(column) });
}

/** The only option that is true. */
function ticked(boxes: readonly (readonly [option: string, cell: string])[]): ReturnType<Question> {
  const odd = boxes.find(([, cell]) => !/^(true|false|)$/i.test(cell));
  if (odd) {
    return {
      wrong: `the option ${excerpt(odd[0])} should be true or false, but is ${shown(odd[1])}.`,
    };
  }
  return onlyOne(
    boxes.flatMap(([option, cell]) => (cell.toLowerCase() === "true" ? [option] : [])),
  );
}

function onlyOne(options: readonly string[]): ReturnType<Question> {
  if (options.length <= 1) return { answer: options[0] ?? "" };
  const list = options.map(excerpt).join(", ");
  return { wrong: `several options are ticked: ${list}. Methods choose one class.` };
}

/** `[{"category": {"label": "cat"}}]`, or with boxes: `[{"category": {"cat": true, "dog": false}}]`. */
function fromJson(cell: string, chosen: string | undefined): ReturnType<Question> {
  const value = parseJson(cell);
  if (value === undefined) return { wrong: `${JSON_ANSWERS} is not JSON: ${excerpt(cell)}.` };
  const [form] = Array.isArray(value) ? value : [value];
  if (!isObject(form)) return { wrong: `${JSON_ANSWERS} holds no answers: ${excerpt(cell)}.` };
  if (Object.keys(form).length === 0) return { answer: "" };
  const { name = "", wrong } = chooseOne(Object.keys(form), chosen, "question");
  if (wrong) return { wrong };
  const answer = form[name];
  if (!isObject(answer)) return { answer };
  const options = Object.keys(answer);
  if (options.length === 1 && typeof answer["label"] === "string")
    return { answer: answer["label"] };
  return onlyOne(options.filter((option) => answer[option] === true));
}
