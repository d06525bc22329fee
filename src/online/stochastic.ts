/**
 * The stochastic form of online EM: instead of the sum of all shares, a worker's statistics are their
 * number of labels times a running mean of what one label adds. Each label that comes, and each label
 * of a task that is looked at again, moves that mean by a step of size n^-exponent, n being the
 * worker's labels. It forgets old labels, so it follows workers who change, and it is noisier than
 * the incremental form; the shares of the class prior move alike, with n the number of tasks.
 *
 * With `clock: "all"` n is the number of all labels, and one mean runs over all workers: each new label moves it once, so that workers who
 * are seldom heard are forgotten. That is the form of the original, for comparison; a label costs the statistics of all workers.
 *
 * Cappé & Moulines (2009), JRSS B 71(3), 593–613. https://doi.org/10.1111/j.1467-9868.2009.00698.x
 */
import { addExactly, onGrid } from "./exact-sum.ts";
import { grownDoubles } from "./growing.ts";
import type { Statistics } from "./statistics.ts";

export interface Stochastic {
  statistics: Statistics;
  /** Steps have the size n^-exponent. */
  readonly exponent: number;
  /** Whose labels the steps count: those of one worker, or all. */
  readonly clock: "worker" | "all";
  /** Mass of the labels of each worker. */
  mass: Float64Array;
  /** Number of tasks that count. */
  tasks: number;
}

/** Counts a new label: the worker's mean stays, then moves towards it. */
export function stepNewLabel(
  stochastic: Stochastic,
  w: number,
  label: number,
  weight: number,
  belief: Float64Array,
  at: number,
): void {
  const mass = stochastic.statistics.model.mass(label, weight);
  if (mass === 0) return;
  stochastic.mass = grownDoubles(stochastic.mass, w + 1);
  if (stochastic.clock === "all") {
    stochastic.mass[w] += mass;
    stepAll(stochastic, w, label, mass, belief, at);
    return;
  }
  rescaleWorker(stochastic, w, stochastic.mass[w] + mass);
  stepLabel(stochastic, w, label, weight, belief, at);
}

/** Moves the one mean of all workers towards a new label: what all have said so far counts less. */
function stepAll(
  { statistics, exponent, mass }: Stochastic,
  w: number,
  label: number,
  count: number,
  belief: Float64Array,
  at: number,
): void {
  const { model, workers, workersLow, totals, totalsLow, unit } = statistics;
  const n = mass.reduce((sum, each) => sum + each, 0);
  const size = stepSize(n, count, exponent);
  const factor = n > count ? ((1 - size) * n) / (n - count) : 0;
  for (let j = 0; j < workers.length; j++) workers[j] *= factor;
  workersLow.fill(0);
  const from = w * model.cells + model.unit(label, belief, at, unit);
  for (let j = 0; j < unit.length; j++) workers[from + j] += size * n * unit[j];
  totals.pooled.fill(0);
  totalsLow.pooled.fill(0);
  for (let j = 0; totals.pooled.length > 0 && j < workers.length; j++) {
    addExactly(totals.pooled, totalsLow.pooled, j % model.cells, onGrid(workers[j]));
  }
}

/** Moves a worker's mean towards a label that is counted already. */
export function stepLabel(
  { statistics, exponent, mass }: Stochastic,
  w: number,
  label: number,
  weight: number,
  belief: Float64Array,
  at: number,
): void {
  const { model, workers, unit } = statistics;
  const count = model.mass(label, weight);
  if (count === 0) return;
  const size = stepSize(mass[w], count, exponent);
  const from = w * model.cells;
  const cell = model.unit(label, belief, at, unit);
  change(statistics, w, (cells) => {
    for (let j = 0; j < model.cells; j++) cells[from + j] *= 1 - size;
    for (let j = 0; j < unit.length; j++) workers[from + cell + j] += size * mass[w] * unit[j];
  });
}

/** Takes a label away: the worker's mean stays. */
export function dropLabel(stochastic: Stochastic, w: number, label: number, weight: number): void {
  const mass = stochastic.statistics.model.mass(label, weight);
  if (mass > 0) rescaleWorker(stochastic, w, Math.max(0, stochastic.mass[w] - mass));
}

/** Moves the class shares towards the belief of a task. */
export function stepTask(
  { statistics: { totals, totalsLow }, exponent, tasks }: Stochastic,
  belief: Float64Array,
  at: number,
): void {
  const size = stepSize(tasks, 1, exponent);
  totals.tasks.forEach((total, k) => {
    totals.tasks[k] = (1 - size) * total + size * tasks * belief[at + k];
  });
  totalsLow.tasks.fill(0);
}

/** Changes the number of tasks that count; the class shares stay. */
export function rescaleTasks(stochastic: Stochastic, tasks: number): void {
  const { totals, totalsLow } = stochastic.statistics;
  const factor = stochastic.tasks > 0 ? tasks / stochastic.tasks : 0;
  totals.tasks.forEach((total, k) => {
    totals.tasks[k] = factor * total;
  });
  totalsLow.tasks.fill(0);
  stochastic.tasks = tasks;
}

/** As many steps of size n^-exponent as the label counts for; the first label is taken whole. */
function stepSize(n: number, count: number, exponent: number): number {
  return 1 - (1 - Math.max(1, n) ** -exponent) ** count;
}

function rescaleWorker(stochastic: Stochastic, w: number, mass: number): void {
  const { statistics } = stochastic;
  const from = w * statistics.model.cells;
  const factor = stochastic.mass[w] > 0 ? mass / stochastic.mass[w] : 0;
  change(statistics, w, (cells) => {
    for (let j = 0; j < statistics.model.cells; j++) cells[from + j] *= factor;
  });
  stochastic.mass[w] = mass;
}

/** Changes a worker's statistics, and the pooled ones with them. */
function change(statistics: Statistics, w: number, edit: (cells: Float64Array) => void): void {
  const { model, workers, workersLow, totals, totalsLow } = statistics;
  const from = w * model.cells;
  const pool = (times: 1 | -1) => {
    for (let j = 0; j < totals.pooled.length; j++) {
      addExactly(totals.pooled, totalsLow.pooled, j, times * onGrid(workers[from + j]));
    }
  };
  pool(-1);
  edit(workers);
  workersLow.fill(0, from, from + model.cells);
  pool(1);
}
