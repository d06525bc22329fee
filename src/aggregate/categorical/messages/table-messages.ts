/**
 * Messages of workers who have a confusion table: belief propagation in O(N · K · nodes) a sweep.
 *
 *   mu[i, k]  = P(class k), as the task of label i believes without hearing it
 *   c[s, i]   = sum over k of rate[s, k, label i]·mu[i, k]
 *   m[i, k]   = E rate[k, label i]·(product of c over the worker's other labels)
 *
 * The product over the others is the whole product, a sum of logs, without the own factor, which is
 * never 0. With two classes the nodes are a grid of Gauss–Jacobi nodes, of which only those around the
 * rates are visited, as in coin-messages.ts; else they are drawn from the prior, and serve only workers
 * with few labels.
 */

import { normalise } from "../../../belief/votes.ts";
import {
  type RowsPrior,
  type Sizes,
  type TableNodes,
  type TablesPrior,
  tableNodes,
  withPast,
} from "../../../belief/worker-prior.ts";
import type { CrowdDataset } from "../../../data/dataset.ts";
import type { Random } from "../../../math/random.ts";
import {
  edgesOf,
  FAR,
  type MessageSettings,
  type Messages,
  nodesNeeded,
  peakOf,
} from "./messages.ts";

/** Grids beyond this many nodes are visited only around their peak. */
const SMALL = 256;
/** Most nodes a side of a grid, good for 100 000 labels that say something. */
const LARGEST = 1024;
/** Products of factors become logs below this. */
const TINY = 1e-200;
/** Factors, each above 1e-13, that are multiplied before a log is taken. */
const BLOCK = 16;

export function createTableMessages(
  data: CrowdDataset,
  { K, L }: Sizes,
  settings: MessageSettings<RowsPrior | TablesPrior>,
): Messages {
  const { damping, integral } = settings;
  const W = data.workers.length;
  const { start, task, label, weight, load, longest } = edgesOf(data, L);
  const message = new Float64Array(label.length * K).fill(1 / K);
  const mu = new Float64Array(longest * K);
  const answer = new Float64Array(K);
  let share = new Float64Array(1);
  let product = new Float64Array(1);
  let node = new Int32Array(1);
  let alive = 0; // share[a] belongs to node[a], a = 0..alive
  let seen = new Int32Array(1);
  let stamp = 0; // what seen[s] is for nodes that were met
  let evidence = 0;
  let sweeps = 0;
  let rules = tableRules(data, { K, L }, settings, 0);

  /** What each label of a worker hears. */
  function hear(belief: Float64Array, from: number, n: number): void {
    for (let j = 0; j < n; j++) {
      const i = from + j;
      const partial = weight && weight[i] < 1 ? weight[i] : 1;
      let total = 0;
      for (let k = 0; k < K; k++) {
        const echo = message[i * K + k];
        mu[j * K + k] = belief[task[i] * K + k] / (partial === 1 ? echo : echo ** partial);
        total += mu[j * K + k];
      }
      for (let k = 0; k < K; k++) mu[j * K + k] = total > 0 ? mu[j * K + k] / total : 1 / K;
    }
  }

  /** The nodes for what a worker hears now: a side of a grid is exact, or good to 1e-8. */
  function nodesFor(w: number, from: number, n: number): TableNodes {
    if (integral === "mc") return rules[w](settings.samples);
    let telling = 0;
    for (let j = 0; K === 2 && j < n; j++) {
      const contrast = Math.abs(mu[2 * j] - mu[2 * j + 1]);
      telling += weight ? weight[from + j] * contrast : contrast;
    }
    return rules[w](Math.min(LARGEST, nodesNeeded(telling), Math.ceil((load[w] + 2) / 2)));
  }

  /** Multiplies the product of each node by its c of label j of a worker. */
  function multiply(rate: Float64Array, S: number, from: number, j: number): void {
    const into = product; // what closures hold is read anew every time
    let at = label[from + j] * S * K;
    if (K === 2) {
      const first = mu[2 * j];
      const second = mu[2 * j + 1];
      for (let s = 0; s < S; s++, at += 2) into[s] *= rate[at] * first + rate[at + 1] * second;
      return;
    }
    for (let s = 0; s < S; s++, at += K) {
      let c = 0;
      for (let k = 0; k < K; k++) c += rate[at + k] * mu[j * K + k];
      into[s] *= c;
    }
  }

  /** The nodes that matter and their shares, up to a factor; returns the log evidence of the labels. */
  function weigh(nodes: TableNodes, from: number, n: number): number {
    const S = nodes.logWeight.length;
    if (share.length < S) {
      share = new Float64Array(S);
      product = new Float64Array(S);
      node = new Int32Array(S);
      seen = new Int32Array(S);
    }
    if (nodes.side && S > SMALL) visitAround(nodes, nodes.side, from, n);
    else visitAll(nodes, from, n);
    let best = -Infinity;
    for (let a = 0; a < alive; a++) if (share[a] > best) best = share[a];
    let total = 0;
    let kept = 0;
    for (let a = 0; a < alive; a++) {
      if (share[a] < best - FAR) continue;
      node[kept] = node[a];
      share[kept] = Math.exp(share[a] - best);
      total += share[kept++];
    }
    alive = kept;
    return best + Math.log(total);
  }

  /** Log shares of all nodes, label by label. */
  function visitAll({ rate, logWeight }: TableNodes, from: number, n: number): void {
    const S = logWeight.length;
    share.set(logWeight);
    product.fill(1, 0, S);
    for (let j = 0; j < n; j++) {
      multiply(rate, S, from, j);
      if (!weight && j % BLOCK < BLOCK - 1 && j < n - 1) continue;
      const count = weight ? weight[from + j] : 1;
      for (let s = 0; s < S; s++) share[s] += count * Math.log(product[s]);
      product.fill(1, 0, S);
    }
    for (alive = 0; alive < S; alive++) node[alive] = alive;
  }

  /**
   * Log shares of the nodes of a grid around its peak. The product is log-concave in both rates, so that
   * nodes above any height hang together; and no weight is above 1.
   */
  function visitAround(nodes: TableNodes, side: number, from: number, n: number): void {
    const { rate, logWeight } = nodes;
    const S = logWeight.length;
    const at = (s: number) => logProduct(rate, S, s, from, n);
    let [i, j] = [side >> 1, side >> 1];
    // Where the product is flat, rounding could lead in circles; near the peak is good enough.
    for (let round = 0, last = -1; round < 20 && last !== i * side + j; round++) {
      last = i * side + j;
      i = peakOf(side, (x) => at(x * side + j));
      j = peakOf(side, (y) => at(i * side + y));
    }
    stamp++;
    alive = 0;
    let best = -Infinity;
    let waiting = 0; // nodes to visit stand at the end of `node`, from the last backwards
    const push = (s: number) => {
      if (seen[s] === stamp) return;
      seen[s] = stamp;
      node[S - ++waiting] = s;
    };
    push(i * side + j);
    while (waiting > 0) {
      const s = node[S - waiting--];
      const log = at(s);
      if (log < best - FAR) continue;
      share[alive] = logWeight[s] + log;
      node[alive] = s;
      best = Math.max(best, share[alive++]);
      if (s >= side) push(s - side);
      if (s < S - side) push(s + side);
      if (s % side > 0) push(s - 1);
      if (s % side < side - 1) push(s + 1);
    }
  }

  /** Log of the product of all c at a node of a grid. */
  function logProduct(rate: Float64Array, S: number, s: number, from: number, n: number): number {
    const [first, second] = [rate[2 * s], rate[2 * s + 1]];
    const [third, fourth] = [rate[2 * (S + s)], rate[2 * (S + s) + 1]];
    let log = 0;
    let factors = 1;
    for (let j = 0; j < n; j++) {
      const c =
        label[from + j] === 0
          ? first * mu[2 * j] + second * mu[2 * j + 1]
          : third * mu[2 * j] + fourth * mu[2 * j + 1];
      if (weight) log += weight[from + j] * Math.log(c);
      else {
        factors *= c;
        if (factors < TINY) {
          log += Math.log(factors);
          factors = 1;
        }
      }
    }
    return log + Math.log(factors);
  }

  /** The new message of label j of a worker, normalised, into `answer`. */
  function reply({ rate, logWeight }: TableNodes, from: number, j: number): void {
    const first = label[from + j] * logWeight.length;
    const partial = weight && weight[from + j] < 1 ? weight[from + j] : 1;
    answer.fill(0);
    for (let a = 0; a < alive; a++) {
      const at = (first + node[a]) * K;
      let c = 0;
      for (let k = 0; k < K; k++) c += rate[at + k] * mu[j * K + k];
      const without = share[a] / (partial === 1 ? c : c ** partial);
      for (let k = 0; k < K; k++) answer[k] += without * rate[at + k];
    }
    let total = 0;
    for (let k = 0; k < K; k++) total += answer[k];
    for (let k = 0; k < K; k++) answer[k] /= total;
  }

  /** Mixes in the last message of label i, as logs. */
  function damp(i: number): void {
    let total = 0;
    for (let k = 0; k < K; k++) {
      answer[k] = answer[k] ** (1 - damping) * message[i * K + k] ** damping;
      total += answer[k];
    }
    for (let k = 0; k < K; k++) answer[k] /= total;
  }

  return {
    pass(belief, sums) {
      if (integral === "mc" && settings.resample === "sweep") {
        rules = tableRules(data, { K, L }, settings, sweeps++);
      }
      let change = 0;
      evidence = 0;
      for (let w = 0; w < W; w++) {
        const from = start[w];
        const n = start[w + 1] - from;
        if (n === 0) continue;
        hear(belief, from, n);
        const nodes = nodesFor(w, from, n);
        evidence += weigh(nodes, from, n);
        for (let j = 0; j < n; j++) {
          const i = from + j;
          const count = weight ? weight[i] : 1;
          reply(nodes, from, j);
          if (damping > 0) damp(i);
          let z = 0;
          for (let k = 0; k < K; k++) {
            change = Math.max(change, Math.abs(answer[k] - message[i * K + k]));
            message[i * K + k] = answer[k];
            sums[task[i] * K + k] += count * Math.log(answer[k]);
            z += mu[j * K + k] * answer[k];
          }
          evidence -= count * Math.log(z);
        }
      }
      return K === 2 ? 2 * change : change;
    },
    evidence: () => evidence,
    restart: () => {
      message.fill(1 / K);
    },
    workers(belief) {
      const confusion = new Float64Array(W * K * L);
      const effective = new Float64Array(W);
      for (let w = 0; w < W; w++) {
        const n = start[w + 1] - start[w];
        hear(belief, start[w], n);
        const nodes = nodesFor(w, start[w], n);
        const S = nodes.logWeight.length;
        weigh(nodes, start[w], n);
        let [total, squares] = [0, 0];
        for (let a = 0; a < alive; a++) {
          total += share[a];
          squares += share[a] ** 2;
          for (let l = 0; l < L; l++) {
            const at = (l * S + node[a]) * K;
            for (let k = 0; k < K; k++) {
              confusion[(w * K + k) * L + l] += share[a] * nodes.rate[at + k];
            }
          }
        }
        effective[w] = total ** 2 / squares;
      }
      return { confusion: normalise(confusion, L), effective };
    },
  };
}

/** The nodes of each worker by their number: the same for all without a past. */
function tableRules(
  data: CrowdDataset,
  { K, L }: Sizes,
  settings: MessageSettings<RowsPrior | TablesPrior>,
  sweep: number,
): readonly ((size: number) => TableNodes)[] {
  const { prior, history, integral, random } = settings;
  const source = settings.resample === "sweep" ? random.split(sweep) : random;
  const rulesOf = (own: RowsPrior | TablesPrior, stream: Random) => {
    const made: TableNodes[] = [];
    return (size: number): TableNodes => {
      const rule = integral === "mc" ? { size, random: stream } : { size };
      made[size] ??= tableNodes(own, { K, L }, rule);
      return made[size];
    };
  };
  const common = rulesOf(prior, source);
  return Array.from(data.workers, (name, w) => {
    const past = history?.subarray(w * K * L, (w + 1) * K * L);
    if (!past?.some((count) => count > 0)) return common;
    const own = withPast(prior, past, { K, L }) as RowsPrior | TablesPrior;
    return rulesOf(own, source.split(name));
  });
}
