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
import type { Known } from "../belief/known.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
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
  const sample = sampleTasks(heard, { gold: options.gold ?? given.gold }, mostLabels, seed);
  const scene = sceneOf(sample.data, sample.known);
  const basis: Forecast["basis"] = scene.gold ? "gold" : "labels";
  const whole = { N: heard.label.length, T: new Set(heard.task).size };
  const base = { basis, tasks: whole.T, goldTasks: countGold(given, options.gold) };
  const tooEarly = reasonAgainst(whole, K);
  if (tooEarly !== undefined) return { ...base, tooEarly, correlation: 0, points: [] };
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

function sceneOf(data: CategoricalData, { gold }: Known): Scene {
  const load = new Int32Array(data.tasks.length);
  for (const t of data.task) load[t]++;
  const known = gold?.reduce((sum, k, t) => sum + (k >= 0 && load[t] > 0 ? 1 : 0), 0) ?? 0;
  const anchored = known >= LEAST_GOLD;
  const { weight: _, workerAttributes: __, ...rest } = data;
  // Workers who are not in a sample of the tasks would only cost time.
  const workers = [...new Set(data.worker)];
  const place = new Int32Array(data.workers.length);
  for (const [w, at] of workers.entries()) place[at] = w;
  return {
    data: {
      ...rest,
      workers: namesOf(workers.map((w) => data.workers.at(w))),
      worker: data.worker.map((w) => place[w]),
    },
    gold: anchored ? gold : undefined,
    load,
  };
}

function countGold(data: CategoricalData, gold = data.gold): number {
  return gold.reduce((sum, k) => sum + (k >= 0 ? 1 : 0), 0);
}

function reasonAgainst({ N, T }: { N: number; T: number }, K: number): string | undefined {
  if (N === 0) return "There are no labels.";
  if (K < 2) return "There is only one class.";
  if (N / T >= 2) return undefined;
  return `There are only ${(N / T).toFixed(1)} labels per task: with fewer than two, labels do not show how good workers are.`;
}

function pointsOf(curves: readonly Curve[], { N, T }: { N: number; T: number }): ForecastPoint[] {
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
  { N, T }: { N: number; T: number },
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
