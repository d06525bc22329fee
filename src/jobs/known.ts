/** What is known beyond the answers, from tables by name to what methods take. */
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError, hint } from "../error.ts";
import { type KnownTables, noGold } from "../kinds/known.ts";
import { kindOf } from "../kinds.ts";

/** Joins what is known to data; a kind that takes only gold refuses the rest. */
export function knownFrom(data: CrowdData, tables: KnownTables): object {
  const kind = kindOf(data);
  if (kind.known) return kind.known(data, tables);
  const { useGold, ...others } = tables;
  const other = Object.entries(others).find(([, value]) => value !== undefined && value !== false);
  if (other) {
    throw new CrowdError(
      "usage",
      `${hint(`known.${other[0]}`)} is for labels; these are ${kind.id} answers.`,
    );
  }
  if (!useGold) return {};
  if (kind.goldCount(data) === 0) throw noGold();
  return { gold: (data as CrowdData & { readonly gold: Float64Array }).gold };
}
