/** The evidence for each flag of drift.ts in words, with its numbers. */
import { plural } from "../../error.ts";
import type { SkillChange, SkillSpan } from "./drift-result.ts";

const percent = (share: number) => `${Math.round(100 * share)} %`;

/** Tells whether a time is a date; smaller numbers are places in an order. */
export function isDate(time: number): boolean {
  return time > 1e11 && time < 8.64e15;
}

/** Reads a time as a date, or as a plain number if it is too small to be one. */
export function moment(time: number): string {
  return isDate(time)
    ? `on ${new Date(time).toISOString().slice(0, 16).replace("T", " ")}`
    : `at ${time}`;
}

/** Says when the skill changed, and by how much. */
export function changeReason(
  { at, label, low, high, before, after, logBayes }: SkillChange,
  labels: number,
): string {
  return (
    `After ${label} of ${labels} labels (between ${low} and ${high}), ${moment(at)}, the probability of a right label ` +
    `${after < before ? "fell" : "rose"} from ${percent(before)} to ${percent(after)} ` +
    `(log Bayes factor ${logBayes.toFixed(1)}).`
  );
}

/** Says where the skill began and where it ended. */
export function driftReason(curve: readonly SkillSpan[], logBayes: number): string {
  const [first, last] = [curve[0], curve[curve.length - 1]];
  return (
    `The probability of a right label moves: it is ${percent(first.skill)} at first and ${percent(last.skill)} at the ` +
    `end (log Bayes factor against a constant one ${logBayes.toFixed(1)}).`
  );
}

/** Says how many other workers changed at the same date. */
export function taskReason(
  { before, after }: SkillChange,
  { at, workers, active }: { at: number; workers: readonly unknown[]; active: number },
): string {
  return (
    `The probability of a right label ${after < before ? "fell" : "rose"} from ${percent(before)} to ${percent(after)}, ` +
    `as it did for ${workers.length} of ${active} workers ${moment(at)}: probably the tasks changed, not this worker.`
  );
}

/** Says that the labels are too few. */
export function fewReason(judged: number, fewest: number): string {
  return `Only ${plural(judged, "label")} can be judged: too few to see a change (${fewest} are needed).`;
}
