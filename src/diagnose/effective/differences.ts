/**
 * How precise workers who gave numbers are, from how far they are apart: no true value is needed, and copies do not seem
 * precise by agreeing with one another.
 *
 *   D[u, v] = variance of answer[u] − answer[v] over common tasks = s²[u] + s²[v]   if u and v err independently
 *
 * s² is fitted to all D by weighted least squares with Huber's weights; differences beyond 2.5 standard deviations are
 * clipped, so that a few blunders do not make a worker useless.
 */
import { type NumericData, outputsOf, withinTasks } from "../../data/numeric.ts";

/** Least variance of a worker in units of the pooled one, and the degrees of freedom that the ordinary counts for. */
const [LEAST, ORDINARY] = [1e-6, 4];
/** Where differences are clipped, in standard deviations, and the variance of a clipped standard normal. */
const [CLIP, CLIPPED] = [2.5, 0.97765];
/** Turns of clipping and fitting; sweeps of a fit and the relative change at which it ends; Huber's constant. */
const [TURNS, SWEEPS, TOLERANCE, HUBER] = [4, 200, 1e-9, 2];
/** Pairs of answers at most that are looked at; beyond, the first tasks decide. */
const MOST_VISITS = 5e6;

/** Worker and number of each answer of a task, by worker. */
export type TaskAnswers = readonly (readonly [worker: number, value: number])[];

/** All pairs of workers who share tasks, and the differences of their answers. */
export interface Differences {
  readonly outputs: number;
  /** The two workers of each pair. */
  readonly u: Int32Array;
  readonly v: Int32Array;
  /** Task after task: where each begins, the differences, and the cell of each: pair * outputs + output. */
  readonly start: Int32Array;
  readonly difference: Float64Array;
  readonly cell: Int32Array;
  /** Differences and their middle, by cell. */
  readonly count: Int32Array;
  readonly middle: Float64Array;
  /** Variance of each pair's differences, and its degrees of freedom. */
  readonly variance: Float64Array;
  readonly free: Int32Array;
}

/** Returns the differences of all pairs of workers. */
export function differencesOf(data: NumericData): Differences {
  const W = data.workers.length;
  const O = data.outputs?.names.length ?? 1;
  const output = outputsOf(
    data,
    Int32Array.from(data.tasks, (_, t) => t),
  );
  const place = new Map<number, number>();
  const [u, v, start, cell, difference]: number[][] = [[], [], [0], [], []];
  for (const [t, own] of answersByTask(data).entries()) {
    if (cell.length > MOST_VISITS) break;
    for (const [at, [b, y]] of own.entries()) {
      for (let before = 0; before < at; before++) {
        const [a, x] = own[before];
        if (a === b) continue;
        const key = a * W + b;
        const pair = place.get(key) ?? u.length;
        if (pair === u.length) {
          place.set(key, pair);
          u.push(a);
          v.push(b);
        }
        difference.push(x - y);
        cell.push(pair * O + output[t]);
      }
    }
    start.push(cell.length);
  }
  const P = u.length;
  const found = {
    outputs: O,
    u: Int32Array.from(u),
    v: Int32Array.from(v),
    start: Int32Array.from(start),
    difference: Float64Array.from(difference),
    cell: Int32Array.from(cell),
    count: new Int32Array(P * O),
    middle: new Float64Array(P * O),
    variance: new Float64Array(P),
    free: new Int32Array(P),
  };
  for (const c of found.cell) found.count[c]++;
  found.count.forEach((n, c) => {
    found.free[Math.floor(c / O)] += Math.max(0, n - 1);
  });
  spread(found);
  return found;
}

function answersByTask({ tasks, task, worker, value }: NumericData): TaskAnswers[] {
  const answers = Array.from(tasks, (): [number, number][] => []);
  for (let i = 0; i < task.length; i++) answers[task[i]].push([worker[i], value[i]]);
  for (const each of answers) each.sort((a, b) => a[0] - b[0]);
  return answers;
}

/** Finds the middle of each cell and the variance of each pair, with differences clipped beside what is expected. */
function spread(found: Differences, workers?: Float64Array): void {
  const { u, v, outputs: O, difference, cell, count, middle, variance, free } = found;
  const reach = variance.map((_, p) =>
    workers ? CLIP * Math.sqrt(workers[u[p]] + workers[v[p]]) : Infinity,
  );
  const [sum, squares] = [new Float64Array(count.length), new Float64Array(count.length)];
  difference.forEach((x, i) => {
    const c = cell[i];
    const far = reach[Math.floor(c / O)];
    const miss = Math.max(-far, Math.min(far, x - middle[c]));
    sum[c] += miss;
    squares[c] += miss * miss;
  });
  variance.fill(0);
  count.forEach((n, c) => {
    if (n < 2) return;
    const p = Math.floor(c / O);
    middle[c] += sum[c] / n;
    const left = Math.max(0, squares[c] - sum[c] ** 2 / n);
    variance[p] += left / free[p] / (workers ? CLIPPED : 1);
  });
}

/** Returns the variance of each worker's errors, offsets left out. The middles of the differences change with it: clipped ones hold. */
export function workerVariances(found: Differences, data: NumericData): Float64Array {
  const touching = Array.from({ length: data.workers.length }, (): number[] => []);
  let [sum, free] = [0, 0];
  found.free.forEach((own, p) => {
    if (own === 0) return;
    for (const w of [found.u[p], found.v[p]]) touching[w].push(p);
    sum += own * found.variance[p];
    free += own;
  });
  const least = LEAST * withinTasks(data)[0] ** 2;
  const pooled = Math.max(least, sum / Math.max(1, free) / 2);
  // Medians do not follow the few who are alike.
  const usual = Float64Array.from(touching, (own) => {
    const sorted = own.map((p) => found.variance[p]).sort((a, b) => a - b);
    return own.length > 0 ? Math.max(sorted[own.length >> 1], least) : 2 * pooled;
  });
  const s2 = usual.map((each) => each / 2);
  for (let turn = 0; turn <= TURNS; turn++) {
    if (turn > 0) spread(found, s2);
    solve(found, touching, { s2, usual, pooled, least });
  }
  return s2;
}

interface Fitting {
  readonly s2: Float64Array;
  /** Variance of the differences in the usual pair of each worker. */
  readonly usual: Float64Array;
  readonly pooled: number;
  readonly least: number;
}

/**
 * Least squares, worker after worker: D[u, v] has the variance 2 (s²[u] + s²[v])² per degree of freedom. That of a usual
 * pair is the least, or copies would take each other for precise.
 */
function solve(
  { u, v, variance, free }: Differences,
  touching: readonly (readonly number[])[],
  { s2, usual, pooled, least }: Fitting,
): void {
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = 0;
    for (const [w, own] of touching.entries()) {
      let total = ORDINARY / (2 * pooled * pooled);
      let sum = total * pooled;
      for (const p of own) {
        const other = s2[u[p] === w ? v[p] : u[p]];
        const both = s2[w] + other;
        const z = Math.abs(variance[p] / both - 1) * Math.sqrt(free[p] / 2);
        const size = Math.max(both, Math.min(usual[u[p]], usual[v[p]]));
        const weight = ((free[p] / (2 * size * size)) * HUBER) / Math.max(HUBER, z);
        sum += weight * (variance[p] - other);
        total += weight;
      }
      const next = Math.max(sum / total, least);
      moved = Math.max(moved, Math.abs(next - s2[w]) / s2[w]);
      s2[w] = next;
    }
    if (moved < TOLERANCE) return;
  }
}
