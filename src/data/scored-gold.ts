/** Known numbers of tasks or items, by name. */
import { CrowdError } from "../error.ts";
import type { Names } from "./names.ts";

/**
 * Returns the known number of each name, NaN where there is none; gold of names without answers is
 * counted, and an error if there is no other.
 */
export function scoredGold(
  names: Names,
  gold: Iterable<readonly [name: string, value: number]> = [],
  what: "task" | "item",
  notes: string[],
): Float64Array {
  const column = new Float64Array(names.length).fill(Number.NaN);
  const known = new Map<string, number>();
  for (const [name, value] of gold) {
    if (!Number.isFinite(value)) {
      throw new CrowdError(
        "bad-data",
        `Gold of ${what} "${name}" is ${value}, not a finite number.`,
      );
    }
    const before = known.get(name) ?? value;
    if (before !== value) {
      throw new CrowdError(
        "bad-data",
        `Gold names two values for ${what} "${name}": ${before} and ${value}.`,
      );
    }
    known.set(name, value);
  }
  if (known.size === 0) return column;
  let matched = 0;
  for (const [name, value] of known) {
    const at = names.indexOf(name);
    if (at < 0) continue;
    column[at] = value;
    matched++;
  }
  if (matched === 0) {
    const [sample] = known.keys();
    throw new CrowdError(
      "bad-data",
      `None of the ${known.size} gold ${what}s has answers: gold names "${sample}", the answers "${names.at(0)}". ` +
        `Do both name ${what}s the same way?`,
    );
  }
  if (matched < known.size) {
    notes.push(
      `${known.size - matched} of ${known.size} gold ${what}s have no answers and are left out.`,
    );
  }
  return column;
}
