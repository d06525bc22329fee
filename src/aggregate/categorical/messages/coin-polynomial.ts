/**
 * Messages of a worker of one skill in closed form, as Liu, Peng and Ihler wrote them.
 *
 *   product over labels of (P[i]·q + (1 - P[i]) / (K - 1)·(1 - q))  =  sum over c of e[c]·q^c·(1 - q)^(n - c)
 *
 * where e[c] is the probability that c of the n labels are right; its mean under the prior takes one
 * Beta function a term. All sums that leave one label out come from products of the labels before it
 * and means of the labels after it: O(n²), and no polynomial is ever divided.
 *
 * Liu, Peng & Ihler (2012), NeurIPS 25, section 3.1.
 */
import { logBeta } from "../../../math/gamma.ts";

/** Beyond this the table of O(n²) numbers is large and quadrature the better way. */
export const MOST_LABELS = 400;

/** E q^c·(1 - q)^(n - c) for q ~ Beta(right, wrong), c = 0..n. */
export function betaMoments(right: number, wrong: number, n: number): Float64Array {
  const whole = logBeta(right, wrong);
  return new Float64Array(n + 1).map((_, c) => Math.exp(logBeta(right + c, wrong + n - c) - whole));
}

/** Room for the tables of workers with up to `longest` labels and K classes. */
export function createPolynomial(longest: number, K: number) {
  const rows = Math.min(longest, MOST_LABELS) + 1;
  const after = new Float64Array(rows * rows);
  const before = new Float64Array(rows);
  const others = Math.max(1, K - 1);
  return {
    /**
     * The messages of one worker, from the P of each label and the moments of the prior, written to
     * `into`; returns the log evidence of the labels.
     */
    ratios(P: Float64Array, moments: Float64Array, into: Float64Array): number {
      const n = moments.length - 1;
      // after[i * rows + c]: the mean if c labels before i are right and the others before it wrong.
      after.set(moments, n * rows);
      for (let i = n - 1; i >= 0; i--) {
        const wrong = (1 - P[i]) / others;
        for (let c = 0; c <= i; c++) {
          const next = (i + 1) * rows + c;
          after[i * rows + c] = P[i] * after[next + 1] + wrong * after[next];
        }
      }
      before.fill(0, 0, n + 1);
      before[0] = 1;
      for (let i = 0; i < n; i++) {
        let right = 0;
        let wrong = 0;
        for (let c = 0; c <= i; c++) {
          const next = (i + 1) * rows + c;
          right += before[c] * after[next + 1];
          wrong += before[c] * after[next];
        }
        into[i] = (others * right) / wrong;
        const miss = (1 - P[i]) / others;
        for (let c = i + 1; c > 0; c--) before[c] = P[i] * before[c - 1] + miss * before[c];
        before[0] *= miss;
      }
      return Math.log(after[0]);
    },
  };
}
