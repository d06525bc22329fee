/**
 * Toloka's results: a TSV with a row an answer.
 *
 *   INPUT:image	OUTPUT:result	GOLDEN:result	ASSIGNMENT:task_id	ASSIGNMENT:worker_id	ASSIGNMENT:status
 *
 * The task is its id, or all of its input where the file has none. Rejected and skipped assignments are left
 * out; GOLDEN is a known class.
 */
import { CrowdError } from "../error.ts";
import { textRows } from "./csv.ts";
import { scanCsv } from "./csv-scanner.ts";
import type { FileContext, Format, TableTarget } from "./format.ts";
import type { LabelCollector } from "./label-collector.ts";
import { excerpt, place } from "./problems.ts";
import { chooseOne, createToolLabels } from "./tool-labels.ts";
import { textTarget } from "./tool-table.ts";

const [INPUT, OUTPUT, GOLDEN] = ["INPUT:", "OUTPUT:", "GOLDEN:"];
const [TASK, WORKER, STATUS] = ["ASSIGNMENT:task_id", "ASSIGNMENT:worker_id", "ASSIGNMENT:status"];
const [SUBMITTED, STARTED] = ["ASSIGNMENT:submitted", "ASSIGNMENT:started"];

export const toloka: Format = {
  id: "toloka",
  title: "Toloka results",
  extensions: [],
  sniff(head, fileName) {
    const [header = []] = textRows(head, fileName) ?? [];
    return header.includes(WORKER) && header.some((name) => name.startsWith(OUTPUT)) ? 0.99 : 0;
  },
  reader: (labels, context) => scanCsv(tolokaTarget(labels, context), context),
};

function tolokaTarget(labels: LabelCollector, context: FileContext): TableTarget {
  const { file, options } = context;
  const { task: chosenTask, label } = options.columns ?? {};
  const sink = createToolLabels(labels, context);
  let output = "";
  let time = "";
  let names: readonly string[] = [];
  return textTarget(
    context,
    (header, line) => {
      const inputs = header.filter((name) => name.startsWith(INPUT));
      names = chosenTask !== undefined ? [chosenTask] : header.includes(TASK) ? [TASK] : inputs;
      const outputs = header.filter((name) => name.startsWith(OUTPUT)).map(withoutPrefix);
      const { name, wrong } = chooseOne(outputs, label && withoutPrefix(label), "answer");
      const missing = names.find((each) => !header.includes(each));
      if (wrong || missing || names.length === 0) {
        const what = wrong ?? `there is no column ${excerpt(missing ?? TASK)} that names the task.`;
        throw new CrowdError("bad-data", `${place(file, line)}: ${what}`);
      }
      output = name ?? "";
      time = header.includes(SUBMITTED) ? SUBMITTED : STARTED;
      context.understood(
        `task = ${names.map(excerpt).join(" + ")}, label = ${excerpt(OUTPUT + output)}`,
      );
      return [...names, OUTPUT + output, GOLDEN + output, WORKER, STATUS, time];
    },
    (text, line) => {
      const status = text(STATUS);
      // Several inputs are one name, as they would stand in a row.
      const task = names.map(text).join("\t");
      const golden = text(GOLDEN + output);
      if (golden !== "") sink.gold(task, golden, line);
      if (status === "REJECTED" || status === "SKIPPED" || status === "EXPIRED") {
        return sink.drop(`the assignment is ${status.toLowerCase()}`);
      }
      if (text(WORKER) === "") return sink.drop("nobody has labelled the task");
      sink.add(
        { task, worker: text(WORKER), label: text(OUTPUT + output), time: text(time) },
        line,
      );
    },
  );
}

const withoutPrefix = (name: string) =>
  name.startsWith(OUTPUT) ? name.slice(OUTPUT.length) : name;
