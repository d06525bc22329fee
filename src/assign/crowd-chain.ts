/**
 * Crowds that fit the labels, drawn one after the other by Gibbs sampling: how every worker labels, how common the classes
 * are and which class each task has.
 *
 *   p[w]       ~ Beta(s1 m, s1 (1 − m))             skill of a worker, around that of the crowd
 *   p[w, k]    ~ Beta(s2 p[w], s2 (1 − p[w]))       skill for one class, around the worker's own
 *   e[w, k, ·] ~ Dirichlet(s3 e[k, ·])              which wrong label is given, around the crowd's
 *   θ[w, k, l] = p[w, k] if l = k, else (1 − p[w, k]) e[w, k, l]
 *
 * The strengths s1, s2 and s3 are drawn from a grid by the marginal likelihood of the counts. If workers are as good at one class
 * as at another, s2 grows and the crowd is one of coins, which few labels per task determine; a free row per worker and class is
 * not determined by three labels per task, and its draws are biased. The means of the levels are plugged in, not integrated out.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { beta, categorical, gamma } from "../math/distributions.ts";
import { logGamma } from "../math/gamma.ts";
import { maxOf } from "../math/lists.ts";
import type { Random } from "../math/random.ts";

/** A state of the chain, changed in place by each sweep. */
export interface CrowdChain {
  /** The class of each task; -1 if it has no label. */
  readonly truth: Int32Array;
  /** P(label | class) as rows[(worker * K + class) * K + label]. */
  readonly rows: Float64Array;
  /** Draws the crowd given the classes of the tasks, then the classes given the crowd. */
  sweep(): void;
  /** Draws the crowd given these classes; the strengths stay. */
  learn(truth: Int32Array): void;
  /** Writes log P(class) + Σ log P(label | class) of a task. */
  weigh(t: number, logs: Float64Array): void;
}

/** Strengths of a prior, as numbers of labels. */
const GRID = [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/** Sweeps after which the strengths are drawn again. */
const EVERY = 5;
const TINY = 1e-12;

/** Returns a chain that starts from these beliefs; tasks with gold keep their class. */
export function createCrowdChain(
  data: CategoricalData,
  posterior: Float64Array,
  gold: Int32Array | undefined,
  random: Random,
): CrowdChain {
  const [T, W, K, N] = [
    data.tasks.length,
    data.workers.length,
    data.classes.length,
    data.label.length,
  ];
  const labelled = new Uint8Array(T);
  for (let i = 0; i < N; i++) labelled[data.task[i]] = 1;
  const rows = new Float64Array(W * K * K);
  const logRows = new Float64Array(W * K * K);
  const logShares = new Float64Array(K);
  const scores = new Float64Array(T * K);
  const crowd = createLevels(W, K, random);
  const isGold = (t: number) => gold !== undefined && gold[t] >= 0;
  const truth = Int32Array.from({ length: T }, (_, t) => {
    if (!labelled[t]) return -1;
    return gold && isGold(t)
      ? gold[t]
      : categorical(random, posterior.subarray(t * K, (t + 1) * K));
  });
  let sweeps = 0;
  const learn = (classes: Int32Array) => {
    const counts = new Float64Array(W * K * K);
    for (let i = 0; i < N; i++) {
      counts[(data.worker[i] * K + classes[data.task[i]]) * K + data.label[i]]++;
    }
    crowd.draw(counts, rows);
    for (let j = 0; j < rows.length; j++) logRows[j] = Math.log(rows[j]);
    drawShares(classes, logShares, random);
    for (let t = 0; t < T; t++) scores.set(logShares, t * K);
    for (let i = 0; i < N; i++) {
      const [at, from] = [data.task[i] * K, data.worker[i] * K * K + data.label[i]];
      for (let k = 0; k < K; k++) scores[at + k] += logRows[from + k * K];
    }
  };
  const p = new Float64Array(K);
  return {
    truth,
    rows,
    learn,
    sweep() {
      if (sweeps++ % EVERY === 0) crowd.forgetStrengths();
      learn(truth);
      for (let t = 0; t < T; t++) {
        if (!labelled[t] || isGold(t)) continue;
        sharpen(scores, t * K, 1, p);
        truth[t] = categorical(random, p);
      }
    },
    weigh: (t, logs) => logs.set(scores.subarray(t * K, (t + 1) * K)),
  };
}

/** Writes the probabilities whose logs, up to a constant, are `power` times those from `at` on. */
export function sharpen(
  logs: Float64Array,
  at: number,
  power: number,
  into: Float64Array,
): Float64Array {
  const K = into.length;
  let [most, total] = [-Infinity, 0];
  for (let k = 0; k < K; k++) most = Math.max(most, logs[at + k]);
  for (let k = 0; k < K; k++) total += into[k] = Math.exp(power * (logs[at + k] - most));
  for (let k = 0; k < K; k++) into[k] /= total;
  return into;
}

function drawShares(truth: Int32Array, logShares: Float64Array, random: Random): void {
  const counts = new Float64Array(logShares.length).fill(1);
  for (const k of truth) if (k >= 0) counts[k]++;
  const drawn = counts.map((count) => gamma(random, count) + TINY);
  const total = drawn.reduce((sum, x) => sum + x, 0);
  for (let k = 0; k < counts.length; k++) logShares[k] = Math.log(drawn[k] / total);
}

/** The levels above the rows of a worker. */
function createLevels(W: number, K: number, random: Random) {
  let strengths: { worker: number; class: number; error: number } | undefined;
  const right = new Float64Array(W * K);
  const given = new Float64Array(W * K);
  const skill = new Float64Array(W);
  return {
    forgetStrengths() {
      strengths = undefined;
    },
    /** Draws the rows of all workers given counts[(worker * K + class) * K + label]. */
    draw(counts: Float64Array, rows: Float64Array): void {
      for (let j = 0; j < W * K; j++) {
        right[j] = counts[j * K + (j % K)];
        given[j] = 0;
        for (let l = 0; l < K; l++) given[j] += counts[j * K + l];
      }
      const [hits, total] = [perWorker(right, K), perWorker(given, K)];
      const crowd = (sumOf(hits) + 1) / (sumOf(total) + 2);
      const errors = pooledErrors(counts, K, random);
      const worker =
        strengths?.worker ?? drawStrength(random, (s) => coinEvidence(hits, total, () => crowd, s));
      for (let w = 0; w < W; w++) {
        skill[w] = drawCoin(random, hits[w], total[w], crowd, worker);
      }
      const own = (j: number) => skill[Math.floor(j / K)];
      const perClass =
        strengths?.class ?? drawStrength(random, (s) => coinEvidence(right, given, own, s));
      const error =
        strengths?.error ?? drawStrength(random, (s) => errorEvidence(counts, errors, K, s));
      strengths = { worker, class: perClass, error };
      for (let j = 0; j < W * K; j++) {
        const p = drawCoin(random, right[j], given[j], own(j), perClass);
        drawErrors(random, counts, errors, { j, K, p, strength: error }, rows);
      }
    },
  };
}

const sumOf = (values: Float64Array) => values.reduce((sum, x) => sum + x, 0);

function perWorker(values: Float64Array, K: number): Float64Array {
  const sums = new Float64Array(values.length / K);
  for (let j = 0; j < values.length; j++) sums[Math.floor(j / K)] += values[j];
  return sums;
}

/** Draws which wrong labels the crowd gives for each class, as errors[class * K + label]. */
function pooledErrors(counts: Float64Array, K: number, random: Random): Float64Array {
  const errors = new Float64Array(K * K).fill(1);
  for (let j = 0; j < counts.length; j++) errors[j % (K * K)] += counts[j];
  for (let k = 0; k < K; k++) {
    errors[k * K + k] = 0;
    let total = 0;
    for (let l = 0; l < K; l++) {
      if (l !== k) errors[k * K + l] = gamma(random, errors[k * K + l]) + TINY;
      total += errors[k * K + l];
    }
    for (let l = 0; l < K; l++) errors[k * K + l] /= total;
  }
  return errors;
}

function drawCoin(random: Random, hits: number, total: number, mean: number, s: number): number {
  const p = beta(random, hits + s * mean, total - hits + s * (1 - mean));
  return Math.min(1 - TINY, Math.max(TINY, p));
}

/** Draws the row of one worker and class around its probability `p` of the right label. */
function drawErrors(
  random: Random,
  counts: Float64Array,
  errors: Float64Array,
  { j, K, p, strength }: { j: number; K: number; p: number; strength: number },
  rows: Float64Array,
): void {
  const [at, k] = [j * K, j % K];
  let total = 0;
  for (let l = 0; l < K; l++) {
    if (l === k) continue;
    const shape = counts[at + l] + strength * errors[k * K + l];
    total += rows[at + l] = K === 2 ? 1 : gamma(random, shape) + TINY;
  }
  for (let l = 0; l < K; l++) rows[at + l] = l === k ? p : ((1 - p) * rows[at + l]) / total;
}

function drawStrength(random: Random, evidence: (strength: number) => number): number {
  const logs = Float64Array.from(GRID, evidence);
  const most = maxOf(logs);
  return GRID[
    categorical(
      random,
      logs.map((x) => Math.exp(x - most)),
    )
  ];
}

/** Log-likelihood of hits among totals, beta-binomial around a mean. */
function coinEvidence(
  hits: Float64Array,
  total: Float64Array,
  mean: (j: number) => number,
  s: number,
): number {
  let sum = 0;
  for (let j = 0; j < hits.length; j++) {
    if (total[j] === 0) continue;
    const [a, b] = [s * mean(j), s * (1 - mean(j))];
    sum += logGamma(a + hits[j]) - logGamma(a) + logGamma(b + total[j] - hits[j]) - logGamma(b);
    sum += logGamma(s) - logGamma(s + total[j]);
  }
  return sum;
}

/** Log-likelihood of the wrong labels, Dirichlet-multinomial around those of the crowd. */
function errorEvidence(counts: Float64Array, errors: Float64Array, K: number, s: number): number {
  let sum = 0;
  for (let j = 0; j < counts.length / K; j++) {
    let wrong = 0;
    for (let l = 0; l < K; l++) {
      const count = counts[j * K + l];
      if (l === j % K || count === 0) continue;
      const a = s * errors[(j % K) * K + l];
      sum += logGamma(a + count) - logGamma(a);
      wrong += count;
    }
    if (wrong > 0) sum += logGamma(s) - logGamma(s + wrong);
  }
  return sum;
}
