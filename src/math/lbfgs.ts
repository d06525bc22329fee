/**
 * The minimum of a smooth function of many numbers, from its values and gradients: limited-memory
 * BFGS with a line search for the strong Wolfe conditions.
 *
 * Where the function is NaN or infinite a step is too long and is shortened, so a function may be
 * undefined in part of the space, as long as it is not at the start.
 *
 * Nocedal & Wright (2006), Numerical Optimization, 2nd ed., algorithms 7.4, 7.5, 3.5 and 3.6.
 * https://doi.org/10.1007/978-0-387-40065-5
 */
import { CrowdError } from "../error.ts";

/** Returns f(x), and writes its gradient; keeps neither array. */
export type Objective = (x: Float64Array, gradient: Float64Array) => number;

export interface MinimiseOptions {
  /** Most steps to take; 1000 if not given. */
  readonly maxIterations?: number;
  /** Stop when no |gradient| is above this times max(1, |value|); 1e-8 if not given. */
  readonly tolerance?: number;
  /** How many past steps to remember the curvature of; 7 if not given. */
  readonly memory?: number;
}

export interface Minimum {
  readonly x: Float64Array;
  /** f(x), never above f(start). */
  readonly value: number;
  readonly iterations: number;
  /** Whether the gradient met the tolerance, or the value cannot fall further but by rounding. */
  readonly converged: boolean;
}

/** A point, with the value and gradient there. */
interface Point {
  readonly x: Float64Array;
  readonly gradient: Float64Array;
  value: number;
}

/** A step taken, the change of gradient it brought, and 1 / their product. */
interface Pair {
  readonly step: Float64Array;
  readonly change: Float64Array;
  readonly rho: number;
}

/** Walks downhill from `start`, which is left as it is. */
export function minimise(
  f: Objective,
  start: Float64Array,
  { maxIterations = 1000, tolerance = 1e-8, memory = 7 }: MinimiseOptions = {},
): Minimum {
  let here = evaluate(f, start.slice());
  if (!Number.isFinite(here.value)) {
    throw new CrowdError("bad-data", "minimise: the function is not finite at the start.");
  }
  let there: Point = { x: start.slice(), gradient: new Float64Array(start.length), value: 0 };
  const pairs: Pair[] = [];
  let iterations = 0;
  let converged = isFlat(here, tolerance);
  while (!converged && iterations < maxIterations) {
    let direction = descend(here.gradient, pairs);
    let slope = dot(here.gradient, direction);
    if (!(slope < 0)) {
      pairs.length = 0;
      direction = here.gradient.map((g) => -g);
      slope = dot(here.gradient, direction);
    }
    // Without curvature the gradient has no scale; move by at most 1 then.
    const first = pairs.length > 0 ? 1 : Math.min(1, 1 / Math.sqrt(-slope));
    if (search(f, here, there, direction, slope, first)) {
      iterations++;
      remember(pairs, here, there, memory);
      [here, there] = [there, here];
      converged = isFlat(here, tolerance);
    } else if (-slope <= 1e-13 * Math.max(1, Math.abs(here.value))) {
      converged = true; // less to gain than the value's own rounding
    } else if (pairs.length > 0) {
      pairs.length = 0; // what was remembered misleads: once more, straight downhill
    } else break;
  }
  return { x: here.x, value: here.value, iterations, converged };
}

/** Algorithm 7.4: minus the gradient times the inverse curvature that the pairs have seen. */
function descend(gradient: Float64Array, pairs: readonly Pair[]): Float64Array {
  const direction = gradient.map((g) => -g);
  const last = pairs.at(-1);
  if (!last) return direction;
  const weights = new Float64Array(pairs.length);
  for (let p = pairs.length - 1; p >= 0; p--) {
    weights[p] = pairs[p].rho * dot(pairs[p].step, direction);
    add(direction, -weights[p], pairs[p].change);
  }
  const scale = 1 / (last.rho * dot(last.change, last.change));
  for (let i = 0; i < direction.length; i++) direction[i] *= scale;
  for (let p = 0; p < pairs.length; p++) {
    const weight = pairs[p].rho * dot(pairs[p].change, direction);
    add(direction, weights[p] - weight, pairs[p].step);
  }
  return direction;
}

/** Keeps the newest step if the function curved upwards along it, and forgets the oldest. */
function remember(pairs: Pair[], from: Point, to: Point, memory: number): void {
  const step = to.x.map((value, i) => value - from.x[i]);
  const change = to.gradient.map((value, i) => value - from.gradient[i]);
  const product = dot(step, change);
  if (product > Number.EPSILON * dot(change, change)) {
    pairs.push({ step, change, rho: 1 / product });
  }
  if (pairs.length > memory) pairs.shift();
}

/** What the function does at a distance along the direction. */
interface Trial {
  readonly at: number;
  readonly value: number;
  readonly slope: number;
}

/**
 * Algorithms 3.5 and 3.6 as one loop: goes on until a point is too high, then closes in between the
 * lowest good point and that one. Writes the point found to `there`; false when none is lower.
 */
function search(
  f: Objective,
  here: Point,
  there: Point,
  direction: Float64Array,
  slope: number,
  first: number,
): boolean {
  const look = (at: number): Trial => {
    for (let i = 0; i < direction.length; i++) there.x[i] = here.x[i] + at * direction[i];
    there.value = f(there.x, there.gradient);
    const along = dot(there.gradient, direction);
    const finite = Number.isFinite(there.value) && Number.isFinite(along);
    return { at, value: finite ? there.value : Infinity, slope: along };
  };
  let low: Trial = { at: 0, value: here.value, slope };
  let high: Trial | undefined;
  let at = first;
  for (let i = 0; i < 40 && at !== low.at; i++) {
    const trial = look(at);
    if (trial.value > here.value + 1e-4 * at * slope || trial.value >= low.value) high = trial;
    else if (Math.abs(trial.slope) <= -0.9 * slope) return true;
    else {
      if (trial.slope * (high ? high.at - low.at : 1) >= 0) high = low;
      low = trial;
    }
    at = high ? between(low, high) : 3 * at;
  }
  // Not flat enough, but lower: better than nothing.
  return low.at > 0 && look(low.at).value < here.value;
}

/** Eq. 3.59: the lowest point of the cubic through two trials, kept a tenth away from both. */
function between(low: Trial, high: Trial): number {
  const width = high.at - low.at;
  if (high.value === Infinity) return low.at + 0.1 * width;
  const d1 = low.slope + high.slope - (3 * (high.value - low.value)) / width;
  const d2 = Math.sign(width) * Math.sqrt(d1 * d1 - low.slope * high.slope);
  const share = 1 - (high.slope + d2 - d1) / (high.slope - low.slope + 2 * d2);
  return low.at + width * (Number.isNaN(share) ? 0.5 : Math.max(0.1, Math.min(0.9, share)));
}

function evaluate(f: Objective, x: Float64Array): Point {
  const gradient = new Float64Array(x.length);
  return { x, gradient, value: f(x, gradient) };
}

function isFlat({ gradient, value }: Point, tolerance: number): boolean {
  return gradient.every((g) => Math.abs(g) <= tolerance * Math.max(1, Math.abs(value)));
}

function add(target: Float64Array, weight: number, vector: Float64Array): void {
  for (let i = 0; i < target.length; i++) target[i] += weight * vector[i];
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}
