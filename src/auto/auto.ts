/**
 * Auto: fits a small portfolio of methods and blends them, judged by labels it hides from them.
 *
 *   candidates    votes, one-coin, Dawid–Skene shrunk to the crowd, …: from stiff to flexible
 *   score[m]      mean log-probability of hidden labels, read out alike for all (hold-out.ts)
 *   weight[m]     ∝ exp(score[m] · labels of four tasks): not of the whole file, since the models are
 *                 all wrong and share their errors between tasks
 *   posterior     Σ weight[m] · posterior[m], then cooled until it predicts the hidden labels best, and
 *                 tempered for tasks that rest on one label (belief/confidence.ts)
 *
 * A candidate whose classes do not mean what they are called is left out: one with much mass on a
 * class whose labels mostly name another, or that empties classes which many labels name. That is
 * how flexible models fail on sparse data, and no likelihood shows it.
 * It never sees gold unless given as known. What no labels can tell, it cannot either: where most
 * workers share an error, so does every candidate.
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
import { bwa } from "../aggregate/categorical/bayesian/bwa.ts";
import { ebcc } from "../aggregate/categorical/bayesian/ebcc.ts";
import { ibcc } from "../aggregate/categorical/bayesian/ibcc.ts";
import { workerClusters } from "../aggregate/categorical/bayesian/worker-clusters.ts";
import { confusionVector } from "../aggregate/categorical/em/confusion-vector.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { glad } from "../aggregate/categorical/em/glad.ts";
import { oneCoin } from "../aggregate/categorical/em/one-coin.ts";
import { minimaxEntropy } from "../aggregate/categorical/margin/minimax-entropy.ts";
import { beliefPropagation } from "../aggregate/categorical/messages/belief-propagation.ts";
import { catd } from "../aggregate/categorical/votes/catd.ts";
import { iterativeWeightedVote } from "../aggregate/categorical/votes/iterative-weighted-vote.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { pm } from "../aggregate/categorical/votes/pm.ts";
import { wawa } from "../aggregate/categorical/votes/wawa.ts";
import { confidences, temper } from "../belief/confidence.ts";
import { skillOf } from "../belief/confusion-table.ts";
import { cutFolds, predict, readOut, totalWeight } from "../belief/hold-out.ts";
import type { Known } from "../belief/known.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import { decide } from "../belief/ties.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { Engine } from "../kernels/engine.ts";
import { maxOf } from "../math/lists.ts";
import type { Progress, Steps } from "../method.ts";

/** What `auto` finds beyond the answers: the methods tried and their weights. */
export interface Auto extends Fit {
  readonly confusion: Float64Array;
  /** What was tried, with its score and weight, or why it was left out. */
  readonly portfolio: readonly Candidate[];
  /** What the blend's logs were divided by, so that it does not claim more than it can predict. */
  readonly temperature: number;
}

/** One method that `auto` tried. */
export interface Candidate {
  readonly name: string;
  readonly method: string;
  readonly options: Readonly<Record<string, number | string | boolean>>;
  /** Mean log-probability of a hidden label, in nats. */
  readonly heldOut: number;
  readonly weight: number;
  readonly leftOut?: string;
}

export interface Entry {
  readonly name: string;
  readonly method: AnyAggregator;
  readonly options: Readonly<Record<string, number | string | boolean>>;
  /** Labels times classes up to which a fit is worth its time. */
  readonly most?: number;
}

const coin = { comparePriors: false, right: 2, wrong: 1 } as const;
const votes: Entry = { name: "votes", method: majorityVote, options: {} };
const quick: readonly Entry[] = [
  votes,
  { name: "one-coin, uniform prior", method: oneCoin, options: coin },
  { name: "one-coin, learnt prior", method: oneCoin, options: { ...coin, prior: "learn" } },
  { name: "Dawid–Skene, shrunk", method: dawidSkene, options: { shrinkage: 4 } },
];
const wider: readonly Entry[] = [
  ...quick,
  { name: "Wawa", method: wawa, options: { ties: "abstain" } },
  { name: "BWA", method: bwa, options: { maxIterations: 20 }, most: 1e6 },
];
const uniform = { prior: "uniform" } as const;
/** Everything that auto may try, for the benchmark of its choices. */
export const all: readonly Entry[] = [
  ...wider,
  { name: "Dawid–Skene, uniform prior", method: dawidSkene, options: { shrinkage: 4, ...uniform } },
  { name: "confusion vector", method: confusionVector, options: { smoothing: 0.5 } },
  { name: "GLAD", method: glad, options: {} },
  { name: "iBCC", method: ibcc, options: {} },
  { name: "iBCC, uniform prior", method: ibcc, options: uniform },
  { name: "iterative weighted vote", method: iterativeWeightedVote, options: {} },
  { name: "PM", method: pm, options: {} },
  { name: "CATD", method: catd, options: {} },
  { name: "belief propagation", method: beliefPropagation, options: {} },
  { name: "worker clusters", method: workerClusters, options: {}, most: 1e6 },
  { name: "EBCC", method: ebcc, options: {}, most: 2e5 },
  { name: "minimax entropy", method: minimaxEntropy, options: {}, most: 3e4 },
];

/**
 * How many tasks' evidence weighs one candidate against another. All of it would pick a single
 * winner, which on real crowds is often one that models habits well and the truth badly; from 1 to
 * 16 the mean accuracy on public and simulated crowds changes by a quarter of a point.
 */
const TASKS = 4;

/** More labels than this are judged on a sample of whole tasks. */
const SAMPLE = 200_000;

/** Share of misnamed or lost classes at which a candidate is left out. */
const MOST_MISNAMED = 0.1;

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
    cost: "several fits: about 5 times dawid-skene for a million labels, more for few labels",
    options: {
      ...probabilisticOptions,
      effort: {
        default: "normal",
        choices: ["fast", "normal", "thorough"],
        help: "How much to try: 4 methods and one hold-out set, 6 methods and 5 folds, or 18 methods and 10 folds.",
      },
    },
  },
  function* (data, { effort, seed, abstentions }, { known, engine, K, L }): Steps<Auto> {
    // Votes cannot model abstentions and leave them out.
    const settings = (method: AnyAggregator, options: object) =>
      method.probabilistic ? { ...options, abstentions } : options;
    const entries = portfolio(effort, data, known);
    const sample = sampleTasks(data, known, SAMPLE, seed);
    const folds = effort === "fast" || sample.data !== data ? 1 : effort === "normal" ? 5 : 10;
    const judged = yield* judge(entries, sample.data, sample.known, {
      folds,
      seed,
      settings,
      L,
      engine,
    });

    // Fits are blended as they come, so that only one posterior is held beside the blend.
    const raw = weigh(judged.scores, totalWeight(data) / labelledTasks(data));
    const blended = new Float64Array(data.tasks.length * K);
    const reasons: (string | undefined)[] = [];
    for (const [m, { name, method, options }] of entries.entries()) {
      const steps = method.steps(data, settings(method, options), known, engine);
      const { posterior } = yield* staged(steps, `fitting ${name}`);
      reasons.push(entries[m] === votes ? undefined : misnamed(data, posterior, K));
      // If the last one finds none sound before it, it has to do.
      if (m === entries.length - 1 && reasons.every(Boolean)) reasons.splice(m, 1, undefined);
      if (!reasons[m]) addTo(blended, posterior, raw[m]);
    }
    const weights = normalised(raw.map((weight, m) => (reasons[m] ? 0 : weight)));
    const temperature = choose(judged.folds, weights, L);
    cool(blended, K, temperature);

    // For people, so hardly shrunk: a spammer should look like one.
    const confusion = readOut(data, blended, L, 1);
    const prior = known.prior ?? meanBelief(blended, K);
    const candidates = entries.map(({ name, method, options }, m) => ({
      name,
      method: method.id,
      options,
      heldOut: judged.scores[m],
      weight: weights[m],
      ...(reasons[m] && { leftOut: reasons[m] }),
    }));
    const skill = skillOf(confusion, prior, { workers: data.workers.length, classes: K, given: L });
    const { consensus } = decide(data, blended, prior, { ties: "first", seed });
    const believed = { posterior: blended, consensus, K, W: skill.length, probabilistic: true };
    temper(believed, confidences(data, believed, known));
    return {
      posterior: blended,
      prior,
      confusion,
      skill,
      trace: [],
      converged: true,
      portfolio: candidates,
      temperature,
      notes: [reason(candidates, temperature)],
    };
  },
);

/** Votes of any kind know nothing of evidence or priors, so they stay out where there are any. */
function portfolio(effort: "fast" | "normal" | "thorough", data: CategoricalData, known: Known) {
  const cells = data.workers.length * data.classes.length ** 2;
  // Past this the tables of confusions outgrow the labels themselves.
  const small = cells <= Math.max(1e6, 20 * data.label.length);
  const list = effort === "fast" ? quick : effort === "normal" ? wider : all;
  const informed = known.evidence || known.taskPrior || known.prior;
  const size = data.label.length * data.classes.length;
  return list.filter(
    (entry) =>
      size <= (entry.most ?? Infinity) &&
      (small || entry.method.id === "one-coin" || !entry.method.probabilistic) &&
      (entry.method.probabilistic || !informed),
  );
}

interface Judged {
  /** Mean log-probability of a hidden label, by candidate. */
  readonly scores: number[];
  /** What each fold's candidates believed, for the temperature. */
  readonly folds: readonly {
    readonly hidden: CategoricalData;
    readonly shown: CategoricalData;
    readonly posteriors: Float64Array[];
  }[];
}

interface Trial {
  readonly folds: number;
  readonly seed: number;
  readonly settings: (method: AnyAggregator, options: object) => object;
  readonly L: number;
  readonly engine: Engine;
}

function* judge(
  entries: readonly Entry[],
  data: CategoricalData,
  known: Known,
  { folds, seed, settings, L, engine }: Trial,
): Steps<Judged> {
  const sums = entries.map(() => 0);
  let labels = 0;
  const judged: { hidden: CategoricalData; shown: CategoricalData; posteriors: Float64Array[] }[] =
    [];
  for (const [f, { shown, hidden }] of cutFolds(data, folds, seed).entries()) {
    const posteriors: Float64Array[] = [];
    for (const [m, { name, method, options }] of entries.entries()) {
      const steps = method.steps(shown, settings(method, options), known, engine);
      const { posterior } = yield* staged(steps, `judging ${name}, part ${f + 1} of ${folds}`);
      posteriors.push(posterior);
      sums[m] += predict(hidden, posterior, readOut(shown, posterior, L), L);
    }
    labels += totalWeight(hidden);
    judged.push({ hidden, shown, posteriors });
  }
  return { scores: sums.map((sum) => (labels > 0 ? sum / labels : 0)), folds: judged };
}

function* staged<Result>(steps: Steps<Result>, stage: string): Steps<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield { ...step.value, stage } satisfies Progress;
  }
}

/** Why the classes of this posterior do not mean what they are called, or undefined. */
function misnamed(data: CategoricalData, posterior: Float64Array, K: number): string | undefined {
  const { wrong, lost } = misnaming(data, posterior, K);
  if (wrong + lost <= MOST_MISNAMED) return undefined;
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

/** Weights by the evidence of a few tasks of usual size, not yet normalised. */
function weigh(scores: readonly number[], redundancy: number): number[] {
  const best = maxOf(scores);
  return scores.map((score) => Math.exp(Math.max(-300, TASKS * (score - best) * redundancy)));
}

function normalised(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, w) => sum + w, 0);
  return weights.map((w) => w / total);
}

function addTo(blended: Float64Array, posterior: Float64Array, weight: number): void {
  for (let i = 0; i < blended.length; i++) blended[i] += weight * posterior[i];
}

/** The temperature, from 1 up, at which the blends of the folds predict their hidden labels best. */
function choose(folds: Judged["folds"], weights: readonly number[], L: number): number {
  const blends = folds.map(({ hidden, shown, posteriors }) => {
    const posterior = new Float64Array(posteriors[0].length);
    posteriors.forEach((each, m) => {
      addTo(posterior, each, weights[m]);
    });
    return { hidden, posterior, rates: readOut(shown, posterior, L) };
  });
  const score = (temperature: number) =>
    blends.reduce(
      (sum, { hidden, posterior, rates }) =>
        sum + predict(hidden, posterior, rates, L, temperature),
      0,
    );
  const steps = [1, 1.15, 1.3, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 8, 10, 12];
  let best = 1;
  let highest = -Infinity;
  for (const temperature of steps) {
    const value = score(temperature);
    if (value <= highest) break;
    [best, highest] = [temperature, value];
  }
  return best;
}

function cool(posterior: Float64Array, K: number, temperature: number): void {
  for (let from = 0; from < posterior.length; from += K) {
    let total = 0;
    for (let k = from; k < from + K; k++) {
      if (temperature !== 1) posterior[k] **= 1 / temperature;
      total += posterior[k];
    }
    for (let k = from; k < from + K; k++) posterior[k] /= total;
  }
}

function meanBelief(posterior: Float64Array, K: number): Float64Array {
  const mean = new Float64Array(K);
  for (let i = 0; i < posterior.length; i++) mean[i % K] += posterior[i];
  const total = mean.reduce((sum, x) => sum + x, 0);
  return total > 0 ? mean.map((x) => x / total) : mean.fill(1 / K);
}

function labelledTasks(data: CategoricalData): number {
  return Math.max(1, new Set(data.task).size);
}

function reason(candidates: readonly Candidate[], temperature: number): string {
  const used = candidates
    .filter(({ weight }) => weight >= 0.005)
    .toSorted((a, b) => b.weight - a.weight);
  const parts = used.map(({ name, weight }) => `${name} ${percent(weight)}`);
  const out = candidates.flatMap(({ name, leftOut }) => (leftOut ? [`${name} (${leftOut})`] : []));
  return (
    `Blend: ${parts.join(", ")}.` +
    (out.length > 0 ? ` Left out: ${out.join("; ")}.` : "") +
    (temperature > 1
      ? ` Confidence lowered by temperature ${temperature}, checked against held-out labels.`
      : "")
  );
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
