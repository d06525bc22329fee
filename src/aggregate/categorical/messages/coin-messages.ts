/**
 * Messages of workers whose skill is one number: belief propagation in O(N · nodes) a sweep.
 *
 *   P[i]      = P(label i is right), as its task believes without hearing it
 *   c[s, i]   = skill[s]·P[i] + wrong[s]·(1 - P[i]),   wrong[s] = (1 - skill[s]) / (K - 1)
 *   ratio[i]  = E skill·(product of c over the worker's other labels), over the same of `wrong`
 *
 * That ratio is the message: for the class the label names, against any other. The product over the
 * others is the whole product, a sum of logs, without the own factor, which is never 0.
 *
 * The product is a polynomial in the skill, so (n + 2) / 2 Gauss–Jacobi nodes are exact for n labels.
 * From 127 labels on there are rules of 64, 128, … nodes: the error falls as exp(-2·nodes² / n), n the
 * labels that say something, so three roots of n are good to 1e-8. Of these only the nodes around
 * the skill are visited, since the product is log-concave in it.
 */

import { coinConfusion } from "../../../belief/coin.ts";
import type { CoinPrior, MixturePrior, Sizes } from "../../../belief/worker-prior.ts";
import type { CrowdDataset } from "../../../data/dataset.ts";
import { createPolynomial } from "./coin-polynomial.ts";
import { type CoinRule, coinRules } from "./coin-rules.ts";
import {
  edgesOf,
  FAR,
  type MessageSettings,
  type Messages,
  nodesNeeded,
  peakOf,
} from "./messages.ts";

/** Larger rules are chosen by what the labels say, and visited only in part. */
const SMALL = 64;
/** Products of factors, each above 1e-13, become logs below this. */
const TINY = 1e-200;

export function createCoinMessages(
  data: CrowdDataset,
  { K, L }: Sizes,
  settings: MessageSettings<CoinPrior | MixturePrior>,
): Messages {
  const { damping, integral } = settings;
  const W = data.workers.length;
  const { start, task, label, weight, load, longest } = edgesOf(data, K);
  const ratio = new Float64Array(label.length).fill(1);
  const fresh = new Float64Array(longest);
  const right = new Float64Array(longest);
  const polynomial = createPolynomial(integral === "poly" && !weight ? longest : 0, K);
  let share = new Float64Array(SMALL);
  let [low, high] = [0, 0]; // the nodes that were visited last
  let evidence = 0;
  let sweeps = 0;
  let rules = coinRules(data, { K, L }, settings, 0);

  /** P of each label of a worker. */
  function hear(belief: Float64Array, from: number, n: number): void {
    for (let j = 0; j < n; j++) {
      const i = from + j;
      const at = task[i] * K;
      let rest = 0;
      if (K === 2) rest = belief[at + 1 - label[i]];
      else for (let k = 0; k < K; k++) if (k !== label[i]) rest += belief[at + k];
      const echo = weight && weight[i] < 1 ? ratio[i] ** weight[i] : ratio[i];
      const own = belief[at + label[i]] / echo;
      right[j] = own + rest > 0 ? own / (own + rest) : 1;
    }
  }

  /** Log of the product of all c at a node. */
  function logProduct(rule: CoinRule, s: number, from: number, n: number): number {
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

  /** The posterior share of each node, up to a factor; returns the log evidence of the labels. */
  function weigh(rule: CoinRule, from: number, n: number): number {
    const R = rule.skill.length;
    if (share.length < R) share = new Float64Array(R);
    const shares = share; // what closures hold is read anew every time
    let best = -Infinity;
    if (R <= SMALL || n <= 2 * SMALL) {
      low = 0;
      high = R;
      for (let s = 0; s < R; s++) {
        const log = rule.logWeight[s] + logProduct(rule, s, from, n);
        shares[s] = log;
        if (log > best) best = log;
      }
    } else best = weighPart(rule, from, n);
    let total = 0;
    const last = high;
    for (let s = low; s < last; s++) {
      shares[s] = Math.exp(shares[s] - best);
      total += shares[s];
    }
    return best + Math.log(total);
  }

  /** Log shares of the nodes that matter; returns the largest. */
  function weighPart(rule: CoinRule, from: number, n: number): number {
    const R = rule.skill.length;
    let best = -Infinity;
    const visit = (s: number): number => {
      const log = logProduct(rule, s, from, n);
      share[s] = rule.logWeight[s] + log;
      best = Math.max(best, share[s]);
      return log;
    };
    low = peakOf(R, (s) => logProduct(rule, s, from, n));
    high = low + 1;
    visit(low);
    // Outwards the product only falls, and a weight is at most 1.
    while (low > 0 && visit(low - 1) > best - FAR) low--;
    while (high < R && visit(high) > best - FAR) high++;
    return best;
  }

  /** New messages of a worker from the shares of the nodes. */
  function answer({ skill, wrong }: CoinRule, from: number, n: number): void {
    const shares = share; // what closures hold is read anew every time
    const first = low;
    const last = high;
    for (let j = 0; j < n; j++) {
      const p = right[j];
      const partial = weight && weight[from + j] < 1 ? weight[from + j] : 1;
      let hit = 0;
      let miss = 0;
      for (let s = first; s < last; s++) {
        const c = wrong[s] + (skill[s] - wrong[s]) * p;
        const without = shares[s] / (partial === 1 ? c : c ** partial);
        hit += without * skill[s];
        miss += without * wrong[s];
      }
      fresh[j] = hit / miss;
    }
  }

  /** The nodes for what a worker hears now. */
  function ruleOf(w: number, from: number, n: number): CoinRule {
    if (load[w] + 2 <= 2 * SMALL) return rules[w].nodes(Math.ceil((load[w] + 2) / 2));
    let telling = 0;
    for (let j = 0; K > 1 && j < n; j++) {
      const contrast = Math.abs((right[j] * K - 1) / (1 + right[j] * (K - 2)));
      telling += weight ? weight[from + j] * contrast : contrast;
    }
    return rules[w].nodes(nodesNeeded(telling));
  }

  return {
    pass(belief, sums) {
      if (integral === "mc" && settings.resample === "sweep") {
        rules = coinRules(data, { K, L }, settings, sweeps++);
      }
      let change = 0;
      let logZ = 0;
      for (let w = 0; w < W; w++) {
        const from = start[w];
        const n = start[w + 1] - from;
        if (n === 0) continue;
        hear(belief, from, n);
        const moments = integral === "poly" && !weight ? rules[w].moments(n) : undefined;
        if (moments) logZ += polynomial.ratios(right, moments, fresh);
        else {
          const rule = ruleOf(w, from, n);
          logZ += weigh(rule, from, n);
          answer(rule, from, n);
        }
        let z = 1;
        for (let j = 0; j < n; j++) {
          const i = from + j;
          const old = ratio[i];
          const now = damping > 0 ? fresh[j] ** (1 - damping) * old ** damping : fresh[j];
          const moved = Math.abs(now / (now + K - 1) - old / (old + K - 1));
          if (moved > change) change = moved;
          ratio[i] = now;
          const count = weight ? weight[i] : 1;
          sums[task[i] * K + label[i]] += count * Math.log(now);
          if (weight) logZ -= count * Math.log(right[j] * now + 1 - right[j]);
          else z *= right[j] * now + 1 - right[j];
          if (!(z > TINY && z < 1 / TINY)) {
            logZ -= Math.log(z);
            z = 1;
          }
        }
        logZ -= Math.log(z);
      }
      evidence = logZ;
      return K === 2 ? 2 * change : change;
    },
    evidence: () => evidence,
    restart: () => {
      ratio.fill(1);
    },
    workers(belief) {
      const skill = new Float64Array(W);
      const effective = new Float64Array(W);
      for (let w = 0; w < W; w++) {
        const n = start[w + 1] - start[w];
        hear(belief, start[w], n);
        const rule = ruleOf(w, start[w], n);
        weigh(rule, start[w], n);
        let [total, sum, squares] = [0, 0, 0];
        for (let s = low; s < high; s++) {
          total += share[s];
          sum += share[s] * rule.skill[s];
          squares += share[s] ** 2;
        }
        skill[w] = sum / total;
        effective[w] = total ** 2 / squares;
      }
      return { confusion: coinConfusion(skill, silenceOf(data, K), K, L), effective };
    },
  };
}

/** Share of each worker's labels that name no class. */
function silenceOf({ workers, worker, label, weight }: CrowdDataset, K: number): Float64Array {
  const silent = new Float64Array(workers.length);
  const all = new Float64Array(workers.length);
  for (let i = 0; i < label.length; i++) {
    const count = weight ? weight[i] : 1;
    all[worker[i]] += count;
    if (label[i] >= K) silent[worker[i]] += count;
  }
  return silent.map((count, w) => (count > 0 ? count / all[w] : 0));
}
