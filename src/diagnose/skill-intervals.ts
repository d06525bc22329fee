/**
 * How sure we are of each worker's skill: a group jackknife over tasks, turned into Beta quantiles.
 *
 * Tasks fall into twenty groups by a hash of their name. Leaving one group out at a time, the model
 * is fitted again from where it ended; the spread of a worker's skill over the refits gives its
 * standard deviation, and that an effective number of labels, never more than the worker gave:
 *
 *   n* = min(n, s(1 − s) / (1.07 sd)²)      interval = Beta(s n* + ½, (1 − s) n* + ½) quantiles
 *
 * The centre s is the skill of the result if its method is refitted as itself. Agreement with a vote, or an ability on
 * another scale, is biased as an estimate of the probability of a right label; intervals of such methods are centred on
 * the skill that Dawid–Skene, shrunk towards the crowd, finds from their posterior.
 *
 * Counting expected right labels as if the truth were known is too narrow, by up to a third of the
 * coverage. Many labels are judged on a sample of tasks and the spread scaled to all of them.
 */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { labelsPerWorker } from "../data/crowd-data.ts";
import { createEngine } from "../kernels/engine.ts";
import { betaQuantile } from "../math/incomplete.ts";
import { maxOf, minOf } from "../math/lists.ts";
import { createRandom } from "../math/random.ts";
import { pearson } from "../math/statistics.ts";
import { drain, type Steps } from "../method.ts";
import { refit, refitted, withoutSilent } from "./refit.ts";

/** 95 % interval of the skill of each worker, by worker index. */
export interface SkillIntervals {
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Standard deviation of each skill. */
  readonly deviation: Float64Array;
}

export interface IntervalOptions {
  readonly groups?: number;
  readonly level?: number;
  readonly seed?: number;
  /** More labels than this are judged on a sample of whole tasks. */
  readonly mostLabels?: number;
}

/** Labels up to which the centre of intervals is fitted on all of them, if it is not the skill of the result. */
const MOST_CENTRED = 2_000_000;

const isRefitted = ({ method }: Aggregation) => refitted.some(({ id }) => id === method);

/**
 * Intervals for the probability of a right label of each worker, or undefined where the refits disagree too much for skills to be
 * identified. Of votes and other methods whose skill is no such probability, the skill may lie outside.
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
  const share = sample.label.length / Math.max(1, data.label.length);
  const random = createRandom(seed).split("jackknife");
  const group = Int32Array.from(sample.tasks, (name) =>
    Math.floor(random.split(name).next() * groups),
  );
  const engine = createEngine();
  const whole = all(refit(result, sample, known, engine).skill);
  const sums = new Float64Array(W);
  const squares = new Float64Array(W);
  let unstable = 0;
  for (let g = 0; g < groups; g++) {
    const rest = selectLabels(sample, (i) => group[sample.task[i]] !== g);
    const skill = all(refit(result, rest, known, engine).skill);
    if (W > 2 && pearson(skill, whole) < 0.5 && spread(whole) > 1e-3) unstable++;
    for (let w = 0; w < W; w++) {
      sums[w] += skill[w] / groups;
      squares[w] += skill[w] ** 2 / groups;
    }
    yield { iteration: g + 1, objective: 0, stage: "judging how sure the skills are" };
  }
  if (unstable > groups / 20) return undefined;
  const labels = labelsPerWorker(data);
  const own = isRefitted(result);
  const recentred = !own && sampled !== data && data.label.length <= MOST_CENTRED;
  const centre = own
    ? result.skill
    : recentred
      ? refit(result, data, { start: result.posterior }, engine).skill
      : whole;
  const scale = own || recentred ? share : 1;
  const deviation = sums.map((mean, w) => {
    const variance = Math.max(0, squares[w] - mean ** 2);
    // (G − 1)/G · Σ (x − mean)²; a sample of tasks is less sure than all of them.
    return Math.sqrt((groups - 1) * variance * scale);
  });
  const low = new Float64Array(W);
  const high = new Float64Array(W);
  for (let w = 0; w < W; w++) {
    const s = Math.min(0.999, Math.max(0.001, centre[w]));
    const effective = deviation[w] > 0 ? (s * (1 - s)) / (1.07 * deviation[w]) ** 2 : Infinity;
    const n = Math.min(labels[w], effective);
    low[w] = betaQuantile((1 - level) / 2, s * n + 0.5, (1 - s) * n + 0.5);
    high[w] = betaQuantile((1 + level) / 2, s * n + 0.5, (1 - s) * n + 0.5);
  }
  return { low, high, deviation };
}

function spread(values: Float64Array): number {
  return maxOf(values) - minOf(values);
}
