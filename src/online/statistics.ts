/**
 * The sufficient statistics of a live model: what each worker's labels add up to under what is
 * believed of their tasks, and the same over all tasks.
 *
 * Sums are exact (exact-sum.ts): the statistics are those of the labels and beliefs that stand, bit
 * for bit, whatever came and went before.
 */
import type { LiveModel, LiveTotals } from "../em/live.ts";
import { addExactly, onGrid } from "./exact-sum.ts";
import { grownDoubles } from "./growing.ts";

export interface Statistics {
  /** Models that take each other's place keep the same statistics. */
  model: LiveModel;
  /** Rounded sums, `model.cells` per worker, and what rounding cut off. */
  workers: Float64Array;
  workersLow: Float64Array;
  readonly totals: LiveTotals;
  readonly totalsLow: LiveTotals;
  /** What one label adds. */
  readonly unit: Float64Array;
}

/** Returns statistics of nothing, for W workers, K classes and labels that say K things or abstain. */
export function createStatistics(model: LiveModel, W: number, K: number): Statistics {
  const empty = (): LiveTotals => ({
    tasks: new Float64Array(K),
    labels: new Float64Array(K + 1),
    pooled: new Float64Array(model.pools ? model.cells : 0),
  });
  return {
    model,
    workers: new Float64Array(W * model.cells),
    workersLow: new Float64Array(W * model.cells),
    totals: empty(),
    totalsLow: empty(),
    unit: new Float64Array(model.width),
  };
}

/** Gives a new worker statistics of nothing. */
export function makeRoomForWorker(statistics: Statistics, w: number): void {
  const length = (w + 1) * statistics.model.cells;
  statistics.workers = grownDoubles(statistics.workers, length);
  statistics.workersLow = grownDoubles(statistics.workersLow, length);
}

/** Adds `times` a label of worker `w`, whose task is believed to be belief[at + class]; -1 takes it away. */
export function countLabel(
  statistics: Statistics,
  w: number,
  label: number,
  weight: number,
  belief: Float64Array,
  at: number,
  times: 1 | -1,
): void {
  const { model, workers, workersLow, totals, totalsLow, unit } = statistics;
  const mass = model.mass(label, weight);
  if (mass === 0) return;
  const cell = model.unit(label, belief, at, unit);
  for (let j = 0; j < unit.length; j++) {
    const amount = times * onGrid(mass * unit[j]);
    addExactly(workers, workersLow, w * model.cells + cell + j, amount);
    if (model.pools) addExactly(totals.pooled, totalsLow.pooled, cell + j, amount);
  }
}

/** Adds a task's belief to the totals, or takes it away. */
export function countTask(
  { totals, totalsLow }: Statistics,
  belief: Float64Array,
  at: number,
  times: 1 | -1,
): void {
  for (let k = 0; k < totals.tasks.length; k++) {
    addExactly(totals.tasks, totalsLow.tasks, k, times * onGrid(belief[at + k]));
  }
}

/** Adds a label to the totals of what labels say, or takes it away. */
export function countWord(
  { totals, totalsLow }: Statistics,
  label: number,
  weight: number,
  times: 1 | -1,
): void {
  addExactly(totals.labels, totalsLow.labels, label, times * onGrid(weight));
}
