/**
 * What a worker's labels say of their confusion table: the posterior share of each node of a rule.
 *
 *   c[s, j]  = sum over k of rate[s, k, label j]·mu[j, k]
 *   share[s] ∝ weight[s] · product over labels j of c[s, j]
 *
 * Of large grids only the nodes around the peak are visited. The product is log-concave in both rates, so
 * that nodes above any height hang together.
 */

import type { TableNodes } from "../../../belief/worker-prior.ts";
import { FAR, peakOf, TINY } from "./messages.ts";
import type { Slice } from "./worker-sweeps.ts";

/** Grids beyond this many nodes are visited only around their peak. */
const SMALL = 256;
/** Factors, each above 1e-13, that are multiplied before a log is taken. */
const BLOCK = 16;

/** What the labels of one worker hear from their tasks. */
export interface TableHearing extends Slice {
  readonly K: number;
  /** P(class k) as mu[j * K + k], j = 0..n, as the task of label j believes without hearing it. */
  readonly mu: Float64Array;
  /** Labels and weights of all workers. */
  readonly label: Int32Array;
  readonly weight: Float64Array | undefined;
}

/** share[a] of node[a], a = 0..alive, up to a common factor. */
export interface TableShares {
  share: Float64Array;
  node: Int32Array;
  alive: number;
  product: Float64Array;
  /** seen[s] equals `stamp` for the nodes that were met in this visit. */
  seen: Int32Array;
  stamp: number;
}

/** Makes room for shares; it grows with the rules. */
export function createTableShares(): TableShares {
  const [share, product] = [new Float64Array(1), new Float64Array(1)];
  return { share, node: new Int32Array(1), alive: 0, product, seen: new Int32Array(1), stamp: 0 };
}

/** Fills in the nodes that matter and their shares; returns the log evidence of the labels. */
export function weighNodes(shares: TableShares, nodes: TableNodes, heard: TableHearing): number {
  const S = nodes.logWeight.length;
  if (shares.share.length < S) {
    shares.share = new Float64Array(S);
    shares.product = new Float64Array(S);
    shares.node = new Int32Array(S);
    shares.seen = new Int32Array(S);
  }
  if (nodes.side && S > SMALL) visitAroundPeak(shares, nodes, nodes.side, heard);
  else visitAll(shares, nodes, heard);
  const { share, node, alive } = shares;
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
  shares.alive = kept;
  return best + Math.log(total);
}

/** Fills in the log shares of all nodes, label by label. */
function visitAll(shares: TableShares, { rate, logWeight }: TableNodes, heard: TableHearing): void {
  const { share, product, node } = shares;
  const { weight, from, n } = heard;
  const S = logWeight.length;
  share.set(logWeight);
  product.fill(1, 0, S);
  for (let j = 0; j < n; j++) {
    multiply(product, rate, S, j, heard);
    if (!weight && j % BLOCK < BLOCK - 1 && j < n - 1) continue;
    const count = weight ? weight[from + j] : 1;
    for (let s = 0; s < S; s++) share[s] += count * Math.log(product[s]);
    product.fill(1, 0, S);
  }
  for (let s = 0; s < S; s++) node[s] = s;
  shares.alive = S;
}

/** Multiplies the product of each of S nodes by its c of label j. */
function multiply(
  product: Float64Array,
  rate: Float64Array,
  S: number,
  j: number,
  { K, mu, label, from }: TableHearing,
): void {
  let at = label[from + j] * S * K;
  if (K === 2) {
    const first = mu[2 * j];
    const second = mu[2 * j + 1];
    for (let s = 0; s < S; s++, at += 2) product[s] *= rate[at] * first + rate[at + 1] * second;
    return;
  }
  for (let s = 0; s < S; s++, at += K) {
    let c = 0;
    for (let k = 0; k < K; k++) c += rate[at + k] * mu[j * K + k];
    product[s] *= c;
  }
}

/** Fills in the log shares of the nodes of a grid from its peak outwards. No weight is above 1. */
function visitAroundPeak(
  shares: TableShares,
  { rate, logWeight }: TableNodes,
  side: number,
  heard: TableHearing,
): void {
  const { share, node, seen } = shares;
  const S = logWeight.length;
  const stamp = ++shares.stamp;
  const at = (s: number) => logProduct(rate, S, s, heard);
  let alive = 0;
  let best = -Infinity;
  let waiting = 0; // nodes to visit stand at the end of `node`, from the last backwards
  const push = (s: number) => {
    if (seen[s] === stamp) return;
    seen[s] = stamp;
    node[S - ++waiting] = s;
  };
  push(peakOfGrid(side, at));
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
  shares.alive = alive;
}

/** Climbs a log-concave grid along rows and columns in turns; returns the node at its peak. */
function peakOfGrid(side: number, at: (s: number) => number): number {
  let [i, j] = [side >> 1, side >> 1];
  // Where the product is flat, rounding could lead in circles; near the peak is good enough.
  for (let round = 0, last = -1; round < 20 && last !== i * side + j; round++) {
    last = i * side + j;
    i = peakOf(side, (x) => at(x * side + j));
    j = peakOf(side, (y) => at(i * side + y));
  }
  return i * side + j;
}

/** Returns the log of the product of all c at node s of a grid of S nodes. */
function logProduct(
  rate: Float64Array,
  S: number,
  s: number,
  { mu, label, weight, from, n }: TableHearing,
): number {
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
