/** Methods by name, with the option values that a preset stands for. */
import { CrowdError, hint } from "../error.ts";
import { type Kind, type KindMethod, methodsOf } from "../kinds/kind.ts";
import { kinds } from "../kinds.ts";
import { noSuchName, sameName } from "./nearest-name.ts";

export interface Chosen {
  /** The id of the method, or of its preset. */
  readonly name: string;
  readonly method: KindMethod;
  readonly options: Readonly<Record<string, number | string | boolean>>;
}

/**
 * Finds a method or preset of a kind by id, alias or another spelling; `plugins` are the user's own, `others`
 * names that may have been meant as well.
 */
export function methodNamed(
  typed: string,
  kind: Pick<Kind, "id" | "methods" | "borrowed" | "aliases">,
  plugins: readonly KindMethod[] = [],
  others: readonly string[] = [],
): Chosen {
  const methods = [...methodsOf(kind), ...plugins];
  const names = methods.flatMap(({ id, presets }) => [id, ...Object.keys(presets ?? {})]);
  const name = idOf(typed, names, kind.aliases) ?? typed;
  for (const method of methods) {
    if (method.id === name) return { name, method, options: {} };
    const preset = method.presets?.[name];
    if (preset) return { name, method, options: preset.options };
  }
  const other = kinds.find((each) => each.methods.some(({ id }) => id === name));
  if (other) {
    throw new CrowdError(
      "unknown-method",
      `${name} takes ${other.id} answers, but these are ${kind.id}. If they are ${other.id}, use ${hint("kind", other.id)}.`,
    );
  }
  const all = [...names, ...others];
  throw new CrowdError("unknown-method", noSuchName("method", typed, all, kind.aliases));
}

/** The aliases of all kinds. */
export const aliases: Readonly<Record<string, string>> = Object.assign(
  {},
  ...kinds.map((kind) => kind.aliases ?? {}),
);

/** Finds the name that was typed as an alias, or in another spelling. */
export function idOf(
  typed: string,
  names: readonly string[],
  known: Readonly<Record<string, string>> = aliases,
): string | undefined {
  const alias = Object.hasOwn(known, typed.toLowerCase()) ? known[typed.toLowerCase()] : undefined;
  return names.includes(typed) ? typed : (alias ?? sameName(typed, names));
}

/** Keeps the methods of a kind. */
export function ofKind(methods: readonly KindMethod[], { id }: Pick<Kind, "id">): KindMethod[] {
  return methods.filter(({ kind }) => kind === id);
}
