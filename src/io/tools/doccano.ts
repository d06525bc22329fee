/**
 * doccano's exports for classification: a file for each member, a task per line or, in CSV, a row. Who said it is
 * the name of the file; a task without labels was not done yet.
 *
 *   ana.jsonl:   {"id": 7, "text": "…", "label": ["positive"], "Comments": []}
 *   ana.csv:     id,text,label,Comments
 *
 * `all.jsonl` of a project whose members share annotations does not say whose they are.
 */
import { CrowdError } from "../../error.ts";
import { textRows } from "../csv.ts";
import { scanCsv } from "../csv-scanner.ts";
import type { FileContext, Format, Reader } from "../format.ts";
import { firstObjects, type JsonObject, scanJson, shown } from "../json-values.ts";
import type { LabelCollector } from "../label-collector.ts";
import { inPieces } from "../label-rows.ts";
import { excerpt, place } from "../problems.ts";
import { csvTable, jsonOrCsv } from "./json-or-csv.ts";
import { createToolLabels } from "./tool-labels.ts";
import { textTarget } from "./tool-table.ts";

export const doccano: Format = {
  id: "doccano",
  title: "doccano export",
  extensions: [],
  sniff(head, fileName) {
    const [first] = firstObjects(head);
    if (first) {
      const listed = Array.isArray(first["label"] ?? first["labels"]);
      return listed && "id" in first && ("text" in first || "filename" in first) ? 0.99 : 0;
    }
    const [header = []] = textRows(head, fileName) ?? [];
    return ["id", "label", "Comments"].every((name) => header.includes(name)) ? 0.99 : 0;
  },
  reader: (sink, context) => readDoccano(sink.labels(context), context),
  table: csvTable("doccano's JSON lines"),
  writeAnswers: ({ tasks, labels, confidence }) =>
    inPieces(
      tasks.map(
        (task, t) =>
          `${JSON.stringify({ ...named(task), label: [labels[t]], ...(confidence && { confidence: confidence[t] }) })}\n`,
      ),
    ),
};

/** Between the labels of a task in CSV. */
const SEVERAL = "#";

function readDoccano(labels: LabelCollector, context: FileContext): Reader {
  const { file, options } = context;
  const worker = file.replace(/^.*[\\/]/, "").replace(/\.(jsonl|json|csv)(\.gz)?$/i, "");
  if (worker.toLowerCase() === "all") {
    throw new CrowdError(
      "bad-data",
      `${file}: doccano's "all" does not say who gave which label. Turn off "share annotations across all users" ` +
        "in the project, or export each member's own file.",
    );
  }
  context.understood(`worker = ${excerpt(worker)}, the name of the file`);
  const { task = "id", label } = options.columns ?? {};
  const sink = createToolLabels(labels, context, {
    task,
    worker: "the name of the file",
    label: label ?? "label",
  });

  function give(name: unknown, given: readonly unknown[], line: number) {
    if (given.length === 0) return sink.drop("nothing was labelled yet");
    if (given.length > 1 || Array.isArray(given[0])) {
      const what = Array.isArray(given[0]) ? "places in the text, not a class" : "several classes";
      return sink.problem(line, `the label is ${what}: ${shown(given)}.`);
    }
    sink.add({ task: name, worker, label: given[0] }, line);
  }

  function readLine(row: JsonObject, line: number) {
    const given = row[label ?? "label"] ?? row["labels"];
    if (Array.isArray(given)) return give(row[task], given, line);
    sink.problem(line, `"${label ?? "label"}" should be a list, but is ${shown(given)}.`);
  }

  function readCsv(): Reader {
    const column = label ?? "label";
    const target = textTarget(
      context,
      (header, line) => {
        const missing = [task, column].find((name) => !header.includes(name));
        if (missing === undefined) return [task, column];
        throw new CrowdError(
          "bad-data",
          `${place(file, line)}: there is no column ${excerpt(missing)}; there are: ${header.map(excerpt).join(", ")}.`,
        );
      },
      (text, line) => {
        const cell = text(column);
        give(text(task), cell === "" ? [] : cell.split(SEVERAL), line);
      },
    );
    return scanCsv(target, context);
  }

  return jsonOrCsv(() => scanJson(readLine, context), readCsv);
}

/** A task by its number where the name is one, so that a line of doccano's own comes back as it was. */
function named(task: string): object {
  return { id: /^(0|[1-9]\d{0,14})$/.test(task) ? Number(task) : task, text: task };
}
