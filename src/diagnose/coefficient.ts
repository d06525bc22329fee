/**
 * From a coefficient of agreement to its standard error and interval, with tasks as the sample.
 *
 * Linearised: with one weight per task, ψ[t] = d value / d weight[t], Var = n/(n − 1) · Σ (ψ[t] − mean)²,
 * and the interval is symmetric on log(1 − value), with a t quantile of n − 1 degrees of freedom.
 * Bootstrap: tasks drawn anew, as multinomial weights on the patterns of the count table.
 *
 * Labels of one task are not independent, so pairs of labels are never the sample here. Workers are
 * taken as they are: another crowd would add a spread of its own.
 */
import { CrowdError } from "../error.ts";
import { binomial } from "../math/distributions.ts";
import { studentQuantile } from "../math/incomplete.ts";
import { createRandom, type Random } from "../math/random.ts";
import { quantile } from "../math/statistics.ts";
import type { CountTable } from "./counts.ts";

/** A coefficient of agreement with its interval over tasks. */
export interface Coefficient {
  readonly value: number;
  /** Standard error over tasks, linearised whichever interval was asked for; 0 where not defined. */
  readonly se: number;
  readonly low: number;
  readonly high: number;
  /** Tasks it rests on. */
  readonly tasks: number;
  /** False where the data cannot say; `value` is then a convention and the interval is everything. */
  readonly defined: boolean;
  /** How `low` and `high` were found. */
  readonly interval: IntervalKind | "none";
  readonly notes: readonly string[];
}

type IntervalKind = "linearised" | "bootstrap" | "hayes-krippendorff";

export interface CoefficientOptions {
  /** Default: linearised, and bootstrap where there are fewer than 20 tasks. */
  readonly interval?: "linearised" | "bootstrap" | undefined;
  readonly level?: number | undefined;
  /** Bootstrap draws; each costs a pass over the patterns. */
  readonly draws?: number | undefined;
  readonly seed?: number | undefined;
}

export interface Measured {
  readonly value: number;
  /** What `value` was measured against: 1 − value = (1 − agreement) / (1 − chance). */
  readonly chance: number;
  /** Why the coefficient is not defined, where it is not. */
  readonly problem?: string;
}

/** Patterns of tasks: the labels of one task, and the number of tasks. */
export type Patterns = Pick<CountTable, "labels" | "tasks">;

export interface Statistic {
  /** Tasks with fewer labels do not count. */
  readonly fewest: 1 | 2;
  /** No interval goes below. */
  readonly lowest: -1 | 0;
  /**
   * The value if pattern `p` has weight[p] tasks. Writes to `influence`, where given, how it would
   * change for one more task of each pattern.
   */
  measure(weight: ArrayLike<number>, influence?: Float64Array): Measured;
  /** True where the published variance goes without n/(n − 1). */
  readonly plain?: boolean;
  readonly notes?: readonly string[];
}

export const NO_PAIRS = "No task has two labels, so nothing can agree.";

/** Fewer tasks than this are bootstrapped unless told otherwise. */
const FEW_TASKS = 20;

export function estimate(
  table: Patterns,
  statistic: Statistic,
  options: CoefficientOptions = {},
): Coefficient {
  const level = checkLevel(options.level);
  const { fewest, lowest } = statistic;
  const influence = new Float64Array(table.tasks.length);
  const { value, chance, problem } = statistic.measure(table.tasks, influence);
  const notes = [...(statistic.notes ?? [])];
  const n = tasksWith(table, fewest);
  const base = { value, tasks: n, defined: problem === undefined };
  const unknown = { se: 0, low: lowest, high: 1, interval: "none" } as const;
  if (problem !== undefined) return { ...base, ...unknown, notes: [...notes, problem] };
  if (n < 2) return { ...base, ...unknown, notes: [...notes, "One task shows no spread."] };
  const variance = influenceVariance(table, influence, fewest);
  const se = Math.sqrt(statistic.plain ? (variance * (n - 1)) / n : variance);
  const kind = options.interval ?? (n < FEW_TASKS ? "bootstrap" : "linearised");
  if (value >= ALL) {
    const low = Math.max(lowest, unanimousLow(n, chance, level));
    return { ...base, se, low, high: 1, interval: "linearised", notes: [...notes, UNANIMOUS] };
  }
  const ends =
    kind === "bootstrap"
      ? bootstrap(table, statistic, level, options)
      : logInterval(value, se, level, n - 1);
  return { ...base, se, ...clip(ends, lowest), interval: kind, notes };
}

/** From here on a value is 1 but for rounding. */
export const ALL = 1 - 1e-12;

const UNANIMOUS =
  "All pairs agree; the lower end is what so many tasks without a disagreement cannot exclude.";

/** The lower end where no task disagrees: the rate of disagreement that n tasks just fail to show. */
export function unanimousLow(n: number, chance: number, level: number): number {
  return 1 - (1 - ((1 - level) / 2) ** (1 / n)) / (1 - chance);
}

/** Symmetric on log(1 − value), for values below 1. */
export function logInterval(
  value: number,
  se: number,
  level: number,
  freedom: number,
): { low: number; high: number } {
  const reach = (studentQuantile((1 + level) / 2, freedom) * se) / (1 - value);
  return { low: 1 - (1 - value) * Math.exp(reach), high: 1 - (1 - value) * Math.exp(-reach) };
}

export function checkLevel(level = 0.95): number {
  if (level > 0 && level < 1) return level;
  throw new CrowdError("bad-option", `agreement: level must be between 0 and 1, not ${level}.`);
}

/** Number of tasks with at least so many labels. */
export function tasksWith({ labels, tasks }: Patterns, fewest: number): number {
  let n = 0;
  for (let p = 0; p < tasks.length; p++) if (labels[p] >= fewest) n += tasks[p];
  return n;
}

/** n/(n − 1) · Σ (ψ − mean ψ)² over the tasks that count. */
function influenceVariance(table: Patterns, influence: Float64Array, fewest: number): number {
  const n = tasksWith(table, fewest);
  let sum = 0;
  for (let p = 0; p < influence.length; p++) {
    if (table.labels[p] >= fewest) sum += table.tasks[p] * influence[p];
  }
  let squares = 0;
  for (let p = 0; p < influence.length; p++) {
    if (table.labels[p] >= fewest) squares += table.tasks[p] * (influence[p] - sum / n) ** 2;
  }
  return (squares * n) / (n - 1);
}

/** Percentiles of the value over draws of as many tasks as there are. */
function bootstrap(
  table: Patterns,
  { fewest, measure }: Statistic,
  level: number,
  { draws = 1000, seed = 0 }: CoefficientOptions,
): { low: number; high: number } {
  if (!(Number.isInteger(draws) && draws >= 1)) {
    throw new CrowdError("bad-option", `agreement: draws must be at least 1, not ${draws}.`);
  }
  const random = createRandom(seed).split("agreement");
  const weight = new Float64Array(table.tasks.length);
  const values = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw++) {
    redraw(table, fewest, random, weight);
    values[draw] = measure(weight).value;
  }
  values.sort();
  return { low: quantile(values, (1 - level) / 2), high: quantile(values, (1 + level) / 2) };
}

/** As many tasks as count, drawn with replacement: a multinomial over their patterns. */
function redraw(table: Patterns, fewest: number, random: Random, weight: Float64Array): void {
  let mass = tasksWith(table, fewest);
  let left = mass;
  for (let p = 0; p < weight.length; p++) {
    if (table.labels[p] < fewest) continue;
    const count = table.tasks[p];
    weight[p] = count >= mass ? left : binomial(random, left, count / mass);
    left -= weight[p];
    mass -= count;
  }
}

function clip({ low, high }: { low: number; high: number }, lowest: number) {
  return { low: Math.max(lowest, low), high: Math.min(1, Math.max(lowest, high)) };
}
