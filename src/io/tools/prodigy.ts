/**
 * Prodigy's JSON lines, as `prodigy db-out` writes them: one answer per line.
 *
 *   {"text": "…", "accept": ["cat"], "answer": "accept", "_input_hash": 17, "_annotator_id": "news-ana"}
 *
 * The task is its input hash; a refused label says "not" that label.
 */
import type { FileContext, Format, Reader } from "../format.ts";
import { firstObjects, type JsonObject, scanJson, shown } from "../json-values.ts";
import type { LabelCollector } from "../label-collector.ts";
import { createToolLabels } from "./tool-labels.ts";

export const prodigy: Format = {
  id: "prodigy",
  title: "Prodigy JSON lines",
  extensions: [],
  sniff(head) {
    const [first] = firstObjects(head);
    return first && "_input_hash" in first && "answer" in first ? 0.99 : 0;
  },
  reader: (sink, context) => readProdigy(sink.labels(context), context),
};

function readProdigy(labels: LabelCollector, context: FileContext): Reader {
  const { task: taskKey = "_input_hash" } = context.options.columns ?? {};
  const sink = createToolLabels(labels, context, {
    task: taskKey,
    worker: "_annotator_id",
    label: "accept",
  });
  // `prodigy db-out news > news.jsonl`: the name of the file is most often that of the data set.
  const base = context.file.replace(/^.*[\\/]/, "").replace(/\.\w+(\.gz)?$/i, "");
  let unnamed = 0;
  return scanJson(
    (line, at) => {
      const { answer } = line;
      if (answer === "ignore") return sink.drop("the worker ignored the task");
      const { who, named } = workerOf(line, base);
      if (!named) unnamed++;
      const { label, wrong } = labelOf(line);
      if (wrong) return sink.problem(at, wrong);
      sink.add({ task: line[taskKey], worker: who, label, time: line["_timestamp"] }, at);
    },
    context,
    () => {
      if (unnamed > 0) {
        context.note(
          `${context.file}: ${unnamed} answers were given without ?session=name, so that the time of a session stands for who gave them.`,
        );
      }
    },
  );
}

function labelOf(line: JsonObject): { label?: unknown; wrong?: string } {
  const { answer, accept, label } = line;
  if (answer !== "accept" && answer !== "reject") {
    return {
      wrong: `"answer" should be accept, reject or ignore, but is ${shown(answer)}.`,
    };
  }
  if (Array.isArray(accept)) {
    if (answer === "reject") return { label: undefined };
    if (accept.length > 1) {
      return {
        wrong: `several options were accepted: ${shown(accept)}. Methods choose one class.`,
      };
    }
    return { label: accept[0] };
  }
  if (typeof label !== "string") {
    return {
      wrong:
        'there is neither a list "accept" nor a text "label". Only choices and yes-or-no labels can be read, not spans.',
    };
  }
  return { label: answer === "accept" ? label : `not ${label}` };
}

/** `news-ana` is ana of the dataset news; a date and time is a session without a name. */
function workerOf(line: JsonObject, dataset: string): { who: unknown; named: boolean } {
  const id = line["_annotator_id"] ?? line["_session_id"];
  if (typeof id !== "string") return { who: id ?? "unnamed", named: false };
  const text = decode(id);
  const time = /\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}$/.exec(text);
  if (time) return { who: text, named: false };
  const known = dataset !== "" && text.startsWith(`${dataset}-`);
  return { who: text.slice(known ? dataset.length + 1 : text.indexOf("-") + 1), named: true };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
