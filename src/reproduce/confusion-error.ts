/** How far learnt confusions are from those counted against gold. */

import type { CategoricalData } from "../data/categorical.ts";
import { labelsPerWorker } from "../data/crowd-data.ts";

/** Rows with fewer tasks than this are too uncertain to compare with. */
const LEAST_TASKS = 5;

/** Mean absolute error over the rows of the busiest workers' confusions. */
export function errorAgainstGold(
  data: CategoricalData,
  { confusion }: { readonly confusion?: Float64Array },
  busiest: number,
): number {
  if (!confusion) return Number.NaN;
  const K = data.classes.length;
  const counts = labelsPerWorker(data);
  const workers = [...counts.keys()].sort((a, b) => counts[b] - counts[a]).slice(0, busiest);
  const counted = new Float64Array(confusion.length);
  for (let i = 0; i < data.label.length; i++) {
    const truth = data.gold[data.task[i]];
    if (truth >= 0) counted[(data.worker[i] * K + truth) * K + data.label[i]]++;
  }
  let [total, cells] = [0, 0];
  for (const w of workers) {
    for (let k = 0; k < K; k++) {
      const from = (w * K + k) * K;
      const tasks = counted.subarray(from, from + K).reduce((a, b) => a + b);
      if (tasks < LEAST_TASKS) continue;
      for (let l = 0; l < K; l++, cells++) {
        total += Math.abs(confusion[from + l] - counted[from + l] / tasks);
      }
    }
  }
  return total / cells;
}
