/** Methods by name, with the option values that a preset stands for. */
import { CrowdError, hint } from "../error.ts";
import type { Kind, KindMethod } from "../kinds/kind.ts";
import { kinds } from "../kinds.ts";
import { nearestName } from "./nearest-name.ts";

export interface Chosen {
  readonly method: KindMethod;
  readonly options: Readonly<Record<string, number | string | boolean>>;
}

/** Finds a method or preset of a kind; `plugins` are methods of the user's own. */
export function methodNamed(
  name: string,
  kind: Pick<Kind, "id" | "methods">,
  plugins: readonly KindMethod[] = [],
): Chosen {
  const all = [...kind.methods, ...plugins];
  for (const method of all) {
    if (method.id === name) return { method, options: {} };
    const preset = method.presets?.[name];
    if (preset) return { method, options: preset.options };
  }
  const other = kinds.find(({ methods }) => methods.some(({ id }) => id === name));
  if (other) {
    throw new CrowdError(
      "unknown-method",
      `${name} takes ${other.id} answers, but these are ${kind.id}. If they are ${other.id}, use ${hint("kind", other.id)}.`,
    );
  }
  const names = all.flatMap(({ id, presets }) => [id, ...Object.keys(presets ?? {})]);
  const near = nearestName(name, names);
  throw new CrowdError(
    "unknown-method",
    `There is no method "${name}". ${near ? `Did you mean ${near}?` : `Try: ${names.join(", ")}.`}`,
  );
}

/** Keeps the methods of a kind. */
export function ofKind(methods: readonly KindMethod[], { id }: Pick<Kind, "id">): KindMethod[] {
  return methods.filter(({ kind }) => kind === id);
}
