/**
 * Messages of workers whose skill is one number: belief propagation in O(N · nodes) per sweep.
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
 * the skill are visited (coin-shares.ts).
 */

import { coinConfusion } from "../../../belief/coin.ts";
import type { CoinPrior, MixturePrior, Sizes } from "../../../belief/worker-prior.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { createPolynomial } from "./coin-polynomial.ts";
import { type CoinRule, type CoinRules, coinRules } from "./coin-rules.ts";
import { type CoinHearing, type CoinShares, SMALL, weighNodes } from "./coin-shares.ts";
import {
  type Edges,
  edgesOf,
  type MessageSettings,
  type Messages,
  nodesNeeded,
  TINY,
} from "./messages.ts";
import { createMessages, type Sweep, type WorkerKind } from "./worker-sweeps.ts";

/** The messages of all labels, and room for the labels of one worker. */
interface CoinState {
  readonly edges: Edges;
  readonly K: number;
  readonly damping: number;
  /** ratio[i] of each label i. */
  readonly ratio: Float64Array;
  /** The next ratio of each label of a worker. */
  readonly fresh: Float64Array;
  readonly heard: CoinHearing;
  readonly shares: CoinShares;
}

/** Makes the messages of workers with one skill each. */
export function createCoinMessages(
  data: CategoricalData,
  { K, L }: Sizes,
  settings: MessageSettings<CoinPrior | MixturePrior>,
): Messages {
  const edges = edgesOf(data, K);
  const { weight, longest } = edges;
  const state: CoinState = {
    edges,
    K,
    damping: settings.damping,
    ratio: new Float64Array(edges.label.length).fill(1),
    fresh: new Float64Array(longest),
    heard: { right: new Float64Array(longest), weight, from: 0, n: 0 },
    shares: { share: new Float64Array(SMALL), low: 0, high: 0 },
  };
  const exact = settings.integral === "poly" && !weight;
  const polynomial = createPolynomial(exact ? longest : 0, K);
  let rules = coinRules(data, { K, L }, settings, 0);
  const kind: WorkerKind = {
    redraw(sweep) {
      rules = coinRules(data, { K, L }, settings, sweep);
    },
    hear: (belief) => hear(state, belief),
    answer(w, sums, sweep) {
      const { heard, shares, fresh } = state;
      const moments = exact ? rules[w].moments(heard.n) : undefined;
      if (moments) sweep.logZ += polynomial.ratios(heard.right, moments, fresh);
      else {
        const rule = ruleFor(state, rules[w], w);
        sweep.logZ += weighNodes(shares, rule, heard);
        answerBy(state, rule);
      }
      send(state, sums, sweep);
    },
    restart: () => {
      state.ratio.fill(1);
    },
    reader() {
      const skill = new Float64Array(rules.length);
      return {
        read: (w) => readSkill(state, rules[w], w, skill),
        confusion: () => coinConfusion(skill, silenceOf(data, K), K, L),
      };
    },
  };
  return createMessages(edges, K, settings, state.heard, kind);
}

/** Writes P of each label at hand to `heard`. */
function hear({ edges, K, ratio, heard }: CoinState, belief: Float64Array): void {
  const { task, label, weight } = edges;
  const { right, from, n } = heard;
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

/** Chooses the nodes for what worker w hears now. */
function ruleFor({ edges, K, heard }: CoinState, rules: CoinRules, w: number): CoinRule {
  const { right, weight, from, n } = heard;
  const load = edges.load[w];
  if (load + 2 <= 2 * SMALL) return rules.nodes(Math.ceil((load + 2) / 2));
  let telling = 0;
  for (let j = 0; K > 1 && j < n; j++) {
    const contrast = Math.abs((right[j] * K - 1) / (1 + right[j] * (K - 2)));
    telling += weight ? weight[from + j] * contrast : contrast;
  }
  return rules.nodes(nodesNeeded(telling));
}

/** Writes the next messages of a worker to `fresh`, from the shares of the nodes. */
function answerBy({ heard, shares, fresh }: CoinState, { skill, wrong }: CoinRule): void {
  const { right, weight, from, n } = heard;
  const { share, low, high } = shares;
  for (let j = 0; j < n; j++) {
    const p = right[j];
    const partial = weight && weight[from + j] < 1 ? weight[from + j] : 1;
    let hit = 0;
    let miss = 0;
    for (let s = low; s < high; s++) {
      const c = wrong[s] + (skill[s] - wrong[s]) * p;
      const without = share[s] / (partial === 1 ? c : c ** partial);
      hit += without * skill[s];
      miss += without * wrong[s];
    }
    fresh[j] = hit / miss;
  }
}

/** Takes over the fresh messages, damped, and adds their logs to `sums` and what changed to `sweep`. */
function send(
  { edges: { task, label }, K, damping, ratio, fresh, heard }: CoinState,
  sums: Float64Array,
  sweep: Sweep,
): void {
  const { right, weight, from, n } = heard;
  let { change, logZ } = sweep;
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
  sweep.change = change;
  sweep.logZ = logZ - Math.log(z);
}

/** Writes the posterior mean of a worker's skill; returns how many nodes share that posterior. */
function readSkill(state: CoinState, rules: CoinRules, w: number, skill: Float64Array): number {
  const { shares, heard } = state;
  const rule = ruleFor(state, rules, w);
  weighNodes(shares, rule, heard);
  const { share, low, high } = shares;
  let [total, sum, squares] = [0, 0, 0];
  for (let s = low; s < high; s++) {
    total += share[s];
    sum += share[s] * rule.skill[s];
    squares += share[s] ** 2;
  }
  skill[w] = sum / total;
  return total ** 2 / squares;
}

/** Returns the share of each worker's labels that name no class. */
function silenceOf({ workers, worker, label, weight }: CategoricalData, K: number): Float64Array {
  const silent = new Float64Array(workers.length);
  const all = new Float64Array(workers.length);
  for (let i = 0; i < label.length; i++) {
    const count = weight ? weight[i] : 1;
    all[worker[i]] += count;
    if (label[i] >= K) silent[worker[i]] += count;
  }
  return silent.map((count, w) => (count > 0 ? count / all[w] : 0));
}
