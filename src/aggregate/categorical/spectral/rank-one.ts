/**
 * The numbers s, one per worker, whose products s[w] · s[v] come nearest to what pairs of workers show:
 *
 *   minimise ½ · sum over pairs of weight[w, v] · (value[w, v] - s[w] · s[v])²,  low ≤ s ≤ high
 *
 * A worker's pair with themselves is not among the pairs, since nobody labels a task twice; so this is
 * no eigenvector, though it is one wherever s² stands on the diagonal. Projected gradient steps, each
 * coordinate divided by its own curvature: half of such a step never overshoots near a solution, and
 * is halved further where the sum rises.
 */
import type { Steps } from "../../../method.ts";
import type { WorkerPairs } from "./agreement-moments.ts";
import type { CrowdParts } from "./crowd-parts.ts";

export interface RankOneProblem {
  readonly pairs: WorkerPairs;
  readonly parts: CrowdParts;
  readonly values: Float64Array;
  readonly weights: Float64Array;
  /** Weight of pairs of a part that share no task, which are taken to show 0; usually 0. */
  readonly background?: number;
  readonly low: number;
  readonly high: number;
}

export interface RankOne {
  readonly vector: Float64Array;
  readonly trace: readonly number[];
  readonly converged: boolean;
}

/** The trace is minus the mean squared error of the products. */
export function* fitRankOne(
  problem: RankOneProblem,
  start: Float64Array,
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
): Steps<RankOne> {
  const { low, high } = problem;
  const clip = (s: number) => Math.min(high, Math.max(low, s));
  const move = ({ s, gradient, curvature }: Point, step: number) =>
    s.map((x, w) => clip(curvature[w] > 0 ? x - (step * gradient[w]) / curvature[w] : 0));
  let here = look(problem, start.map(clip));
  let last = here.s;
  let speed = 1;
  const trace: number[] = [];
  let converged = false;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    const rises = (there: Point) => there.error > here.error * (1 + 1e-14);
    const next = move(here, 0.5);
    converged = next.every((x, w) => Math.abs(x - here.s[w]) <= tolerance);
    // On by part of the last step, which saves many; but not where that leads up.
    const faster = (1 + Math.sqrt(1 + 4 * speed * speed)) / 2;
    const push = (speed - 1) / faster;
    speed = faster;
    let there = look(problem, push > 0 ? next.map((x, w) => clip(x + push * (x - last[w]))) : next);
    if (push > 0 && rises(there)) {
      speed = 1;
      there = look(problem, next);
    }
    for (let step = 0.25; step > 1e-6 && rises(there); step /= 2) {
      there = look(problem, move(here, step));
    }
    // What does not fall any more but by rounding is at its lowest.
    if (rises(there)) converged = true;
    else here = there;
    last = next;
    trace.push(-here.error);
    yield { iteration, objective: -here.error };
  }
  return { vector: here.s, trace, converged };
}

interface Point {
  readonly s: Float64Array;
  readonly error: number;
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
}

function look(
  { pairs, parts, values, weights, background = 0 }: RankOneProblem,
  s: Float64Array,
): Point {
  const { start, other } = pairs;
  const gradient = new Float64Array(s.length);
  const curvature = new Float64Array(s.length);
  const squares = new Float64Array(parts.count);
  for (let w = 0; w < s.length; w++)
    if (parts.ofWorker[w] >= 0) squares[parts.ofWorker[w]] += s[w] ** 2;
  let error = 0;
  let all = 0;
  for (let w = 0; w < s.length; w++) {
    let near = 0;
    for (let at = start[w]; at < start[w + 1]; at++) {
      const x = s[other[at]];
      const miss = values[at] - s[w] * x;
      gradient[w] -= weights[at] * miss * x;
      curvature[w] += weights[at] * x * x;
      error += weights[at] * miss * miss;
      all += weights[at];
      near += x * x;
    }
    if (background > 0 && parts.ofWorker[w] >= 0) {
      const far = background * Math.max(0, squares[parts.ofWorker[w]] - s[w] ** 2 - near);
      gradient[w] += far * s[w];
      curvature[w] += far;
      error += far * s[w] ** 2;
    }
  }
  return { s, error: all > 0 ? error / all : 0, gradient, curvature };
}
