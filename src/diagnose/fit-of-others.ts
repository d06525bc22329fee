/**
 * What other judges say of the items that a judge compared: Davidson's fit to the comparisons of all but that judge. If that
 * takes too long, judges are left out in groups.
 */
import { bradleyTerry } from "../aggregate/pairwise/bradley-terry.ts";
import type { PairwiseResult } from "../aggregate/pairwise/ranker.ts";
import { labelsPerWorker } from "../data/crowd-data.ts";
import { type PairwiseData, withoutWorkers } from "../data/pairwise.ts";

/** Work of all fits at most, in items cubed, and fits at least. */
const [MOST_WORK, FEWEST_FITS] = [2e9, 10];

/** Calls `visit` for each of the judges, with a fit that never saw their comparisons. */
export function withoutEach(
  data: PairwiseData,
  judges: readonly number[],
  visit: (judge: number, fit: PairwiseResult) => void,
): void {
  const affordable = Math.floor(MOST_WORK / (data.items.length ** 3 + 10 * data.label.length));
  const fits = Math.min(judges.length, Math.max(FEWEST_FITS, affordable));
  const workload = labelsPerWorker(data);
  // Those with most comparisons go into different groups.
  const order = [...judges].sort((a, b) => workload[b] - workload[a] || a - b);
  for (let f = 0; f < fits; f++) {
    const group = order.filter((_, at) => at % fits === f);
    const fit = bradleyTerry(withoutWorkers(data, new Set(group)), {
      ties: "davidson",
      errors: "wald",
    });
    for (const judge of group) visit(judge, fit);
  }
}

/** The lead of the left item of a comparison; NaN if the others do not compare the two, not even through other items. */
export function leadOf({ left, right }: PairwiseData, fit: PairwiseResult, i: number): number {
  const [a, b] = [left[i], right[i]];
  const known = fit.support[a] > 0 && fit.support[b] > 0 && fit.component[a] === fit.component[b];
  return known ? fit.score[a] - fit.score[b] : Number.NaN;
}
