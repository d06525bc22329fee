/**
 * How far apart two classes are, summed over pairs of labels: within a task, and between all labels.
 *
 * Squared differences of numbers need no loop over pairs: Σ_ck r[c] r[k] (x[c] − x[k])² =
 * 2 (n Σ r x² − (Σ r x)²), taken from a value near the numbers so that little cancels.
 */
import type { Names } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import { maxOf, minOf } from "../math/lists.ts";
import { type CountTable, classTotals } from "./counts.ts";

export type Distance = "nominal" | "ordinal" | "interval" | "ratio";

export interface Metric {
  /** δ of two classes. */
  distance(k: number, l: number): number;
  /** Σ δ over ordered pairs of labels of one task of a pattern. */
  within(p: number): number;
  /** Σ_l totals[l] δ(k, l) of each class. */
  rows(totals: Float64Array): Float64Array;
  /** The largest δ between classes that occur. */
  largest(totals: Float64Array): number;
  readonly notes: readonly string[];
}

export function createMetric(table: CountTable, classes: Names, distance: Distance): Metric {
  switch (distance) {
    case "nominal":
      return nominalMetric(table);
    case "ordinal":
      return valueMetric(table, midRanks(classTotals(table, table.tasks, 2)));
    case "interval": {
      const values = classValues(classes);
      return valueMetric(
        table,
        values ?? Float64Array.from(classes, (_, k) => k),
        values ? [] : ["Not all classes are numbers; their places in the list were used."],
      );
    }
    case "ratio":
      return ratioMetric(table, classes);
    default:
      throw new CrowdError(
        "bad-option",
        `agreement: distance must be one of nominal, ordinal, interval, ratio, not ${String(distance)}.`,
      );
  }
}

/** The classes as numbers, or undefined where some are not. */
function classValues(classes: Names): Float64Array | undefined {
  const number = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;
  return [...classes].every((name) => number.test(name) && Number.isFinite(Number(name)))
    ? Float64Array.from(classes, Number)
    : undefined;
}

/** Labels below a class, and half of its own. */
export function midRanks(totals: Float64Array): Float64Array {
  let below = 0;
  return totals.map((total) => {
    const rank = below + total / 2;
    below += total;
    return rank;
  });
}

function nominalMetric({ start, count, labels }: CountTable): Metric {
  return {
    distance: (k, l) => (k === l ? 0 : 1),
    within(p) {
      let sum = labels[p] ** 2;
      for (let at = start[p]; at < start[p + 1]; at++) sum -= count[at] ** 2;
      return sum;
    },
    rows(totals) {
      const n = totals.reduce((sum, x) => sum + x, 0);
      return totals.map((total) => n - total);
    },
    largest: () => 1,
    notes: [],
  };
}

export function valueMetric(
  { start, class: classes, count, labels }: CountTable,
  values: Float64Array,
  notes: readonly string[] = [],
): Metric {
  return {
    distance: (k, l) => (values[k] - values[l]) ** 2,
    within(p) {
      const from = values[classes[start[p]]];
      let [sum, squares] = [0, 0];
      for (let at = start[p]; at < start[p + 1]; at++) {
        const x = values[classes[at]] - from;
        sum += count[at] * x;
        squares += count[at] * x * x;
      }
      return 2 * (labels[p] * squares - sum * sum);
    },
    rows(totals) {
      const from =
        values[
          Math.max(
            0,
            totals.findIndex((total) => total > 0),
          )
        ];
      let [n, sum, squares] = [0, 0, 0];
      for (let k = 0; k < totals.length; k++) {
        const x = values[k] - from;
        n += totals[k];
        sum += totals[k] * x;
        squares += totals[k] * x * x;
      }
      return values.map((value) => {
        const x = value - from;
        return n * x * x - 2 * x * sum + squares;
      });
    },
    largest(totals) {
      const met = values.filter((_, k) => totals[k] > 0);
      return met.length > 0 ? (maxOf(met) - minOf(met)) ** 2 : 0;
    },
    notes,
  };
}

function ratioMetric({ start, class: classes, count, labels }: CountTable, names: Names): Metric {
  const numbers = classValues(names);
  const values = numbers ?? Float64Array.from(names, (_, k) => k + 1);
  const negative = values.find((value) => value < 0);
  if (negative !== undefined) {
    throw new CrowdError(
      "bad-data",
      `Ratio distances need classes of at least 0, not ${negative}. Use interval distances.`,
    );
  }
  const distance = (k: number, l: number) =>
    values[k] === values[l] ? 0 : ((values[k] - values[l]) / (values[k] + values[l])) ** 2;
  return {
    distance,
    within(p) {
      let sum = 0;
      for (let a = start[p]; a < start[p + 1]; a++) {
        for (let b = start[p]; b < a; b++) {
          sum += 2 * count[a] * count[b] * distance(classes[a], classes[b]);
        }
      }
      return labels[p] < 2 ? 0 : sum;
    },
    rows: (totals) =>
      totals.map((_, k) => totals.reduce((sum, total, l) => sum + total * distance(k, l), 0)),
    largest: () => 1,
    notes: numbers ? [] : ["Not all classes are numbers; their places, from 1, were used."],
  };
}
