/** The loop of all EM-like methods: M step, E step, objective, stop. */
import type { Steps } from "../method.ts";
export const climbOptions = {
  maxIterations: { default: 100, min: 1, integer: true, help: "Maximum number of iterations." },
  tolerance: {
    default: 1e-6,
    min: 0,
    help: "Relative change of the objective at which to stop.",
  },
} as const;

export interface Climb {
  readonly trace: readonly number[];
  readonly converged: boolean;
}

/**
 * Repeats M and E step until the objective or the posterior stands still. M comes first, so that the
 * posterior left behind belongs to the parameters left behind.
 *
 * `maximise` makes parameters from the current posterior; `infer` makes the posterior from them and
 * returns the objective; `change` is the largest change of a posterior in the last `infer`.
 */
export function* climb(
  { maximise, infer, change }: { maximise(): void; infer(): number; change(): number },
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
): Steps<Climb> {
  const trace: number[] = [];
  let converged = false;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    maximise();
    const objective = infer();
    const last = trace.at(-1);
    trace.push(objective);
    yield { iteration, objective };
    converged =
      last !== undefined &&
      (Math.abs(objective - last) <= tolerance * Math.abs(objective) ||
        (tolerance > 0 && change() <= 1e-6));
  }
  return { trace, converged };
}
