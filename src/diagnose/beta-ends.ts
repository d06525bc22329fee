/** Intervals of probabilities from a variance: Beta quantiles of as many labels as that variance is worth. */
import { betaQuantile, normalQuantile, studentQuantile } from "../math/incomplete.ts";

/**
 * Most effective labels per label. Above 1, because a skill that is counted class by class does not vary with the classes that a
 * worker happened to meet; but rates of many classes with hardly a label each seem surer than they are.
 */
export const MOST_WORTH = 2;

/**
 * Quantiles of Beta(p n + ½, (1 − p) n + ½), n = p(1 − p) / variance, at most `most`: near 0 and 1 they reach further towards the
 * middle, as the variance of a rate that is close to them by chance is too small.
 */
export function betaEnds(
  probability: number,
  variance: number,
  most: number,
  level: number,
): [low: number, high: number] {
  const p = Math.min(0.999, Math.max(0.001, probability));
  const n = Math.min(most, (p * (1 - p)) / variance);
  const end = (tail: number) => betaQuantile(tail, p * n + 0.5, (1 - p) * n + 0.5);
  return [end((1 - level) / 2), end((1 + level) / 2)];
}

/**
 * Variances from the deviations of a jackknife over `groups` groups and from what known classes would leave, by worker:
 *
 *   variance[w] = max(known[w], f² (sd[w]² + ρ known[w]) / 2),   ρ = Σ n sd² / Σ n known, at least 1
 *
 * Twenty groups tell the variance of one worker only roughly. How much less is known because the classes are not is much the
 * same for all workers, so half of it is the crowd's. f is Student's quantile over the normal one, with the degrees of
 * freedom of both halves.
 */
export function pooledVariance(
  deviation: Float64Array,
  known: Float64Array,
  labels: Int32Array,
  { level, groups }: { readonly level: number; readonly groups: number },
): Float64Array {
  const tail = (1 + level) / 2;
  const freedom = Math.max(1, 2 * (groups - 1));
  const factor = studentQuantile(tail, freedom) / normalQuantile(tail);
  let [found, least] = [0, 0];
  for (let w = 0; w < labels.length; w++) {
    found += labels[w] * deviation[w] ** 2;
    least += labels[w] * known[w];
  }
  const ratio = least > 0 ? Math.max(1, found / least) : 1;
  return known.map((variance, w) =>
    Math.max(variance, (factor ** 2 * (deviation[w] ** 2 + ratio * variance)) / 2),
  );
}
