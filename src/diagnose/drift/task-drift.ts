/**
 * Changes that many workers have at one date: the tasks changed then, or how they were asked, not the workers.
 *
 * A worker's change may be at a date if the interval of its place holds that date. Changes in the same direction of
 * more than 20 % of the workers who were active then, and of at least three, are one change of the tasks, unless so many
 * intervals would hold one date by chance: besides the worker whose date it is, their number is Poisson with mean
 * Σ (length of the interval / labels) if each worker's change is anywhere among the labels, and its tail must be below
 * 1 % for all dates together.
 */
import { incompleteGamma } from "../../math/incomplete.ts";

/** A change of one worker, with the ends of its interval as times, and the worker's first and last label. */
export interface DatedChange {
  readonly worker: number;
  readonly at: number;
  readonly earliest: number;
  readonly latest: number;
  /** True if the skill fell. */
  readonly fell: boolean;
  /** Length of the interval of the place, as a share of the worker's labels. */
  readonly width: number;
}

/** When a worker gave the first and the last label. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** A change that several workers share. */
export interface CommonChange {
  readonly at: number;
  readonly fell: boolean;
  readonly workers: readonly number[];
  /** Number of workers who were active before and after the date. */
  readonly active: number;
}

const SHARE = 0.2;
const FEWEST = 3;
const BY_CHANCE = 0.01;

/** Finds the dates at which many workers change, the largest group first; a worker belongs to one at most. */
export function commonChanges(
  changes: readonly DatedChange[],
  spans: readonly Span[],
): readonly CommonChange[] {
  const found: CommonChange[] = [];
  let left = changes;
  for (;;) {
    const groups = left.map((change) => groupAt(change, left, spans));
    const largest = groups
      .filter((group) => isCommon(group, left))
      .reduce<CommonChange | undefined>(
        (best, group) => (best && best.workers.length >= group.workers.length ? best : group),
        undefined,
      );
    if (!largest) return found;
    found.push(largest);
    const members = new Set(largest.workers);
    left = left.filter(({ worker }) => !members.has(worker));
  }
}

function groupAt(
  { at, fell }: DatedChange,
  changes: readonly DatedChange[],
  spans: readonly Span[],
): CommonChange {
  const workers = changes
    .filter((each) => each.fell === fell && each.earliest <= at && at <= each.latest)
    .map(({ worker }) => worker);
  const active = spans.filter(({ first, last }) => first <= at && at <= last).length;
  return { at, fell, workers, active };
}

/** True if the group is large, and larger than chance would make it. */
function isCommon({ fell, workers, active }: CommonChange, changes: readonly DatedChange[]) {
  const n = workers.length;
  if (n < FEWEST || n <= SHARE * active) return false;
  const alike = changes.filter((each) => each.fell === fell);
  const others = alike.reduce((sum, { width }) => sum + width, 0) * (1 - 1 / alike.length);
  // P(N ≥ n − 1) of a Poisson number, for as many dates as there are changes.
  return incompleteGamma(n - 1, others) * alike.length < BY_CHANCE;
}
