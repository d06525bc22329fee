/**
 * doccano's exports for classification and for spans of text: a file for each member, a task per line or, in CSV, a row. Who
 * said it is the name of the file, or `user` where there is one; a task without labels was not done yet.
 *
 *   ana.jsonl:   {"id": 7, "text": "…", "label": ["positive"], "Comments": []}
 *   ana.csv:     id,text,label,Comments
 *   ana.jsonl:   {"id": 7, "text": "Ana", "label": [[0, 3, "PER"]]}
 *                {"id": 7, "text": "Ana", "entities": [{"start_offset": 0, "end_offset": 3, "label": "PER"}]}
 *
 * `all.jsonl` of a project whose members share annotations does not say whose they are.
 */
import { CrowdError, hint } from "../../error.ts";
import { textOf } from "../cell.ts";
import { textRows } from "../csv.ts";
import { scanCsv } from "../csv-scanner.ts";
import type { FileContext, Format, Reader } from "../format.ts";
import {
  firstObjects,
  isObject,
  type JsonObject,
  listOf,
  scanJson,
  shown,
} from "../json-values.ts";
import { inPieces } from "../label-rows.ts";
import { excerpt, place } from "../problems.ts";
import type { Intake, Offer, Shape } from "../sink.ts";
import type { Span } from "../spans-to-tags.ts";
import { afterLook } from "./first-objects.ts";
import { csvTable, jsonOrCsv } from "./json-or-csv.ts";
import { createToolLabels } from "./tool-labels.ts";
import { createToolRows, createToolTags, type Given } from "./tool-rows.ts";
import { textTarget } from "./tool-table.ts";

export const doccano: Format = {
  id: "doccano",
  title: "doccano export",
  extensions: [],
  sniff(head, fileName) {
    const [first] = firstObjects(head);
    if (first) {
      const listed = Array.isArray(first["label"] ?? first["labels"]) || hasEntities(first);
      return listed && "id" in first && ("text" in first || "filename" in first) ? 0.99 : 0;
    }
    const [header = []] = textRows(head, fileName) ?? [];
    return ["id", "label", "Comments"].every((name) => header.includes(name)) ? 0.99 : 0;
  },
  reader: readDoccano,
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

/** True for a record whose spans are objects with offsets. */
const hasEntities = ({ entities }: JsonObject): boolean =>
  Array.isArray(entities) &&
  entities.every((each) => isObject(each) && Object.hasOwn(each, "start_offset"));

/** Takes what stands in the place of the label: a list of classes, or of spans. */
interface Taker {
  take(given: Given, said: readonly unknown[], text: unknown, line: number): void;
  drop(reason: string): void;
  problem(line: number, what: string): void;
  finish?(): void;
}

function readDoccano(sink: Intake, context: FileContext): Reader {
  const { file, options } = context;
  const worker = file.replace(/^.*[\\/]/, "").replace(/\.(jsonl|json|csv)(\.gz)?$/i, "");
  const { task = "id", label = "label", text = "text" } = options.columns ?? {};
  let taker: Taker | undefined;
  let users = 0;
  let files = 0;
  /** Who said it, and what; the name of the file is asked for only where no record says it. */
  const who = (user: unknown) => {
    if (textOf(user) !== undefined) {
      users++;
      return user;
    }
    if (worker.toLowerCase() === "all") throw nobody(file);
    files++;
    return worker;
  };
  const look = afterLook((first) => {
    const shape = sink.take(offersOf(first, label), context);
    const made = takers[shape](sink, context);
    taker = made;
    return (row, line) => {
      const said = saidIn(row, label);
      const given = { task: row[task], worker: who(row["user"]) };
      if (!Array.isArray(said)) {
        made.problem(line, `"${label}" should be a list, but is ${shown(said)}.`);
      } else if (said.length === 0) made.drop("nothing was labelled yet");
      else made.take(given, said, row[text], line);
    };
  });
  const finish = () => {
    look.finish();
    taker?.finish?.();
    if (files > 0) context.understood(`worker = ${excerpt(worker)}, the name of the file`);
    if (users > 0) context.understood('worker = "user"');
  };
  return jsonOrCsv(
    () =>
      scanJson((row, line, { text: json }) => look.each(row, line, json.length), context, finish),
    () => readCsv([task, label], context, look.each, finish),
  );
}

/** Reads a row of CSV as a record: labels of a task are joined by `#`. */
function readCsv(
  columns: readonly string[],
  context: FileContext,
  each: (row: JsonObject, line: number, length: number) => void,
  finish: () => void,
): Reader {
  const [task, label] = columns;
  let named = false;
  const target = textTarget(
    context,
    (header, line) => {
      const missing = columns.find((name) => !header.includes(name));
      named = header.includes("user");
      if (missing === undefined) return named ? [...columns, "user"] : columns;
      throw new CrowdError(
        "bad-data",
        `${place(context.file, line)}: there is no column ${excerpt(missing)}; there are: ${header.map(excerpt).join(", ")}.`,
      );
    },
    (text, line) => {
      const cell = text(label);
      const said = cell === "" ? [] : cell.split(SEVERAL);
      const user = named ? { user: text("user") || null } : {};
      each({ ...user, [task]: text(task), [label]: said }, line, cell.length);
    },
    finish,
  );
  return scanCsv(target, context);
}

/** What was said of a task. */
const saidIn = (row: JsonObject, label: string): unknown =>
  row[label] ?? row["labels"] ?? row["entities"];

const isSpan = (each: unknown) => Array.isArray(each) || isObject(each);

/** What the first records hold; lists of spans are lists of lists or of objects. */
function offersOf(first: readonly JsonObject[], label: string): Offer[] {
  const said = first.flatMap((row) => listOf(saidIn(row, label)));
  const spans = said.some(isSpan) || first.some(({ entities }) => Array.isArray(entities));
  const classes = said.some((each) => !isSpan(each));
  const shapes: Shape[] = [
    ...(classes || !spans ? (["classes", "sets"] as const) : []),
    ...(spans || said.length === 0 ? (["tags"] as const) : []),
  ];
  return shapes.map((shape) => ({
    shape,
    why: shape === "tags" ? "its labels are spans of text" : "its labels are classes",
  }));
}

const takers: Readonly<Record<Shape, (sink: Intake, context: FileContext) => Taker>> = {
  classes: labelTaker,
  levels: labelTaker,
  values: labelTaker,
  pairs: labelTaker,
  sets: setTaker,
  tags: tagTaker,
};

function labelTaker(sink: Intake, context: FileContext): Taker {
  const { task = "id", label = "label" } = context.options.columns ?? {};
  const fields = { task, worker: "the name of the file", label };
  const labels = createToolLabels(sink.labels(context), context, fields);
  return {
    ...labels,
    take(given, said, _, line) {
      const [only] = said;
      if (said.length === 1 && !isSpan(only)) return labels.add({ ...given, label: only }, line);
      const what = isSpan(only) ? "places in the text, not a class" : "several classes";
      const kind = hint("kind", isSpan(only) ? "sequence" : "multi-label");
      labels.problem(line, `the label is ${what}: ${shown(said)}. ${kind} reads them.`);
    },
  };
}

function setTaker(sink: Intake, context: FileContext): Taker {
  const rows = createToolRows(sink, context, ["label"]);
  return { ...rows, take: (given, said, _, line) => rows.add(given, [said], line) };
}

function tagTaker(sink: Intake, context: FileContext): Taker {
  const tags = createToolTags(sink, context);
  return {
    ...tags,
    take(given, said, text, line) {
      const strange = said.find((each) => !isSpan(each));
      if (strange !== undefined) {
        return tags.problem(
          line,
          `a span should be [start, end, label] or an object, but is ${shown(strange)}.`,
        );
      }
      if (typeof text !== "string") {
        return tags.problem(line, `"text" should be text, but is ${shown(text)}.`);
      }
      tags.add(given, { text, unit: "characters" }, said.map(spanOf), line);
    },
  };
}

function spanOf(said: unknown): Span {
  if (Array.isArray(said)) return { start: said[0], end: said[1], labels: [said[2]] };
  const { start_offset, end_offset, label } = isObject(said) ? said : {};
  return { start: start_offset, end: end_offset, labels: [label] };
}

function nobody(file: string): CrowdError {
  return new CrowdError(
    "bad-data",
    `${file}: doccano's "all" does not say who gave which label. Turn off "share annotations across all users" ` +
      "in the project, or export each member's own file.",
  );
}

/** A task by its number where the name is one, so that a line of doccano's own comes back as it was. */
function named(task: string): object {
  return { id: /^(0|[1-9]\d{0,14})$/.test(task) ? Number(task) : task, text: task };
}
