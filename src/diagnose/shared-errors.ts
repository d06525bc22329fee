/**
 * How much the errors of different workers go together: the correlation of two workers' labels for one task
 * that neither its class nor their confusions explain.
 *
 *   r[u, v]  = Σ_k q[k] (1[l_u = l_v] − θ_v[k, l_u] − θ_u[k, l_v] + ⟨θ_u[k], θ_v[k]⟩)
 *   n[u, v]  = Σ_k q[k] √((1 − |θ_u[k]|²)(1 − |θ_v[k]|²))
 *   ρ        = Σ r / Σ n − the same on labels drawn from the fitted model
 *
 * q is what the other labels of the task say, without these two; θ comes from a Dawid–Skene fit. If workers erred
 * independently, r would be 0 on average; but θ is estimated from the same few labels, which leaves a bias.
 * Labels drawn from the fit, and fitted again, show how large it is, and it is taken off.
 *
 * d labels with correlation ρ are worth d / (1 + (d − 1) ρ) independent ones (Kish's design effect). Errors that
 * nearly all workers share look like the truth: no labels can show them, so ρ is a lower bound.
 *
 * Kish (1965), Survey Sampling, Wiley, section 5.4.
 */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import type { Known } from "../belief/known.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import { byTask, type CategoricalData, hasAbstentions, selectLabels } from "../data/categorical.ts";
import { sortedWeights } from "../data/sorted-weights.ts";
import type { Engine } from "../kernels/engine.ts";
import { incompleteBeta } from "../math/incomplete.ts";
import { maxOf } from "../math/lists.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { createRandom, pairUniform, type Random } from "../math/random.ts";
import { drain, type Steps } from "../method.ts";

/** How much the errors of workers go together. */
export interface SharedErrors {
  /** Correlation of the errors of two workers on one task; 0 if they err independently. May be below 0 by chance. */
  readonly correlation: number;
  /** Standard deviation of the correlation. */
  readonly deviation: number;
  /** Pairs of labels it rests on. */
  readonly pairs: number;
  /** Number of labels per task that is labelled. */
  readonly labelsPerTask: number;
  /** What these labels are worth, as a number of independent ones. */
  readonly effectiveLabels: number;
  /**
   * Share of tasks on which shared errors alone would lead the crowd to a wrong class, however many labels there
   * were: the probability that a wrong class is named more often than the right one, if the share of wrong labels
   * varies between tasks as a beta distribution with this correlation.
   */
  readonly misled: number;
}

/** Settings of `sharedErrors`. */
export interface SharedErrorOptions {
  readonly seed?: number | undefined;
  /** More labels than this are judged on a sample of whole tasks. Default: 100,000. */
  readonly mostLabels?: number | undefined;
  /** Crowds drawn from the fit to find the bias. Default: 2. */
  readonly draws?: number | undefined;
  /** What is known beforehand; gold takes the place of what other labels say. */
  readonly known?: Known | undefined;
  readonly engine?: Engine | undefined;
}

/** Pairs of labels looked at, about. */
const MOST_PAIRS = 400_000;
/** Labels of one task of which pairs are made, about. */
const MOST_PER_TASK = 50;
const FLOOR = 1e-10;
const fitOptions = { shrinkage: 4 } as const;

/** Measures how much the errors of workers go together. O(N K) per fit and the pairs. */
export function sharedErrors(
  data: CategoricalData,
  options: SharedErrorOptions = {},
): SharedErrors {
  return drain(sharedErrorSteps(data, options));
}

export function* sharedErrorSteps(
  given: CategoricalData,
  { seed = 0, mostLabels = 100_000, draws = 2, known: all = {}, engine }: SharedErrorOptions = {},
): Steps<SharedErrors> {
  const K = given.classes.length;
  const heard = hasAbstentions(given) ? selectLabels(given, (i) => given.label[i] < K) : given;
  const { data: sampled, known } = sampleTasks(heard, all, mostLabels, seed);
  const data = withoutRepeats(sampled);
  if (K < 2 || data.label.length === 0) return nothing(data);
  const hashes = hashesOf(data, createRandom(seed).split("shared errors"));
  const fitted = yield* dawidSkene.steps(data, fitOptions, known, engine);
  const observed = residuals(data, fitted, known, hashes);
  if (!(observed.norm > 0)) return nothing(data);
  let bias = 0;
  for (let draw = 0; draw < draws; draw++) {
    const crowd = redraw(data, fitted, known, hashes, draw);
    const again = yield* dawidSkene.steps(crowd, fitOptions, known, engine);
    const drawn = residuals(crowd, again, known, hashes);
    if (drawn.norm > 0) bias += drawn.sum / drawn.norm / draws;
  }
  const correlation = observed.sum / observed.norm - bias;
  const { labelsPerTask } = nothing(data);
  const ratio = Math.max(0, correlation);
  return {
    correlation,
    deviation: observed.deviation * Math.sqrt(1 + 1 / Math.max(1, draws)),
    pairs: observed.pairs,
    labelsPerTask,
    effectiveLabels: labelsPerTask / (1 + Math.max(0, labelsPerTask - 1) * ratio),
    misled: misledShare(data, fitted.posterior, ratio),
  };
}

/** Correlation of errors that real crowds have beyond what their labels show, for two classes. */
const UNSEEN = 0.1;

/**
 * The correlation to reckon with: what the labels show, and what crowds have that labels cannot show. With more
 * classes there are more ways for all workers to mistake a task alike.
 */
export function assumedCorrelation({ correlation }: SharedErrors, K: number): number {
  return UNSEEN * Math.sqrt(Math.max(0, K - 1)) + Math.max(0, correlation);
}

/** What the log-likelihood of each task is to be multiplied by: 1 / (1 + (d − 1) ρ) for d labels. */
export function likelihoodPowers(
  { task, label, weight, tasks }: CategoricalData,
  correlation: number,
  K: number,
): Float64Array {
  const labels = new Float64Array(tasks.length);
  for (let i = 0; i < task.length; i++) if (label[i] < K) labels[task[i]] += weight ? weight[i] : 1;
  return labels.map((d) => 1 / (1 + Math.max(0, d - 1) * correlation));
}

/** What can be said if no task has labels of two workers. */
function nothing(data: CategoricalData): SharedErrors {
  const tasks = new Set(data.task).size;
  const total = data.weight?.reduce((sum, x) => sum + x, 0) ?? data.label.length;
  const labelsPerTask = tasks > 0 ? total / tasks : 0;
  return {
    correlation: 0,
    deviation: 1,
    pairs: 0,
    labelsPerTask,
    effectiveLabels: labelsPerTask,
    misled: 0,
  };
}

/** Makes one label of the same label given twice to a task by one worker, with the weight of both. */
function withoutRepeats(data: CategoricalData): CategoricalData {
  const { start, other, label } = byTask(data);
  const seen = new Int32Array(data.workers.length).fill(-1);
  let repeats = false;
  for (let t = 0; t + 1 < start.length && !repeats; t++) {
    for (let i = start[t]; i < start[t + 1]; i++) {
      repeats ||= seen[other[i]] === t;
      seen[other[i]] = t;
    }
  }
  if (!repeats) return data;
  const weight = sortedWeights(data, data.task, start);
  const kept = { task: [] as number[], worker: [] as number[], label: [] as number[] };
  const weights: number[] = [];
  for (let t = 0; t + 1 < start.length; t++) {
    const place = new Map<number, number>();
    for (let i = start[t]; i < start[t + 1]; i++) {
      const key = other[i] * data.classes.length + label[i];
      const at = place.get(key);
      const count = weight ? weight[i] : 1;
      if (at !== undefined) weights[at] += count;
      else {
        place.set(key, weights.push(count) - 1);
        kept.task.push(t);
        kept.worker.push(other[i]);
        kept.label.push(label[i]);
      }
    }
  }
  const { time: _, ...rest } = data;
  return {
    ...rest,
    task: Int32Array.from(kept.task),
    worker: Int32Array.from(kept.worker),
    label: Int32Array.from(kept.label),
    weight: Float64Array.from(weights),
  };
}

interface Hashes {
  readonly task: Int32Array;
  readonly worker: Int32Array;
  /** Classes in the order of their names, so that a draw does not depend on their numbers. */
  readonly classes: readonly number[];
}

function hashesOf(data: CategoricalData, random: Random): Hashes {
  const numbers = (names: Iterable<string>, stream: Random) =>
    Int32Array.from(names, (name) => Math.floor(stream.split(name).next() * 0x100000000));
  const names = [...data.classes];
  return {
    task: numbers(data.tasks, random.split("tasks")),
    worker: numbers(data.workers, random.split("workers")),
    classes: names.map((_, k) => k).sort((a, b) => (names[a] < names[b] ? -1 : 1)),
  };
}

interface Residuals {
  readonly sum: number;
  readonly norm: number;
  readonly pairs: number;
  /** Standard deviation of sum / norm, with tasks as the sample. */
  readonly deviation: number;
}

/** Sums r and n over pairs of labels of one task by two workers. */
function residuals(
  data: CategoricalData,
  { confusion, prior }: Aggregation,
  known: Known,
  hashes: Hashes,
): Residuals {
  const K = data.classes.length;
  if (!confusion) return { sum: 0, norm: 0, pairs: 0, deviation: 1 };
  const { start, other, label } = byTask(data);
  const weight = sortedWeights(data, data.task, start);
  const logs = confusion.map((rate) => Math.log(Math.max(FLOOR, rate)));
  const spread = spreads(confusion, K);
  const logPrior = prior.map((share) => Math.log(Math.max(FLOOR, share)));
  const cap = pairsPerTask(start);
  const belief = new Float64Array(K);
  const whole = new Float64Array(K);
  const [sums, norms]: [number[], number[]] = [[], []];
  let [sum, norm, pairs] = [0, 0, 0];
  for (let t = 0; t + 1 < start.length; t++) {
    const [from, to] = [start[t], start[t + 1]];
    if (to - from < 2) continue;
    const chosen: number[] = [];
    for (let k = 0; k < K; k++) whole[k] = logPrior[k];
    for (let i = from; i < to; i++) {
      const count = weight ? weight[i] : 1;
      for (let k = 0; k < K; k++) whole[k] += count * logs[(other[i] * K + k) * K + label[i]];
      if (pairUniform(hashes.task[t], hashes.worker[other[i]]) * (to - from) < cap) chosen.push(i);
    }
    const gold = known.gold ? known.gold[t] : -1;
    let [own, size] = [0, 0];
    for (let a = 1; a < chosen.length; a++) {
      for (let b = 0; b < a; b++) {
        const [i, j] = [chosen[a], chosen[b]];
        if (other[i] === other[j]) continue;
        const [wi, wj] = weight ? [weight[i], weight[j]] : [1, 1];
        const [u, v] = [other[i] * K * K, other[j] * K * K];
        for (let k = 0; k < K; k++) {
          belief[k] = whole[k] - wi * logs[u + k * K + label[i]] - wj * logs[v + k * K + label[j]];
        }
        if (gold >= 0) belief.fill(0).fill(1, gold, gold + 1);
        else normalizeLog(belief, 0, K);
        for (let k = 0; k < K; k++) {
          if (belief[k] < 1e-6) continue;
          const share = wi * wj * belief[k];
          own += share * product(confusion, u + k * K, v + k * K, label[i], label[j], K);
          size += share * spread[other[i] * K + k] * spread[other[j] * K + k];
        }
        pairs++;
      }
    }
    sum += own;
    norm += size;
    sums.push(own);
    norms.push(size);
  }
  const ratio = norm > 0 ? sum / norm : 0;
  const variance = sums.reduce((total, x, at) => total + (x - ratio * norms[at]) ** 2, 0);
  return { sum, norm, pairs, deviation: norm > 0 ? Math.sqrt(variance) / norm : 1 };
}

/** Inner product of the residuals of two labels: what is left of each after the rates of its row. */
function product(
  rates: Float64Array,
  u: number,
  v: number,
  given: number,
  other: number,
  K: number,
): number {
  let dot = given === other ? 1 : 0;
  for (let l = 0; l < K; l++) dot += rates[u + l] * rates[v + l];
  return dot - rates[v + given] - rates[u + other];
}

/** √(1 − |row|²) of every row. */
function spreads(rates: Float64Array, K: number): Float64Array {
  return Float64Array.from({ length: rates.length / K }, (_, row) => {
    let rest = 1;
    for (let l = row * K; l < (row + 1) * K; l++) rest -= rates[l] ** 2;
    return Math.sqrt(Math.max(0, rest));
  });
}

/** Labels to take of one task, so that all tasks together have about MOST_PAIRS pairs. */
function pairsPerTask(start: Int32Array): number {
  let tasks = 0;
  for (let t = 0; t + 1 < start.length; t++) if (start[t + 1] - start[t] > 1) tasks++;
  return Math.min(MOST_PER_TASK, Math.max(3, Math.sqrt((2 * MOST_PAIRS) / Math.max(1, tasks))));
}

/** Draws classes of tasks and then all labels, as the fit says. */
function redraw(
  data: CategoricalData,
  { posterior, confusion = posterior }: Aggregation,
  known: Known,
  { task, worker, classes }: Hashes,
  draw: number,
): CategoricalData {
  const K = data.classes.length;
  const pick = (shares: Float64Array, from: number, u: number) => {
    let left = u;
    for (const k of classes) {
      left -= shares[from + k];
      if (left < 0) return k;
    }
    return classes[K - 1];
  };
  const truth = Int32Array.from(task, (hash, t) => {
    const gold = known.gold ? known.gold[t] : -1;
    return gold >= 0 ? gold : pick(posterior, t * K, pairUniform(hash, 2 * draw + 1));
  });
  const label = Int32Array.from(data.label, (_, i) => {
    const [t, w] = [data.task[i], data.worker[i]];
    return pick(confusion, (w * K + truth[t]) * K, pairUniform(task[t] + 2 * draw + 1, worker[w]));
  });
  return { ...data, label };
}

/** See `SharedErrors.misled`. */
function misledShare(data: CategoricalData, posterior: Float64Array, correlation: number): number {
  const K = data.classes.length;
  const table = new Float64Array(K * K);
  let [wrong, labels] = [0, 0];
  for (let i = 0; i < data.label.length; i++) {
    const count = data.weight ? data.weight[i] : 1;
    const row = data.task[i] * K;
    labels += count;
    wrong += count * (1 - posterior[row + data.label[i]]);
    for (let k = 0; k < K; k++) table[k * K + data.label[i]] += count * posterior[row + k];
  }
  let [largest, all] = [0, 0];
  for (let k = 0; k < K; k++) {
    const row = table.slice(k * K, (k + 1) * K);
    row[k] = 0;
    largest += maxOf(row);
    all += row.reduce((sum, x) => sum + x, 0);
  }
  if (!(correlation > 1e-6) || !(all > 0)) return 0;
  // Of wrong labels the share `largest / all` names one class, which wins beyond this share of wrong labels.
  const limit = 1 / (1 + largest / all);
  const size = 1 / Math.min(0.999, correlation) - 1;
  const error = wrong / labels;
  return (
    1 - incompleteBeta(limit, Math.max(1e-9, error * size), Math.max(1e-9, (1 - error) * size))
  );
}
