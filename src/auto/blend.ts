/** The blend behind `auto`: judges candidates by labels it hides from them, fits those that count, and adds up what they believe. */
import type { Fit } from "../aggregate/categorical/aggregator.ts";
import { cutFolds, predict, readOut, totalWeight } from "../belief/hold-out.ts";
import { type Known, taskBase } from "../belief/known.ts";
import { type Sample, sampleTasks } from "../belief/sample-tasks.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { exactCopies, oneVoiceEach } from "../diagnose/collusion/exact-copies.ts";
import { groupLists } from "../diagnose/collusion/fused-groups.ts";
import { treatGroups } from "../diagnose/collusion/treat-groups.ts";
import {
  assumedCorrelation,
  likelihoodPowers,
  type SharedErrors,
  sharedErrorSteps,
} from "../diagnose/shared-errors.ts";
import { groupsFor } from "../em/find-groups.ts";
import type { Engine } from "../kernels/engine.ts";
import { maxOf } from "../math/lists.ts";
import { type Steps, staged } from "../method.ts";
import {
  type Believer,
  type Effort,
  type Entry,
  type Family,
  type Portfolio,
  weigh,
} from "./portfolio.ts";

/** What `auto` finds beyond the answers: the methods tried and their weights. */
export interface Auto extends Fit {
  readonly confusion: Float64Array;
  /** What was tried, with its score and weight, or why it was left out. */
  readonly portfolio: readonly Candidate[];
  /** What log-likelihoods were divided by on average, since labels share errors. */
  readonly temperature: number;
  /** How much the errors of workers go together, as far as the labels show. */
  readonly sharedErrors: SharedErrors;
  /** The group of each worker, if some err together; each group counted for one worker. */
  readonly groups?: Int32Array;
  /** The same for workers whose labels are copies: they never disagree, and err. */
  readonly copies?: Int32Array;
}

/** One method that `auto` tried. */
export interface Candidate {
  readonly name: string;
  readonly method: string;
  readonly family: Family;
  readonly options: Readonly<Record<string, number | string | boolean>>;
  /** Mean log-probability of a hidden label, in nats. */
  readonly heldOut: number;
  readonly weight: number;
  readonly leftOut?: string;
}

/**
 * Correlation of errors, with twice its deviation, at which the evidence of one task weighs candidates. All
 * hidden labels together would pick a single winner, which on real crowds is often one that models the habits of
 * workers well and the truth badly; the closer workers are to independence, the more their evidence counts.
 */
const ONE_TASK = 0.05;

/** More labels than this are judged on a sample of whole tasks. */
const SAMPLE = 100_000;

/** Share of misnamed or lost classes from which on evidence counts nothing for a candidate, and it is left out. */
const DOUBTFUL = 0.1;
const MOST_MISNAMED = 0.3;
const SOUND = { wrong: 0, lost: 0 } as const;

/** Candidates with less weight are not fitted. */
const NEGLIGIBLE = 0.003;

export interface Trial {
  readonly portfolio: Portfolio;
  /** True if neighbouring classes are alike: labels that mostly name a neighbour name the class well enough. */
  readonly ordered?: boolean;
  readonly effort: Effort;
  readonly seed: number;
  readonly abstentions: string;
  readonly engine: Engine;
  readonly K: number;
  readonly L: number;
}

type Blend = Pick<
  Auto,
  "posterior" | "confusion" | "portfolio" | "sharedErrors" | "groups" | "copies" | "temperature"
>;

/** Judges the candidates, fits those that count, and adds up what they believe. */
export function* blend(all: CategoricalData, known: Known, trial: Trial): Steps<Blend> {
  const { effort, seed, K, L } = trial;
  const { given, sampled, copies } = withoutCopies(all, known, seed);
  const measured = yield* measure(sampled.data, sampled.known, trial);
  const groups = yield* dependentGroups(sampled.data, sampled.known, trial, measured);
  // A group counts for one worker, in all but the model that knows groups.
  const data = groups ? treatGroups(given, groupLists(groups), "weight") : given;
  const entries = trial.portfolio(effort, data, known, groups);
  const sample = groups ? sampleTasks(data, known, SAMPLE, seed) : sampled;
  const shared = groups ? yield* measure(sample.data, sample.known, trial) : measured;
  const folds =
    effort === "fast" || sample.data.tasks !== data.tasks ? 1 : effort === "normal" ? 5 : 10;
  const scores = yield* judge(entries, sample, sampled.data, { ...trial, folds });
  const raw = normalised(weigh(entries, scores, evidenceOf(shared, sample.data)));

  // Fits are blended as they come, so that only one posterior is held beside the blend.
  const posterior = new Float64Array(data.tasks.length * K);
  const confusion = new Float64Array(data.workers.length * K * L);
  const power = likelihoodPowers(data, assumedCorrelation(shared, K), K);
  const before = knownBefore(data, known, K);
  const plain = normalised(weigh(entries, scores, 0));
  const weights = entries.map(() => 0);
  const reasons: (string | undefined)[] = entries.map(() => undefined);
  const counts = raw.map((weight) => weight >= NEGLIGIBLE);
  for (const [m, entry] of entries.entries()) {
    if (!counts[m]) continue;
    const labels = entry.groups ? given : data;
    const fit = yield* staged(fitted(entry, labels, known, trial), `fitting ${entry.name}`);
    const { wrong, lost } = entry.plain ? SOUND : misnaming(data, fit.posterior, K, trial.ordered);
    // If the last one finds none sound before it, it has to do.
    const alone = counts.lastIndexOf(true) === m && weights.every((weight) => weight === 0);
    if (wrong + lost > MOST_MISNAMED && !alone) {
      reasons[m] = misnamed(wrong, lost);
      continue;
    }
    weights[m] = wrong + lost > DOUBTFUL ? Math.min(raw[m], plain[m]) : raw[m];
    addTo(confusion, readOut(copies ? all : data, fit.posterior, L, 1), weights[m]);
    addTempered(posterior, fit.posterior, weights[m], entry.multiplies ? { power, before } : {});
  }
  sharpen(posterior, K, 1);
  const used = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    posterior,
    confusion: confusion.map((x) => x / used),
    sharedErrors: measured,
    ...(groups && { groups }),
    ...(copies && { copies }),
    temperature: power.length > 0 ? power.length / power.reduce((sum, x) => sum + x, 0) : 1,
    portfolio: entries.map(({ name, method, family, options }, m) => ({
      name,
      method: method.id,
      family,
      options,
      heldOut: scores[m],
      weight: weights[m] / used,
      ...(reasons[m] && { leftOut: reasons[m] }),
    })),
  };
}

/** Lets copies answer once per task: hidden labels would be predicted by those of the others. */
function withoutCopies(all: CategoricalData, known: Known, seed: number) {
  const sampled = sampleTasks(all, known, SAMPLE, seed);
  const copies = exactCopies(sampled.data);
  if (!copies) return { given: all, sampled };
  const given = oneVoiceEach(all, copies);
  return { given, sampled: sampleTasks(given, known, SAMPLE, seed), copies };
}

function fitted(
  { method, options, groups }: Entry,
  data: CategoricalData,
  known: Known,
  trial: Trial,
) {
  const all = groups ? { ...known, groups } : known;
  return method.steps(data, settings(method, options, trial), all, trial.engine);
}

function measure(data: CategoricalData, known: Known, { seed, engine }: Trial) {
  return staged(sharedErrorSteps(data, { seed, known, engine }), "measuring shared errors");
}

/** Finds groups of workers who err together, if errors go together at all; undefined if there are none. */
function* dependentGroups(
  data: CategoricalData,
  known: Known,
  { seed, L }: Trial,
  { correlation, deviation }: SharedErrors,
): Steps<Int32Array | undefined> {
  if (!known.groups && correlation <= 2 * deviation) return undefined;
  const steps = groupsFor(data, { groups: 0, seed }, { known, L });
  const { groups, found } = yield* staged(steps, "looking for groups");
  return found > 0 ? groups : undefined;
}

/** Votes and methods for ordered classes cannot model abstentions and leave them out. */
function settings(method: Believer, options: object, { abstentions }: Trial): object {
  return "abstentions" in method.options ? { ...options, abstentions } : options;
}

/** The number of hidden labels that weigh one candidate against another; never more than there are labels. */
function evidenceOf(
  { correlation, deviation, labelsPerTask }: SharedErrors,
  data: CategoricalData,
) {
  const most = Math.max(0, correlation) + 2 * deviation;
  const tasks = Math.max(1, (ONE_TASK / Math.max(1e-9, most)) ** 2);
  return Math.min(tasks * labelsPerTask, totalWeight(data));
}

/** Mean log-probability of a hidden label, by candidate. */
function* judge(
  entries: readonly Entry[],
  { data, known }: Sample,
  untreated: CategoricalData,
  { folds, ...trial }: Trial & { readonly folds: number },
): Steps<number[]> {
  const { seed, L } = trial;
  // The same cut: it goes by the names of tasks and workers.
  const whole = untreated === data ? undefined : cutFolds(untreated, folds, seed);
  // A candidate that sees some folds only is compared with the first on those.
  const sums = entries.map(() => 0);
  const first = entries.map(() => 0);
  const seen = entries.map(() => 0);
  for (const [f, { shown, hidden }] of cutFolds(data, folds, seed).entries()) {
    const labels = totalWeight(hidden);
    let reference = 0;
    for (const [m, entry] of entries.entries()) {
      if (f >= (entry.folds ?? folds)) continue;
      const stage = `judging ${entry.name}, part ${f + 1} of ${folds}`;
      const part = entry.groups && whole ? whole[f].shown : shown;
      const { posterior } = yield* staged(fitted(entry, part, known, trial), stage);
      const sum = predict(hidden, posterior, readOut(shown, posterior, L), L);
      if (m === 0) reference = sum;
      sums[m] += sum;
      first[m] += reference;
      seen[m] += labels;
    }
  }
  const mean = (sum: number, m: number) => (seen[m] > 0 ? sum / seen[m] : 0);
  return entries.map((_, m) => mean(sums[0], 0) + mean(sums[m] - first[m], m));
}

/** Says why the classes of a posterior do not mean what they are called. */
function misnamed(wrong: number, lost: number): string {
  return wrong >= lost
    ? `${percent(wrong)} of the tasks are in classes whose labels mostly name another`
    : `classes that ${percent(lost)} of the labels name have lost their tasks`;
}

/** Share of tasks in classes whose labels mostly name another; of labels that name a lost class. */
export function misnaming(
  data: CategoricalData,
  posterior: Float64Array,
  K: number,
  ordered = false,
): { wrong: number; lost: number } {
  const table = new Float64Array(K * K);
  const given = new Float64Array(K);
  let labels = 0;
  for (let i = 0; i < data.label.length; i++) {
    const l = data.label[i];
    if (l >= K) continue;
    given[l]++;
    labels++;
    for (let k = 0; k < K; k++) table[k * K + l] += posterior[data.task[i] * K + k];
  }
  const mass = meanBelief(posterior, K);
  let wrong = 0;
  let lost = 0;
  for (let k = 0; k < K; k++) {
    const row = table.subarray(k * K, (k + 1) * K);
    const near = ordered ? maxOf(row.subarray(Math.max(0, k - 1), k + 2)) : row[k];
    if (maxOf(row) > near * (1 + 1e-9)) wrong += mass[k];
    const share = labels > 0 ? given[k] / labels : 0;
    if (mass[k] < 0.2 * share) lost += share;
  }
  return { wrong, lost };
}

function normalised(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, w) => sum + w, 0);
  return weights.map((w) => w / total);
}

function addTo(sum: Float64Array, values: Float64Array, weight: number): void {
  for (let i = 0; i < sum.length; i++) sum[i] += weight * values[i];
}

/** Adds weight · posterior, with all but what was known before to a power. */
export function addTempered(
  sum: Float64Array,
  posterior: Float64Array,
  weight: number,
  { power, before }: { readonly power?: Float64Array; readonly before?: Float64Array | undefined },
): void {
  if (!power) {
    addTo(sum, posterior, weight);
    return;
  }
  const K = sum.length / power.length;
  const row = new Float64Array(K);
  for (let t = 0; t < power.length; t++) {
    const from = t * K;
    let total = 0;
    for (let k = 0; k < K; k++) {
      const known = before ? before[from + k] : 1;
      const p = posterior[from + k];
      row[k] = power[t] === 1 || p === 0 ? p : known * (p / known) ** power[t];
      total += row[k];
    }
    for (let k = 0; k < K; k++) sum[from + k] += (weight * row[k]) / total;
  }
}

/** What is known of each task besides its labels, as probabilities up to a factor; undefined if nothing is. */
function knownBefore(data: CategoricalData, known: Known, K: number): Float64Array | undefined {
  const base = taskBase(data, known);
  const { prior } = known;
  if (!prior) return base;
  const all = base?.slice() ?? new Float64Array(data.tasks.length * K).fill(1);
  return all.map((x, at) => x * prior[at % K]);
}

/** Raises each task's probabilities to a power and lets them sum to 1 again. */
export function sharpen(posterior: Float64Array, K: number, power: number): void {
  for (let from = 0; from < posterior.length; from += K) {
    let total = 0;
    for (let k = from; k < from + K; k++) {
      if (power !== 1) posterior[k] **= power;
      total += posterior[k];
    }
    for (let k = from; k < from + K; k++) posterior[k] /= total;
  }
}

export function meanBelief(posterior: Float64Array, K: number): Float64Array {
  const mean = new Float64Array(K);
  for (let i = 0; i < posterior.length; i++) mean[i % K] += posterior[i];
  const total = mean.reduce((sum, x) => sum + x, 0);
  return total > 0 ? mean.map((x) => x / total) : mean.fill(1 / K);
}

/** A share as whole per cent. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
