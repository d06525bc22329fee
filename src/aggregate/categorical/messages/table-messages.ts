/**
 * Messages of workers who have a confusion table: belief propagation in O(N · K · nodes) per sweep.
 *
 *   mu[i, k]  = P(class k), as the task of label i believes without hearing it
 *   c[s, i]   = sum over k of rate[s, k, label i]·mu[i, k]
 *   m[i, k]   = E rate[k, label i]·(product of c over the worker's other labels)
 *
 * The product over the others is the whole product, a sum of logs, without the own factor, which is
 * never 0. With two classes the nodes are a grid of Gauss–Jacobi nodes, of which only those around the
 * rates are visited (table-shares.ts); else they are drawn from the prior, and serve only workers with
 * few labels.
 */

import { normalise } from "../../../belief/votes.ts";
import {
  type RowsPrior,
  type Sizes,
  type TableNodes,
  type TablesPrior,
  tableNodes,
} from "../../../belief/worker-prior.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import {
  type Edges,
  edgesOf,
  type MessageSettings,
  type Messages,
  nodesNeeded,
} from "./messages.ts";
import {
  createTableShares,
  type TableHearing,
  type TableShares,
  weighNodes,
} from "./table-shares.ts";
import { rulesByWorker } from "./worker-rules.ts";
import { createMessages, type Sweep, type WorkerKind } from "./worker-sweeps.ts";

/** Most nodes per side of a grid, good for 100 000 labels that say something. */
const LARGEST = 1024;

type Settings = MessageSettings<RowsPrior | TablesPrior>;

/** Returns the nodes of a worker for a given size of the rule. */
type TableRule = (size: number) => TableNodes;

/** The messages of all labels, and room for the labels of one worker. */
interface TableState {
  readonly edges: Edges;
  readonly K: number;
  readonly settings: Settings;
  /** message[i * K + k] of each label i. */
  readonly message: Float64Array;
  /** The next message of one label. */
  readonly next: Float64Array;
  readonly heard: TableHearing;
  readonly shares: TableShares;
}

/** Makes the messages of workers with one confusion table each. */
export function createTableMessages(
  data: CategoricalData,
  { K, L }: Sizes,
  settings: Settings,
): Messages {
  const edges = edgesOf(data, L);
  const { label, weight, longest } = edges;
  const state: TableState = {
    edges,
    K,
    settings,
    message: new Float64Array(label.length * K).fill(1 / K),
    next: new Float64Array(K),
    heard: { K, mu: new Float64Array(longest * K), label, weight, from: 0, n: 0 },
    shares: createTableShares(),
  };
  let rules = tableRules(data, { K, L }, settings, 0);
  const kind: WorkerKind = {
    redraw(sweep) {
      rules = tableRules(data, { K, L }, settings, sweep);
    },
    hear: (belief) => hear(state, belief),
    answer(w, sums, sweep) {
      const { heard, shares } = state;
      const nodes = nodesFor(state, rules[w], w);
      sweep.logZ += weighNodes(shares, nodes, heard);
      for (let j = 0; j < heard.n; j++) {
        answerBy(state, nodes, j);
        if (settings.damping > 0) damp(state, heard.from + j);
        send(state, j, sums, sweep);
      }
    },
    restart: () => {
      state.message.fill(1 / K);
    },
    reader() {
      const confusion = new Float64Array(rules.length * K * L);
      return {
        read: (w) => readTable(state, rules[w], w, L, confusion),
        confusion: () => normalise(confusion, L),
      };
    },
  };
  return createMessages(edges, K, settings, state.heard, kind);
}

/** Makes the nodes of each worker, by their number; with "mc" they are drawn. */
function tableRules(
  data: CategoricalData,
  sizes: Sizes,
  settings: Settings,
  sweep: number,
): readonly TableRule[] {
  return rulesByWorker(data, sizes, settings, sweep, (prior, random) => {
    const made: TableNodes[] = [];
    return (size) => {
      const rule = settings.integral === "mc" ? { size, random } : { size };
      made[size] ??= tableNodes(prior, sizes, rule);
      return made[size];
    };
  });
}

/** Writes mu of each label at hand to `heard`. */
function hear({ edges, K, message, heard }: TableState, belief: Float64Array): void {
  const { task, weight } = edges;
  const { mu, from, n } = heard;
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

/** Chooses the nodes for what worker w hears now: each side of a grid is exact, or good to 1e-8. */
function nodesFor(
  { edges, K, settings, heard }: TableState,
  rule: TableRule,
  w: number,
): TableNodes {
  if (settings.integral === "mc") return rule(settings.samples);
  const { mu, weight, from, n } = heard;
  let telling = 0;
  for (let j = 0; K === 2 && j < n; j++) {
    const contrast = Math.abs(mu[2 * j] - mu[2 * j + 1]);
    telling += weight ? weight[from + j] * contrast : contrast;
  }
  return rule(Math.min(LARGEST, nodesNeeded(telling), Math.ceil((edges.load[w] + 2) / 2)));
}

/** Writes the next message of label j of a worker to `next`, normalised. */
function answerBy(
  { K, next, heard, shares }: TableState,
  { rate, logWeight }: TableNodes,
  j: number,
): void {
  const { mu, label, weight, from } = heard;
  const { share, node, alive } = shares;
  const first = label[from + j] * logWeight.length;
  const partial = weight && weight[from + j] < 1 ? weight[from + j] : 1;
  next.fill(0);
  for (let a = 0; a < alive; a++) {
    const at = (first + node[a]) * K;
    let c = 0;
    for (let k = 0; k < K; k++) c += rate[at + k] * mu[j * K + k];
    const without = share[a] / (partial === 1 ? c : c ** partial);
    for (let k = 0; k < K; k++) next[k] += without * rate[at + k];
  }
  let total = 0;
  for (let k = 0; k < K; k++) total += next[k];
  for (let k = 0; k < K; k++) next[k] /= total;
}

/** Mixes the last message of label i into the next, as logs. */
function damp({ K, settings: { damping }, message, next }: TableState, i: number): void {
  let total = 0;
  for (let k = 0; k < K; k++) {
    next[k] = next[k] ** (1 - damping) * message[i * K + k] ** damping;
    total += next[k];
  }
  for (let k = 0; k < K; k++) next[k] /= total;
}

/** Takes over the next message of label j, and adds its logs to `sums` and what changed to `sweep`. */
function send(
  { edges: { task, weight }, K, message, next, heard: { mu, from } }: TableState,
  j: number,
  sums: Float64Array,
  sweep: Sweep,
): void {
  const i = from + j;
  const count = weight ? weight[i] : 1;
  let { change } = sweep;
  let z = 0;
  for (let k = 0; k < K; k++) {
    change = Math.max(change, Math.abs(next[k] - message[i * K + k]));
    message[i * K + k] = next[k];
    sums[task[i] * K + k] += count * Math.log(next[k]);
    z += mu[j * K + k] * next[k];
  }
  sweep.change = change;
  sweep.logZ -= count * Math.log(z);
}

/** Writes the posterior mean of a worker's confusion, up to a factor; returns how many nodes share it. */
function readTable(
  state: TableState,
  rule: TableRule,
  w: number,
  L: number,
  confusion: Float64Array,
): number {
  const { K, shares, heard } = state;
  const nodes = nodesFor(state, rule, w);
  const S = nodes.logWeight.length;
  weighNodes(shares, nodes, heard);
  const { share, node, alive } = shares;
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
  return total ** 2 / squares;
}
