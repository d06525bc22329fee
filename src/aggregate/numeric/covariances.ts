/**
 * Covariances of workers over common tasks, and the rank-one part of them.
 *
 *   joint[u, v] ≈ h[u] · h[v] for u ≠ v
 *
 * by weighted least squares, worker after worker, with Huber's weights: a pair that lies further off than its standard
 * error suggests counts less. A little ridge holds workers with few common tasks at the mean.
 */
import type { Steps } from "../../method.ts";
import type { Fitted } from "../result.ts";
import { groupRows } from "./estimator.ts";
import { type Frame, sumBy } from "./worker-frame.ts";

/** Common tasks that a pair needs to count. */
const LEAST_COMMON = 3;
/** Least variance of a worker's answers, and of the values. */
const LEAST_OWN = 1e-9;
const LEAST_VALUE = 0.01;
/** Share of the mean weight of a worker's pairs that the ridge has. */
const RIDGE = 0.02;
/** Standard errors from which on a pair counts less. */
const HUBER = 1.345;

/** Second moments of W workers. */
export interface Covariances {
  /** Variance of each worker's answers. */
  readonly own: Float64Array;
  /** Covariance of workers u and v at u * W + v, and the number of tasks it rests on. */
  readonly joint: Float64Array;
  readonly common: Float64Array;
}

/** The rank-one part: h[u] · h[v]. */
export interface RankOne extends Fitted {
  readonly h: Float64Array;
}

/** Returns the covariances of answers that have been centred. */
export function covariancesOf(frame: Frame, z: Float64Array): Covariances {
  const { tasks, workers: W, task, worker, count, perWorker } = frame;
  const joint = new Float64Array(W * W);
  const common = new Float64Array(W * W);
  const { rows, start } = groupRows(task, tasks);
  for (let t = 0; t < tasks; t++) {
    for (let a = start[t]; a < start[t + 1]; a++) {
      for (let b = start[t]; b < start[t + 1]; b++) {
        const [i, j] = [rows[a], rows[b]];
        if (worker[i] === worker[j]) continue;
        joint[worker[i] * W + worker[j]] += count[i] * count[j] * z[i] * z[j];
        common[worker[i] * W + worker[j]] += count[i] * count[j];
      }
    }
  }
  for (let k = 0; k < joint.length; k++) if (common[k] > 0) joint[k] /= common[k];
  const squares = sumBy(worker, W, (i) => count[i] * z[i] ** 2);
  const own = squares.map((sum, w) => Math.max(sum / perWorker[w], LEAST_OWN));
  return { own, joint, common };
}

/** Fits the rank-one part until no h moves by more than the tolerance; the trace is minus the largest move. */
export function* rankOne(
  moments: Covariances,
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
): Steps<RankOne> {
  const W = moments.own.length;
  const { base, value, ridge } = weightsOf(moments);
  const h = new Float64Array(W).fill(Math.sqrt(value));
  const trace: number[] = [];
  let converged = ridge === 0;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    let move = 0;
    for (let u = 0; u < W; u++) {
      const next = bestFor(u, h, moments, base, ridge, value);
      move = Math.max(move, Math.abs(next - h[u]));
      h[u] = next;
    }
    converged = move <= tolerance;
    trace.push(-move);
    yield { iteration, objective: -move };
  }
  const up = h.reduce((sum, each) => sum + each, 0) >= 0;
  return { h: up ? h : h.map((each) => -each), trace, converged };
}

/** Weight of each pair, the variance of the values that the pairs agree on, and the ridge. */
function weightsOf({ own, joint, common }: Covariances) {
  const W = own.length;
  let [sum, total] = [0, 0];
  const base = common.map((n, k) => {
    if (n < LEAST_COMMON) return 0;
    const weight = n / (own[Math.floor(k / W)] * own[k % W]);
    sum += weight * joint[k];
    total += weight;
    return weight;
  });
  const value = total > 0 ? Math.max(sum / total, LEAST_VALUE) : LEAST_VALUE;
  return { base, value, ridge: (RIDGE * value * total) / W };
}

/** The best h of worker u, given those of the others. */
function bestFor(
  u: number,
  h: Float64Array,
  { own, joint, common }: Covariances,
  base: Float64Array,
  ridge: number,
  value: number,
): number {
  const W = h.length;
  let [top, bottom] = [ridge * Math.sqrt(value), ridge];
  for (let v = 0; v < W; v++) {
    const k = u * W + v;
    if (base[k] === 0) continue;
    const error = Math.sqrt((own[u] * own[v] + (h[u] * h[v]) ** 2) / common[k]);
    const off = Math.abs(joint[k] - h[u] * h[v]);
    const weight = base[k] * Math.min(1, (HUBER * error) / off);
    top += weight * joint[k] * h[v];
    bottom += weight * h[v] ** 2;
  }
  return top / bottom;
}
