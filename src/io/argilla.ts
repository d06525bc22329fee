/**
 * Argilla's records: with responses by question, as version 2 writes them, or flat, as on the Hub.
 *
 *   [{"id": "7", "fields": {…}, "responses": {"sentiment": [{"value": "positive", "user_id": "ana"}]}}]
 *   {"id": "7", "sentiment.responses": ["positive"], "sentiment.responses.users": ["ana"],
 *    "sentiment.responses.status": ["submitted"]}
 *
 * Drafts and discarded responses are left out where the file tells them.
 */
import type { FileContext, Format, Reader } from "./format.ts";
import { firstObjects, isObject, type JsonObject, scanJson } from "./json-values.ts";
import type { LabelCollector } from "./label-collector.ts";
import { excerpt } from "./problems.ts";
import { chooseOne, createToolLabels } from "./tool-labels.ts";

const FLAT = ".responses.users";

export const argilla: Format = {
  id: "argilla",
  title: "Argilla records",
  extensions: [],
  sniff(head) {
    const [first] = firstObjects(head);
    if (!first) return 0;
    const nested = isObject(first["responses"]) && isObject(first["fields"]);
    return nested || Object.keys(first).some((key) => key.endsWith(FLAT)) ? 0.99 : 0;
  },
  reader: readArgilla,
};

interface Response {
  readonly value: unknown;
  readonly user: unknown;
  readonly status: unknown;
}

function readArgilla(labels: LabelCollector, context: FileContext): Reader {
  const { columns = {}, predictions = false } = context.options;
  const sink = createToolLabels(labels, context);
  let question = columns.label;
  let nested = false;

  function read(record: JsonObject, line: number): void {
    const asked = questionsOf(record);
    const { name: chosen, wrong } = chooseOne(asked, columns.label, "question");
    if (wrong) {
      sink.problem(line, asked.length > 0 ? wrong : "the record has no questions.");
      return;
    }
    question = chosen;
    const name = question ?? "";
    const task = columns.task === undefined ? record["id"] : fieldOf(record, columns.task);
    nested ||= isObject(record["responses"]);
    for (const { value, user, status } of responsesOf(record, name)) {
      if (status === "draft" || status === "discarded") sink.drop(`the response is ${status}`);
      else if (Array.isArray(value)) {
        sink.problem(line, `there are several answers: ${excerpt(JSON.stringify(value))}.`);
      } else sink.add({ task, worker: user, label: value }, line);
    }
    const suggestion = suggestionOf(record, name);
    if (!suggestion) return;
    if (!predictions) sink.drop("a model said it, not a worker (--with-predictions counts it)");
    else sink.add({ task, worker: suggestion.user, label: suggestion.value }, line);
  }

  return scanJson(read, context, () => {
    if (question !== undefined) context.understood(`label = ${excerpt(question)}`);
    if (nested) {
      context.note(
        `${context.file}: this form does not say which responses are drafts; all count.`,
      );
    }
  });
}

function questionsOf(record: JsonObject): string[] {
  const { responses } = record;
  if (isObject(responses)) return Object.keys(responses);
  return Object.keys(record).flatMap((key) =>
    key.endsWith(FLAT) ? [key.slice(0, -FLAT.length)] : [],
  );
}

function responsesOf(record: JsonObject, question: string): Response[] {
  const { responses } = record;
  if (isObject(responses)) {
    return listOf(responses[question]).flatMap((each) =>
      isObject(each)
        ? [{ value: each["value"], user: each["user_id"], status: each["status"] }]
        : [],
    );
  }
  const users = listOf(record[`${question}${FLAT}`]);
  const status = listOf(record[`${question}.responses.status`]);
  return listOf(record[`${question}.responses`]).map((value, i) => ({
    ...{ value, user: users[i], status: status[i] },
  }));
}

function suggestionOf(record: JsonObject, question: string) {
  const { suggestions } = record;
  const nested = isObject(suggestions) ? suggestions[question] : undefined;
  const value = isObject(nested) ? nested["value"] : record[`${question}.suggestion`];
  if (value === undefined || value === null) return undefined;
  const agent = isObject(nested) ? nested["agent"] : record[`${question}.suggestion.agent`];
  return { value, user: agent ?? "model" };
}

/** A field of the record, or of its metadata. */
function fieldOf(record: JsonObject, name: string): unknown {
  for (const part of [record, record["fields"], record["metadata"]]) {
    if (isObject(part) && part[name] !== undefined) return part[name];
  }
  return undefined;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
