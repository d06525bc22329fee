/** Checks that numbers and comparisons share: overlap, agreement, and whether workers are better than a guess. */
import { plural } from "../error.ts";
import { type Check, checkOf } from "./checks.ts";
import type { Standing } from "./standing.ts";

/** Fewer workers than this whose answers suffice to tell say nothing about a crowd. */
const FEW_WORKERS = 3;
/** An agreement that is surely below this is too little. */
const LITTLE = 0.2;

/** Checks whether tasks have more than one answer. */
export function overlapCheck(support: ArrayLike<number>, workers: number): Check {
  const answered = Array.from(support).filter((n) => n > 0).length;
  const shared = Array.from(support).filter((n) => n >= 2).length;
  const share = answered > 0 ? shared / answered : 0;
  const found = shared === 0 ? "serious" : share < 0.5 ? "warn" : "ok";
  return checkOf(answered === 0 || workers < 2 ? "unknown" : found, {
    id: "overlap",
    title: "Do workers share tasks?",
    finding: `${shared} of ${plural(answered, "task", "tasks")} ${shared === 1 ? "has" : "have"} two answers or more, by ${plural(workers, "worker", "workers")}.`,
    advice: "Have more tasks answered by two workers or more.",
    facts: { shared, answered, workers },
  });
}

/** Checks whether all items can be compared. */
export function connectedCheck(items: number, parts: number): Check {
  return checkOf(items === 0 ? "unknown" : parts > 1 ? "warn" : "ok", {
    id: "connected",
    title: "Can all items be compared?",
    finding:
      parts > 1
        ? `The comparisons fall into ${parts} parts that share no item.`
        : `All ${items} items are compared, directly or through others.`,
    advice: "Compare items of different parts with one another.",
    facts: { items, parts },
  });
}

interface Alpha {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly defined?: boolean;
}

/** Checks whether workers agree more than chance would give. */
export function agreementCheck({ value, low, high, defined = true }: Alpha): Check {
  const known = defined && Number.isFinite(value) && Number.isFinite(low) && Number.isFinite(high);
  const untold = !known || (low <= 0 && high >= LITTLE);
  const found = low > 0 && high >= LITTLE ? "ok" : high <= 0 ? "serious" : "warn";
  const three = (x: number) => x.toFixed(3);
  return checkOf(untold ? "unknown" : found, {
    id: "agreement",
    title: "Do workers agree more than by chance?",
    finding: known
      ? `Krippendorff's alpha is ${three(value)}, between ${three(low)} and ${three(high)}` +
        `${untold ? ": too few answers to tell." : "."}`
      : "Too few answers to tell: workers hardly share a task.",
    advice: untold
      ? "Have more tasks answered by two workers or more."
      : "The instructions may be unclear, or the tasks too hard. Look at tasks on which answers differ most.",
    facts: known ? { alpha: value, low, high } : {},
  });
}

/** Checks whether most workers are better than a guess. */
export function guessingCheck(workers: readonly { readonly standing: Standing }[]): Check {
  const told = workers.filter(({ standing }) => standing !== "unknown").length;
  const better = workers.filter(({ standing }) => standing === "better").length;
  const share = told > 0 ? better / told : 0;
  const untold = told < FEW_WORKERS;
  return checkOf(untold ? "unknown" : share < 0.5 ? "serious" : share < 0.75 ? "warn" : "ok", {
    id: "better-than-random",
    title: "Are most workers better than a guess?",
    finding: untold
      ? `Too few answers to tell: those of ${told} of ${workers.length} workers suffice.`
      : `${better} of the ${told} workers with answers enough to tell are better than guessing.`,
    advice: untold
      ? "Collect more answers per worker."
      : "Look at the workers who are listed first: ask them, or leave their answers out.",
    facts: { told, better, workers: workers.length },
  });
}
