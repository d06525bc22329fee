/**
 * When a campaign stops: all tasks are closed, labels or money are spent, the next 100 labels are expected to raise the accuracy by too
 * little, or no label is expected to be worth its cost.
 *
 * The rise is that of the least sure tasks by the workers who tell most. One label often cannot turn an answer where two or three can, so
 * the best rise per label of up to three labels counts, discounted like a gain for errors that workers share.
 */

import { take } from "./choose.ts";
import { expectedRise } from "./expected-gain.ts";
import type { Offers } from "./offers.ts";
import type { PlanSettings } from "./plan-options.ts";
import type { Speakers } from "./speakers.ts";
import type { TaskBoard } from "./task-board.ts";

/** Why a campaign, or the questions for one worker, have come to an end. */
export interface PlanStop {
  readonly reason:
    | "all-closed"
    | "labels"
    | "money"
    | "rise"
    | "value"
    | "nothing-left"
    | "nothing-useful";
  /** The same in words. */
  readonly words: string;
}

/** What has been spent: questions that were asked, and what they cost. */
export interface Spent {
  readonly asked: number;
  readonly cost: number;
}

/** Labels ahead of which the rise is looked at. */
const AHEAD = 100;
/** Sequences of labels that are gone through for one task. */
const SEQUENCES = 256;

export function createStopRules(
  settings: Pick<PlanSettings, "budget" | "money" | "minRise" | "value">,
  board: TaskBoard,
  offers: Offers,
  speakers: Speakers,
  costOf: (w: number) => number,
  K: number,
) {
  const { budget, money, minRise, value } = settings;
  return ({ asked, cost }: Spent, tasks: number): PlanStop | undefined => {
    if (asked >= budget) {
      return { reason: "labels", words: `The budget of ${budget} labels is spent.` };
    }
    if (cost >= money) {
      return { reason: "money", words: `The budget is spent: ${asked} labels cost ${cost}.` };
    }
    if (board.open() === 0) {
      const confident = board.sure();
      const words =
        confident >= tasks
          ? `All ${tasks} tasks are sure enough.`
          : `No task is open: ${confident} of ${tasks} are sure enough, the others have as many labels as they may get.`;
      return { reason: "all-closed", words };
    }
    // Before anything is known of the workers, nothing can be expected of labels.
    if ((minRise === 0 && value === 0) || speakers.most() < 1e-6) return undefined;
    const all = risesOf(board, offers, speakers, costOf, K);
    const rise = riseAhead(all, tasks);
    if (minRise > 0 && rise < minRise) {
      const words = `The next ${AHEAD} labels are expected to raise the accuracy by ${rise.toFixed(5)}, less than ${minRise}.`;
      return { reason: "rise", words };
    }
    if (value > 0 && all.every((each) => value * each.rise < each.cost)) {
      const most = all.reduce((max, each) => Math.max(max, each.rise / each.cost), 0);
      const words = `No label is expected to be worth its cost: at most ${most.toFixed(5)} right answers per unit of cost, worth ${(value * most).toFixed(5)}.`;
      return { reason: "value", words };
    }
    return undefined;
  };
}

interface Rise {
  /** Rise per label, in right answers. */
  readonly rise: number;
  /** Labels that it takes. */
  readonly labels: number;
  /** Cost of one label. */
  readonly cost: number;
}

/** Rise per label of the least sure tasks, and what a label costs. */
function risesOf(
  board: TaskBoard,
  offers: Offers,
  speakers: Speakers,
  costOf: (w: number) => number,
  K: number,
): Rise[] {
  return [...take(board.unsure(), AHEAD)].flatMap((t) => {
    const w = speakers.mostTelling().find((each) => offers.may(t, each));
    if (w === undefined) return [];
    const speaker = speakers.of(w);
    const L = speaker.rows.length / K;
    let best = { rise: 0, labels: 1 };
    for (let labels = 1; labels <= 3 && L ** labels <= SEQUENCES; labels++) {
      const rise = expectedRise(board.posterior(), t * K, speaker, labels) * board.discount(t);
      if (rise / labels > best.rise / best.labels) best = { rise, labels };
    }
    return [{ rise: best.rise / best.labels, labels: best.labels, cost: costOf(w) }];
  });
}

/** How much the accuracy rises with the next labels, the best first. */
function riseAhead(all: readonly Rise[], tasks: number): number {
  let [left, sum] = [AHEAD, 0];
  for (const { rise, labels } of all.toSorted((a, b) => b.rise - a.rise)) {
    sum += rise * Math.min(left, labels);
    left -= Math.min(left, labels);
  }
  return sum / Math.max(1, tasks);
}
