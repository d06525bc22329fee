/**
 * Prodigy's JSON lines, as `prodigy db-out` writes them: one answer per line.
 *
 *   {"text": "…", "accept": ["cat"], "answer": "accept", "_input_hash": 17, "_annotator_id": "news-ana"}
 *
 * The task is its input hash; a refused label says "not" that label. Lines with spans and tokens are tags:
 *
 *   {"text": "Ana", "tokens": [{"text": "Ana", "start": 0, "end": 3}], "spans": [{"start": 0, "end": 3, "label": "PER"}], …}
 */
import { hint } from "../../error.ts";
import { inexact } from "../cell.ts";
import type { FileContext, Format, Reader } from "../format.ts";
import {
  firstObjects,
  isObject,
  type JsonObject,
  listOf,
  scanJson,
  shown,
} from "../json-values.ts";
import type { Intake, Offer, Shape } from "../sink.ts";
import { characterPlaces, type TokenText } from "../spans-to-tags.ts";
import { afterLook } from "./first-objects.ts";
import { createToolLabels } from "./tool-labels.ts";
import { createToolRows, createToolTags, type Given } from "./tool-rows.ts";

export const prodigy: Format = {
  id: "prodigy",
  title: "Prodigy JSON lines",
  extensions: [],
  sniff(head) {
    const [first] = firstObjects(head);
    return first && "_input_hash" in first && "answer" in first ? 0.99 : 0;
  },
  reader: readProdigy,
};

/** Takes the lines of one shape. */
interface Taker {
  take(line: JsonObject, given: Given, at: number): void;
  drop(reason: string): void;
  finish?(): void;
}

function readProdigy(sink: Intake, context: FileContext): Reader {
  const { task: taskKey = "_input_hash" } = context.options.columns ?? {};
  // `prodigy db-out news > news.jsonl`: the name of the file is most often that of the data set.
  const base = context.file.replace(/^.*[\\/]/, "").replace(/\.\w+(\.gz)?$/i, "");
  let unnamed = 0;
  let taker: Taker | undefined;
  const look = afterLook((first) => {
    const made = takerOf(sink.take(offersOf(first), context), sink, context, taskKey);
    taker = made;
    return (line, at) => {
      if (line["answer"] === "ignore") return made.drop("the worker ignored the task");
      const { who, named } = workerOf(line, base);
      if (!named) unnamed++;
      made.take(line, { task: line[taskKey], worker: who, time: line["_timestamp"] }, at);
    };
  });
  return scanJson(
    (line, at, { text }) => look.each(line, at, text.length),
    context,
    () => {
      look.finish();
      taker?.finish?.();
      if (unnamed > 0) {
        context.note(
          `${context.file}: ${unnamed} answers were given without ?session=name, so that the time of a session stands for who gave them.`,
        );
      }
    },
  );
}

/** True for a line that marks spans: it has tokens or spans, and nothing that was chosen. */
const hasSpans = ({ accept, label, tokens, spans }: JsonObject) =>
  !Array.isArray(accept) &&
  typeof label !== "string" &&
  (Array.isArray(tokens) || Array.isArray(spans));

/** What the first lines hold. */
function offersOf(first: readonly JsonObject[]): Offer[] {
  const spans = first.filter(hasSpans).length;
  const shapes: Shape[] = [
    ...(spans < first.length || spans === 0 ? (["classes", "sets"] as const) : []),
    ...(spans > 0 || first.length === 0 ? (["tags"] as const) : []),
  ];
  return shapes.map((shape) => ({
    shape,
    why: shape === "tags" ? "its lines mark spans of text" : "its lines hold labels",
  }));
}

function takerOf(shape: Shape, sink: Intake, context: FileContext, task: string): Taker {
  if (shape === "tags") return tagTaker(sink, context);
  if (shape === "sets") return setTaker(sink, context);
  const fields = { task, worker: "_annotator_id", label: "accept" };
  const labels = createToolLabels(sink.labels(context), context, fields);
  return {
    drop: labels.drop,
    take(line, given, at) {
      const { label, wrong } = labelOf(line);
      if (wrong) labels.problem(at, wrong);
      else labels.add({ ...given, label }, at);
    },
  };
}

function setTaker(sink: Intake, context: FileContext): Taker {
  const rows = createToolRows(sink, context, ["label"]);
  return {
    ...rows,
    take(line, given, at) {
      const { answer, accept } = line;
      if (answer === "reject") rows.drop("the worker rejected the task");
      else if (answer !== "accept") rows.problem(at, badAnswer(answer));
      else if (Array.isArray(accept)) rows.add(given, [accept], at);
      else rows.problem(at, `"accept" should be a list, but is ${shown(accept)}.`);
    },
  };
}

function tagTaker(sink: Intake, context: FileContext): Taker {
  const tags = createToolTags(sink, context);
  return {
    ...tags,
    take(line, given, at) {
      const { answer, text, spans = [], tokens } = line;
      if (answer === "reject") return tags.drop("the worker rejected the spans");
      if (answer !== "accept") return tags.problem(at, badAnswer(answer));
      if (line["_view_id"] === "ner") {
        return tags.drop("the worker judged one suggested span, not all of the text");
      }
      if (typeof text !== "string") {
        return tags.problem(at, `"text" should be text, but is ${shown(text)}.`);
      }
      const strange = Array.isArray(spans) ? spans.find((span) => !isObject(span)) : spans;
      if (strange !== undefined) {
        return tags.problem(
          at,
          `"spans" should be a list of objects, but holds ${shown(strange)}.`,
        );
      }
      const own = tokens === undefined ? {} : tokensIn(tokens, text);
      if (own.wrong) return tags.problem(at, own.wrong);
      const marked = listOf(spans)
        .filter(isObject)
        .map(({ start, end, label }) => ({ start, end, labels: [label] }));
      tags.add(given, { text, unit: "characters", tokens: own.tokens }, marked, at);
    },
  };
}

/** The tokens that a line says, one behind the other. */
function tokensIn(tokens: unknown, text: string): { tokens?: TokenText; wrong?: string } {
  let end = 0;
  const bad = Array.isArray(tokens)
    ? tokens.find((token) => {
        const fits =
          isObject(token) &&
          typeof token["text"] === "string" &&
          inexact(token["text"]) === undefined &&
          Number.isSafeInteger(token["start"]) &&
          Number.isSafeInteger(token["end"]) &&
          Number(token["start"]) >= end &&
          Number(token["end"]) > Number(token["start"]);
        if (fits) end = Number(token["end"]);
        return !fits;
      })
    : tokens;
  if (bad !== undefined) {
    return {
      wrong: `"tokens" should be a list of objects with text, start and end, in their order, but holds ${shown(bad)}.`,
    };
  }
  const found = listOf(tokens)
    .filter(isObject)
    .filter((token) => String(token["text"]).trim() !== "")
    .map((token) => ({
      start: Number(token["start"]),
      end: Number(token["end"]),
      text: String(token["text"]),
    }));
  return { tokens: { tokens: found, length: Math.max(end, characterPlaces(text).length - 1) } };
}

const badAnswer = (answer: unknown) =>
  `"answer" should be accept, reject or ignore, but is ${shown(answer)}.`;

function labelOf(line: JsonObject): { label?: unknown; wrong?: string } {
  const { answer, accept, label } = line;
  if (answer !== "accept" && answer !== "reject") return { wrong: badAnswer(answer) };
  if (Array.isArray(accept)) {
    if (answer === "reject") return { label: undefined };
    if (accept.length > 1) {
      return {
        wrong: `several options were accepted: ${shown(accept)}. Methods choose one class; ${hint("kind", "multi-label")} reads several.`,
      };
    }
    return { label: accept[0] };
  }
  if (typeof label !== "string") {
    const spans = hasSpans(line) ? ` Spans are read as ${hint("kind", "sequence")}.` : "";
    return {
      wrong: `there is neither a list "accept" nor a text "label".${spans}`,
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
