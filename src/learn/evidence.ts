/**
 * The two halves of EM with a classifier. Evidence is what each label says of the classes, in nats:
 * evidence[(worker * K + class) * K + label]; for a confusion matrix its logarithm.
 */

import type { CategoricalData } from "../data/categorical.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";

/** Confusions are floored here, inside logarithms only. */
const LEAST = 1e-12;

/**
 * q[task * K + class] ∝ f · exp(sum of the evidence of the task's labels), in place of what `into`
 * holds. Probabilities of the classifier below `floor` count as `floor`. Returns the log-likelihood.
 */
export function infer(
  data: CategoricalData,
  f: ArrayLike<number>,
  evidence: Float64Array,
  into: Float64Array,
  floor = 1e-9,
): number {
  for (let at = 0; at < into.length; at++) into[at] = Math.log(Math.max(f[at], floor));
  return inferFromLogs(data, evidence, into);
}

/** The same where `into` holds log f already. */
export function inferFromLogs(
  data: CategoricalData,
  evidence: Float64Array,
  into: Float64Array,
): number {
  const K = data.classes.length;
  const { task, worker, label } = data;
  for (let i = 0; i < label.length; i++) {
    const from = worker[i] * K * K + label[i];
    const to = task[i] * K;
    for (let k = 0; k < K; k++) into[to + k] += evidence[from + k * K];
  }
  let total = 0;
  for (let from = 0; from < into.length; from += K) total += normalizeLog(into, from, from + K);
  return total;
}

/**
 * Expected labels of each worker: counts[(worker * K + class) * K + label] = sum of q over the tasks
 * that the worker called so.
 */
export function countLabels(data: CategoricalData, q: ArrayLike<number>, into: Float64Array): void {
  const K = data.classes.length;
  into.fill(0);
  const { task, worker, label } = data;
  for (let i = 0; i < label.length; i++) {
    const to = worker[i] * K * K + label[i];
    for (let k = 0; k < K; k++) into[to + k * K] += q[task[i] * K + k];
  }
}

/** Counts to shares, row by row, each count raised by `smoothing`; a row of nothing becomes equal shares. */
export function countsToConfusion(counts: Float64Array, K: number, smoothing: number): void {
  for (let row = 0; row < counts.length; row += K) {
    let total = 0;
    for (let l = row; l < row + K; l++) total += counts[l] += smoothing;
    for (let l = row; l < row + K; l++) counts[l] = total > 0 ? counts[l] / total : 1 / K;
  }
}

export const toEvidence = (confusion: Float64Array): Float64Array =>
  confusion.map((p) => Math.log(Math.max(p, LEAST)));

/**
 * Where Max-MIG and its relatives start, its formula 2 over each worker's own tasks:
 * log(epsilon + share of the vote shares' mass of a class among the tasks that the worker called so).
 */
export function voteEvidence(
  data: CategoricalData,
  shares: Float64Array,
  epsilon: number,
): Float64Array {
  const K = data.classes.length;
  const counts = new Float64Array(data.workers.length * K * K);
  countLabels(data, shares, counts);
  for (let row = 0; row < counts.length; row += K) {
    let total = 0;
    for (let l = row; l < row + K; l++) total += counts[l];
    for (let l = row; l < row + K; l++) counts[l] = Math.log(counts[l] / (total || 1) + epsilon);
  }
  return counts;
}
