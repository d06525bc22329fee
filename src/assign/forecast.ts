/**
 * What more labels would buy: the accuracy that answers would have with more labels of the same crowd.
 *
 * Crowds that fit the labels are drawn (crowd-chain.ts). Each gives a class to every task and labels that the crowd would give
 * next (future-labels.ts); Dawid–Skene is fitted to old and new labels, and its answers are compared with those classes. How much
 * errors are shared decides what further labels are worth:
 *
 *   gold     ρ is measured on the tasks with gold. Those tasks have their known class; the others are drawn from
 *            q^(c / (1 + (d − 1) ρ)), with c such that answers are expected to be right as often as on tasks with gold.
 *   labels   ρ is what the labels show, and an unknown amount more: errors that workers share look like the truth.
 *
 * The interval is that of the draws, on the arcsine scale.
 */
import { type CategoricalData, hasAbstentions, selectLabels } from "../data/categorical.ts";
import { namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import { createRandom } from "../math/random.ts";
import { mean, variance } from "../math/statistics.ts";
import { drain, type Steps } from "../method.ts";
import { type Curve, drawCurves, type Scene, SHOWN } from "./forecast-curves.ts";

/** Settings of a forecast. */
export interface ForecastOptions {
  /** Accuracy to reach. Default: 0.95. */
  readonly goal?: number | undefined;
  /** Known classes of some tasks, a random sample of them. Default: those of the data. */
  readonly gold?: Int32Array | undefined;
  /** Without gold: assume that workers share no errors beyond those that the labels show. Default: false. */
  readonly independent?: boolean | undefined;
  /** Number of crowds that are drawn. Default: 40. */
  readonly draws?: number | undefined;
  /** More labels than this are judged on a sample of whole tasks. Default: 10,000. */
  readonly mostLabels?: number | undefined;
  readonly seed?: number | undefined;
}

/** The expected accuracy with some number of labels; ends of 95 % intervals. */
export interface ForecastPoint {
  /** Number of labels in all. */
  readonly labels: number;
  readonly labelsPerTask: number;
  readonly accuracy: number;
  readonly low: number;
  readonly high: number;
  /** How much more that is than now. */
  readonly gain: number;
  readonly gainLow: number;
  readonly gainHigh: number;
}

/** How many labels the goal takes. */
export interface ForecastGoal {
  readonly accuracy: number;
  /** Reached already, reached with `more` labels, or not within ten times the labels. */
  readonly state: "reached" | "within reach" | "out of reach";
  /** Labels still to be collected, about; absent if out of reach. */
  readonly more?: number;
  readonly low?: number;
  /** Absent if the goal may never be reached. */
  readonly high?: number;
  /** Expected accuracy with ten times the labels, if the goal is out of reach. */
  readonly ceiling?: number;
}

/** What more labels would buy. */
export interface Forecast {
  /** `gold` if tasks with gold anchor it; `labels` if it rests on labels alone. */
  readonly basis: "gold" | "labels";
  readonly tasks: number;
  readonly goldTasks: number;
  /** Why there is no forecast; then `points` is empty and `goal` absent. */
  readonly tooEarly?: string;
  /** Correlation of errors that it reckons with, on average. */
  readonly correlation: number;
  /** The first point is now. */
  readonly points: readonly ForecastPoint[];
  readonly goal?: ForecastGoal;
}

/** Fewer tasks with gold than this anchor nothing. */
const LEAST_GOLD = 20;

/** Forecasts the accuracy of answers with more labels. */
export function forecast(data: CategoricalData, options: ForecastOptions = {}): Forecast {
  return drain(forecastSteps(data, options));
}

/** The same in steps, with progress. */
export function* forecastSteps(
  given: CategoricalData,
  options: ForecastOptions = {},
): Steps<Forecast> {
  const { goal = 0.95, draws = 40, mostLabels = 10_000, seed = 0 } = options;
  check("goal", goal, goal > 0 && goal < 1, "above 0 and below 1");
  check("draws", draws, Number.isInteger(draws) && draws >= 2, "a whole number of at least 2");
  const K = given.classes.length;
  const heard = hasAbstentions(given) ? selectLabels(given, (i) => given.label[i] < K) : given;
  const gold = options.gold ?? given.gold;
  const whole = countsOf(heard, gold);
  const anchored = whole.gold >= LEAST_GOLD;
  const base: Pick<Forecast, "basis" | "tasks" | "goldTasks"> = {
    basis: anchored ? "gold" : "labels",
    tasks: whole.tasks,
    goldTasks: whole.gold,
  };
  const tooEarly = reasonAgainst(whole, K);
  if (tooEarly !== undefined) return { ...base, tooEarly, correlation: 0, points: [] };
  const scene = sceneOf(heard, anchored ? gold : undefined, whole, { mostLabels, seed });
  const random = createRandom(seed).split("forecast");
  const curves = yield* drawCurves(
    scene,
    { goal, draws, independent: options.independent },
    random,
  );
  return {
    ...base,
    correlation: mean(curves.map(({ correlation }) => correlation)),
    points: pointsOf(curves, whole),
    goal: goalOf(curves, whole, goal),
  };
}

/** How much there is of everything. */
interface Counts {
  readonly labels: number;
  /** Tasks with labels, and those of them with gold. */
  readonly tasks: number;
  readonly gold: number;
  /** Labels of tasks with gold. */
  readonly goldLabels: number;
}

function countsOf({ task }: CategoricalData, gold: Int32Array): Counts {
  const tasks = new Set(task);
  return {
    labels: task.length,
    tasks: tasks.size,
    gold: [...tasks].filter((t) => gold[t] >= 0).length,
    goldLabels: task.reduce((sum, t) => sum + (gold[t] >= 0 ? 1 : 0), 0),
  };
}

/** Takes the tasks with gold and others, at most about so many labels, and numbers those anew who are left. */
function sceneOf(
  data: CategoricalData,
  gold: Int32Array | undefined,
  whole: Counts,
  { mostLabels, seed }: { mostLabels: number; seed: number },
): Scene {
  const lots = createRandom(seed).split("sample");
  const known = gold ? whole.goldLabels : 0;
  const others = whole.labels - known;
  // Half of the room is for tasks with gold, and what others leave.
  const room = Math.min(known, mostLabels - Math.min(others, mostLabels / 2));
  const shares = {
    gold: room / Math.max(1, known),
    others: (mostLabels - room) / Math.max(1, others),
  };
  const kept = Uint8Array.from(data.tasks, (name, t) => {
    const share = gold && gold[t] >= 0 ? shares.gold : shares.others;
    return share >= 1 || lots.split(name).next() < share ? 1 : 0;
  });
  const picked = selectLabels(data, (i) => kept[data.task[i]] === 1);
  const [task, worker] = [renumbered(picked.task), renumbered(picked.worker)];
  const { weight: _, taskAttributes: __, workerAttributes: ___, ...rest } = picked;
  const load = new Int32Array(task.kept.length);
  for (const t of task.column) load[t]++;
  return {
    data: {
      ...rest,
      tasks: namesOf(task.kept.map((t) => data.tasks.at(t))),
      workers: namesOf(worker.kept.map((w) => data.workers.at(w))),
      task: task.column,
      worker: worker.column,
      gold: Int32Array.from(task.kept, (t) => data.gold[t]),
    },
    gold: gold && Int32Array.from(task.kept, (t) => gold[t]),
    goldShare: gold ? whole.gold / whole.tasks : 0,
    load,
  };
}

/** Numbers in order of appearance, without gaps, and which numbers they were. */
function renumbered(column: Int32Array): { column: Int32Array; kept: number[] } {
  const places = new Map<number, number>();
  for (const number of column) if (!places.has(number)) places.set(number, places.size);
  return { column: column.map((number) => places.get(number) ?? -1), kept: [...places.keys()] };
}

function reasonAgainst({ labels, tasks }: Counts, K: number): string | undefined {
  if (labels === 0) return "There are no labels.";
  if (K < 2) return "There is only one class.";
  if (labels / tasks >= 2) return undefined;
  return `There are only ${(labels / tasks).toFixed(1)} labels per task: with fewer than two, labels do not show how good workers are.`;
}

function pointsOf(curves: readonly Curve[], { labels: N, tasks: T }: Counts): ForecastPoint[] {
  return SHOWN.map((times, i) => {
    const { middle, low, high } = rangeOf(curves.map(({ accuracy }) => accuracy[i]));
    const gains = curves.map(({ accuracy }) => accuracy[i] - accuracy[0]);
    const spread = SPREAD * Math.sqrt(variance(gains));
    const gain = mean(gains);
    return {
      labels: Math.round(times * N),
      labelsPerTask: (times * N) / T,
      accuracy: middle,
      low,
      high,
      gain,
      gainLow: gain - spread,
      gainHigh: gain + spread,
    };
  });
}

/** Standard deviations to either side of a 95 % interval, of as few as 40 draws. */
const SPREAD = 2.02;

/** The mean and 95 % interval of shares, on the scale on which their spread does not depend on the mean. */
function rangeOf(shares: readonly number[]): { middle: number; low: number; high: number } {
  const angles = shares.map((share) => Math.asin(Math.sqrt(share)));
  const [middle, spread] = [mean(angles), SPREAD * Math.sqrt(variance(angles))];
  const share = (angle: number) => Math.sin(Math.min(Math.PI / 2, Math.max(0, angle))) ** 2;
  return { middle: share(middle), low: share(middle - spread), high: share(middle + spread) };
}

/** Where curves first reach the goal: the median, and the range of most draws, a label per task wider to either side. */
function goalOf(
  curves: readonly Curve[],
  { labels: N, tasks: T }: Counts,
  goal: number,
): ForecastGoal {
  const reached = curves.map((curve) => reachedAt(curve, goal)).sort((a, b) => a - b);
  const at = (share: number) => reached[Math.round(share * (reached.length - 1))];
  const middle = at(0.5);
  const more = (times: number) => Math.max(0, Math.round((times - 1) * N));
  if (middle === Infinity) {
    const last = curves.map(({ accuracy }) => accuracy[accuracy.length - 1]);
    return { accuracy: goal, state: "out of reach", ceiling: mean(last) };
  }
  const [low, high] = [at(0.05), at(0.95)];
  return {
    accuracy: goal,
    state: middle <= 1 ? "reached" : "within reach",
    more: more(middle),
    low: Math.max(0, more(low) - T),
    ...(Number.isFinite(high) && { high: more(high) + T }),
  };
}

/** The multiple of the labels at which a curve first reaches the goal, on the line between its points. */
function reachedAt({ times, accuracy }: Curve, goal: number): number {
  const at = accuracy.findIndex((value) => value >= goal);
  if (at < 0) return Infinity;
  if (at === 0) return 1;
  const part = (goal - accuracy[at - 1]) / (accuracy[at] - accuracy[at - 1]);
  return times[at - 1] + part * (times[at] - times[at - 1]);
}

function check(name: string, value: number, ok: boolean, wanted: string): void {
  if (ok) return;
  throw new CrowdError("bad-option", `forecast: ${name} must be ${wanted}, not ${value}.`);
}
