/**
 * Krippendorff's alpha: one minus the disagreement within tasks over that between any two labels.
 *
 *   α = 1 − Do / De      Do = Σ_t Σ_ck r[c] r[k] δ(c, k) / (n_t − 1),  De = Σ_ck n[c] n[k] δ(c, k) / (n − 1)
 *
 * with r the counts of one task and n those of all tasks with two labels or more; others do not
 * count. Any number of labels per task, and four distances: nominal, ordinal, interval and ratio. The
 * ordinal one, (Σ_{g=c..k} n[g] − (n[c] + n[k]) / 2)², is the interval one between mid-ranks, which makes
 * all but ratio O(K) a pattern; ratio is O(K²).
 *
 * Krippendorff (2004), Human Communication Research 30(3), 411–433.
 * https://doi.org/10.1111/j.1468-2958.2004.tb00738.x
 */

import type { CategoricalData } from "../data/categorical.ts";
import type { Names } from "../data/names.ts";
import {
  type Coefficient,
  type CoefficientOptions,
  checkLevel,
  estimate,
  type Measured,
  NO_PAIRS,
  type Statistic,
} from "./coefficient.ts";
import { type CountTable, classTotals, countTable } from "./counts.ts";
import { ONE_CLASS } from "./fleiss.ts";
import { pairInterval } from "./hayes-krippendorff.ts";
import { createMetric, type Distance, midRanks, valueMetric } from "./metric.ts";

export interface KrippendorffOptions extends Omit<CoefficientOptions, "interval"> {
  /** How far apart two classes are. Default: nominal. */
  readonly distance?: Distance | undefined;
  /** As for all coefficients, or that of Hayes and Krippendorff, which is too narrow. */
  readonly interval?: CoefficientOptions["interval"] | "hayes-krippendorff" | undefined;
}

export function krippendorffAlpha(
  data: CategoricalData,
  { interval, ...options }: KrippendorffOptions = {},
): Coefficient {
  const table = countTable(data);
  const { distance = "nominal" } = options;
  const statistic = krippendorffStatistic(table, data.classes, distance);
  if (interval !== "hayes-krippendorff")
    return estimate(table, statistic, { ...options, interval });
  const found = estimate(table, statistic, { ...options, interval: "linearised" });
  if (found.interval === "none") return found;
  return {
    ...found,
    ...pairInterval(table, createMetric(table, data.classes, distance), {
      ...options,
      level: checkLevel(options.level),
    }),
    interval,
    notes: [
      ...found.notes,
      "This interval draws pairs of labels as if independent and is too narrow with more than two labels per task.",
    ],
  };
}

export function krippendorffStatistic(
  table: CountTable,
  classes: Names,
  distance: Distance = "nominal",
): Statistic {
  const { labels } = table;
  const fixed = distance === "ordinal" ? undefined : createMetric(table, classes, distance);
  const known = fixed && Float64Array.from(labels, (_, p) => fixed.within(p));
  return {
    fewest: 2,
    lowest: -1,
    notes: fixed?.notes ?? [],
    measure(weight, influence): Measured {
      const totals = classTotals(table, weight, 2);
      const ranks = fixed ? undefined : midRanks(totals);
      const metric = fixed ?? valueMetric(table, ranks ?? totals);
      const within = known ?? Float64Array.from(labels, (_, p) => metric.within(p));
      let [n, observed] = [0, 0];
      for (let p = 0; p < labels.length; p++) {
        if (labels[p] < 2) continue;
        n += weight[p] * labels[p];
        observed += (weight[p] * within[p]) / (labels[p] - 1);
      }
      if (n === 0) return { value: 0, chance: 0, problem: NO_PAIRS };
      const rows = metric.rows(totals);
      const expected = rows.reduce((sum, row, k) => sum + totals[k] * row, 0) / (n - 1);
      if (!(expected > 0)) return { value: 1, chance: 1, problem: ONE_CLASS };
      if (influence) {
        const change = ranks && rankChanges(table, weight, totals, ranks);
        for (let p = 0; p < labels.length; p++) {
          if (labels[p] < 2) continue;
          let within1 = within[p] / (labels[p] - 1);
          let between = 0;
          for (let at = table.start[p]; at < table.start[p + 1]; at++) {
            const k = table.class[at];
            between += 2 * table.count[at] * rows[k];
            if (!change) continue;
            within1 += table.count[at] * change.within[k];
            between += table.count[at] * change.between[k];
          }
          const expectedChange = (between - expected * labels[p]) / (n - 1);
          influence[p] = (observed * expectedChange) / expected ** 2 - within1 / expected;
        }
      }
      const chance = 1 - expected / (n * metric.largest(totals));
      return { value: 1 - observed / expected, chance };
    },
  };
}

/**
 * One more label of class g moves the mid-rank of g by a half and of all classes above by one. What
 * that does to Do and to (n − 1) De is change.within[g] and change.between[g].
 */
function rankChanges(
  table: CountTable,
  weight: ArrayLike<number>,
  totals: Float64Array,
  ranks: Float64Array,
) {
  const { start, class: classes, count, labels } = table;
  // Σ_k o[c][k] (x[c] − x[k]), with the coincidences o of Do; then the same with n[c] n[k].
  const within = new Float64Array(totals.length);
  for (let p = 0; p < labels.length; p++) {
    if (labels[p] < 2) continue;
    let sum = 0;
    for (let at = start[p]; at < start[p + 1]; at++) sum += count[at] * ranks[classes[at]];
    for (let at = start[p]; at < start[p + 1]; at++) {
      const k = classes[at];
      within[k] += (weight[p] * count[at] * (labels[p] * ranks[k] - sum)) / (labels[p] - 1);
    }
  }
  const n = totals.reduce((sum, x) => sum + x, 0);
  const moment = totals.reduce((sum, x, k) => sum + x * ranks[k], 0);
  const between = totals.map((total, k) => total * (n * ranks[k] - moment));
  return { within: shifted(within), between: shifted(between) };
}

/** 4 (half a class's own, and all of those above it). */
function shifted(slopes: Float64Array): Float64Array {
  const moved = new Float64Array(slopes.length);
  let above = 0;
  for (let k = slopes.length - 1; k >= 0; k--) {
    moved[k] = 4 * (slopes[k] / 2 + above);
    above += slopes[k];
  }
  return moved;
}
