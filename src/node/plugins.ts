/** Methods and learners of the user's own, from modules on disk. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CrowdError } from "../error.ts";
import type { KindMethod } from "../kinds/kind.ts";
import type { AnyLearner } from "../learn/learner.ts";
import { append } from "../math/lists.ts";

/** Loads the methods that modules export. */
export function openMethods(files: readonly string[]): Promise<KindMethod[]> {
  return open(files, isMethod, "method", "defineMethod");
}

/** Loads the learners that modules export. */
export function openLearners(files: readonly string[]): Promise<AnyLearner[]> {
  return open(files, isLearner, "learner", "defineLearner");
}

/** Loads the methods and the learners that modules export; each module may have either or both. */
export async function openBoth(
  files: readonly string[],
): Promise<{ readonly methods: KindMethod[]; readonly learners: AnyLearner[] }> {
  const either = (value: unknown): value is KindMethod | AnyLearner =>
    isMethod(value) || isLearner(value);
  const found = await open(files, either, "method or learner", "defineMethod or defineLearner");
  return { methods: found.filter(isMethod), learners: found.filter(isLearner) };
}

async function open<Wanted>(
  files: readonly string[],
  wanted: (value: unknown) => value is Wanted,
  word: string,
  made: string,
): Promise<Wanted[]> {
  const found: Wanted[] = [];
  for (const file of files) {
    const exported = Object.values(await load(file))
      .flat()
      .filter(wanted);
    if (exported.length === 0) {
      throw new CrowdError(
        "bad-option",
        `${file}: it exports no ${word}. Export what ${made} returns: export const mine = ${made.replace(/ .*/, "")}(…).`,
      );
    }
    append(found, exported);
  }
  return found;
}

async function load(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CrowdError("bad-option", `${file}: this module cannot be loaded: ${why}`, { cause });
  }
}

function isMethod(value: unknown): value is KindMethod {
  return carries(value, { id: "string", kind: "string", steps: "function" });
}

function isLearner(value: unknown): value is AnyLearner {
  return carries(value, { id: "string", forecasts: "boolean", steps: "function" });
}

/** True of a function that carries fields of these types. */
function carries(value: unknown, types: Readonly<Record<string, string>>): boolean {
  if (typeof value !== "function") return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return Object.entries(types).every(([name, type]) => typeof fields.get(name) === type);
}
