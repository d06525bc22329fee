/**
 * Variational Dawid–Skene in natural-gradient form: Dirichlet beliefs about the class shares (counts `a`)
 * and about each row of each worker's confusion (counts `beta`), a belief q about each task.
 */
import type { CrowdDataset } from "../dataset/dataset.ts";
import { byTask } from "../dataset/dataset.ts";
import { digamma, logGamma } from "../math/gamma.ts";
import { normalise } from "./evidence.ts";

export interface Beliefs {
  /** Of the class shares. */
  readonly a: Float64Array;
  /** Of the confusions, as beta[(worker * K + class) * K + label]. */
  readonly beta: Float64Array;
}

export interface Priors {
  readonly a0: number;
  /** Of a confusion row: on the diagonal, and beside it in all places together. */
  readonly diagonal: number;
  readonly beside: number;
  /** Whether the class shares have a part at all. */
  readonly usePi: boolean;
}

const prior = ({ diagonal, beside }: Priors, K: number, at: number) =>
  Math.floor(at / K) % K === at % K ? diagonal : beside / (K - 1);

export function startBeliefs(data: CrowdDataset, priors: Priors): Beliefs {
  const K = data.classes.length;
  return {
    a: new Float64Array(K).fill(priors.a0),
    beta: Float64Array.from({ length: data.workers.length * K * K }, (_, at) =>
      prior(priors, K, at),
    ),
  };
}

/** E log of Dirichlet rows of length K with these counts. */
export function expectedLogs(counts: Float64Array, K: number): Float64Array {
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
  data: CrowdDataset,
  { a, beta }: Beliefs,
  { usePi }: Priors,
  f: (task: number, k: number) => number,
  tasks: ArrayLike<number>,
  q: Float64Array,
): void {
  const K = data.classes.length;
  const logPi = usePi ? expectedLogs(a, K) : new Float64Array(K);
  const logNu = expectedLogs(beta, K);
  const { start, other, label } = byTask(data);
  for (let i = 0; i < tasks.length; i++) {
    const t = tasks[i];
    for (let k = 0; k < K; k++) {
      let eta = logPi[k] + Math.log(Math.max(f(t, k), 1e-9));
      for (let j = start[t]; j < start[t + 1]; j++) eta += logNu[(other[j] * K + k) * K + label[j]];
      q[t * K + k] = eta;
    }
    normalise(q, t * K, K);
  }
}

/** A step of size rho along the natural gradient, from tasks that stand for all: at 1 the exact optimum. */
export function globalStep(
  data: CrowdDataset,
  { a, beta }: Beliefs,
  priors: Priors,
  tasks: ArrayLike<number>,
  q: Float64Array,
  rho: number,
  scale: number,
): void {
  const K = data.classes.length;
  const { start, other, label } = byTask(data);
  for (let k = 0; k < K; k++) a[k] = (1 - rho) * a[k] + rho * priors.a0;
  for (let at = 0; at < beta.length; at++) {
    beta[at] = (1 - rho) * beta[at] + rho * prior(priors, K, at);
  }
  for (let i = 0; i < tasks.length; i++) {
    const t = tasks[i];
    for (let k = 0; k < K; k++) {
      const mass = rho * scale * q[t * K + k];
      a[k] += mass;
      for (let j = start[t]; j < start[t + 1]; j++) beta[(other[j] * K + k) * K + label[j]] += mass;
    }
  }
}

/** The evidence lower bound, up to what the product of the two task priors leaves unnormalised. */
export function lowerBound(
  data: CrowdDataset,
  { a, beta }: Beliefs,
  priors: Priors,
  f: (task: number, k: number) => number,
  tasks: ArrayLike<number>,
  q: Float64Array,
): number {
  const K = data.classes.length;
  const logPi = expectedLogs(a, K);
  const logNu = expectedLogs(beta, K);
  const { start, other, label } = byTask(data);
  let bound = 0;
  for (let i = 0; i < tasks.length; i++) {
    const t = tasks[i];
    for (let k = 0; k < K; k++) {
      const p = q[t * K + k];
      if (p === 0) continue;
      let eta = Math.log(Math.max(f(t, k), 1e-9)) - Math.log(p) + (priors.usePi ? logPi[k] : 0);
      for (let j = start[t]; j < start[t + 1]; j++) eta += logNu[(other[j] * K + k) * K + label[j]];
      bound += p * eta;
    }
  }
  const priorRow = (row: number) => (at: number) => prior(priors, K, row * K + at);
  for (let row = 0; row * K < beta.length; row++) {
    bound -= divergence(
      beta.subarray(row * K, (row + 1) * K),
      logNu.subarray(row * K),
      priorRow(row),
    );
  }
  if (priors.usePi) bound -= divergence(a, logPi, () => priors.a0);
  return bound;
}

/** KL(Dir(counts) || Dir(prior)), given E log of the first. */
function divergence(
  counts: Float64Array,
  logs: Float64Array,
  priorAt: (at: number) => number,
): number {
  let [total, before, sum] = [0, 0, 0];
  for (let l = 0; l < counts.length; l++) {
    total += counts[l];
    before += priorAt(l);
    sum += (counts[l] - priorAt(l)) * logs[l] - logGamma(counts[l]) + logGamma(priorAt(l));
  }
  return sum + logGamma(total) - logGamma(before);
}
