/**
 * Variational Dawid–Skene in natural-gradient form: Dirichlet beliefs about the class shares (counts `a`)
 * and about each row of each worker's confusion (counts `beta`), a belief q about each task.
 *
 * Opinions of a network, f[task * K + class], multiply the class shares; those below 1e-9 count as that.
 */

import { byTask, type CategoricalData } from "../data/categorical.ts";
import { digamma, logGamma } from "../math/gamma.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";

export interface Beliefs {
  /** Of the class shares. */
  readonly a: Float64Array;
  /** Of the confusions, as beta[(worker * K + class) * K + label]. */
  readonly beta: Float64Array;
}

export interface Priors {
  readonly a0: number;
  /** Of a confusion row: on the diagonal, and in each place beside it. */
  readonly diagonal: number;
  readonly beside: number;
  /** Whether the class shares have a part at all. */
  readonly usePi: boolean;
}

const LEAST = 1e-9;

export function startBeliefs(data: CategoricalData, priors: Priors): Beliefs {
  const K = data.classes.length;
  const beta = new Float64Array(data.workers.length * K * K);
  return {
    a: new Float64Array(K).fill(priors.a0),
    beta: beta.map((_, at) => priorAt(priors, K, at)),
  };
}

/** The prior of beta[at]. */
function priorAt({ diagonal, beside }: Priors, K: number, at: number): number {
  return Math.floor(at / K) % K === at % K ? diagonal : beside;
}

/** E log of Dirichlet rows of length K with these counts. */
function expectedLogs(counts: Float64Array, K: number): Float64Array {
  const logs = counts.map(digamma);
  for (let row = 0; row < counts.length; row += K) {
    let total = 0;
    for (let l = row; l < row + K; l++) total += counts[l];
    const shift = digamma(total);
    for (let l = row; l < row + K; l++) logs[l] -= shift;
  }
  return logs;
}

/** The best q of some tasks: softmax of E log pi + log f + sum of E log nu of their labels. */
export function localStep(
  data: CategoricalData,
  beliefs: Beliefs,
  priors: Priors,
  f: Float64Array,
  tasks: Int32Array,
  q: Float64Array,
): void {
  const K = data.classes.length;
  const scoreOf = scorer(data, beliefs, priors, f);
  for (const t of tasks) {
    for (let k = 0; k < K; k++) q[t * K + k] = scoreOf(t, k);
    normalizeLog(q, t * K, (t + 1) * K);
  }
}

/** E log pi[k] + log f[t][k] + sum of E log nu of the labels of t. */
function scorer(data: CategoricalData, { a, beta }: Beliefs, { usePi }: Priors, f: Float64Array) {
  const K = data.classes.length;
  const logPi = usePi ? expectedLogs(a, K) : new Float64Array(K);
  const logNu = expectedLogs(beta, K);
  const { start, other, label } = byTask(data);
  return (t: number, k: number): number => {
    let score = logPi[k] + Math.log(Math.max(f[t * K + k], LEAST));
    for (let j = start[t]; j < start[t + 1]; j++) score += logNu[(other[j] * K + k) * K + label[j]];
    return score;
  };
}

/** A step of size rho along the natural gradient, from tasks that stand for all: at 1 the exact optimum. */
export function globalStep(
  data: CategoricalData,
  { a, beta }: Beliefs,
  priors: Priors,
  tasks: Int32Array,
  q: Float64Array,
  rho: number,
  scale: number,
): void {
  const K = data.classes.length;
  const { start, other, label } = byTask(data);
  for (let k = 0; k < K; k++) a[k] = (1 - rho) * a[k] + rho * priors.a0;
  for (let at = 0; at < beta.length; at++) {
    beta[at] = (1 - rho) * beta[at] + rho * priorAt(priors, K, at);
  }
  for (const t of tasks) {
    for (let k = 0; k < K; k++) {
      const mass = rho * scale * q[t * K + k];
      a[k] += mass;
      for (let j = start[t]; j < start[t + 1]; j++) beta[(other[j] * K + k) * K + label[j]] += mass;
    }
  }
}

/** The evidence lower bound, up to what the product of the two task priors leaves unnormalised. */
export function lowerBound(
  data: CategoricalData,
  beliefs: Beliefs,
  priors: Priors,
  f: Float64Array,
  tasks: Int32Array,
  q: Float64Array,
): number {
  const K = data.classes.length;
  const scoreOf = scorer(data, beliefs, priors, f);
  let bound = 0;
  for (const t of tasks) {
    for (let k = 0; k < K; k++) {
      const p = q[t * K + k];
      if (p > 0) bound += p * (scoreOf(t, k) - Math.log(p));
    }
  }
  bound -= divergence(beliefs.beta, startBeliefs(data, priors).beta, K);
  if (priors.usePi) bound -= divergence(beliefs.a, new Float64Array(K).fill(priors.a0), K);
  return bound;
}

/** Sum over rows of length K of KL(Dir(counts) || Dir(before)). */
function divergence(counts: Float64Array, before: Float64Array, K: number): number {
  const logs = expectedLogs(counts, K);
  let sum = 0;
  for (let row = 0; row < counts.length; row += K) {
    let [total, totalBefore] = [0, 0];
    for (let l = row; l < row + K; l++) {
      total += counts[l];
      totalBefore += before[l];
      sum += (counts[l] - before[l]) * logs[l] - logGamma(counts[l]) + logGamma(before[l]);
    }
    sum += logGamma(total) - logGamma(totalBefore);
  }
  return sum;
}
