/** How well scores put items into the order of gold. */
import { CrowdError } from "../error.ts";
import { wilsonInterval } from "../math/incomplete.ts";
import type { Interval } from "./accuracy.ts";

/** Scores to be scored, by item. */
export interface ScoredItems {
  readonly score: Float64Array;
  /** Known scores, larger is better; NaN where there is none. */
  readonly gold: Float64Array;
  /** The part that each item belongs to: only pairs within a part are compared. */
  readonly component?: Int32Array | undefined;
}

/** All scores of a ranking against gold. */
export interface PairwiseMetrics {
  /** Number of items with gold. */
  readonly items: number;
  /** Number of pairs of such items with different gold, within a component. */
  readonly pairs: number;
  /** Share of those pairs in the right order; equal scores count half. The interval takes pairs for independent. */
  readonly pairAccuracy: Interval;
  /** Kendall's tau-b with gold, over the same pairs and those with equal gold. */
  readonly kendall: number;
}

/** Scores closer than this are equal. */
const EQUAL = 1e-9;

/** Scores the order of items against gold. */
export function evaluateScores({ score, gold, component }: ScoredItems): PairwiseMetrics {
  const items = Array.from(gold.keys()).filter((i) => !Number.isNaN(gold[i]));
  let [agree, against, tiedScore, tiedGold] = [0, 0, 0, 0];
  for (const [at, a] of items.entries()) {
    for (let other = 0; other < at; other++) {
      const b = items[other];
      if (component && component[a] !== component[b]) continue;
      const truth = Math.sign(gold[a] - gold[b]);
      const lead = score[a] - score[b];
      const order = Math.abs(lead) <= EQUAL ? 0 : Math.sign(lead);
      if (truth === 0) tiedGold += order === 0 ? 0 : 1;
      else if (order === 0) tiedScore++;
      else if (order === truth) agree++;
      else against++;
    }
  }
  const pairs = agree + against + tiedScore;
  if (pairs === 0) {
    throw new CrowdError(
      "bad-data",
      "There is no gold to score against: no two items that are compared have different known scores.",
    );
  }
  const right = agree + tiedScore / 2;
  const { low, high } = wilsonInterval(right, pairs);
  return {
    items: items.length,
    pairs,
    pairAccuracy: { value: right / pairs, low, high },
    kendall:
      (agree - against) / Math.sqrt((agree + against + tiedScore) * (agree + against + tiedGold)),
  };
}
