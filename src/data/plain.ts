/** Names as plain lists, which files and messages between threads can hold, and back. */
import { type Names, namesOf } from "./names.ts";

/** A value with plain lists in place of `Names`. */
export type Plain<Value> = {
  readonly [Key in keyof Value]: Value[Key] extends Names ? readonly string[] : Value[Key];
};

const fields = ["tasks", "workers", "classes", "items"] as const;

/** Returns a copy of a dataset or result whose names are lists. */
export function toPlain<Value extends object>(value: Value): Plain<Value> {
  const plain = { ...value } as Record<string, unknown>;
  for (const field of fields) {
    const names = plain[field];
    if (names !== undefined) plain[field] = [...(names as Names)];
  }
  return plain as Plain<Value>;
}

/** Returns what `toPlain` was given. */
export function fromPlain<Value extends object>(plain: Plain<Value>): Value {
  const value: Record<string, unknown> = { ...plain };
  for (const field of fields) {
    const names = value[field];
    if (names !== undefined) value[field] = namesOf(names as readonly string[]);
  }
  return value as Value;
}
