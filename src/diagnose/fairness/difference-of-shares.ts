/**
 * Intervals for the difference and the ratio of two independent shares.
 *
 *   rate    = (x + ½) / (n + 1)
 *   low     = p₁ − p₂ − √((p₁ − l₁)² + (u₂ − p₂)²)      with Wilson limits l, u of each share
 *   high    = p₁ − p₂ + √((u₁ − p₁)² + (p₂ − l₂)²)
 *
 * Shares of weighted tasks, and sums of probabilities, are not binomial. Their variance comes from the jackknife: each
 * task is left out in turn, v = (n − 1)/n Σ (r₋ᵢ − r̄)², with Student's t and Welch's degrees of freedom. The ratio is
 * treated so on the log scale.
 *
 * Newcombe (1998), Statistics in Medicine 17(8), 873–890, method 10.
 * https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I
 */
import type { Interval } from "../../evaluate/accuracy.ts";
import { studentQuantile, wilsonInterval } from "../../math/incomplete.ts";

/** A share: what counts towards it, and what it is a share of. */
export interface Share {
  readonly sum: number;
  readonly weight: number;
}

/** One member of a share: its weight, and the part of it that counts, from 0 to 1. */
export interface Member {
  readonly weight: number;
  readonly part: number;
}

/** Returns the share with half a member added on either side. */
export function smoothed({ sum, weight }: Share): number {
  return (sum + 0.5) / (weight + 1);
}

/** Returns Newcombe's interval for the difference of two independent shares of counted members. */
export function newcombeInterval(
  first: Share,
  second: Share,
  level = 0.95,
): { readonly low: number; readonly high: number } {
  const ends = ({ sum, weight }: Share) => ({
    p: weight > 0 ? sum / weight : 0.5,
    ...wilsonInterval(sum, weight, level),
  });
  const [a, b] = [ends(first), ends(second)];
  const difference = a.p - b.p;
  return {
    low: Math.max(-1, difference - Math.hypot(a.p - a.low, b.high - b.p)),
    high: Math.min(1, difference + Math.hypot(a.high - a.p, b.p - b.low)),
  };
}

/** Returns the difference of two smoothed shares of weighted members, with a jackknife interval. */
export function jackknifeDifference(
  first: readonly Member[],
  second: readonly Member[],
  level = 0.95,
): Interval {
  return jackknife(first, second, level, (rate) => rate);
}

/** Returns the ratio of two smoothed shares, with a jackknife interval from the log scale. */
export function jackknifeRatio(
  first: readonly Member[],
  second: readonly Member[],
  level = 0.95,
): Interval {
  const { value, low, high } = jackknife(first, second, level, Math.log);
  return { value: Math.exp(value), low: Math.exp(low), high: Math.exp(high) };
}

function jackknife(
  first: readonly Member[],
  second: readonly Member[],
  level: number,
  scale: (rate: number) => number,
): Interval {
  const [a, b] = [leaveOneOut(first, scale), leaveOneOut(second, scale)];
  const value = a.value - b.value;
  const half = halfWidth(
    [
      { variance: a.variance, size: first.length },
      { variance: b.variance, size: second.length },
    ],
    level,
  );
  return { value, low: value - half, high: value + half };
}

/** Returns half the width of an interval from independent variances, by Welch's degrees of freedom. */
export function halfWidth(
  parts: readonly { readonly variance: number; readonly size: number }[],
  level: number,
): number {
  const { error, freedom } = welch(parts);
  return error > 0 ? studentQuantile((1 + level) / 2, freedom) * error : 0;
}

/** Returns the standard error of a difference and Welch's degrees of freedom. */
export function welch(parts: readonly { readonly variance: number; readonly size: number }[]): {
  readonly error: number;
  readonly freedom: number;
} {
  const total = parts.reduce((sum, { variance }) => sum + variance, 0);
  const below = parts.reduce(
    (sum, { variance, size }) => sum + variance ** 2 / Math.max(1, size - 1),
    0,
  );
  return { error: Math.sqrt(total), freedom: below > 0 ? Math.max(1, total ** 2 / below) : 1 };
}

/** Returns the scaled share, and its variance with each member left out in turn. */
function leaveOneOut(members: readonly Member[], scale: (rate: number) => number) {
  let [sum, weight] = [0, 0];
  for (const member of members) {
    sum += member.weight * member.part;
    weight += member.weight;
  }
  const without = members.map((member) =>
    scale(smoothed({ sum: sum - member.weight * member.part, weight: weight - member.weight })),
  );
  const n = members.length;
  const center = without.reduce((total, each) => total + each, 0) / Math.max(1, n);
  const spread = without.reduce((total, each) => total + (each - center) ** 2, 0);
  return {
    value: scale(smoothed({ sum, weight })),
    variance: n > 0 ? ((n - 1) / n) * spread : 0,
  };
}
