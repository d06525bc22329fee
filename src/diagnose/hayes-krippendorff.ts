/**
 * The interval for alpha that older papers print: pairs of labels drawn anew as if each were
 * independent of the others, with the expected disagreement held fixed. Three labels of a task make
 * three pairs that share their errors, so the interval is too narrow; it is here to compare with.
 *
 * Hayes & Krippendorff (2007), Communication Methods and Measures 1(1), 77–89.
 * https://doi.org/10.1080/19312450709336664
 */
import { binomial } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { quantile } from "../math/statistics.ts";
import { type CountTable, classTotals } from "./counts.ts";
import type { Metric } from "./metric.ts";

export function pairInterval(
  table: CountTable,
  metric: Metric,
  {
    level,
    draws = 1000,
    seed = 0,
  }: { level: number; draws?: number | undefined; seed?: number | undefined },
): { low: number; high: number } {
  const totals = classTotals(table, table.tasks, 2);
  const n = totals.reduce((sum, x) => sum + x, 0);
  const expected = metric.rows(totals).reduce((sum, row, k) => sum + totals[k] * row, 0) / (n - 1);
  const { cells, pairs } = coincidences(table);
  const random = createRandom(seed).split("pairs");
  const values = Float64Array.from({ length: draws }, () => {
    let [left, mass, sum] = [pairs, n, 0];
    for (const { share, k, l } of cells) {
      const taken = share >= mass ? left : binomial(random, left, share / mass);
      sum += taken * metric.distance(k, l);
      left -= taken;
      mass -= share;
    }
    return 1 - (n * sum) / (pairs * expected);
  }).sort();
  return { low: quantile(values, (1 - level) / 2), high: quantile(values, (1 + level) / 2) };
}

/** Pairs of different classes with their share of the n coincidences, and the number of pairs. */
function coincidences({ classes: K, start, class: classes, count, labels, tasks }: CountTable) {
  const shares = new Map<number, number>();
  let pairs = 0;
  for (let p = 0; p < labels.length; p++) {
    if (labels[p] < 2) continue;
    pairs += (tasks[p] * labels[p] * (labels[p] - 1)) / 2;
    for (let a = start[p]; a < start[p + 1]; a++) {
      for (let b = start[p]; b < a; b++) {
        const cell = classes[b] * K + classes[a];
        const more = (2 * tasks[p] * count[a] * count[b]) / (labels[p] - 1);
        shares.set(cell, (shares.get(cell) ?? 0) + more);
      }
    }
  }
  const cells = [...shares].map(([cell, share]) => ({
    share,
    k: Math.floor(cell / K),
    l: cell % K,
  }));
  return { cells, pairs };
}
