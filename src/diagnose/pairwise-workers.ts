/**
 * How each worker's comparisons stand against guessing: whether more than half of those that were decided follow
 * the scores.
 *
 * The scores rest on the worker's own comparisons too, so the test is kind to workers in a small crowd. One who
 * knows half of the answers and guesses the rest would follow the scores three times in four.
 */
import type { PairwiseResult } from "../aggregate/pairwise/ranker.ts";
import { type PairwiseData, TIE } from "../data/pairwise.ts";
import { wilsonInterval } from "../math/incomplete.ts";
import { type Standing, standingFrom } from "./standing.ts";

/** What is known of one worker who compared. */
export interface PairwiseWorker {
  /** Comparisons that were decided. */
  readonly labels: number;
  /** Share of them that follow the scores; NaN without any. */
  readonly skill: number;
  /** 95 % interval of the skill. */
  readonly low: number;
  readonly high: number;
  readonly standing: Standing;
}

/** Judges each worker, in the order of the workers. */
export function pairwiseWorkers(
  { workers, worker, label }: PairwiseData,
  { skill }: Pick<PairwiseResult, "skill">,
): PairwiseWorker[] {
  const decided = new Int32Array(workers.length);
  for (let i = 0; i < label.length; i++) if (label[i] !== TIE) decided[worker[i]]++;
  return Array.from(skill, (share, w) => {
    const n = decided[w];
    const known = Number.isNaN(share) ? 0.5 : share;
    return {
      labels: n,
      skill: share,
      ...wilsonInterval(Math.min(1, known) * n, n),
      standing: n < 5 ? "unknown" : standingFrom((known - 0.5) * 2 * Math.sqrt(n), knowing(n)),
    };
  });
}

/** How far above a half one is who follows three times in four: in means of the standard errors at 1/2 and at 3/4. */
const knowing = (n: number) => (0.25 * Math.sqrt(n)) / ((0.5 + Math.sqrt(3) / 4) / 2);
