/**
 * Auto: fits a portfolio of methods and blends them, judged by labels it hides from them.
 *
 *   families      votes; one number per worker; confusion matrices; models of shared errors
 *   score[m]      mean log-probability of hidden labels, read out alike for all (hold-out.ts)
 *   weight[m]     ∝ say of its family · exp(labels per task · tasks · score[m]), with `tasks` the evidence of a
 *                 single task, and more the surer it is that workers err independently
 *   ρ             correlation of the errors of workers: what this crowd shows (diagnose/shared-errors.ts), and
 *                 what real crowds have that labels cannot show
 *   posterior[t]  Σ weight[m] · posterior[m][t] with likelihoods to the power 1 / (1 + (d − 1) ρ), d labels of t
 *
 * If groups of workers err together (em/find-groups.ts), each group counts for one worker, and a model of groups joins.
 * A candidate whose classes do not mean what they are called loses what evidence says for it, or is left out: one
 * with much mass on a class whose labels mostly name another, or that empties classes which many labels name. That
 * is how flexible models fail on sparse data, and no likelihood shows it.
 * It never sees gold unless given as known; known gold also sets how sure the blend may be.
 *
 * Stacking of predictive distributions: Yao, Vehtari, Simpson & Gelman (2018), Bayesian Analysis 13(3),
 * 917–1007. https://doi.org/10.1214/17-BA1091
 */
import {
  type AnyAggregator,
  aggregator,
  type Fit,
  probabilisticOptions,
} from "../aggregate/categorical/aggregator.ts";
import { confidences, temper } from "../belief/confidence.ts";
import { skillOf } from "../belief/confusion-table.ts";
import { cutFolds, predict, readOut, totalWeight } from "../belief/hold-out.ts";
import { type Known, taskBase } from "../belief/known.ts";
import { type Sample, sampleTasks } from "../belief/sample-tasks.ts";
import { decide } from "../belief/ties.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { groupLists } from "../diagnose/collusion/fused-groups.ts";
import { treatGroups } from "../diagnose/collusion/treat-groups.ts";
import {
  assumedCorrelation,
  likelihoodPowers,
  type SharedErrors,
  sharedErrorSteps,
} from "../diagnose/shared-errors.ts";
import { groupsFor } from "../em/find-groups.ts";
import { plural } from "../error.ts";
import type { Engine } from "../kernels/engine.ts";
import { maxOf } from "../math/lists.ts";
import { createRandom } from "../math/random.ts";
import { type Steps, staged } from "../method.ts";
import {
  type Effort,
  type Entry,
  type Family,
  isPlainVote,
  portfolioFor,
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

/** Known answers from which on they set how sure the blend may be. */
const ENOUGH_GOLD = 20;

/** Auto: fits several methods, compares them on hidden labels, and blends the best ones. */
export const auto = aggregator(
  {
    id: "auto",
    title: "Auto",
    summary: "Fits several methods, scores them on hidden labels, and blends the good ones.",
    paper: {
      authors: "Y. Yao, A. Vehtari, D. Simpson, A. Gelman",
      year: 2018,
      title: "Using stacking to average Bayesian predictive distributions",
      url: "https://doi.org/10.1214/17-BA1091",
    },
    family: "blend",
    probabilistic: true,
    cost: "several fits: less than 10 times dawid-skene for a million labels, more for few labels",
    options: {
      ...probabilisticOptions,
      effort: {
        default: "normal",
        choices: ["fast", "normal", "thorough"],
        help: "How much to try: 4 methods and one hold-out set, 11 methods and 5 folds, or 18 methods and 10 folds.",
      },
    },
  },
  function* (data, { effort, seed, abstentions }, { known, engine, K, L }): Steps<Auto> {
    const trial = { effort, seed, abstentions, engine, K, L };
    const made = yield* blend(data, known, trial);
    const gold = yield* goldScale(data, known, trial);
    const { posterior } = made;
    if (gold) sharpen(posterior, K, gold.scale);
    const prior = known.prior ?? meanBelief(posterior, K);
    const skill = skillOf(made.confusion, prior, {
      workers: data.workers.length,
      classes: K,
      given: L,
    });
    const { consensus } = decide(data, posterior, prior, { ties: "first", seed });
    const believed = { posterior, consensus, K, W: skill.length, probabilistic: true };
    temper(believed, confidences(data, believed, known));
    const temperature = made.temperature / (gold?.scale ?? 1);
    return {
      ...made,
      prior,
      skill,
      temperature,
      trace: [],
      converged: true,
      notes: [
        reason(made.portfolio),
        ...groupNotes(made.groups),
        ...temperatureNotes(temperature, made.sharedErrors, gold?.tasks ?? 0),
      ],
    };
  },
);

interface Trial {
  readonly effort: Effort;
  readonly seed: number;
  readonly abstentions: string;
  readonly engine: Engine;
  readonly K: number;
  readonly L: number;
}

type Blend = Pick<
  Auto,
  "posterior" | "confusion" | "portfolio" | "sharedErrors" | "groups" | "temperature"
>;

/** Judges the candidates, fits those that count, and adds up what they believe. */
function* blend(given: CategoricalData, known: Known, trial: Trial): Steps<Blend> {
  const { effort, seed, K, L } = trial;
  const sampled = sampleTasks(given, known, SAMPLE, seed);
  const measured = yield* measure(sampled.data, sampled.known, trial);
  const groups = yield* dependentGroups(sampled.data, sampled.known, trial, measured);
  // A group counts for one worker, in all but the model that knows groups.
  const data = groups ? treatGroups(given, groupLists(groups), "weight") : given;
  const entries = portfolioFor(effort, data, known, groups);
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
    const { wrong, lost } = isPlainVote(entry) ? SOUND : misnaming(data, fit.posterior, K);
    // If the last one finds none sound before it, it has to do.
    const alone = counts.lastIndexOf(true) === m && weights.every((weight) => weight === 0);
    if (wrong + lost > MOST_MISNAMED && !alone) {
      reasons[m] = misnamed(wrong, lost);
      continue;
    }
    weights[m] = wrong + lost > DOUBTFUL ? Math.min(raw[m], plain[m]) : raw[m];
    addTo(confusion, readOut(data, fit.posterior, L, 1), weights[m]);
    addTempered(posterior, fit.posterior, weights[m], entry.multiplies ? { power, before } : {});
  }
  sharpen(posterior, K, 1);
  const used = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    posterior,
    confusion: confusion.map((x) => x / used),
    sharedErrors: measured,
    ...(groups && { groups }),
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

/** Votes cannot model abstentions and leave them out. */
function settings(method: AnyAggregator, options: object, { abstentions }: Trial): object {
  return method.probabilistic ? { ...options, abstentions } : options;
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
    if (maxOf(row) > row[k] * (1 + 1e-9)) wrong += mass[k];
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
function sharpen(posterior: Float64Array, K: number, power: number): void {
  for (let from = 0; from < posterior.length; from += K) {
    let total = 0;
    for (let k = from; k < from + K; k++) {
      if (power !== 1) posterior[k] **= power;
      total += posterior[k];
    }
    for (let k = from; k < from + K; k++) posterior[k] /= total;
  }
}

/**
 * By what known answers say to multiply all log-odds. Each half of them judges a blend that was told the other half.
 * One factor, most probable if its logarithm is normal with deviation 1 beforehand. Undefined if they are few.
 */
function* goldScale(
  data: CategoricalData,
  known: Known,
  trial: Trial,
): Steps<{ readonly scale: number; readonly tasks: number } | undefined> {
  const { gold } = known;
  const { K } = trial;
  if (!gold) return undefined;
  const labelled = new Set(data.task);
  const judged = [...gold.keys()].filter((t) => gold[t] >= 0 && labelled.has(t));
  if (judged.length < ENOUGH_GOLD || K < 2) return undefined;
  const random = createRandom(trial.seed).split("gold");
  const half = Int8Array.from(data.tasks, (name) => (random.split(name).next() < 0.5 ? 0 : 1));
  const logs: Float64Array[] = [];
  for (const part of [0, 1]) {
    const told = gold.map((k, t) => (half[t] === part ? k : -1));
    const { posterior } = yield* blend(data, { ...known, gold: told }, trial);
    logs.push(posterior.map((p) => Math.log(Math.max(1e-12, p))));
  }
  const score = (scale: number) => {
    let sum = -(Math.log(scale) ** 2) / 2;
    for (const t of judged) {
      const log = logs[1 - half[t]];
      let total = 0;
      for (let k = t * K; k < (t + 1) * K; k++) total += Math.exp(scale * log[k]);
      sum += scale * log[t * K + gold[t]] - Math.log(total);
    }
    return sum;
  };
  const steps = Array.from({ length: 61 }, (_, i) => 2 ** ((i - 40) / 10));
  const scale = steps.reduce((a, b) => (score(b) > score(a) ? b : a));
  return { scale, tasks: judged.length };
}

function meanBelief(posterior: Float64Array, K: number): Float64Array {
  const mean = new Float64Array(K);
  for (let i = 0; i < posterior.length; i++) mean[i % K] += posterior[i];
  const total = mean.reduce((sum, x) => sum + x, 0);
  return total > 0 ? mean.map((x) => x / total) : mean.fill(1 / K);
}

function reason(candidates: readonly Candidate[]): string {
  const used = candidates
    .filter(({ weight }) => weight >= 0.005)
    .toSorted((a, b) => b.weight - a.weight);
  const parts = used.map(({ name, weight }) => `${name} ${percent(weight)}`);
  const out = candidates.flatMap(({ name, leftOut }) => (leftOut ? [`${name} (${leftOut})`] : []));
  const rest = out.length > 0 ? ` Left out: ${out.join("; ")}.` : "";
  return `Blend: ${parts.join(", ")}.${rest}`;
}

function groupNotes(groups: Int32Array | undefined): string[] {
  if (!groups) return [];
  const sizes = groupLists(groups).map(({ length }) => length);
  const members = sizes.reduce((sum, n) => sum + n, 0);
  return [
    `${members} of ${groups.length} workers err together in ${plural(sizes.length, "group", "groups")}; each group counted for one worker.`,
  ];
}

function temperatureNotes(
  temperature: number,
  { correlation, deviation }: SharedErrors,
  gold: number,
): string[] {
  if (gold > 0) {
    return [
      `Confidence was set by ${plural(gold, "known answer", "known answers")}: log-odds were divided by ${temperature.toFixed(2)} on average.`,
    ];
  }
  if (correlation <= 2 * deviation) return [];
  return [
    `The errors of workers are correlated (${correlation.toFixed(2)}), so confidence was lowered: log-odds were divided by ${temperature.toFixed(1)} on average.`,
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
