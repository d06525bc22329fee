/**
 * A graph whose neighbours tend to share a class (Potts model), and belief propagation on it.
 *
 *   P(z) ∝ product over nodes of field[i, z[i]] · product over edges of e^(coupling · weight · 1[z[i] = z[j]])
 *
 * A message is what a node would believe without the neighbour it is sent to, cavity[i→j]. What it multiplies there is
 * 1 + (e^(coupling · weight) - 1) · cavity, so that an edge costs O(K). All messages are sent at the same time.
 * Beliefs are exact on trees, and the evidence as well.
 *
 * Mézard & Montanari (2009), Information, Physics, and Computation, chapter 14.
 */

/** An undirected graph: the neighbours of node i stand from start[i] to start[i + 1]. */
export interface Graph {
  readonly start: Int32Array;
  readonly neighbour: Int32Array;
  readonly weight: Float64Array;
  /** Where the same edge stands among those of the neighbour. */
  readonly reverse: Int32Array;
}

/** Makes the graph of some edges; edges of the same two nodes become one with the sum of their weights. */
export function graphOf(
  nodes: number,
  from: Int32Array,
  to: Int32Array,
  weight: (edge: number) => number,
): Graph {
  const start = new Int32Array(nodes + 1);
  for (const ends of [from, to]) for (const i of ends) start[i + 1]++;
  for (let i = 0; i < nodes; i++) start[i + 1] += start[i];
  const edges = new Int32Array(2 * from.length);
  const next = start.slice();
  for (let e = 0; e < from.length; e++) {
    edges[next[from[e]]++] = e;
    edges[next[to[e]]++] = e;
  }
  const neighbour = new Int32Array(edges.length);
  const sums = new Float64Array(edges.length);
  const merged = new Int32Array(nodes + 1);
  const place = new Int32Array(nodes).fill(-1);
  let count = 0;
  for (let i = 0; i < nodes; i++) {
    const first = count;
    for (let at = start[i]; at < start[i + 1]; at++) {
      const e = edges[at];
      const j = from[e] + to[e] - i;
      if (place[j] < first) {
        place[j] = count;
        neighbour[count++] = j;
      }
      sums[place[j]] += weight(e);
    }
    merged[i + 1] = count;
  }
  return sorted({ start: merged, neighbour: neighbour.slice(0, count), weight: sums });
}

/** Sorts the neighbours of every node, and finds each edge among those of its other end. */
function sorted({ start, neighbour, weight }: Omit<Graph, "reverse">): Graph {
  const nodes = start.length - 1;
  const by = { neighbour: neighbour.slice(), weight: new Float64Array(neighbour.length) };
  const next = start.slice();
  for (let i = 0; i < nodes; i++) {
    for (let at = start[i]; at < start[i + 1]; at++) {
      const to = next[neighbour[at]]++;
      by.neighbour[to] = i;
      by.weight[to] = weight[at];
    }
  }
  // Nodes come in order, and so do they among the neighbours of each other.
  next.set(start);
  const reverse = by.neighbour.map((j) => next[j]++);
  return { start, ...by, reverse };
}

/** How far messages are passed on. */
export interface Passing {
  /** Share of its old value that a message keeps. */
  readonly damping: number;
  readonly sweeps: number;
  /** Largest change of a message at which to stop. */
  readonly tolerance: number;
}

/** Messages between neighbours, which stay between calls. */
export interface PottsMessages {
  /**
   * Passes messages under `field[node * K + class]`, each row summing to 1, and writes the beliefs. Returns the log of
   * the sum over all classes of all nodes, less that of the graph alone (both by Bethe's formula, exact on trees), and
   * whether the messages came to rest.
   */
  infer(
    field: Float64Array,
    coupling: number,
    belief: Float64Array,
  ): { readonly evidence: number; readonly settled: boolean };
}

/** Products above this are scaled down. */
const LARGE = 1e200;
/** The most that one edge may pull, so that one more factor still is a number. */
const MOST_PULL = 200;

/** Messages, and room to work. */
interface State extends Graph {
  readonly K: number;
  cavity: Float64Array;
  next: Float64Array;
  /** e^(coupling · weight) - 1 of each edge. */
  readonly pull: Float64Array;
  readonly product: Float64Array;
}

/** Creates messages that say nothing. */
export function pottsMessages(graph: Graph, K: number, passing: Passing): PottsMessages {
  const { start, neighbour, weight } = graph;
  const nodes = start.length - 1;
  const cavity = new Float64Array(neighbour.length * K).fill(1 / K);
  const pull = new Float64Array(neighbour.length);
  const state: State = {
    ...graph,
    K,
    cavity,
    next: cavity.slice(),
    pull,
    product: new Float64Array(K),
  };
  return {
    infer(field, coupling, belief) {
      for (let at = 0; at < pull.length; at++) {
        pull[at] = Math.expm1(Math.min(MOST_PULL, coupling * weight[at]));
      }
      let settled = pull.length === 0;
      for (let sweep = 0; sweep < passing.sweeps && !settled; sweep++) {
        let change = 0;
        for (let i = 0; i < nodes; i++) {
          change = Math.max(change, send(state, i, field, passing.damping));
        }
        [state.cavity, state.next] = [state.next, state.cavity];
        settled = change <= passing.tolerance;
      }
      let evidence = 0;
      for (let i = 0; i < nodes; i++) evidence += believe(state, i, field, belief);
      return { evidence, settled };
    },
  };
}

/** Multiplies the field of a node by what its neighbours say; returns the log of what was divided out. */
function gather(
  { K, start, reverse, pull, cavity, product }: State,
  i: number,
  field: Float64Array,
): number {
  let scale = 0;
  for (let k = 0; k < K; k++) product[k] = field[i * K + k];
  for (let at = start[i]; at < start[i + 1]; at++) {
    const from = reverse[at] * K;
    let total = 0;
    for (let k = 0; k < K; k++) {
      product[k] *= 1 + pull[at] * cavity[from + k];
      total += product[k];
    }
    if (total < LARGE) continue;
    for (let k = 0; k < K; k++) product[k] /= LARGE;
    scale += Math.log(LARGE);
  }
  return scale;
}

/** Writes the messages of a node; returns the largest change. */
function send(state: State, i: number, field: Float64Array, damping: number): number {
  const { K, start, reverse, pull, cavity, next, product } = state;
  gather(state, i, field);
  let change = 0;
  for (let at = start[i]; at < start[i + 1]; at++) {
    const back = reverse[at] * K;
    let total = 0;
    for (let k = 0; k < K; k++) {
      next[at * K + k] = product[k] / (1 + pull[at] * cavity[back + k]);
      total += next[at * K + k];
    }
    for (let k = at * K; k < (at + 1) * K; k++) {
      next[k] = damping * cavity[k] + (1 - damping) * (next[k] / total);
      change = Math.max(change, Math.abs(next[k] - cavity[k]));
    }
  }
  return change;
}

/** Writes the belief of a node; returns its part of the evidence, with that of the edges to later nodes. */
function believe(state: State, i: number, field: Float64Array, belief: Float64Array): number {
  const { K, start, neighbour, product } = state;
  const scale = gather(state, i, field);
  let total = 0;
  for (let k = 0; k < K; k++) total += product[k];
  for (let k = 0; k < K; k++) belief[i * K + k] = product[k] / total;
  let evidence = Math.log(total) + scale;
  for (let at = start[i]; at < start[i + 1]; at++) {
    if (neighbour[at] > i) evidence -= edgeLog(state, at);
  }
  return evidence;
}

/** The log of what an edge takes from the product of its two nodes, and of what it is without any field. */
function edgeLog({ K, reverse, pull, cavity }: State, at: number): number {
  let both = 0;
  for (let k = 0; k < K; k++) both += cavity[at * K + k] * cavity[reverse[at] * K + k];
  return Math.log(1 + pull[at] * both) + Math.log(1 + pull[at] / K);
}

/**
 * One step of Newton's method towards the coupling that maximises the pseudo-likelihood of beliefs,
 *
 *   sum over nodes and classes of q[i, c] · (coupling · n[i, c] - log sum over b of e^(coupling · n[i, b])),
 *   n[i, c] = sum over neighbours of weight · q[j, c]
 *
 * which bends one way only. Stays where it is if the beliefs say nothing of it.
 */
export function nextCoupling(
  { start, neighbour, weight }: Graph,
  belief: Float64Array,
  K: number,
  coupling: number,
): number {
  const near = new Float64Array(K);
  let [slope, bend] = [0, 0];
  for (let i = 0; i < start.length - 1; i++) {
    if (start[i] === start[i + 1]) continue;
    near.fill(0);
    for (let at = start[i]; at < start[i + 1]; at++) {
      const from = neighbour[at] * K;
      for (let k = 0; k < K; k++) near[k] += weight[at] * belief[from + k];
    }
    let most = 0;
    for (let k = 0; k < K; k++) most = Math.max(most, near[k]);
    let [total, first, second, own] = [0, 0, 0, 0];
    for (let k = 0; k < K; k++) {
      const share = Math.exp(coupling * (near[k] - most));
      total += share;
      first += share * near[k];
      second += share * near[k] ** 2;
      own += belief[i * K + k] * near[k];
    }
    slope += own - first / total;
    bend += second / total - (first / total) ** 2;
  }
  return bend > 1e-12 ? coupling + slope / bend : coupling;
}
