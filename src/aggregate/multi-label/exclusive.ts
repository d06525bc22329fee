/**
 * From log-odds of labels to sets, with or without a label x that excludes all others.
 *
 * Without, labels are independent given the answers. With x, the sets {x} and those of some other labels are all there
 * are: with q the probabilities of independent labels and Z = Π_{l≠x} (1 - q_l),
 *
 *   Pr({x}) ∝ W0 = q_x Z,   Pr(some others) ∝ W1 = (1 - q_x)(1 - Z),
 *   q_x ← W0 / (W0 + W1),   q_l ← (1 - q_x) q_l / (W0 + W1), with the old values on the right.
 *
 * All in logarithms: probabilities of sure labels would round to 0 and 1.
 */
import { EQUAL, type Frame } from "./labeller.ts";

/** log(1 + exp(x)). */
const softplus = (x: number) => Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x)));
const logAdd = (a: number, b: number) =>
  a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));

/** The log-probabilities of {x}, and of all that is allowed, of one task. */
function masses(odds: Float64Array, x: number): { yes: number; all: number } {
  let none = 0;
  for (let l = 0; l < odds.length; l++) if (l !== x) none -= softplus(odds[l]);
  const yes = none - softplus(-odds[x]);
  const no = Math.log(-Math.expm1(none)) - softplus(odds[x]);
  return { yes, all: logAdd(yes, no) };
}

/** Conditions each task on what is allowed; returns the sum of the log-probabilities of that. */
export function conditioned(
  { T, L }: Pick<Frame, "T" | "L">,
  odds: Float64Array,
  x: number,
  posterior: Float64Array,
): number {
  let sum = 0;
  for (let t = 0; t < T; t++) {
    const own = odds.subarray(t * L, (t + 1) * L);
    const { yes, all } = masses(own, x);
    // A known set that breaks the rule is kept as it is known.
    if (all === -Infinity) continue;
    sum += all;
    const without = -softplus(own[x]) - all;
    for (let l = 0; l < L; l++) {
      posterior[t * L + l] = Math.exp(l === x ? yes - all : without - softplus(-own[l]));
    }
  }
  return sum;
}

/** The decided set of each task and its probability: each label that is more likely in than out; x against the best other set. */
export function decide(
  { T, L }: Pick<Frame, "T" | "L">,
  odds: Float64Array,
  x: number,
): { chosen: Uint8Array; setProbability: Float64Array } {
  const chosen = new Uint8Array(T * L);
  const setProbability = new Float64Array(T);
  for (let t = 0; t < T; t++) {
    const own = odds.subarray(t * L, (t + 1) * L);
    const set = chosen.subarray(t * L, (t + 1) * L);
    // A half in odds, but for rounding.
    own.forEach((odd, l) => {
      if (odd >= -4 * EQUAL) set[l] = 1;
    });
    const { yes, all } = x < 0 ? { yes: -Infinity, all: 0 } : masses(own, x);
    if (x >= 0 && all > -Infinity) {
      set[x] = 0;
      if (L > 1 && !set.includes(1)) set[largest(own, x)] = 1;
      if (L === 1 || yes >= logProbability(own, set)) {
        set.fill(0);
        set[x] = 1;
      }
    }
    setProbability[t] = Math.exp(logProbability(own, set) - (all > -Infinity ? all : 0));
  }
  return { chosen, setProbability };
}

/** The label with the largest odds besides x. */
function largest(odds: Float64Array, x: number): number {
  let best = x === 0 ? 1 : 0;
  for (let l = 0; l < odds.length; l++) if (l !== x && odds[l] > odds[best]) best = l;
  return best;
}

/** The log-probability of a set under independent labels. */
function logProbability(odds: Float64Array, set: Uint8Array): number {
  let sum = 0;
  for (let l = 0; l < odds.length; l++) sum -= softplus(set[l] ? -odds[l] : odds[l]);
  return sum;
}
