/** Votes as beliefs: the share of each class among the labels of a task, or of all tasks. */

import type { CategoricalData } from "../data/categorical.ts";
import { labelsPerWorker } from "../data/crowd-data.ts";
/** Share of each class among a task's labels, as shares[task * K + class]; equal without labels. */
export function voteShares(data: CategoricalData, weights?: Float64Array): Float64Array {
  const K = data.classes.length;
  const shares = new Float64Array(data.tasks.length * K);
  const { task, worker, label, weight } = data;
  for (let i = 0; i < label.length; i++) {
    if (label[i] >= K) continue;
    shares[task[i] * K + label[i]] += (weight ? weight[i] : 1) * (weights ? weights[worker[i]] : 1);
  }
  return normalise(shares, K);
}

/** Makes each task's K numbers sum to 1; a task without any gets equal shares. */
export function normalise(shares: Float64Array, K: number): Float64Array {
  for (let from = 0; from < shares.length; from += K) {
    let total = 0;
    for (let k = from; k < from + K; k++) total += shares[k];
    for (let k = from; k < from + K; k++) shares[k] = total > 0 ? shares[k] / total : 1 / K;
  }
  return shares;
}

/** Share of each class among all labels. */
export function labelShares({ classes, label, weight }: CategoricalData): Float64Array {
  const shares = new Float64Array(classes.length);
  for (let i = 0; i < label.length; i++) {
    if (label[i] < shares.length) shares[label[i]] += weight ? weight[i] : 1;
  }
  return normalise(shares, shares.length);
}

/** Mean probability, under the posterior, of the labels each worker gave; 1/K without labels. */
export function agreement(data: CategoricalData, posterior: Float64Array): Float64Array {
  const K = data.classes.length;
  const skill = new Float64Array(data.workers.length);
  for (let i = 0; i < data.label.length; i++) {
    if (data.label[i] < K) skill[data.worker[i]] += posterior[data.task[i] * K + data.label[i]];
  }
  const labels = labelsPerWorker(data);
  return skill.map((sum, w) => (labels[w] > 0 ? sum / labels[w] : 1 / Math.max(1, K)));
}
