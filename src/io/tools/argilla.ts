/**
 * Argilla's records: with responses by question, as version 2 writes them, flat, as version 2 has them on the
 * Hub, or as version 1 had them there.
 *
 *   [{"id": "7", "fields": {…}, "responses": {"sentiment": [{"value": "positive", "user_id": "ana"}]}}]
 *   {"id": "7", "sentiment.responses": ["positive"], "sentiment.responses.users": ["ana"],
 *    "sentiment.responses.status": ["submitted"]}
 *   {"external_id": "7", "sentiment": {"user_id": ["ana"], "value": ["positive"], "status": ["submitted"]}}
 *
 * Drafts and discarded responses are left out where the file tells them.
 */
import { CrowdError, hint, plural } from "../../error.ts";
import type { Answers } from "../answers.ts";
import { textOf } from "../cell.ts";
import type { FileContext, Format } from "../format.ts";
import {
  firstObjects,
  isObject,
  type JsonObject,
  listOf,
  parseJson,
  scanJson,
  shown,
} from "../json-values.ts";
import type { LabelCollector } from "../label-collector.ts";
import { excerpt } from "../problems.ts";
import { AGENT, type Amender, createAmender } from "./amend.ts";
import { setKey, textOfKey } from "./json-edit.ts";
import { createQuestions, createToolLabels, PREDICTED } from "./tool-labels.ts";

/** What stands behind the name of a question, in versions 2 and 1. */
const [RESPONSES, USERS, STATUS] = [".responses", ".responses.users", ".responses.status"];
const [SUGGESTION, OLD_SUGGESTION] = [".suggestion", "-suggestion"];
/** What names a record, the first that is there. */
const NAMES = ["id", "external_id"];

export const argilla: Format = {
  id: "argilla",
  title: "Argilla records",
  extensions: [],
  sniff: (head) => (firstObjects(head).some(isArgilla) ? 0.99 : 0),
  reader(sink, context) {
    const labels = sink.labels(context);
    const records = argillaRecords(labels, context);
    return scanJson(records.read, context, records.finish);
  },
  amend: amendRecords,
};

function isArgilla(record: JsonObject): boolean {
  return (
    (isObject(record["responses"]) && isObject(record["fields"])) ||
    argillaQuestions(Object.keys(record), (key) => keysIn(record[key])).length > 0
  );
}

/** The keys of an object, or of the first in a list. */
function keysIn(value: unknown): readonly string[] {
  const [first] = Array.isArray(value) ? value : [value];
  return isObject(first) ? Object.keys(first) : [];
}

/** The questions of flat records, by the names of their columns and what lies in these. */
export function argillaQuestions(
  columns: readonly string[],
  inside: (column: string) => readonly string[],
): string[] {
  return columns.flatMap((name) => {
    if (name.endsWith(USERS)) return [name.slice(0, -USERS.length)];
    const keys = inside(name);
    return ["user_id", "value", "status"].every((key) => keys.includes(key)) ? [name] : [];
  });
}

/** The columns of flat records that are looked at. */
export function argillaColumns(questions: readonly string[], task: string | undefined): string[] {
  const parts = ["", RESPONSES, USERS, STATUS, SUGGESTION, `${SUGGESTION}.agent`];
  const old = [OLD_SUGGESTION, `${OLD_SUGGESTION}-metadata`];
  return [
    ...(task === undefined ? NAMES : [task, "metadata"]),
    ...questions.flatMap((question) => [...parts, ...old].map((part) => question + part)),
  ];
}

interface Response {
  readonly value: unknown;
  readonly user: unknown;
  readonly status: unknown;
}

/** Takes the responses of records, however they were read. */
export function argillaRecords(labels: LabelCollector, context: FileContext) {
  const { columns = {}, predictions = false } = context.options;
  const sink = createToolLabels(labels, context, {
    task: columns.task ?? "id",
    worker: "user_id",
    label: columns.label ?? "value",
  });
  const questions = createQuestions(columns.label, "question", sink.problem);
  let nested = false;

  function read(record: JsonObject, line: number): void {
    const asked = questionsOf(record, predictions);
    const question = questions.pick(asked, line);
    nested ||= isObject(record["responses"]);
    if (question === undefined) {
      // Several questions are a problem that was told already.
      if (asked.length === 0 || columns.label !== undefined)
        sink.drop("the question has no answer");
      return;
    }
    const task = taskOf(record, columns.task);
    const { responses, wrong } = responsesOf(record, question);
    if (wrong) sink.problem(line, wrong);
    for (const { value, user, status } of responses) {
      if (status === "draft" || status === "discarded") sink.drop(`the response is ${status}`);
      else if (Array.isArray(value)) {
        sink.problem(line, `there are several answers: ${shown(value)}. Methods choose one class.`);
      } else sink.add({ task, worker: user, label: value }, line);
    }
    const suggestion = suggestionOf(record, question);
    if (!suggestion) return;
    if (!predictions) sink.drop(PREDICTED);
    else sink.add({ task, worker: suggestion.user, label: suggestion.value }, line);
  }

  function finish(): void {
    questions.finish();
    if (questions.name !== undefined) context.understood(`label = ${excerpt(questions.name)}`);
    if (nested) {
      context.note(
        `${context.file}: this form does not say which responses are drafts; all count.`,
      );
    }
  }

  return { read, finish };
}

function questionsOf(record: JsonObject, suggested: boolean): string[] {
  const { responses, suggestions } = record;
  if (!isObject(responses)) {
    return argillaQuestions(Object.keys(record), (key) => keysIn(record[key]));
  }
  const more = suggested && isObject(suggestions) ? Object.keys(suggestions) : [];
  return [...Object.keys(responses), ...more];
}

interface Responses {
  readonly responses: readonly Response[];
  readonly wrong?: string;
}

function responsesOf(record: JsonObject, question: string): Responses {
  const { responses: all } = record;
  const flat = record[question + USERS] !== undefined;
  const found = isObject(all) ? all[question] : record[flat ? question + RESPONSES : question];
  if (found === undefined || found === null) return { responses: [] };
  // Version 1 has lists side by side, in one object.
  if (!flat && isObject(found)) {
    return side(found["value"], found["user_id"], found["status"], question);
  }
  if (flat) return side(found, record[question + USERS], record[question + STATUS], question);
  if (!Array.isArray(found) || !found.every(isObject)) {
    const what = `the responses to ${excerpt(question)} should be a list of objects`;
    return { responses: [], wrong: `${what}, but are ${shown(found)}.` };
  }
  const responses = found.map(({ value, user_id: user, status }) => ({ value, user, status }));
  return { responses };
}

/** Responses in lists beside each other: what, who, and how far. */
function side(value: unknown, user: unknown, status: unknown, question: string): Responses {
  const [values, users] = [listOf(value), listOf(user)];
  if (!Array.isArray(value) || values.length !== users.length) {
    const what = `there should be a user for each response to ${excerpt(question)}`;
    return { responses: [], wrong: `${what}, but there are ${shown(value)} by ${shown(user)}.` };
  }
  const states = listOf(status);
  return {
    responses: values.map((each, i) => ({ value: each, user: users[i], status: states[i] })),
  };
}

function suggestionOf(record: JsonObject, question: string) {
  const { suggestions } = record;
  const nested = isObject(suggestions) ? suggestions[question] : undefined;
  const old = record[`${question}${OLD_SUGGESTION}-metadata`];
  const value = isObject(nested)
    ? nested["value"]
    : (record[question + SUGGESTION] ?? record[question + OLD_SUGGESTION]);
  if (value === undefined || value === null) return undefined;
  const [from] = [nested, old].filter(isObject);
  const agent = from ? from["agent"] : record[`${question}${SUGGESTION}.agent`];
  return { value, user: agent ?? "model" };
}

/** The record's own name, a field of it, or of its metadata, which version 1 keeps as text. */
function taskOf(record: JsonObject, column: string | undefined): unknown {
  if (column === undefined) {
    const key = NAMES.find((name) => (record[name] ?? "") !== "");
    return key && record[key];
  }
  const { fields, metadata } = record;
  const kept = typeof metadata === "string" ? parseJson(metadata) : metadata;
  for (const part of [record, fields, kept]) {
    if (isObject(part) && Object.hasOwn(part, column)) return part[column];
  }
  return undefined;
}

/** Gives records back as they were, with the answer as the suggestion to the question. */
function amendRecords(answers: Answers, context: FileContext): Amender {
  const { file, problems, options, note } = context;
  const { columns = {} } = options;
  const questions = createQuestions(columns.label, "question", (line, what) =>
    problems.add(file, line, what),
  );
  /** Answers as they stand in the file: 4, not "4". */
  const values = new Map<string, unknown>();
  let replaced = 0;

  function learn(record: JsonObject, line: number): unknown {
    const asked = questionsOf(record, false);
    if (!isObject(record["responses"]) && asked.some((name) => !(name + USERS in record))) {
      throw new CrowdError(
        "bad-data",
        `${file}: suggestions can be added to records of Argilla 2, and these are of Argilla 1. Leave ${hint("into")} out.`,
      );
    }
    const question = questions.pick(asked, line);
    if (question !== undefined) {
      for (const { value } of responsesOf(record, question).responses) {
        values.set(textOf(value) ?? "", value);
      }
      const before = suggestionOf(record, question);
      if (before && before.user !== AGENT) replaced++;
    }
    return taskOf(record, columns.task);
  }

  function edit(text: string, record: JsonObject, t: number): string {
    const label = answers.labels[t];
    const sure = answers.confidence?.[t] ?? Number.NaN;
    return suggest(text, record, questions.name ?? "", {
      value: JSON.stringify(values.get(label) ?? label),
      score: Number.isNaN(sure) ? "null" : String(sure),
      agent: JSON.stringify(AGENT),
    });
  }

  function finish(): void {
    questions.finish();
    if (replaced > 0) {
      note(
        `${file}: ${plural(replaced, "suggestion")} of models replaced where there is an answer, since Argilla keeps one for each question.`,
      );
    }
  }
  return createAmender({ answers, context, learn, edit, finish });
}

/** A suggestion, each part as JSON. */
interface Suggestion {
  readonly value: string;
  readonly score: string;
  readonly agent: string;
}

/** Sets the suggestion to a question in the text of a record, nested or in columns of its own. */
function suggest(
  text: string,
  record: JsonObject,
  question: string,
  { value, score, agent }: Suggestion,
): string {
  if (isObject(record["responses"])) {
    const suggestion = `{"value": ${value}, "score": ${score}, "agent": ${agent}}`;
    const others = isObject(record["suggestions"]) ? textOfKey(text, "suggestions") : undefined;
    return setKey(text, "suggestions", setKey(others ?? "{}", question, suggestion));
  }
  const parts = [
    ["", value],
    [".score", score],
    [".agent", agent],
  ];
  return parts.reduce(
    (done, [part, each]) => setKey(done, question + SUGGESTION + part, each),
    text,
  );
}
