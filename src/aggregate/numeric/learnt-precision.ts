/**
 * Precisions of workers under a prior that is learnt: 1 / s[w]² ~ Gamma(a, b).
 *
 *   q(1 / s[w]²) = Gamma(a + answers / 2, b + squared errors / 2);   a, b fit the precisions of all workers best
 *
 * a stays between 1 and 50: at 50 workers do not differ, and the values tend to plain means.
 */
import { digamma, logGamma } from "../../math/gamma.ts";
import type { Frame } from "./worker-frame.ts";

/** Bounds of the prior's shape. */
export const SHAPES = { least: 1, most: 50 } as const;

export interface Precisions {
  /** q(1 / s[w]²) = Gamma(shape, rate), with mean `precision`. */
  readonly shape: Float64Array;
  readonly rate: Float64Array;
  readonly precision: Float64Array;
  /** Expected squared errors of each worker, summed. */
  readonly misses: Float64Array;
  a: number;
  b: number;
}

/** Workers alike, in units of the pooled variance. */
export function startPrecisions(workers: number): Precisions {
  const filled = (x: number) => new Float64Array(workers).fill(x);
  return {
    shape: filled(2),
    rate: filled(2),
    precision: filled(1),
    misses: filled(0),
    a: 2,
    b: 2,
  };
}

/** Precisions given the errors, then the prior that fits them best. */
export function learnPrecisions({ workers, perWorker }: Frame, q: Precisions): void {
  let [sum, logs] = [0, 0];
  for (let w = 0; w < workers; w++) {
    q.shape[w] = q.a + perWorker[w] / 2;
    q.rate[w] = q.b + q.misses[w] / 2;
    q.precision[w] = q.shape[w] / q.rate[w];
    sum += q.precision[w];
    logs += digamma(q.shape[w]) - Math.log(q.rate[w]);
  }
  const mean = sum / workers;
  const gap = Math.log(mean) - logs / workers;
  let [low, high] = [Math.log(SHAPES.least), Math.log(SHAPES.most)];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    // log a - digamma(a) falls with a.
    if (middle - digamma(Math.exp(middle)) > gap) low = middle;
    else high = middle;
  }
  q.a = Math.exp((low + high) / 2);
  q.b = q.a / mean;
}

/** What answers and precisions add to an evidence bound. */
export function gammaBound({ workers, perWorker }: Frame, q: Precisions): number {
  const { a, b } = q;
  let sum = 0;
  for (let w = 0; w < workers; w++) {
    const [A, B, n] = [q.shape[w], q.rate[w], perWorker[w]];
    const log = Math.log(B) - digamma(A);
    sum -= (n / 2) * (Math.log(2 * Math.PI) + log) + (q.precision[w] * q.misses[w]) / 2;
    sum += a * Math.log(b) - logGamma(a) - (a + 1) * log - b * q.precision[w];
    sum -= A * Math.log(B) - logGamma(A) - (A + 1) * log - A;
  }
  return sum;
}
