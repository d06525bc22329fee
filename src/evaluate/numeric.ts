/** How close numbers are to gold. */
import { CrowdError } from "../error.ts";
import { spearman, variance } from "../math/statistics.ts";
import type { Interval } from "./accuracy.ts";

/** Values to be scored, by task. */
export interface ScoredValues {
  readonly value: Float64Array;
  /** Known values; NaN where there is none. */
  readonly gold: Float64Array;
  /** 95 % intervals; NaN where there is none. */
  readonly low?: Float64Array | undefined;
  readonly high?: Float64Array | undefined;
  /** The output of each, where tasks have several. */
  readonly output?: readonly string[] | undefined;
}

/** All scores of estimated values against gold. */
export interface NumericMetrics {
  /** Number of tasks with gold and a value. */
  readonly tasks: number;
  /** Mean absolute error, with a 95 % interval over tasks. */
  readonly mae: Interval;
  /** Root mean square error. */
  readonly rmse: number;
  /** Mean of value less gold. */
  readonly bias: number;
  /** Spearman's rank correlation with gold, values rounded to 6 decimals; NaN for fewer than 2 tasks. */
  readonly spearman: number;
  /** Share of intervals that hold the gold; absent where there are none. */
  readonly coverage?: number;
  /**
   * The scores of each output; absent where tasks have one number. The scores above are of all together, with values and
   * gold of each output less the mean of its gold, in units of the standard deviation of its gold.
   */
  readonly outputs?: Readonly<Record<string, NumericMetrics>>;
}

/** Returns the unit of each entry: the standard deviation of the gold of its output; 1 with one output. */
export function goldUnits(
  gold: Float64Array,
  outputs: readonly string[] | undefined,
): (t: number) => number {
  const standards = outputs && goldStandards(gold, outputs);
  return (t) => (outputs && standards?.get(outputs[t])?.unit) || 1;
}

/** Mean and standard deviation of the gold of each output. */
function goldStandards(gold: Float64Array, outputs: readonly string[]) {
  return new Map(
    [...new Set(outputs)].map((name) => {
      const own = gold.filter((x, t) => outputs[t] === name && !Number.isNaN(x));
      const spread = own.length > 1 ? Math.sqrt(variance(own)) : 0;
      const mean = own.reduce((sum, x) => sum + x / own.length, 0);
      return [name, { mean, unit: spread > 0 ? spread : 1 }] as const;
    }),
  );
}

/** Scores each output by itself, and all together in units of their gold. */
function evaluateOutputs(scored: ScoredValues, outputs: readonly string[]): NumericMetrics {
  const standards = goldStandards(scored.gold, outputs);
  const common = (column: Float64Array | undefined) =>
    column?.map((x, t) => {
      const { mean, unit } = standards.get(outputs[t]) ?? { mean: 0, unit: 1 };
      return (x - mean) / unit;
    });
  const own = (column: Float64Array | undefined, name: string) =>
    column?.filter((_, t) => outputs[t] === name);
  const { value, gold, low, high } = scored;
  const apply = (of: (column: Float64Array | undefined) => Float64Array | undefined) => ({
    value: of(value) ?? value,
    gold: of(gold) ?? gold,
    low: of(low),
    high: of(high),
  });
  const scorable = [...standards.keys()].filter((name) =>
    outputs.some((each, t) => each === name && !Number.isNaN(gold[t]) && !Number.isNaN(value[t])),
  );
  return {
    ...evaluateValues(apply(common)),
    outputs: Object.fromEntries(
      scorable.map((name) => [name, evaluateValues(apply((column) => own(column, name)))]),
    ),
  };
}

/** Scores values against gold on the tasks that have both. */
export function evaluateValues(scored: ScoredValues): NumericMetrics {
  const { value, gold, low, high, output } = scored;
  if (output) return evaluateOutputs(scored, output);
  const tasks = Array.from(gold.keys()).filter(
    (t) => !Number.isNaN(gold[t]) && !Number.isNaN(value[t]),
  );
  if (tasks.length === 0) {
    throw new CrowdError(
      "bad-data",
      "There is no gold to score against: no task has a known value.",
    );
  }
  const misses = Float64Array.from(tasks, (t) => value[t] - gold[t]);
  const n = misses.length;
  const mean = (of: (miss: number) => number) =>
    misses.reduce((sum, miss) => sum + of(miss), 0) / n;
  const mae = mean(Math.abs);
  const half = 1.96 * Math.sqrt(n > 1 ? variance(misses.map(Math.abs)) / n : Number.NaN);
  const sure = tasks.filter((t) => low && high && !Number.isNaN(low[t]) && !Number.isNaN(high[t]));
  const held = sure.filter((t) => low && high && low[t] <= gold[t] && gold[t] <= high[t]);
  const rounded = tasks.map((t) => Number(value[t].toFixed(6)));
  return {
    tasks: n,
    mae: { value: mae, low: Math.max(0, mae - half), high: mae + half },
    rmse: Math.sqrt(mean((miss) => miss * miss)),
    bias: mean((miss) => miss),
    spearman:
      n > 1
        ? spearman(
            rounded,
            tasks.map((t) => gold[t]),
          )
        : Number.NaN,
    ...(sure.length > 0 && { coverage: held.length / sure.length }),
  };
}
