/** What the objects of Label Studio's exports say. */
import { textOf } from "../cell.ts";
import { isObject, type JsonObject, listOf } from "../json-values.ts";
import type { Offer, Shape } from "../sink.ts";

/** What is answered to a question, and which part of the task it is about. */
export interface Said {
  readonly answers: readonly unknown[];
  readonly data: JsonObject;
  readonly to?: string | undefined;
}

/** The answers to each question in one shape; other results are counted by their type. */
export function answersOf(
  results: unknown,
  shape: Shape,
  data: JsonObject,
  others: Map<string, number>,
): Map<string, Said> {
  const found = new Map<string, Said>();
  for (const result of listOf(results).filter(isObject)) {
    const type = textOf(result["type"]) ?? "unknown";
    const value = SHAPES.get(type)?.includes(shape) ? valueIn(result, shape) : undefined;
    if (value === undefined) {
      if (others.size < 20 || others.has(type)) others.set(type, (others.get(type) ?? 0) + 1);
      continue;
    }
    const name = textOf(result["from_name"]) ?? "";
    const before = found.get(name)?.answers ?? [];
    const answers = [...before, ...(Array.isArray(value) ? value : [value])];
    found.set(name, { answers, data, to: textOf(result["to_name"]) });
  }
  return found;
}

/** What results of each type are, the most likely first. */
export const SHAPES: ReadonlyMap<string, readonly Shape[]> = new Map<string, readonly Shape[]>([
  ["choices", ["classes", "sets"]],
  ["taxonomy", ["classes", "sets"]],
  ["pairwise", ["pairs", "classes"]],
  ["rating", ["levels", "values", "classes"]],
  ["number", ["values", "classes"]],
  ["labels", ["tags"]],
]);

const SAID: Readonly<Record<string, string>> = {
  choices: "its results are choices",
  taxonomy: "its results are choices of a taxonomy",
  pairwise: 'its results say which of two items is better (type "pairwise")',
  rating: 'its results are ratings, which are classes in order (type "rating")',
  number: 'its results are numbers (type "number")',
  labels: 'its results are spans of text (type "labels")',
};

/** What the first tasks of an export hold, most likely first; only that of one question where it is named. */
export function offersOf(tasks: readonly JsonObject[], question: string | undefined): Offer[] {
  const results = tasks.flatMap(resultsOf);
  const asked = results.filter((result) => textOf(result["from_name"]) === question);
  const seen = asked.length > 0 ? asked : results;
  const types = new Set(seen.map(({ type }) => textOf(type) ?? ""));
  const broken = seen.some((result) => result["type"] === "rating" && isBroken(answerIn(result)));
  const offers = [...SHAPES].flatMap(([type, shapes]) =>
    types.has(type)
      ? shapes
          .filter((shape) => shape !== "levels" || !broken)
          .map((shape, rank) => ({ shape, why: SAID[type], rank }))
      : [],
  );
  // What results are comes before what they may be read as.
  const ranked = offers.toSorted((a, b) => Math.min(a.rank, 1) - Math.min(b.rank, 1));
  return ranked.length > 0 ? ranked : anyShape("no annotation has a result that can be read");
}

const isBroken = (rating: unknown) => typeof rating === "number" && !Number.isInteger(rating);

/** What a file without answers at its beginning may hold. */
const anyShape = (why: string): Offer[] =>
  (["classes", "sets", "levels", "values", "pairs", "tags"] as const).map((shape) => ({
    shape,
    why,
  }));

/** All results of the annotations of a task. */
export function resultsOf(task: JsonObject): readonly JsonObject[] {
  return listOf(task["annotations"] ?? task["completions"])
    .filter(isObject)
    .flatMap(({ result }) => listOf(result))
    .filter(isObject);
}

/** What the first annotations of JSON-MIN or CSV hold, where only the values tell. */
export function minimalOffers(values: readonly unknown[]): Offer[] {
  const given = values.filter((value) => value !== null && value !== undefined && value !== "");
  const spans = given.some(isSpans);
  const classes = given.some((value) => !isSpans(value));
  const others = anyShape("its answers are no spans").filter(({ shape }) => shape !== "tags");
  const offers = [
    ...(classes ? others : []),
    ...(spans ? [{ shape: "tags" as const, why: "its answers are spans of text" }] : []),
  ];
  return offers.length > 0 ? offers : anyShape("there are no answers");
}

/** True for the answers of a question about spans of text. */
export const isSpans = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.some(
    (each) => isObject(each) && Object.hasOwn(each, "start") && Object.hasOwn(each, "end"),
  );

/** A string, a number, `{"choices": […]}` where there are several, or a taxonomy's list of paths. */
export function minimalAnswers(value: unknown): readonly unknown[] {
  const answer = isObject(value) ? (value["choices"] ?? value) : value;
  if (answer === undefined || answer === null) return [];
  return Array.isArray(answer) ? answer.map(pathText) : [answer];
}

/** The task's own name where its data have one, else Label Studio's number. */
export function taskName({ id, data }: JsonObject, column: string | undefined): unknown {
  if (!isObject(data)) return id;
  return data[column ?? "task"] ?? (column === undefined ? id : undefined);
}

/** Who annotated: a number, or an account with a number and an address. */
export function workerOf({ completed_by: by, created_username: old }: JsonObject): unknown {
  return isObject(by) ? (by["email"] ?? by["id"]) : (by ?? old);
}

/** Where controls that ask for a class keep what was answered. */
export const VALUE_KEYS = new Map([
  ["choices", "choices"],
  ["rating", "rating"],
  ["number", "number"],
  ["pairwise", "selected"],
  ["taxonomy", "taxonomy"],
]);

/** What a result says, for controls that ask for a class. */
export function answerIn({ type, value }: JsonObject): unknown {
  const key = VALUE_KEYS.get(textOf(type) ?? "");
  if (key === undefined || !isObject(value)) return undefined;
  return key === "taxonomy" ? listOf(value[key]).map(pathText) : value[key];
}

/** What a result says in a shape; spans are whole objects. */
function valueIn(result: JsonObject, shape: Shape): unknown {
  if (shape !== "tags") return answerIn(result);
  return isObject(result["value"]) ? result["value"] : undefined;
}

/** The way to a class in a taxonomy: `animal / cat`. */
function pathText(path: unknown): unknown {
  return Array.isArray(path) && path.every((step) => textOf(step) !== undefined)
    ? path.map(textOf).join(" / ")
    : path;
}
