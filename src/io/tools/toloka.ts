/**
 * Toloka's results: a TSV with a row per answer.
 *
 *   INPUT:image	OUTPUT:result	GOLDEN:result	ASSIGNMENT:task_id	ASSIGNMENT:worker_id	ASSIGNMENT:status
 *
 * The task is its id, or all of its input where the file has none. Rejected and skipped assignments are left
 * out; GOLDEN is a known class. Answers go back as Toloka's own aggregation would have them.
 */
import { CrowdError } from "../../error.ts";
import type { Answers } from "../answers.ts";
import { textRows } from "../csv.ts";
import { scanCsv } from "../csv-scanner.ts";
import { csvCell } from "../csv-writer.ts";
import type { FileContext, Format, TableTarget } from "../format.ts";
import type { LabelCollector } from "../label-collector.ts";
import { excerpt, place } from "../problems.ts";
import { type Amender, createMatching } from "./amend.ts";
import { chooseOne, createToolLabels, REJECTED } from "./tool-labels.ts";
import { type TextOf, textTarget } from "./tool-table.ts";

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
  reader: (sink, context) => scanCsv(tolokaTarget(sink.labels(context), context), context),
  amend: aggregated,
};

/** Which columns name the task, and which holds the answer; a file without them is an error. */
function columnsOf(header: readonly string[], line: number, { file, options }: FileContext) {
  const { task, label } = options.columns ?? {};
  const inputs = header.filter((name) => name.startsWith(INPUT));
  const names = task !== undefined ? [task] : header.includes(TASK) ? [TASK] : inputs;
  const outputs = header.filter((name) => name.startsWith(OUTPUT)).map(withoutPrefix);
  const { name = "", wrong } = chooseOne(outputs, label && withoutPrefix(label), "answer");
  const missing = names.find((each) => !header.includes(each));
  const what =
    outputs.length === 0
      ? `there is no column ${excerpt(`${OUTPUT}…`)}. Is this the file of a pool's results?`
      : missing !== undefined || names.length === 0
        ? `there is no column ${excerpt(missing ?? TASK)} that names the task; there are: ${header.map(excerpt).join(", ")}.`
        : wrong;
  if (what) throw new CrowdError("bad-data", `${place(file, line)}: ${what}`);
  return { names, inputs, output: name };
}

/** Several inputs are one name, as they would stand in a row. */
const taskOf = (names: readonly string[], text: TextOf) => names.map(text).join("\t");

function tolokaTarget(labels: LabelCollector, context: FileContext): TableTarget {
  const { options } = context;
  const sink = createToolLabels(labels, context, { task: TASK, worker: WORKER, label: OUTPUT });
  let output = "";
  let time = "";
  let names: readonly string[] = [];
  return textTarget(
    context,
    (header, line) => {
      ({ names, output } = columnsOf(header, line, context));
      time = header.includes(SUBMITTED) ? SUBMITTED : STARTED;
      context.understood(
        `task = ${names.map(excerpt).join(" + ")}, label = ${excerpt(OUTPUT + output)}`,
      );
      return [...names, OUTPUT + output, GOLDEN + output, WORKER, STATUS, time];
    },
    (text, line) => {
      const status = text(STATUS);
      const task = taskOf(names, text);
      const golden = text(GOLDEN + output);
      if (golden !== "") sink.gold(task, golden, line);
      if (status === "REJECTED" && !options.rejected) return sink.drop(REJECTED);
      if (status === "SKIPPED" || status === "EXPIRED") {
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

/** Toloka's own form of answers: a row per task, its input, the answer, and how sure it is in per cent. */
function aggregated(answers: Answers, context: FileContext): Amender {
  const matching = createMatching(answers, context, "left out");
  const rows = new Map<string, { readonly inputs: readonly string[]; readonly answer: number }>();
  let columns: ReturnType<typeof columnsOf>;
  const target = textTarget(
    context,
    (header, line) => {
      columns = columnsOf(header, line, context);
      return [...columns.names, ...columns.inputs];
    },
    (text) => {
      const task = taskOf(columns.names, text);
      if (rows.has(task)) return;
      rows.set(task, { inputs: columns.inputs.map(text), answer: matching.find(task) });
    },
    matching.finish,
  );
  function* written() {
    const sure = answers.confidence ? [`CONFIDENCE:${columns.output}`] : [];
    yield tsvLine([...columns.inputs, OUTPUT + columns.output, ...sure]);
    for (const { inputs, answer } of rows.values()) {
      if (answer < 0) continue;
      const percent = answers.confidence && [perCent(answers.confidence[answer])];
      yield tsvLine([...inputs, answers.labels[answer], ...(percent ?? [])]);
    }
  }
  return { ...scanCsv(target, context), written };
}

const tsvLine = (cells: readonly string[]) => `${cells.map(csvCell).join("\t")}\n`;

/** `93.25%`. */
const perCent = (share: number) =>
  Number.isNaN(share) ? "" : `${Number((share * 100).toFixed(4))}%`;

const withoutPrefix = (name: string) =>
  name.startsWith(OUTPUT) ? name.slice(OUTPUT.length) : name;
