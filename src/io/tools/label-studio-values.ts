/** What the objects of Label Studio's exports say. */
import { textOf } from "../cell.ts";
import { isObject, type JsonObject, listOf } from "../json-values.ts";

/** The answers to each question; what marks a place in the task is only noted. */
export function answersOf(results: unknown, regions: Set<string>): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const result of listOf(results).filter(isObject)) {
    const value = answerIn(result);
    if (value === undefined) {
      if (regions.size < 20) regions.add(textOf(result["type"]) ?? "unknown");
      continue;
    }
    const name = textOf(result["from_name"]) ?? "";
    found.set(name, [...(found.get(name) ?? []), ...(Array.isArray(value) ? value : [value])]);
  }
  return found;
}

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

/** The way to a class in a taxonomy: `animal / cat`. */
function pathText(path: unknown): unknown {
  return Array.isArray(path) && path.every((step) => textOf(step) !== undefined)
    ? path.map(textOf).join(" / ")
    : path;
}
