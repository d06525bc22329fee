/** Names as plain lists, which files and messages between threads can hold, and back. */
import { type Names, namesOf } from "./names.ts";
import type { Outputs } from "./numeric.ts";

/** A value with plain lists in place of `Names`. */
export type Plain<Value> = {
  readonly [Key in keyof Value]: Value[Key] extends Names ? readonly string[] : Value[Key];
};

const fields = ["tasks", "workers", "classes", "items", "clusters"] as const;

/** Returns a copy of a dataset or result whose names are lists. */
export function toPlain<Value extends object>(value: Value): Plain<Value> {
  const plain = { ...value } as Record<string, unknown>;
  for (const field of fields) {
    const names = plain[field];
    if (typeof names === "object") plain[field] = [...(names as Names)];
  }
  if (plain["outputs"]) plain["outputs"] = plainOutputs(plain["outputs"] as Outputs);
  return plain as Plain<Value>;
}

/** Returns what `toPlain` was given. */
export function fromPlain<Value extends object>(plain: Plain<Value>): Value {
  const value: Record<string, unknown> = { ...plain };
  for (const field of fields) {
    const names = value[field];
    if (typeof names === "object") value[field] = namesOf(names as readonly string[]);
  }
  const { outputs } = value as { readonly outputs?: ReturnType<typeof plainOutputs> };
  if (outputs) value["outputs"] = { ...outputs, names: namesOf(outputs.names) };
  return value as Value;
}

/** Several numbers per task have names of their own. */
function plainOutputs({ names, of }: Outputs) {
  return { names: [...names], of };
}
