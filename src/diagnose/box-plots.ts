/**
 * Box plots of the workers: how many labels each gave, and how good they are.
 *
 * The box goes from the lower to the upper quartile, whiskers to the last worker within one and a half
 * times its length, and those beyond are named.
 *
 * McGill, Tukey & Larsen (1978), American Statistician 32(1), 12–16. https://doi.org/10.2307/2683468
 */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { quantile } from "../math/statistics.ts";

export interface BoxPlot {
  /** Workers it shows. */
  readonly workers: number;
  readonly lower: number;
  readonly median: number;
  readonly upper: number;
  readonly whiskerLow: number;
  readonly whiskerHigh: number;
  /** Workers beyond the whiskers, lowest first. */
  readonly outliers: readonly { readonly worker: string; readonly value: number }[];
}

export interface BoxPlots {
  /** Labels of each worker who gave any. */
  readonly labels: BoxPlot;
  /** The result's skill of the same workers. */
  readonly skill: BoxPlot;
  /** Share of right labels on gold tasks, of workers with at least five of them; absent without any. */
  readonly accuracy?: BoxPlot;
}

/** Fewer labels on gold tasks than this make no accuracy. */
const ENOUGH_GOLD = 5;

export function boxPlots(data: CategoricalData, result: Aggregation): BoxPlots {
  const values = (of: (w: number) => number) =>
    Array.from(data.workers, (worker, w) => ({ worker, w }))
      .filter(({ w }) => result.workload[w] > 0)
      .map(({ worker, w }) => ({ worker, value: of(w) }));
  const right = new Float64Array(data.workers.length);
  const scored = new Int32Array(data.workers.length);
  const K = data.classes.length;
  for (let i = 0; i < data.label.length; i++) {
    const k = data.gold[data.task[i]];
    if (k < 0 || data.label[i] >= K) continue;
    scored[data.worker[i]]++;
    if (data.label[i] === k) right[data.worker[i]]++;
  }
  const accuracies = Array.from(data.workers, (worker, w) => ({ worker, w }))
    .filter(({ w }) => scored[w] >= ENOUGH_GOLD)
    .map(({ worker, w }) => ({ worker, value: right[w] / scored[w] }));
  return {
    labels: boxPlot(values((w) => result.workload[w])),
    skill: boxPlot(values((w) => result.skill[w])),
    ...(accuracies.length > 0 && { accuracy: boxPlot(accuracies) }),
  };
}

/** The box of named values; zeros without any. */
export function boxPlot(
  values: readonly { readonly worker: string; readonly value: number }[],
): BoxPlot {
  const sorted = values.toSorted((a, b) => a.value - b.value);
  const numbers = sorted.map(({ value }) => value);
  if (numbers.length === 0) {
    const nothing = { workers: 0, lower: 0, median: 0, upper: 0, whiskerLow: 0, whiskerHigh: 0 };
    return { ...nothing, outliers: [] };
  }
  const [lower, median, upper] = [0.25, 0.5, 0.75].map((p) => quantile(numbers, p));
  const reach = 1.5 * (upper - lower);
  const inside = numbers.filter((x) => x >= lower - reach && x <= upper + reach);
  const [whiskerLow, whiskerHigh] = [inside[0], inside[inside.length - 1]];
  return {
    workers: numbers.length,
    lower,
    median,
    upper,
    whiskerLow,
    whiskerHigh,
    outliers: sorted.filter(({ value }) => value < whiskerLow || value > whiskerHigh),
  };
}
