/**
 * The kinds of answers, in the order in which their files are recognised; the first is what nothing
 * else fits. A new kind is new files and one line here.
 */
import type { CrowdResult } from "./aggregate/result.ts";
import type { CrowdData } from "./data/crowd-data.ts";
import { CrowdError } from "./error.ts";
import { categorical } from "./kinds/categorical.ts";
import type { Kind } from "./kinds/kind.ts";
import { numeric } from "./kinds/numeric.ts";
import { pairwise } from "./kinds/pairwise.ts";

export const kinds: readonly Kind[] = [categorical, numeric, pairwise];

/** Returns a kind by its id. */
export function kindNamed(id: string): Kind {
  const found = kinds.find((kind) => kind.id === id);
  if (found) return found;
  const known = kinds.map((kind) => kind.id).join(", ");
  throw new CrowdError("bad-option", `There is no kind of answers "${id}". There are: ${known}.`);
}

/** Returns the kind of data or of a result. */
export function kindOf({ kind }: Pick<CrowdData | CrowdResult, "kind">): Kind {
  return kindNamed(kind);
}
