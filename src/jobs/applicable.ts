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
  links: "links between tasks",
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

/** Elementary steps per second, about. */
const PACE = 1e8;
/** Seconds from which on the cost is told before the work begins. */
const LONG = 60;

/** Says how long a fit will take, where that is more than a minute; `quick` is a method that takes less. */
export function costNote(
  { id, total }: Pick<MethodCard, "id" | "total">,
  size: Size,
  quick: string,
): string | undefined {
  const { labels, workers, classes } = size;
  const seconds = (total?.(size) ?? 0) / PACE;
  if (seconds < LONG) return undefined;
  return (
    `${id} will take about ${longTime(seconds)}: the cost grows with the ${classes} classes, ` +
    `${workers} workers and ${labels} labels. Try ${quick}, which takes less.`
  );
}

function longTime(seconds: number): string {
  const [amount, unit] =
    seconds < 5400
      ? [seconds / 60, "minutes"]
      : seconds < 172_800
        ? [seconds / 3600, "hours"]
        : [seconds / 86_400, "days"];
  return `${Math.max(2, Math.round(amount as number))} ${unit}`;
}
