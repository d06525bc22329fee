/** P(class): learnt from the posterior, uniform, or given; and what is known of single tasks. */

import type { Known } from "../belief/known.ts";
import { sharesOf } from "../belief/shares.ts";
import type { CrowdDataset } from "../data/dataset.ts";

export const priorOption = {
  prior: {
    default: "learn",
    choices: ["learn", "uniform"],
    help: "P(class): learnt with the rest, or the same for all. A prior given beforehand wins over both.",
  },
} as const;

export interface ClassPrior {
  /** P(class). */
  readonly shares: Float64Array;
  /** What the E step multiplies: `shares`, or ones where each task has a prior of its own. */
  readonly factor: Float64Array;
  /** Learns from the summed posteriors, unless it is fixed. */
  update(totals: Float64Array): void;
  /** Log density of the pseudo-tasks under `shares`, without its constant. */
  logDensity(): number;
}

export function createClassPrior(
  data: CrowdDataset,
  known: Known,
  rule: "learn" | "uniform",
): ClassPrior {
  const K = data.classes.length;
  const shares = known.prior ? new Float64Array(K) : new Float64Array(K).fill(1 / K);
  if (known.prior) sharesOf(known.prior, shares);
  const factor = known.taskPrior ? new Float64Array(K).fill(1) : shares;
  const pseudo = known.priorCounts ?? new Float64Array(K);
  // Gold that was chosen by class says nothing of how common classes are.
  const without = new Float64Array(K);
  if (known.gold && known.goldInPrior === false)
    for (const k of known.gold) if (k >= 0) without[k]++;
  const fixed = known.prior !== undefined || rule === "uniform";
  return {
    shares,
    factor,
    update(totals) {
      // With a prior for each task this one is only reported.
      if (fixed && !known.taskPrior) return;
      sharesOf(
        totals.map((total, k) => Math.max(0, total - without[k]) + pseudo[k]),
        shares,
      );
    },
    logDensity: () =>
      fixed || known.taskPrior ? 0 : pseudo.reduce((sum, a, k) => sum + a * Math.log(shares[k]), 0),
  };
}
