/** Takes the answers of spammers out before a fit, where that was asked for. */
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError, hint, wordHints } from "../error.ts";
import type { Kind, KindMethod, Pruned } from "../kinds/kind.ts";
import { walk } from "../run.ts";
import { type Hooks, walking } from "./hooks.ts";

/** Takes out the answers of workers who would only harm the method; `force` whatever the guards say. */
export async function dropSpammers(
  kind: Kind,
  data: CrowdData,
  method: KindMethod,
  settings: { readonly seed: number; readonly force: boolean },
  hooks: Hooks,
): Promise<Pruned> {
  if (!kind.prune) {
    throw new CrowdError(
      "not-supported",
      `${hint("dropSpammers", true)} is for labels; these are ${kind.id} answers.`,
    );
  }
  try {
    const name = "dropping spammers";
    const pruned = await walk(kind.prune(data, method, settings), name, walking(hooks, name));
    for (const line of pruned.lines) hooks.note?.(line);
    return pruned;
  } catch (cause) {
    throw cause instanceof CrowdError ? asked(cause) : cause;
  }
}

/** The same error, with the option of the job in place of that of the detector. */
function asked({ code, template, cause }: CrowdError): CrowdError {
  const worded = wordHints(template, ({ option, value }) =>
    option === "force" ? hint("dropSpammers", "force") : hint(option, value),
  );
  return new CrowdError(code, worded, { cause });
}
