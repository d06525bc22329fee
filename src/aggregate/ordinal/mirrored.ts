/** Workers who use a scale upside down: their levels fall where those of the others rise. */
import { byTask, byWorker, type CategoricalData } from "../../data/categorical.ts";
import { spearman } from "../../math/statistics.ts";

/** Fewer answers beside others than this say nothing. */
const FEWEST = 10;

/**
 * Finds workers whose levels correlate with the mean of the others' below −.2 and surely below 0 (one-sided 1 %,
 * for each).
 */
export function mirroredWorkers(data: CategoricalData): ReadonlySet<number> {
  const tasks = byTask(data);
  const own = byWorker(data);
  const count = new Int32Array(data.tasks.length);
  const sum = new Float64Array(data.tasks.length);
  for (let t = 0; t < count.length; t++) {
    for (let i = tasks.start[t]; i < tasks.start[t + 1]; i++) {
      sum[t] += tasks.label[i];
      count[t]++;
    }
  }
  const found = new Set<number>();
  for (let w = 0; w < data.workers.length; w++) {
    const [said, others]: number[][] = [[], []];
    for (let i = own.start[w]; i < own.start[w + 1]; i++) {
      const t = own.other[i];
      if (count[t] < 2) continue;
      said.push(own.label[i]);
      others.push((sum[t] - own.label[i]) / (count[t] - 1));
    }
    const n = said.length;
    if (n >= FEWEST && spearman(said, others) < -Math.max(0.2, 2.33 / Math.sqrt(n - 1)))
      found.add(w);
  }
  return found;
}
