/** Which methods can run on data of a size, with what is known. */
import type { Size } from "../data/crowd-data.ts";
import type { MethodCard } from "../method.ts";

/** Bytes and elementary steps per iteration from which on a method is not tried. */
const MOST_BYTES = 3.2e9;
const MOST_STEPS = 3e8;

/** What each need is called, for people. */
const needed = {
  gold: "gold to fit with",
  weights: "a weight for each worker",
  confusion: "the true confusions",
  predictions: "a classifier's predictions",
} as const;

/** Why a method cannot run; `needs` names what it lacks in `known`. */
export interface Reason {
  readonly skipped: string;
  readonly needs?: string;
}

/** Says why a method cannot run, or undefined. */
export function inapplicable(
  { needs, binaryOnly, memory, work }: MethodCard,
  size: Size,
  known: object,
): Reason | undefined {
  if (needs && !(known as Readonly<Record<string, unknown>>)[needs]) {
    return { skipped: `needs ${needed[needs]}`, needs };
  }
  if (binaryOnly && size.classes > 2) return { skipped: "takes two classes only" };
  const bytes = memory?.(size) ?? 0;
  if (bytes > MOST_BYTES) return { skipped: `needs ${(bytes / 1e9).toFixed(1)} GB of memory` };
  const steps = work?.(size) ?? 0;
  // An iteration takes about three times as many steps.
  if (steps > MOST_STEPS) {
    return { skipped: `would take ${(3e-9 * steps).toFixed(0)} billion steps per iteration` };
  }
  return undefined;
}
