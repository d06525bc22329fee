/**
 * Percent agreement: how often two labels of a task are the same.
 *
 * Either the mean over tasks of the share of agreeing pairs, each task counting once, or the share
 * among all pairs, where a task with many labels counts for many. Neither asks what chance would
 * give: two workers who always say "no" agree completely.
 */
import type { CategoricalData } from "../data/categorical.ts";
import {
  type Coefficient,
  type CoefficientOptions,
  estimate,
  NO_PAIRS,
  type Statistic,
} from "./coefficient.ts";
import { type CountTable, countTable } from "./counts.ts";

export interface PercentOptions extends CoefficientOptions {
  /** What counts once: a task (default), or a pair of labels. */
  readonly over?: "tasks" | "pairs" | undefined;
}

export function percentAgreement(data: CategoricalData, options: PercentOptions = {}): Coefficient {
  const table = countTable(data);
  return estimate(table, percentStatistic(table, options.over), options);
}

/** Share of agreeing ordered pairs of labels on a task of each pattern; 0 for a single label. */
export function pairAgreement({ start, count, labels }: CountTable): Float64Array {
  const share = new Float64Array(labels.length);
  for (let p = 0; p < labels.length; p++) {
    const n = labels[p];
    if (n < 2) continue;
    for (let at = start[p]; at < start[p + 1]; at++) share[p] += count[at] * (count[at] - 1);
    share[p] /= n * (n - 1);
  }
  return share;
}

export function percentStatistic(table: CountTable, over: "tasks" | "pairs" = "tasks"): Statistic {
  const share = pairAgreement(table);
  const pairs = Float64Array.from(table.labels, (n) => (over === "pairs" ? n * (n - 1) : 1));
  return {
    fewest: 2,
    lowest: 0,
    measure(weight, influence) {
      let [sum, total] = [0, 0];
      for (let p = 0; p < share.length; p++) {
        if (table.labels[p] < 2) continue;
        sum += weight[p] * pairs[p] * share[p];
        total += weight[p] * pairs[p];
      }
      if (total === 0) return { value: 0, chance: 0, problem: NO_PAIRS };
      const value = sum / total;
      influence?.forEach((_, p) => {
        influence[p] = table.labels[p] < 2 ? 0 : (pairs[p] * (share[p] - value)) / total;
      });
      return { value, chance: 0 };
    },
  };
}
