/** How one judge answers beside scores that come from others: how steeply the answers follow them, and which side is preferred. */
import type { PairwiseResult } from "../aggregate/pairwise/ranker.ts";
import type { PairwiseData } from "../data/pairwise.ts";

/** How a judge answers, beside the scores: logistic(slope · lead of the left item + side). */
export interface Way {
  readonly slope: number;
  readonly side: number;
}

/** Steps at most, and the size of the last. */
const [STEPS, LAST] = [25, 1e-8];

/** Fits a judge's own way by Newton's method; slope 1 and side 0 are the means of normal priors of variance 1. */
export function wayOf(data: PairwiseData, { score }: PairwiseResult, rows: readonly number[]): Way {
  let [slope, side] = [1, 0];
  for (let step = 0; step < STEPS; step++) {
    let [gSlope, gSide, hSlope, hBoth, hSide] = [1 - slope, -side, 1, 0, 1];
    for (const i of rows) {
      const lead = score[data.left[i]] - score[data.right[i]];
      const p = chance({ slope, side }, lead);
      const [error, spread] = [[1, 0, 0.5][data.label[i]] - p, p * (1 - p)];
      gSlope += error * lead;
      gSide += error;
      hSlope += spread * lead * lead;
      hBoth += spread * lead;
      hSide += spread;
    }
    const size = hSlope * hSide - hBoth * hBoth;
    const [up, over] = [
      (hSide * gSlope - hBoth * gSide) / size,
      (hSlope * gSide - hBoth * gSlope) / size,
    ];
    slope += Math.max(-2, Math.min(2, up));
    side += Math.max(-2, Math.min(2, over));
    if (Math.abs(up) + Math.abs(over) < LAST) break;
  }
  return { slope, side };
}

/** P(a judge chooses the left item), given its lead; kept off 0 and 1, so that residuals stay finite. */
export function chance({ slope, side }: Way, lead: number): number {
  return Math.max(1e-6, Math.min(1 - 1e-6, 1 / (1 + Math.exp(-slope * lead - side))));
}
