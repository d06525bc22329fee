/**
 * doccano's exports for classification: a file for each member, a task a line. Who said it is the name of the
 * file; a line without labels was not done yet.
 *
 *   ana.jsonl:   {"id": 7, "text": "…", "label": ["positive"], "Comments": []}
 *
 * `all.jsonl` of a project whose members share annotations does not say whose they are.
 */
import { CrowdError } from "../error.ts";
import type { FileContext, Format, Reader } from "./format.ts";
import { firstObjects, scanJson } from "./json-values.ts";
import type { LabelCollector } from "./label-collector.ts";
import { inPieces } from "./label-rows.ts";
import { excerpt } from "./problems.ts";
import { createToolLabels } from "./tool-labels.ts";

export const doccano: Format = {
  id: "doccano",
  title: "doccano JSON lines",
  extensions: [],
  sniff(head) {
    const [first] = firstObjects(head);
    if (!first || !Array.isArray(first["label"] ?? first["labels"])) return 0;
    return "id" in first && ("text" in first || "filename" in first) ? 0.99 : 0;
  },
  reader: readDoccano,
  writeAnswers: ({ tasks, labels, confidence }) =>
    inPieces(
      tasks.map(
        (task, t) =>
          `${JSON.stringify({ ...named(task), label: [labels[t]], ...(confidence && { confidence: confidence[t] }) })}\n`,
      ),
    ),
};

function readDoccano(labels: LabelCollector, context: FileContext): Reader {
  const { file, options } = context;
  const worker = file.replace(/^.*[\\/]/, "").replace(/\.(jsonl|json)(\.gz)?$/i, "");
  if (worker.toLowerCase() === "all") {
    throw new CrowdError(
      "bad-data",
      `${file}: doccano's "all" does not say who gave which label. Turn off "share annotations across all users" ` +
        "in the project, or export each member's own file.",
    );
  }
  context.understood(`worker = ${excerpt(worker)}, the name of the file`);
  const sink = createToolLabels(labels, context);
  const { task: taskKey = "id", label: labelKey } = options.columns ?? {};
  return scanJson((line, at) => {
    const given = line[labelKey ?? "label"] ?? line["labels"];
    if (!Array.isArray(given)) {
      return sink.problem(
        at,
        `"label" should be a list, but is ${excerpt(JSON.stringify(given) ?? "missing")}.`,
      );
    }
    if (given.length === 0) return sink.drop("nothing was labelled yet");
    if (given.length > 1 || Array.isArray(given[0])) {
      const what = Array.isArray(given[0]) ? "places in the text, not a class" : "several classes";
      return sink.problem(at, `the label is ${what}: ${excerpt(JSON.stringify(given))}.`);
    }
    sink.add({ task: line[taskKey], worker, label: given[0] }, at);
  }, context);
}

/** A task by its number where the name is one, so that a line of doccano's own comes back as it was. */
function named(task: string): object {
  return { id: /^(0|[1-9]\d{0,14})$/.test(task) ? Number(task) : task, text: task };
}
