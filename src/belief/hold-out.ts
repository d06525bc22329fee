/**
 * Hiding labels to see how well a posterior predicts them: the judge between methods without gold.
 *
 * Every candidate is read out the same way. From its posterior, fitted without the hidden labels,
 * each worker's confusion is counted again (shrunk to the crowd's), and a hidden label is predicted
 * by it. So a candidate is judged by its beliefs about tasks, not by how well it models the habits
 * of workers, which any posterior can be given afterwards.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { selectLabels } from "../data/categorical.ts";
import { createRandom } from "../math/random.ts";

/**
 * P(label | class, worker) counted under a posterior, as readOut[(worker * K + class) * L + label]; each
 * row is shrunk to the crowd's by `shrinkage` pseudo-labels.
 */
export function readOut(
  data: CategoricalData,
  posterior: Float64Array,
  L: number,
  shrinkage = 10,
): Float64Array {
  const K = data.classes.length;
  const { task, worker, label, weight } = data;
  const counts = new Float64Array(data.workers.length * K * L);
  const pooled = new Float64Array(K * L).fill(0.1);
  for (let i = 0; i < label.length; i++) {
    const count = weight ? weight[i] : 1;
    for (let k = 0; k < K; k++) {
      const share = count * posterior[task[i] * K + k];
      counts[(worker[i] * K + k) * L + label[i]] += share;
      pooled[k * L + label[i]] += share;
    }
  }
  for (let row = 0; row < pooled.length; row += L) normaliseRow(pooled, row, L);
  for (let row = 0; row < counts.length; row += L) {
    const crowd = row % (K * L);
    for (let l = 0; l < L; l++) counts[row + l] += shrinkage * pooled[crowd + l];
    normaliseRow(counts, row, L);
  }
  return counts;
}

function normaliseRow(table: Float64Array, from: number, length: number): void {
  let total = 0;
  for (let l = from; l < from + length; l++) total += table[l];
  for (let l = from; l < from + length; l++) table[l] /= total;
}

/** One part of the labels hidden, the rest to fit on. */
export interface Fold {
  readonly shown: CategoricalData;
  readonly hidden: CategoricalData;
}

/**
 * Cuts the labels into folds by a hash of the task's and the worker's name, so that the cut does
 * not depend on order. With `folds` 1 a tenth is hidden once.
 */
export function cutFolds(data: CategoricalData, folds: number, seed: number): Fold[] {
  const random = createRandom(seed).split("folds");
  const tasks = Float64Array.from(data.tasks, (name) => random.split(`t${name}`).next());
  const workers = Float64Array.from(data.workers, (name) => random.split(`w${name}`).next());
  const parts = folds === 1 ? 10 : folds;
  const part = (i: number) =>
    Math.floor(((tasks[data.task[i]] + workers[data.worker[i]]) % 1) * parts);
  return Array.from({ length: folds }, (_, f) => ({
    shown: selectLabels(data, (i) => part(i) !== f),
    hidden: selectLabels(data, (i) => part(i) === f),
  }));
}

/** Log-probability of hidden labels under a posterior and a read-out; the posterior sharpened by 1/T. */
export function predict(
  hidden: CategoricalData,
  posterior: Float64Array,
  rates: Float64Array,
  L: number,
  temperature = 1,
): number {
  const K = hidden.classes.length;
  const tempered = new Float64Array(K);
  let sum = 0;
  for (let i = 0; i < hidden.label.length; i++) {
    const from = hidden.task[i] * K;
    const row = hidden.worker[i] * K * L + hidden.label[i];
    let total = 0;
    for (let k = 0; k < K; k++) {
      tempered[k] =
        temperature === 1 ? posterior[from + k] : posterior[from + k] ** (1 / temperature);
      total += tempered[k];
    }
    let p = 0;
    for (let k = 0; k < K; k++) p += (tempered[k] / total) * rates[row + k * L];
    sum += (hidden.weight ? hidden.weight[i] : 1) * Math.log(Math.max(1e-10, p));
  }
  return sum;
}

/** How many labels there are, each counted by its weight. */
export function totalWeight({ label, weight }: CategoricalData): number {
  return weight ? weight.reduce((sum, w) => sum + w, 0) : label.length;
}
