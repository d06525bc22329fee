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

/** By how much wider an interval is whose deviation comes from so many groups: Student's quantile over the normal one. */
export function studentFactor(level: number, groups: number): number {
  const tail = (1 + level) / 2;
  return studentQuantile(tail, Math.max(1, groups - 1)) / normalQuantile(tail);
}
