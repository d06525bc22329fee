/** Expected logarithms under a Dirichlet, which variational methods use in place of log rates. */
import { digamma, logGamma } from "../math/gamma.ts";

/** Expected rates are kept at or above this, so that eight of them multiply without underflow. */
const LEAST = 1e-30;

export const LEAST_LOG = Math.log(LEAST);

/**
 * Writes exp(E log p) under Dirichlet(counts) to into[i * stride] and returns
 * KL(Dirichlet(counts) || Dirichlet(prior)).
 */
export function expectLogs(
  counts: Float64Array,
  prior: Float64Array,
  into: Float64Array,
  stride: number,
): number {
  let total = 0;
  let priorTotal = 0;
  for (let i = 0; i < counts.length; i++) {
    total += counts[i];
    priorTotal += prior[i];
  }
  const base = digamma(total);
  let divergence = logGamma(total) - logGamma(priorTotal);
  for (let i = 0; i < counts.length; i++) {
    const log = digamma(counts[i]) - base;
    into[i * stride] = Math.max(LEAST, Math.exp(log));
    if (counts[i] !== prior[i]) {
      divergence += logGamma(prior[i]) - logGamma(counts[i]) + (counts[i] - prior[i]) * log;
    }
  }
  return divergence;
}
