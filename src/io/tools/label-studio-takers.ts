/** Takes what annotations of Label Studio say, in the shape that is read. */
import { hint, plural } from "../../error.ts";
import { textOf } from "../cell.ts";
import { hasColumn, mapping } from "../column-names.ts";
import type { FileContext } from "../format.ts";
import { isObject, type JsonObject, shown } from "../json-values.ts";
import { excerpt } from "../problems.ts";
import type { Intake, Shape } from "../sink.ts";
import { characterPlaces, type OffsetUnit, type Span } from "../spans-to-tags.ts";
import { answersOf, resultsOf, type Said } from "./label-studio-values.ts";
import { createToolLabels } from "./tool-labels.ts";
import { createToolRows, createToolTags, type Given, type Text } from "./tool-rows.ts";

export interface Taker {
  give(given: Given, said: Said, line: number): void;
  /** A known answer; `voted` says whether somebody else answered for this task. */
  gold(task: unknown, said: Said, line: number, voted: boolean): void;
  drop(reason: string): void;
  problem(line: number, what: string): void;
  finish(): void;
}

type CreateTaker = (sink: Intake, context: FileContext, first: readonly JsonObject[]) => Taker;

/** How answers of each shape are taken. */
export const takers: Readonly<Record<Shape, CreateTaker>> = {
  classes: labelTaker,
  levels: labelTaker,
  sets: setTaker,
  values: valueTaker,
  pairs: pairTaker,
  tags: tagTaker,
};

const NO_ANSWER = "the question has no answer";
const LONE_GOLD = "a known answer of a task that nobody else answered";

const several = (answers: readonly unknown[]) =>
  `there are several answers: ${shown(answers)}. Methods choose one class; ${hint("kind", "multi-label")} reads several.`;

function labelTaker(sink: Intake, context: FileContext): Taker {
  const { columns = {} } = context.options;
  const labels = createToolLabels(sink.labels(context), context, {
    task: columns.task ?? "id",
    worker: "completed_by",
    label: columns.label ?? "result",
  });
  const one = ({ answers }: Said, line: number, take: (label: unknown) => void) => {
    if (answers.length === 0) labels.drop(NO_ANSWER);
    else if (answers.length > 1) labels.problem(line, several(answers));
    else take(answers[0]);
  };
  return {
    give: (given, said, line) => one(said, line, (label) => labels.add({ ...given, label }, line)),
    gold: (task, said, line) => one(said, line, (label) => labels.gold(task, label, line)),
    drop: labels.drop,
    problem: labels.problem,
    finish: () => {},
  };
}

function valueTaker(sink: Intake, context: FileContext): Taker {
  const rows = createToolRows(sink, context, ["value"]);
  return {
    ...rows,
    give(given, { answers }, line) {
      if (answers.length === 0) rows.drop(NO_ANSWER);
      else if (answers.length > 1)
        rows.problem(line, `there are several answers: ${shown(answers)}.`);
      else rows.add(given, answers, line);
    },
    gold(task, { answers }, line, voted) {
      const known = answers.length === 1 ? Number(textOf(answers[0]) || Number.NaN) : Number.NaN;
      if (!voted) rows.drop(LONE_GOLD);
      else if (Number.isFinite(known)) sink.known([textOf(task) ?? "", known]);
      else rows.problem(line, `the known value should be one number, but is ${shown(answers)}.`);
    },
  };
}

function setTaker(sink: Intake, context: FileContext): Taker {
  const rows = createToolRows(sink, context, ["label"]);
  let none = 0;
  return {
    ...rows,
    give(given, { answers }, line) {
      if (answers.length === 0) none++;
      rows.add(given, [answers], line);
    },
    gold(task, { answers }, _, voted) {
      if (!voted) return rows.drop(LONE_GOLD);
      for (const label of answers.length > 0 ? answers : [""]) {
        sink.known([textOf(task) ?? "", textOf(label) ?? ""]);
      }
    },
    finish() {
      rows.finish();
      if (none > 0) {
        context.note(
          `${context.file}: ${plural(none, "annotation")} without a choice: the worker chose no label.`,
        );
      }
    },
  };
}

function pairTaker(sink: Intake, context: FileContext): Taker {
  const rows = createToolRows(sink, context, ["left", "right", "label"]);
  return {
    ...rows,
    give(given, said, line) {
      const { answers } = said;
      if (answers.length === 0) return rows.drop(NO_ANSWER);
      if (answers.length > 1) {
        return rows.problem(line, `there are several answers: ${shown(answers)}.`);
      }
      const { left, right, wrong } = itemsOf(said, context);
      if (wrong) rows.problem(line, wrong);
      else rows.add(given, [left, right, answers[0]], line);
    },
    gold: () => rows.drop("a comparison that is marked as ground truth is no score of an item"),
  };
}

/** The two items of a comparison: fields of the task that are named, that the question is about, or that are called so. */
function itemsOf(
  { data, to }: Said,
  { options }: FileContext,
): { left?: unknown; right?: unknown; wrong?: string } {
  const { left, right } = options.columns ?? {};
  const fields = Object.keys(data).filter((key) => textOf(data[key]) !== undefined);
  const about = (to ?? "").split(",").map((name) => name.trim());
  const called = (["left", "right"] as const).map(
    (side) => fields.find((key) => hasColumn([key], side)) ?? "",
  );
  const pair = [[left ?? "", right ?? ""], about, called].find(
    (names) => names.length === 2 && names.every((name) => fields.includes(name)),
  );
  if (pair) return { left: data[pair[0]], right: data[pair[1]] };
  const list = fields.slice(0, 12).map(excerpt).join(", ");
  return {
    wrong:
      `the two items are not clear among the fields of the task (${list || "none"}). ` +
      `Name both: ${mapping("left", "FIELD")} and ${mapping("right", "FIELD")}.`,
  };
}

function tagTaker(sink: Intake, context: FileContext, first: readonly JsonObject[]): Taker {
  const tags = createToolTags(sink, context);
  const field = createTextField(context);
  let strayed = 0;
  for (const task of first) {
    const data = isObject(task["data"]) ? task["data"] : task;
    for (const said of answersOf(resultsOf(task), "tags", data, new Map()).values())
      field.find(said, said.answers.filter(isObject));
  }
  /** Finds text and spans, or says what is wrong. */
  function read(said: Said, line: number, take: (text: Text, spans: readonly Span[]) => void) {
    const strange = said.answers.find((answer) => !isObject(answer));
    if (strange !== undefined) {
      return tags.problem(line, `a span should be an object, but is ${shown(strange)}.`);
    }
    const given = said.answers.filter(isObject);
    const { text, wrong, elsewhere } = field.find(said, given);
    if (!text) return tags.problem(line, wrong ?? "");
    if (elsewhere) strayed++;
    const spans = given.map(({ start, end, labels }) => ({
      start,
      end,
      labels: Array.isArray(labels) ? labels : [labels],
    }));
    take(text, spans);
  }
  return {
    ...tags,
    give: (given, said, line) =>
      read(said, line, (text, spans) => tags.add(given, text, spans, line)),
    gold(task, said, line, voted) {
      if (!voted) return tags.drop(LONE_GOLD);
      read(said, line, (text, spans) => tags.gold(task, text, spans, line));
    },
    finish() {
      tags.finish();
      if (strayed === 0) return;
      context.note(
        `${context.file}: ${plural(strayed, "annotation")} with spans that say another text than stands at their place; the place counts.`,
      );
    },
  };
}

/** Finds the field of a task that spans are about: the text of spans stands at their place in it. */
function createTextField({ options }: FileContext) {
  const named = options.columns?.["text"];
  let known: string | undefined;
  return {
    find(
      { data, to }: Said,
      spans: readonly JsonObject[],
    ): { text?: Text; wrong?: string; elsewhere?: boolean } {
      const texts = Object.keys(data).filter((key) => typeof data[key] === "string");
      const likely = named === undefined ? [to, known, "text"] : [named];
      const first = likely.find((key) => key !== undefined && texts.includes(key));
      const others = named === undefined ? texts : [];
      const all = first === undefined ? others : [first, ...others.filter((key) => key !== first)];
      const said = spans.filter((span) => typeof span["text"] === "string");
      const read = all.flatMap((key) => {
        const text = String(data[key]);
        const unit = said.length > 0 ? unitOf(text, said) : undefined;
        return unit ? [{ key, text, unit }] : [];
      });
      if (read.length > 0) {
        known = read[0].key;
        return { text: read[0] };
      }
      const only = first ?? (all.length === 1 ? all[0] : undefined);
      if (only === undefined) return { wrong: noText(named, texts) };
      const text = { text: String(data[only]), unit: "utf-16" as const };
      return { text, elsewhere: said.length > 0 };
    },
  };
}

/** How the offsets count, if the text of every span stands where they say. */
function unitOf(text: string, spans: readonly JsonObject[]): OffsetUnit | undefined {
  const stands = (place: (at: number) => number) =>
    spans.every(
      ({ start, end, text: said }) => text.slice(place(Number(start)), place(Number(end))) === said,
    );
  if (stands((at) => at)) return "utf-16";
  const places = characterPlaces(text);
  if (places.length === text.length + 1) return undefined;
  return stands((at) => places[at] ?? text.length) ? "characters" : undefined;
}

function noText(named: string | undefined, texts: readonly string[]): string {
  const list = texts.slice(0, 12).map(excerpt).join(", ") || "none";
  const what =
    named === undefined
      ? "the text that spans are about is not clear"
      : `there is no text ${excerpt(named)}`;
  return `${what}; fields with text: ${list}. Choose one: ${mapping("text", "FIELD")}.`;
}
