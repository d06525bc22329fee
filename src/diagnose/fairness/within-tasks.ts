/**
 * The difference between two groups of workers on the same tasks.
 *
 *   y[i] = μ[task] + α · x[worker] + e[i],    x = 1 in the group and 0 outside
 *   α    = Σ_t S_xy[t] / Σ_t S_xx[t],         S of deviations from the means of the task
 *
 * Only tasks labelled by both sides count, so it does not matter who labelled which tasks. Answers of one worker are not
 * independent: the sample are workers. Each worker is left out in turn with all answers (jackknife), separately in both
 * groups, with Welch's degrees of freedom. That holds for groups of a few workers, where cluster-robust standard errors
 * are too small. O(N), as a worker changes only the sums of their own tasks.
 *
 * Bell & McCaffrey (2002), Survey Methodology 28(2), 169–181, on few clusters.
 */
import { studentCdf } from "../../math/incomplete.ts";
import { halfWidth, welch } from "./difference-of-shares.ts";

/** Answers as columns, and the side of each worker. */
export interface SidedAnswers {
  readonly task: Int32Array;
  readonly worker: Int32Array;
  readonly value: Float64Array;
  readonly weight?: Float64Array | undefined;
  readonly tasks: number;
  /** 1 in the group, 0 outside, -1 left out: side[worker]. */
  readonly side: Int8Array;
}

/** A difference between two groups of workers. */
export interface GroupDifference {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Two-sided p-value. */
  readonly p: number;
  /** Workers in the group and outside whose answers count. */
  readonly workers: readonly [inside: number, outside: number];
}

/** Weight, and weighted sums of x, y and xy, of one task. */
type Sums = [weight: number, x: number, y: number, xy: number];

/** Estimates the difference; undefined if fewer than `least` workers of either side share tasks with the other. */
export function differenceWithinTasks(
  answers: SidedAnswers,
  least: number,
  level: number,
): GroupDifference | undefined {
  const { side, worker } = answers;
  const sums = taskSums(answers);
  let [top, bottom] = [0, 0];
  for (const each of sums) {
    top += covariance(each);
    bottom += spread(each);
  }
  if (!(bottom > 0)) return undefined;
  const value = top / bottom;
  const without: [number[], number[]] = [[], []];
  for (const [w, rows] of rowsByWorker(worker, side)) {
    const change = changeWithout(answers, rows, sums);
    if (!change.counts) continue;
    const rest = bottom + change.bottom;
    if (!(rest > 1e-12 * bottom)) return undefined;
    without[side[w] === 1 ? 0 : 1].push((top + change.top) / rest);
  }
  if (Math.min(without[0].length, without[1].length) < least) return undefined;
  const parts = without.map((list) => ({ variance: jackknifeVariance(list), size: list.length }));
  const { error, freedom } = welch(parts);
  const half = halfWidth(parts, level);
  const p = error > 0 ? 2 * studentCdf(-Math.abs(value) / error, freedom) : value === 0 ? 1 : 0;
  const workers = [without[0].length, without[1].length] as const;
  return { value, low: value - half, high: value + half, p, workers };
}

/** S_xy of a task: Σ xy − Σ x Σ y / n. */
function covariance([weight, x, y, xy]: Readonly<Sums>): number {
  return weight > 0 ? xy - (x * y) / weight : 0;
}

/** S_xx of a task: as x is 0 or 1, Σ x − (Σ x)² / n. */
function spread([weight, x]: Readonly<Sums>): number {
  return weight > 0 ? Math.max(0, x - (x * x) / weight) : 0;
}

function taskSums(answers: SidedAnswers): Sums[] {
  const sums = Array.from({ length: answers.tasks }, (): Sums => [0, 0, 0, 0]);
  for (let i = 0; i < answers.task.length; i++) add(sums[answers.task[i]], answers, i, 1);
  return sums;
}

function add(sums: Sums, answers: SidedAnswers, i: number, sign: number): void {
  const x = answers.side[answers.worker[i]];
  if (x < 0) return;
  const weight = sign * (answers.weight ? answers.weight[i] : 1);
  sums[0] += weight;
  sums[1] += weight * x;
  sums[2] += weight * answers.value[i];
  sums[3] += weight * x * answers.value[i];
}

/** Returns how both sums change without a worker's answers, and whether the worker shares a task with the other side. */
function changeWithout(answers: SidedAnswers, rows: readonly number[], sums: readonly Sums[]) {
  const left = new Map<number, Sums>();
  for (const i of rows) {
    const t = answers.task[i];
    const each = left.get(t) ?? [...sums[t]];
    add(each, answers, i, -1);
    left.set(t, each);
  }
  let [top, bottom, counts] = [0, 0, false];
  for (const [t, each] of left) {
    top += covariance(each) - covariance(sums[t]);
    bottom += spread(each) - spread(sums[t]);
    counts ||= spread(sums[t]) > 1e-12;
  }
  return { top, bottom, counts };
}

function rowsByWorker(worker: Int32Array, side: Int8Array): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  for (let i = 0; i < worker.length; i++) {
    if (side[worker[i]] < 0) continue;
    const list = rows.get(worker[i]);
    if (list) list.push(i);
    else rows.set(worker[i], [i]);
  }
  return rows;
}

function jackknifeVariance(without: readonly number[]): number {
  const n = without.length;
  const center = without.reduce((sum, each) => sum + each, 0) / n;
  return ((n - 1) / n) * without.reduce((sum, each) => sum + (each - center) ** 2, 0);
}
