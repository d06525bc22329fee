/**
 * What a worker's labels say of their skill: the posterior share of each node of a rule.
 *
 *   c[s, j]  = skill[s]·P[j] + wrong[s]·(1 - P[j])
 *   share[s] ∝ weight[s] · product over labels j of c[s, j]
 *
 * The product is log-concave in the skill, so of large rules only the nodes around its peak are visited.
 */

import type { CoinRule } from "./coin-rules.ts";
import { FAR, peakOf, TINY } from "./messages.ts";
import type { Slice } from "./worker-sweeps.ts";

/** Larger rules are chosen by what the labels say, and visited only in part. */
export const SMALL = 64;

/** What the labels of one worker hear from their tasks. */
export interface CoinHearing extends Slice {
  /** P(label j is right), j = 0..n, as its task believes without hearing it. */
  readonly right: Float64Array;
  /** Weights of the labels of all workers. */
  readonly weight: Float64Array | undefined;
}

/** share[s] of the nodes s = low..high, up to a common factor. */
export interface CoinShares {
  share: Float64Array;
  low: number;
  high: number;
}

/** Fills in the share of each node that matters; returns the log evidence of the labels. */
export function weighNodes(shares: CoinShares, rule: CoinRule, heard: CoinHearing): number {
  const R = rule.skill.length;
  if (shares.share.length < R) shares.share = new Float64Array(R);
  const best =
    R <= SMALL || heard.n <= 2 * SMALL
      ? weighAll(shares, rule, heard)
      : weighAroundPeak(shares, rule, heard);
  const { share, low, high } = shares;
  let total = 0;
  for (let s = low; s < high; s++) {
    share[s] = Math.exp(share[s] - best);
    total += share[s];
  }
  return best + Math.log(total);
}

/** Fills in the log shares of all nodes; returns the largest. */
function weighAll(shares: CoinShares, rule: CoinRule, heard: CoinHearing): number {
  const { share } = shares;
  const R = rule.skill.length;
  let best = -Infinity;
  shares.low = 0;
  shares.high = R;
  for (let s = 0; s < R; s++) {
    const log = rule.logWeight[s] + logProduct(rule, s, heard);
    share[s] = log;
    if (log > best) best = log;
  }
  return best;
}

/** Fills in the log shares of the nodes that matter; returns the largest. */
function weighAroundPeak(shares: CoinShares, rule: CoinRule, heard: CoinHearing): number {
  const { share } = shares;
  const R = rule.skill.length;
  let best = -Infinity;
  const visit = (s: number): number => {
    const log = logProduct(rule, s, heard);
    share[s] = rule.logWeight[s] + log;
    best = Math.max(best, share[s]);
    return log;
  };
  let low = peakOf(R, (s) => logProduct(rule, s, heard));
  let high = low + 1;
  visit(low);
  // Outwards the product only falls, and a weight is at most 1.
  while (low > 0 && visit(low - 1) > best - FAR) low--;
  while (high < R && visit(high) > best - FAR) high++;
  shares.low = low;
  shares.high = high;
  return best;
}

/** Returns the log of the product of all c at node s. */
function logProduct(rule: CoinRule, s: number, { right, weight, from, n }: CoinHearing): number {
  const base = rule.wrong[s];
  const slope = rule.skill[s] - base;
  let log = 0;
  let product = 1;
  for (let j = 0; j < n; j++) {
    const c = base + slope * right[j];
    if (weight) log += weight[from + j] * Math.log(c);
    else {
      product *= c;
      if (product < TINY) {
        log += Math.log(product);
        product = 1;
      }
    }
  }
  return log + Math.log(product);
}
