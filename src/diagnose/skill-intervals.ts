/**
 * How sure we are of each worker's skill: a group jackknife over tasks, turned into Beta quantiles.
 *
 * Tasks fall into twenty groups by a hash of their name. Leaving one group out at a time, the model
 * is fitted again from where it ended; the spread of a worker's skill over the refits gives its
 * variance, which is joined with that of the crowd (beta-ends.ts), and that an effective number of labels:
 *
 *   n* = s(1 − s) / variance      interval = Beta(s n* + ½, (1 − s) n* + ½) quantiles
 *
 * never more than known classes would give. The skill s is counted from the posterior (counted-skill.ts), not the result's own: that
 * may be drawn towards a prior, agreement with a vote, or an ability on another scale, all biased as estimates of the
 * probability of a right label. Only one-coin's is its own. Methods that are not refitted as themselves give the start of a
 * Dawid–Skene model, shrunk towards the crowd, and the skill is counted from its posterior.
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
import { createEngine } from "../kernels/engine.ts";
import { maxOf, minOf } from "../math/lists.ts";
import { createRandom } from "../math/random.ts";
import { pearson } from "../math/statistics.ts";
import { drain, type Steps } from "../method.ts";
import { betaEnds, MOST_WORTH, pooledVariance } from "./beta-ends.ts";
import { asSpokenFor, mergedIn, oneVoiceEach } from "./collusion/exact-copies.ts";
import { type CountedSkill, countedSkill } from "./counted-skill.ts";
import {
  MANY_LABELS,
  refit,
  refitted,
  STANDING_IN,
  standInForAll,
  withoutSilent,
} from "./refit.ts";

/** 95 % interval of the skill of each worker, by worker index. */
export interface SkillIntervals {
  readonly low: Float64Array;
  readonly high: Float64Array;
  /**
   * The skill that the interval is about, always given by `skillIntervals`. Not that of the result where the method draws skills towards a prior, or
   * where its skill is no probability of a right label; the result's skill may then lie outside the interval.
   */
  readonly centre?: Float64Array;
  /** Standard deviation of each skill. */
  readonly deviation: Float64Array;
}

export interface IntervalOptions {
  readonly groups?: number;
  readonly level?: number;
  readonly seed?: number;
  /** More labels than this are judged on a sample of whole tasks. */
  readonly mostLabels?: number;
  /** The model that stands in for the result on all labels (refit.ts), if it was fitted already. */
  readonly fitted?: Aggregation | undefined;
}

/** Iterations of each refit. */
const AGAIN = 10;
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

/** The same in steps, with progress. Where copies count for one worker in a result, they do here. */
export function* skillIntervalSteps(
  data: CategoricalData,
  result: Aggregation,
  options?: IntervalOptions,
): Steps<SkillIntervals | undefined> {
  const copies = mergedIn(result);
  const found = yield* jackknifeSteps(oneVoiceEach(data, copies), result, options);
  if (!found || !copies) return found;
  const { low, high, centre, deviation } = found;
  const spoken = (values: Float64Array) => asSpokenFor(values, copies);
  return {
    low: spoken(low),
    high: spoken(high),
    centre: spoken(centre),
    deviation: spoken(deviation),
  };
}

function* jackknifeSteps(
  data: CategoricalData,
  result: Aggregation,
  {
    groups = 20,
    level = 0.95,
    seed = 0,
    mostLabels = MANY_LABELS,
    ...options
  }: IntervalOptions = {},
): Steps<Required<SkillIntervals> | undefined> {
  const W = data.workers.length;
  const { data: sampled, known } = sampleTasks(data, { start: result.posterior }, mostLabels, seed);
  const { data: sample, all } = withoutSilent(sampled);
  const random = createRandom(seed).split("jackknife");
  const group = Int32Array.from(sample.tasks, (name) =>
    Math.floor(random.split(name).next() * groups),
  );
  const engine = createEngine();
  const own = refitted.some(({ id }) => id === result.method);
  const whole = refit(result, sample, known, engine, own ? AGAIN : STANDING_IN);
  const start: Known = own ? known : { start: whole.posterior };
  const centre = all(skillOf(sample, whole).skill);
  const sums = new Float64Array(W);
  const squares = new Float64Array(W);
  let unstable = 0;
  for (let g = 0; g < groups; g++) {
    const rest = selectLabels(sample, (i) => group[sample.task[i]] !== g);
    const skill = all(skillOf(rest, refit(result, rest, start, engine, AGAIN)).skill);
    if (W > 2 && pearson(skill, centre) < 0.5 && spread(centre) > 1e-3) unstable++;
    for (let w = 0; w < W; w++) {
      sums[w] += skill[w] / groups;
      squares[w] += skill[w] ** 2 / groups;
    }
    yield { iteration: g + 1, objective: 0, stage: "judging how sure the skills are" };
  }
  if (unstable > groups / 20) return undefined;
  const fitted = own ? result : (options.fitted ?? standInForAll(data, result, engine, mostLabels));
  const counted = fitted ? skillOf(data, fitted) : eachWorker(skillOf(sample, whole), all);
  // A sample of tasks is less sure than all of them.
  const scale = fitted ? sample.label.length / Math.max(1, data.label.length) : 1;
  const deviation = sums.map((mean, w) =>
    // (G − 1)/G · Σ (x − mean)².
    Math.sqrt((groups - 1) * Math.max(0, squares[w] - mean ** 2) * scale),
  );
  const labels = labelsPerWorker(data);
  const variance = pooledVariance(deviation, counted.variance, labels, { level, groups });
  const ends = Array.from(counted.skill, (skill, w) =>
    betaEnds(skill, variance[w], MOST_WORTH * labels[w], level),
  );
  const [low, high] = ([0, 1] as const).map((end) => Float64Array.from(ends, (pair) => pair[end]));
  return { low, high, centre: Float64Array.from(counted.skill), deviation };
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

/** Keeps a skill away from 0 and 1. */
function inside(skill: number): number {
  return Math.min(0.999, Math.max(0.001, skill));
}

function spread(values: Float64Array): number {
  return maxOf(values) - minOf(values);
}
