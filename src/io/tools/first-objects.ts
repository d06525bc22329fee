/** The first objects of an export tell what it holds; they wait until there are enough of them. */
import { HEAD_BYTES } from "../format.ts";
import type { JsonObject } from "../json-values.ts";

type Read = (value: JsonObject, line: number) => void;

/**
 * Holds the first 64 KB of objects, lets `begin` look at them, and hands them and all others on to what it returns.
 * `length` is the size of an object in the file.
 */
export function afterLook(begin: (first: readonly JsonObject[]) => Read): {
  each(value: JsonObject, line: number, length: number): void;
  finish(): void;
} {
  const waiting: { readonly value: JsonObject; readonly line: number }[] = [];
  let held = 0;
  let read: Read | undefined;
  const start = () => {
    if (read) return;
    read = begin(waiting.map(({ value }) => value));
    for (const { value, line } of waiting.splice(0)) read(value, line);
  };
  return {
    each(value, line, length) {
      if (read) return read(value, line);
      waiting.push({ value, line });
      held += length;
      if (held >= HEAD_BYTES) start();
    },
    finish: start,
  };
}
