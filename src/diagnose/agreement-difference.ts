/**
 * Whether two coefficients of agreement differ: two coefficients of the same labels, two groups of
 * workers on the same tasks, two periods.
 *
 * Where both rest on the same task, its influences ψ on the two are subtracted before they are
 * squared, so what moves both alike cancels; tasks of only one side add their own variance. That
 * two intervals overlap says nothing: they may overlap and the difference be clear.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import { studentQuantile } from "../math/incomplete.ts";
import type { AgreementWeights } from "./agreement-weights.ts";
import { checkLevel, type Statistic, tasksWith } from "./coefficient.ts";
import { type CountTable, countTable } from "./counts.ts";
import { fleissStatistic } from "./fleiss.ts";
import { gwetStatistic } from "./gwet.ts";
import { krippendorffStatistic } from "./krippendorff.ts";
import type { Distance } from "./metric.ts";
import { percentStatistic } from "./percent.ts";

/** A coefficient of some labels. */
export interface Side {
  readonly data: CategoricalData;
  readonly coefficient: "percent" | "pooled" | "fleiss" | "krippendorff" | "gwet";
  /** For krippendorff. */
  readonly distance?: Distance | undefined;
  /** For gwet. */
  readonly weights?: AgreementWeights | undefined;
}

export interface AgreementDifference {
  /** First minus second. */
  readonly value: number;
  readonly se: number;
  readonly low: number;
  readonly high: number;
  /** Tasks that both rest on; matched by name. */
  readonly shared: number;
  /** False where one of the two is not defined. */
  readonly defined: boolean;
}

export function agreementDifference(
  first: Side,
  second: Side,
  options: { readonly level?: number } = {},
): AgreementDifference {
  const level = checkLevel(options.level);
  const a = spread(first);
  const b = spread(second);
  const value = a.value - b.value;
  if (!a.defined || !b.defined) {
    return { value, se: 0, low: -2, high: 2, shared: 0, defined: false };
  }
  let [variance, shared] = [0, 0];
  for (const [task, psi] of a.tasks) {
    const other = b.tasks.get(task);
    if (other !== undefined) shared++;
    variance += (psi - (other ?? 0)) ** 2;
  }
  for (const [task, psi] of b.tasks) if (!a.tasks.has(task)) variance += psi ** 2;
  const se = Math.sqrt(variance);
  const freedom = Math.min(a.tasks.size, b.tasks.size) - 1;
  const reach = studentQuantile((1 + level) / 2, freedom) * se;
  return { value, se, low: value - reach, high: value + reach, shared, defined: true };
}

/** The centred influence of each task that counts, times √(n/(n − 1)). */
function spread(side: Side) {
  const table = countTable(side.data);
  const statistic = statisticOf(side, table);
  const influence = new Float64Array(table.tasks.length);
  const { value, problem } = statistic.measure(table.tasks, influence);
  const n = tasksWith(table, statistic.fewest);
  const tasks = new Map<string, number>();
  if (problem !== undefined || n < 2) return { value, tasks, defined: false };
  let sum = 0;
  for (let p = 0; p < influence.length; p++) {
    if (table.labels[p] >= statistic.fewest) sum += table.tasks[p] * influence[p];
  }
  const scale = Math.sqrt(n / (n - 1));
  [...side.data.tasks].forEach((name, t) => {
    const p = table.pattern[t];
    if (p >= 0 && table.labels[p] >= statistic.fewest) {
      tasks.set(name, (influence[p] - sum / n) * scale);
    }
  });
  return { value, tasks, defined: true };
}

function statisticOf({ data, coefficient, distance, weights }: Side, table: CountTable): Statistic {
  switch (coefficient) {
    case "percent":
      return percentStatistic(table);
    case "pooled":
      return percentStatistic(table, "pairs");
    case "fleiss":
      return fleissStatistic(table);
    case "krippendorff":
      return krippendorffStatistic(table, data.classes, distance);
    case "gwet":
      return gwetStatistic(table, weights);
    default:
      throw new CrowdError(
        "bad-option",
        `There is no coefficient "${String(coefficient)}". Try: percent, pooled, fleiss, krippendorff, gwet.`,
      );
  }
}
