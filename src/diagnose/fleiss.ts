/**
 * Fleiss' kappa: agreement of pairs above what the classes' shares would give by chance.
 *
 *   κ = (P − Pe) / (1 − Pe)     P the mean over tasks of the share of agreeing pairs, Pe = Σ share²
 *
 * Made for equally many labels per task. Where the numbers differ, each task's own pairs and the
 * shares pooled over all labels are used, the generalised form, and a note says so. Tasks with one
 * label do not count.
 *
 * Fleiss (1971), Psychological Bulletin 76(5), 378–382. https://doi.org/10.1037/h0031619
 */
import type { CategoricalData } from "../data/categorical.ts";
import {
  type Coefficient,
  type CoefficientOptions,
  estimate,
  NO_PAIRS,
  type Statistic,
} from "./coefficient.ts";
import { type CountTable, classTotals, countTable } from "./counts.ts";
import { pairAgreement } from "./percent.ts";

export const ONE_CLASS = "All labels are of one class, so chance alone explains the agreement.";

export function fleissKappa(data: CategoricalData, options: CoefficientOptions = {}): Coefficient {
  const table = countTable(data);
  return estimate(table, fleissStatistic(table), options);
}

export function fleissStatistic(table: CountTable): Statistic {
  const share = pairAgreement(table);
  const { labels, start } = table;
  const numbers = new Set(labels.filter((n) => n >= 2));
  return {
    fewest: 2,
    lowest: -1,
    notes:
      numbers.size > 1 ? ["Tasks have different numbers of labels: the generalised form."] : [],
    measure(weight, influence) {
      const totals = classTotals(table, weight, 2);
      let [n, sum, tasks] = [0, 0, 0];
      for (let p = 0; p < share.length; p++) {
        if (labels[p] < 2) continue;
        n += weight[p] * labels[p];
        sum += weight[p] * share[p];
        tasks += weight[p];
      }
      if (tasks === 0) return { value: 0, chance: 0, problem: NO_PAIRS };
      const observed = sum / tasks;
      const shares = totals.map((total) => total / n);
      const chance = shares.reduce((all, x) => all + x * x, 0);
      if (chance >= 1 - 1e-12) return { value: 1, chance, problem: ONE_CLASS };
      const value = (observed - chance) / (1 - chance);
      influence?.forEach((_, p) => {
        if (labels[p] < 2) return;
        let own = 0;
        for (let at = start[p]; at < start[p + 1]; at++) {
          own += table.count[at] * shares[table.class[at]];
        }
        const chanceChange = (2 * (own - labels[p] * chance)) / n;
        influence[p] = ((share[p] - observed) / tasks - (1 - value) * chanceChange) / (1 - chance);
      });
      return { value, chance };
    },
  };
}
