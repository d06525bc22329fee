/**
 * How each worker's numbers stand against guessing: whether they rise and fall with what the others say of the
 * same tasks.
 *
 * Spearman's correlation of a worker's answers with the mean of the others', tested by Fisher's z; one who knows
 * about half would have a correlation of .5. A bias does not matter here: it can be taken off.
 */
import type { NumericResult } from "../aggregate/numeric/estimator.ts";
import { inCommonUnits, type NumericData } from "../data/numeric.ts";
import { chiSquareQuantile } from "../math/incomplete.ts";
import { spearman } from "../math/statistics.ts";
import { type Ranked, type Standing, standingFrom, worstFirst } from "./standing.ts";

/** What is known of one worker who gave numbers. */
export interface NumericWorker {
  readonly labels: number;
  /** Root mean square of the worker's answers less the values. */
  readonly error: number;
  /** Lower end of a 95 % interval of the error; 0 without answers. */
  readonly errorLow: number;
  readonly standing: Standing;
}

/** Judges each worker, in the order of the workers. */
export function numericWorkers(
  data: NumericData,
  { error, workload }: Pick<NumericResult, "error" | "workload">,
): NumericWorker[] {
  const pairs = besideOthers(inCommonUnits(data));
  return Array.from(error, (each, w) => {
    const labels = workload[w];
    const low = labels > 0 ? each * Math.sqrt(labels / chiSquareQuantile(0.975, labels)) : 0;
    return { labels, error: each, errorLow: low, standing: standing(pairs[w]) };
  });
}

/** Returns the numbers of the workers, worst first: among equals by the smallest error that is possible. */
export function numericWorstFirst(workers: readonly NumericWorker[]): number[] {
  return worstFirst(
    workers.map(
      ({ labels, errorLow, standing: each }): Ranked => ({
        labels,
        skill: -errorLow,
        high: -errorLow,
        standing: each,
      }),
    ),
  );
}

interface Pairs {
  readonly own: number[];
  readonly others: number[];
}

/** The answers of each worker on tasks that others answered too, with the mean of those others. */
function besideOthers({ tasks, workers, task, worker, value }: NumericData): Pairs[] {
  const sum = new Float64Array(tasks.length);
  const count = new Int32Array(tasks.length);
  for (let i = 0; i < task.length; i++) {
    sum[task[i]] += value[i];
    count[task[i]]++;
  }
  const pairs = Array.from(workers, (): Pairs => ({ own: [], others: [] }));
  for (let i = 0; i < task.length; i++) {
    const rest = count[task[i]] - 1;
    if (rest < 1) continue;
    pairs[worker[i]].own.push(value[i]);
    pairs[worker[i]].others.push((sum[task[i]] - value[i]) / rest);
  }
  return pairs;
}

function standing({ own, others }: Pairs): Standing {
  const n = own.length;
  if (n < 5) return "unknown";
  const r = spearman(own, others);
  const scale = Math.sqrt(n - 3);
  const above = Number.isFinite(r) ? Math.atanh(Math.max(-0.999, Math.min(0.999, r))) * scale : 0;
  return standingFrom(above, Math.atanh(0.5) * scale);
}
