/**
 * How sure we are of each worker's skill: a group jackknife over tasks, turned into Beta quantiles.
 *
 * Tasks fall into twenty groups by a hash of their name. Leaving one group out at a time, the model
 * is fitted again from where it ended; the spread of a worker's skill over the refits gives its
 * standard deviation, and that an effective number of labels, never more than known classes would
 * give:
 *
 *   n* = s(1 − s) / max(known, (1.07 sd)²)      interval = Beta(s n* + ½, (1 − s) n* + ½) quantiles
 *
 * with 1.07 = Student's quantile of 19 degrees of freedom over the normal one, and `known` the variance that s would have
 * if the classes were known. The skill s is counted from the posterior (counted-skill.ts), not the result's own: that may be drawn towards
 * a prior, agreement with a vote, or an ability on another scale, all biased as estimates of the probability of
 * a right label. Only one-coin's is its own. Methods that are not refitted as themselves give the start of a Dawid–Skene
 * model, shrunk towards the crowd, and the skill is counted from its posterior.
 *
 * Counting expected right labels as if the truth were known is too narrow, by up to a third of the
 * coverage. Many labels are judged on a sample of tasks and the spread scaled to all of them.
 */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { oneCoin } from "../aggregate/categorical/em/one-coin.ts";
import type { Known } from "../belief/known.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { labelsPerWorker } from "../data/crowd-data.ts";
import { createEngine, type Engine } from "../kernels/engine.ts";
import { betaQuantile, normalQuantile, studentQuantile } from "../math/incomplete.ts";
import { maxOf, minOf } from "../math/lists.ts";
import { createRandom } from "../math/random.ts";
import { pearson } from "../math/statistics.ts";
import { drain, type Steps } from "../method.ts";
import { type CountedSkill, countedSkill } from "./counted-skill.ts";
import { refit, refitted, withoutSilent } from "./refit.ts";

/** 95 % interval of the skill of each worker, by worker index. */
export interface SkillIntervals {
  readonly low: Float64Array;
  readonly high: Float64Array;
  /**
   * The skill that the interval is about. Not that of the result where the method draws skills towards a prior, or
   * where its skill is no probability of a right label; the result's skill may then lie outside the interval.
   */
  readonly centre: Float64Array;
  /** Standard deviation of each `centre`. */
  readonly deviation: Float64Array;
}

export interface IntervalOptions {
  readonly groups?: number;
  readonly level?: number;
  readonly seed?: number;
  /** More labels than this are judged on a sample of whole tasks. */
  readonly mostLabels?: number;
}

/** Labels up to which the centre of intervals is fitted on all of them, if the method is not refitted as itself. */
const MOST_CENTRED = 2_000_000;
/** Iterations of the model that stands in for a method, and of each refit. */
const [STANDING_IN, AGAIN] = [50, 10];
/**
 * Most effective labels per label. Above 1, because a skill that is counted class by class does not vary with the classes that a
 * worker happened to meet; but rates of many classes with hardly a label each seem surer than they are.
 */
const MOST_WORTH = 2;

/**
 * Intervals for the probability of a right label of each worker, or undefined where the refits disagree too much for skills to be
 * identified.
 */
export function skillIntervals(
  data: CategoricalData,
  result: Aggregation,
  options?: IntervalOptions,
): SkillIntervals | undefined {
  return drain(skillIntervalSteps(data, result, options));
}

export function* skillIntervalSteps(
  data: CategoricalData,
  result: Aggregation,
  { groups = 20, level = 0.95, seed = 0, mostLabels = 100_000 }: IntervalOptions = {},
): Steps<SkillIntervals | undefined> {
  const W = data.workers.length;
  const { data: sampled, known } = sampleTasks(data, { start: result.posterior }, mostLabels, seed);
  const { data: sample, all } = withoutSilent(sampled);
  const random = createRandom(seed).split("jackknife");
  const group = Int32Array.from(sample.tasks, (name) =>
    Math.floor(random.split(name).next() * groups),
  );
  const engine = createEngine();
  const own = refitted.some(({ id }) => id === result.method);
  const standIn = refit(result, sample, known, engine, own ? AGAIN : STANDING_IN);
  const start: Known = own ? known : { start: standIn.posterior };
  const whole = all(skillOf(sample, standIn).skill);
  const sums = new Float64Array(W);
  const squares = new Float64Array(W);
  let unstable = 0;
  for (let g = 0; g < groups; g++) {
    const rest = selectLabels(sample, (i) => group[sample.task[i]] !== g);
    const skill = all(skillOf(rest, refit(result, rest, start, engine, AGAIN)).skill);
    if (W > 2 && pearson(skill, whole) < 0.5 && spread(whole) > 1e-3) unstable++;
    for (let w = 0; w < W; w++) {
      sums[w] += skill[w] / groups;
      squares[w] += skill[w] ** 2 / groups;
    }
    yield { iteration: g + 1, objective: 0, stage: "judging how sure the skills are" };
  }
  if (unstable > groups / 20) return undefined;
  const fitted = own ? result : fitToAll(data, sampled, result, engine);
  const counted = fitted ? skillOf(data, fitted) : eachWorker(skillOf(sample, standIn), all);
  // A sample of tasks is less sure than all of them.
  const scale = fitted ? sample.label.length / Math.max(1, data.label.length) : 1;
  const deviation = sums.map((mean, w) =>
    // (G − 1)/G · Σ (x − mean)².
    Math.sqrt((groups - 1) * Math.max(0, squares[w] - mean ** 2) * scale),
  );
  const most = labelsPerWorker(data).map((n) => MOST_WORTH * n);
  return { ...betaIntervals(counted, deviation, most, level, groups), deviation };
}

/** The skill counted from a fit's posterior; one-coin's own, which is no mean over classes. */
function skillOf(data: CategoricalData, fit: Aggregation): CountedSkill {
  if (fit.method !== oneCoin.id) return countedSkill(data, fit);
  const labels = labelsPerWorker(data);
  const variance = fit.skill.map((s, w) => (inside(s) * (1 - inside(s))) / Math.max(1, labels[w]));
  return { skill: fit.skill, variance };
}

function eachWorker(
  { skill, variance }: CountedSkill,
  all: (values: Float64Array) => Float64Array,
): CountedSkill {
  return { skill: all(skill), variance: all(variance) };
}

/** The model that stands in for a method, on all labels; undefined where they are the sample or too many. */
function fitToAll(
  data: CategoricalData,
  sampled: CategoricalData,
  result: Aggregation,
  engine: Engine,
): Aggregation | undefined {
  if (sampled === data || data.label.length > MOST_CENTRED) return undefined;
  return refit(result, data, { start: result.posterior }, engine, STANDING_IN);
}

/** Beta quantiles with the variance of the jackknife, or that of known classes where it is larger. */
function betaIntervals(
  { skill, variance }: CountedSkill,
  deviation: Float64Array,
  most: Int32Array,
  level: number,
  groups: number,
): Omit<SkillIntervals, "deviation"> {
  const tail = (1 + level) / 2;
  const wider = studentQuantile(tail, Math.max(1, groups - 1)) / normalQuantile(tail);
  const low = new Float64Array(skill.length);
  const high = new Float64Array(skill.length);
  for (let w = 0; w < skill.length; w++) {
    const s = inside(skill[w]);
    const worth = (s * (1 - s)) / Math.max(variance[w], (wider * deviation[w]) ** 2);
    const n = Math.min(most[w], worth);
    low[w] = betaQuantile(1 - tail, s * n + 0.5, (1 - s) * n + 0.5);
    high[w] = betaQuantile(tail, s * n + 0.5, (1 - s) * n + 0.5);
  }
  return { low, high, centre: Float64Array.from(skill) };
}

/** Keeps a skill away from 0 and 1. */
function inside(skill: number): number {
  return Math.min(0.999, Math.max(0.001, skill));
}

function spread(values: Float64Array): number {
  return maxOf(values) - minOf(values);
}
