/** Methods of the user's own, from modules named on the command line. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CrowdError } from "../error.ts";
import type { KindMethod } from "../kinds/kind.ts";
import { append } from "../math/lists.ts";
import type { FlagTable, Given } from "./command.ts";

export const pluginFlag: FlagTable = {
  plugin: {
    type: "text",
    value: "FILE",
    many: true,
    help: "Module with methods of your own, made by defineMethod. It runs with your rights.",
  },
};

/** Loads the methods that the modules on this very command line export; never those of a result file. */
export async function openPlugins(given: Given): Promise<KindMethod[]> {
  const files = given.text("plugin")?.split(",") ?? [];
  const found: KindMethod[] = [];
  for (const file of files) {
    const methods = Object.values(await load(file))
      .flat()
      .filter(isMethod);
    if (methods.length === 0) {
      throw new CrowdError(
        "bad-option",
        `${file}: it exports no method. Export what defineMethod returns: export const mine = defineMethod(…).`,
      );
    }
    append(found, methods);
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
  if (typeof value !== "function") return false;
  const { id, kind, steps } = value as unknown as Partial<KindMethod>;
  return typeof id === "string" && typeof kind === "string" && typeof steps === "function";
}
