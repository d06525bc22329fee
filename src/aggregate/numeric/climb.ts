/**
 * Coordinate ascent that leaps: after two plain steps from x0 over x1 to x2 it goes on from
 *
 *   x0 - 2 a r + a² v,   r = x1 - x0,   v = x2 - x1 - r,   a = -|r| / |v|, at most -1
 *
 * where steps that shrink at one rate would end. A leap after which the objective is lower is taken back, so that the
 * objective never falls; it ends where plain steps end, and a plain step decides that it is there.
 *
 * Varadhan & Roland (2008), Scandinavian Journal of Statistics 35(2), 335–353. https://doi.org/10.1111/j.1467-9469.2007.00585.x
 */
import type { Steps } from "../../method.ts";

/** What is climbed on: parameters, and what is expected under them. */
export interface Hill {
  /** The parameters as numbers of any size, and the way back; absent: there are no leaps. */
  readonly place?: {
    parameters(): Float64Array;
    restore(parameters: Float64Array): void;
  };
  /** Finds what is expected under the parameters; returns how far the value that moved most went. */
  expect(): number;
  /** Improves the parameters given that; returns the objective. */
  improve(): number;
}

/** Climbs until a plain step moves no value by more than the tolerance. */
export function* climb(
  hill: Hill,
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
): Steps<{ readonly trace: readonly number[]; readonly converged: boolean }> {
  const { place } = hill;
  const trace: number[] = [];
  hill.expect();
  /** The parameters at the start of a pair of steps, and after each. */
  let path = place ? [place.parameters()] : [];
  let beforeLeap: Float64Array | undefined;
  const goTo = (parameters: Float64Array) => {
    place?.restore(parameters);
    hill.expect();
    path = [parameters];
  };
  while (trace.length < maxIterations) {
    const objective = hill.improve();
    // A leap out of what numbers can hold has no objective at all.
    if (beforeLeap && !(objective >= trace[trace.length - 1])) {
      goTo(beforeLeap);
      beforeLeap = undefined;
      continue;
    }
    beforeLeap = undefined;
    trace.push(objective);
    yield { iteration: trace.length, objective };
    if (place) path.push(place.parameters());
    if (path.length === 3) {
      beforeLeap = path[2];
      goTo(leap(path[0], path[1], path[2]));
    } else if (hill.expect() <= tolerance) {
      return { trace, converged: true };
    }
  }
  // A leap that was not tried yet is no place to stay.
  if (beforeLeap) goTo(beforeLeap);
  return { trace, converged: false };
}

/** Where steps that shrink at one rate would end. */
function leap(x0: Float64Array, x1: Float64Array, x2: Float64Array): Float64Array {
  let [r2, v2] = [0, 0];
  for (let k = 0; k < x0.length; k++) {
    r2 += (x1[k] - x0[k]) ** 2;
    v2 += (x2[k] - 2 * x1[k] + x0[k]) ** 2;
  }
  if (!(v2 > 0)) return x2;
  const a = Math.min(-1, -Math.sqrt(r2 / v2));
  return x0.map((x, k) => x - 2 * a * (x1[k] - x) + a * a * (x2[k] - 2 * x1[k] + x));
}
