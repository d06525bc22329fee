/**
 * How a worker stands against guessing, and the one order in which workers are listed: worst first.
 *
 *   worse      agrees with the others less than a guess would
 *   guessing   cannot be told from guessing, although the labels would be enough to tell a worker who knows
 *              something: 15 points above guessing for classes (judgement.ts), half of the answers for other kinds
 *   better     better than guessing
 *   unknown    the labels do not tell: mostly they are too few
 *
 * Worst first means: those who are worse than guessing, then those who cannot be told from guessing, then all
 * others by the best that their labels leave possible: the upper end of the interval of their skill. A worker
 * with few labels has a wide interval, so nobody is on top by two unlucky labels. Workers without labels come last.
 */
import { wilsonInterval } from "../math/incomplete.ts";

/** How a worker stands against guessing. */
export type Standing = "worse" | "guessing" | "better" | "unknown";

/** What the order of workers rests on. */
export interface Ranked {
  /** Number of labels. */
  readonly labels: number;
  /** Probability of a right label, or any share where larger is better; NaN if unknown. */
  readonly skill: number;
  /** Upper end of the interval of the skill; default: that of a share of so many labels. */
  readonly high?: number | null | undefined;
  readonly standing?: Standing | undefined;
  readonly flags?: readonly string[] | undefined;
}

/** The normal quantiles of .95 and .99: what chance exceeds once in twenty, and once in a hundred. */
const [BETTER, WORSE] = [1.6449, 2.3263];

/**
 * Returns the standing from a normal test: how far a worker is above guessing, and how far a worker who knows
 * about half of the answers would be, both in standard errors.
 */
export function standingFrom(above: number, knowing: number): Standing {
  if (above >= BETTER) return "better";
  if (above <= -WORSE) return "worse";
  // One who knows half would have been told with 95 %.
  return knowing >= 2 * BETTER ? "guessing" : "unknown";
}

/** Returns the standing, or what the flags say of it; undefined if neither says anything. */
export function standingOf({
  standing,
  flags = [],
}: Pick<Ranked, "standing" | "flags">): Standing | undefined {
  if (standing) return standing;
  if (flags.includes("adversary")) return "worse";
  if (flags.includes("spammer") || flags.includes("one-class")) return "guessing";
  return flags.includes("few-labels") ? "unknown" : undefined;
}

/** Tells whether there is a reason to look at a worker's labels, besides their being few. */
export function isSuspect({ flags = [] }: Pick<Ranked, "flags">): boolean {
  return flags.some((flag) => flag !== "few-labels");
}

/** Returns the numbers of the workers, worst first; equals in the order given. */
export function worstFirst(workers: readonly Ranked[]): number[] {
  const group = Uint8Array.from(workers, groupOf);
  const best = Float64Array.from(workers, bestPossible);
  const order = Int32Array.from(workers.keys());
  return [...order.sort((a, b) => group[a] - group[b] || best[a] - best[b] || a - b)];
}

function groupOf(worker: Ranked): number {
  if (worker.labels === 0) return 3;
  const standing = standingOf(worker);
  return standing === "worse" ? 0 : standing === "guessing" ? 1 : 2;
}

/** The highest skill that the labels leave possible. */
function bestPossible({ labels, skill, high }: Ranked): number {
  if (typeof high === "number" && Number.isFinite(high)) return high;
  if (!Number.isFinite(skill) || labels === 0) return 1;
  // Some methods give weights in place of probabilities.
  return skill < 0 || skill > 1 ? skill : wilsonInterval(skill * labels, labels).high;
}
