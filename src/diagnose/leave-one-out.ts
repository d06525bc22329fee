import { labelShares, voteShares } from "../belief/votes.ts";
import { byWorker, type CategoricalData } from "../data/categorical.ts";
import { sortedWeights } from "../data/sorted-weights.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";

/** The labels of one worker on tasks that others labelled too. */
export interface OthersBelief {
  /** The label given, below L. */
  readonly label: Int32Array;
  /** P(class | labels of the others) of each label's task, as belief[at * K + class]. */
  readonly belief: Float64Array;
}

/**
 * P(label | class, worker) if the classes are as likely as `belief[task * K + class]` says:
 * confusion[(worker * K + class) * L + label]. One label spread like the crowd's is added to each row,
 * so that a class a worker never met says nothing of them.
 */
export function countConfusion(
  data: CategoricalData,
  belief: Float64Array,
  L: number,
): Float64Array {
  const K = data.classes.length;
  const pooled = new Float64Array(K * L).fill(1e-3);
  const counts = new Float64Array(data.workers.length * K * L);
  const { task, worker, label } = data;
  for (let i = 0; i < label.length; i++) {
    if (label[i] >= L) continue;
    for (let k = 0; k < K; k++) {
      const share = belief[task[i] * K + k];
      counts[(worker[i] * K + k) * L + label[i]] += share;
      pooled[k * L + label[i]] += share;
    }
  }
  normaliseRows(pooled, L);
  for (let at = 0; at < counts.length; at++) counts[at] += pooled[at % (K * L)];
  normaliseRows(counts, L);
  return counts;
}

function normaliseRows(table: Float64Array, L: number): void {
  for (let from = 0; from < table.length; from += L) {
    let total = 0;
    for (let l = from; l < from + L; l++) total += table[l];
    for (let l = from; l < from + L; l++) table[l] /= total;
  }
}

const FLOOR = 1e-10;

/**
 * Gives each worker's on demand, until the next is asked for: O(N K) time for all, T K numbers and those of one worker. Of a worker
 * with more than `most` labels every second, third, … is taken, so that they become no more.
 */
export function leaveOneOut(
  data: CategoricalData,
  L: number,
  most = Infinity,
  /** The class that each class of the votes stands for, where votes mistake one for another. */
  meaning: Int32Array = Int32Array.from(data.classes, (_, k) => k),
): (w: number) => OthersBelief {
  const shares = voteShares(data);
  const confusion = countConfusion(data, shares, L);
  const prior = labelShares(data);
  const K = data.classes.length;
  const { start, other, label } = byWorker(data);
  const weight = sortedWeights(data, data.worker, start);
  const logs = confusion.map((rate) => Math.log(Math.max(FLOOR, rate)));
  const logPrior = prior.map((share) => Math.log(Math.max(FLOOR, share)));
  const sums = new Float64Array(data.tasks.length * K);
  const size = new Int32Array(data.tasks.length);
  for (let w = 0; w < data.workers.length; w++) {
    for (let i = start[w]; i < start[w + 1]; i++) {
      if (label[i] >= L) continue;
      const t = other[i];
      const share = weight ? weight[i] : 1;
      size[t]++;
      for (let k = 0; k < K; k++) sums[t * K + k] += share * logs[(w * K + k) * L + label[i]];
    }
  }
  // One array serves all workers: thousands of them would pile up before they are collected.
  let scratch = new Float64Array(0);
  return (w) => {
    const step = Math.max(1, Math.ceil((start[w + 1] - start[w]) / most));
    const said: number[] = [];
    const wanted = Math.ceil((start[w + 1] - start[w]) / step) * K;
    if (scratch.length < wanted) scratch = new Float64Array(wanted);
    const belief = scratch.fill(0, 0, wanted);
    for (let i = start[w]; i < start[w + 1]; i += step) {
      const t = other[i];
      if (label[i] >= L || size[t] < 2) continue;
      const at = said.length * K;
      const share = weight ? weight[i] : 1;
      for (let k = 0; k < K; k++) {
        belief[at + meaning[k]] =
          logPrior[k] + sums[t * K + k] - share * logs[(w * K + k) * L + label[i]];
      }
      normalizeLog(belief, at, at + K);
      said.push(label[i]);
    }
    return { label: Int32Array.from(said), belief: belief.subarray(0, said.length * K) };
  };
}
