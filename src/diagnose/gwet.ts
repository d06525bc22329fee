/**
 * Gwet's AC1 and, with weights, AC2: agreement above chance, where chance is that of workers who
 * guess only on tasks they find hard. It does not collapse, as kappas do, when one class is rare.
 *
 *   AC = (pa − pe) / (1 − pe)     pe = ΣW / (K(K − 1)) · Σ share[k] (1 − share[k])
 *
 * pa is the mean over tasks with two labels or more of the (weighted) share of agreeing pairs; the
 * shares are means over tasks of each task's own shares, tasks with one label included. K counts
 * the classes declared, used or not. The variance is Gwet's own.
 *
 * Gwet (2008), British Journal of Mathematical and Statistical Psychology 61(1), 29–48.
 * https://doi.org/10.1348/000711006X126600
 */
import type { CategoricalData } from "../data/categorical.ts";
import { type AgreementWeights, agreementWeights } from "./agreement-weights.ts";
import {
  type Coefficient,
  type CoefficientOptions,
  estimate,
  NO_PAIRS,
  type Statistic,
} from "./coefficient.ts";
import { type CountTable, countTable } from "./counts.ts";

export interface GwetOptions extends CoefficientOptions {
  /** How far two classes agree: only if the same (AC1, the default), or the more the nearer (AC2). */
  readonly weights?: AgreementWeights | undefined;
}

export function gwetAgreement(data: CategoricalData, options: GwetOptions = {}): Coefficient {
  const table = countTable(data);
  return estimate(table, gwetStatistic(table, options.weights), options);
}

export function gwetStatistic(
  table: CountTable,
  weights: AgreementWeights = "identity",
): Statistic {
  const K = table.classes;
  const { labels, start } = table;
  const agree = agreementWeights(weights, K);
  const pair = weightedPairs(table, agree);
  const scale = K > 1 ? sumOf(agree, K) / (K * (K - 1)) : 0;
  return {
    fewest: 1,
    lowest: -1,
    measure(weight, influence) {
      const shares = new Float64Array(K);
      let [all, several, sum] = [0, 0, 0];
      for (let p = 0; p < labels.length; p++) {
        all += weight[p];
        for (let at = start[p]; at < start[p + 1]; at++) {
          shares[table.class[at]] += (weight[p] * table.count[at]) / labels[p];
        }
        if (labels[p] < 2) continue;
        several += weight[p];
        sum += weight[p] * pair[p];
      }
      if (several === 0) return { value: 0, chance: 0, problem: NO_PAIRS };
      if (K < 2) return { value: 1, chance: 1, problem: "There is only one class." };
      for (let k = 0; k < K; k++) shares[k] /= all;
      const observed = sum / several;
      const chance = scale * shares.reduce((total, x) => total + x * (1 - x), 0);
      const value = (observed - chance) / (1 - chance);
      influence?.forEach((_, p) => {
        let own = 0;
        for (let at = start[p]; at < start[p + 1]; at++) {
          own += (table.count[at] / labels[p]) * (1 - shares[table.class[at]]);
        }
        const gain = labels[p] < 2 ? 0 : ((all / several) * (pair[p] - chance)) / (1 - chance);
        const loss = (2 * (1 - value) * (scale * own - chance)) / (1 - chance);
        influence[p] = (gain - loss - value) / all;
      });
      return { value, chance };
    },
  };
}

/** Σ_k r[k] ((W r)[k] − 1) / (n (n − 1)) of each pattern; 0 for a single label. */
function weightedPairs(
  { start, class: classes, count, labels }: CountTable,
  agree: (k: number, l: number) => number,
): Float64Array {
  return Float64Array.from(labels, (n, p) => {
    if (n < 2) return 0;
    let sum = -n;
    for (let a = start[p]; a < start[p + 1]; a++) {
      sum += count[a] * count[a];
      for (let b = start[p]; b < a; b++) {
        sum += 2 * count[a] * count[b] * agree(classes[a], classes[b]);
      }
    }
    return sum / (n * (n - 1));
  });
}

function sumOf(agree: (k: number, l: number) => number, K: number): number {
  // Weights depend on the distance alone, so each distance is asked once.
  let sum = K;
  for (let d = 1; d < K; d++) sum += 2 * (K - d) * agree(0, d);
  return sum;
}
