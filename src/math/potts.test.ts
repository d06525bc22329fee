import { describe, expect, it } from "vitest";
import { graphOf, nextCoupling, pottsMessages } from "./potts.ts";
import { createRandom } from "./random.ts";

const undamped = { damping: 0, sweeps: 100, tolerance: 0 };

/** Nodes, edges, weights and a field from a seed; a tree, or with more edges. */
function drawn(seed: number, { nodes = 6, K = 3, more = 0 } = {}) {
  const random = createRandom(seed);
  const edges = Array.from({ length: nodes - 1 }, (_, i) => [
    i + 1,
    Math.floor(random.next() * (i + 1)),
  ]);
  for (let e = 0; e < more; e++) {
    const a = Math.floor(random.next() * nodes);
    edges.push([a, (a + 1 + Math.floor(random.next() * (nodes - 1))) % nodes]);
  }
  const weights = edges.map(() => 0.2 + random.next());
  const field = new Float64Array(nodes * K).map(() => 0.05 + random.next());
  for (let at = 0; at < field.length; at += K) {
    const total = field.subarray(at, at + K).reduce((a, b) => a + b, 0);
    for (let k = at; k < at + K; k++) field[k] /= total;
  }
  return { nodes, K, edges, weights, field };
}

function graphFrom({ nodes, edges, weights }: ReturnType<typeof drawn>) {
  const [from, to] = [0, 1].map((end) => Int32Array.from(edges, (edge) => edge[end]));
  return graphOf(nodes, from, to, (e) => weights[e]);
}

/** Beliefs and log evidence by the sum over all classes of all nodes. */
function enumerated(
  { nodes, K, edges, weights, field }: ReturnType<typeof drawn>,
  coupling: number,
) {
  const belief = new Float64Array(nodes * K);
  let [all, alone] = [0, 0];
  for (let code = 0; code < K ** nodes; code++) {
    const z = Array.from({ length: nodes }, (_, i) => Math.floor(code / K ** i) % K);
    const energy = edges.reduce(
      (sum, [a, b], e) => sum + (z[a] === z[b] ? coupling * weights[e] : 0),
      0,
    );
    const p = z.reduce((product, k, i) => product * field[i * K + k], Math.exp(energy));
    all += p;
    alone += Math.exp(energy) / K ** nodes;
    z.forEach((k, i) => {
      belief[i * K + k] += p;
    });
  }
  return { belief: belief.map((p) => p / all), evidence: Math.log(all) - Math.log(alone) };
}

describe("belief propagation", () => {
  it("is exact on trees, beliefs and evidence", () => {
    for (let seed = 0; seed < 8; seed++) {
      const crowd = drawn(seed, { K: 2 + (seed % 3) });
      for (const coupling of [0, 0.7, 2.5]) {
        const belief = new Float64Array(crowd.field.length);
        const messages = pottsMessages(graphFrom(crowd), crowd.K, undamped);
        const { evidence } = messages.infer(crowd.field, coupling, belief);
        const expected = enumerated(crowd, coupling);
        belief.forEach((p, at) => {
          expect(Math.abs(p - expected.belief[at])).toBeLessThan(1e-14);
        });
        expect(evidence).toBeCloseTo(expected.evidence, 12);
      }
    }
  });

  it("is near the truth on graphs with weak cycles, and settles with damping", () => {
    const crowd = drawn(5, { more: 3 });
    const belief = new Float64Array(crowd.field.length);
    const messages = pottsMessages(graphFrom(crowd), crowd.K, {
      damping: 0.5,
      sweeps: 200,
      tolerance: 1e-10,
    });
    const { evidence, settled } = messages.infer(crowd.field, 0.3, belief);
    const expected = enumerated(crowd, 0.3);
    expect(settled).toBe(true);
    expect([...belief]).toEqual([...expected.belief].map((p) => expect.closeTo(p, 2)));
    expect(evidence).toBeCloseTo(expected.evidence, 2);
  });

  it("has no numbers that are none where a node has ten thousand neighbours", () => {
    const nodes = 10_001;
    const from = Int32Array.from({ length: nodes - 1 }, (_, e) => e + 1);
    const graph = graphOf(nodes, from, new Int32Array(nodes - 1), () => 1);
    const field = new Float64Array(2 * nodes).map((_, at) => (at % 2 === 0 ? 0.4 : 0.6));
    const belief = new Float64Array(2 * nodes);
    const passing = { damping: 0.5, sweeps: 50, tolerance: 1e-6 };
    const { evidence } = pottsMessages(graph, 2, passing).infer(field, 3, belief);
    expect(Number.isFinite(evidence)).toBe(true);
    expect(belief[1]).toBeCloseTo(1, 10);
    expect(belief[3]).toBeCloseTo((0.6 * Math.E ** 3) / (0.6 * Math.E ** 3 + 0.4), 5);
  });
});

describe("graph", () => {
  it("adds up parallel edges and finds every edge from both ends", () => {
    const graph = graphOf(4, Int32Array.of(0, 2, 1, 3), Int32Array.of(2, 0, 2, 2), (e) => e + 1);
    expect([...graph.start]).toEqual([0, 1, 2, 5, 6]);
    expect([...graph.neighbour]).toEqual([2, 2, 0, 1, 3, 2]);
    expect([...graph.weight]).toEqual([3, 3, 3, 3, 4, 4]);
    graph.reverse.forEach((back, at) => {
      expect(graph.reverse[back]).toBe(at);
    });
  });
});

describe("coupling", () => {
  it("comes to the maximum of the pseudo-likelihood", () => {
    const crowd = drawn(2, { nodes: 12, K: 2, more: 10 });
    const graph = graphFrom(crowd);
    const belief = new Float64Array(24);
    pottsMessages(graph, 2, { ...undamped, damping: 0.5 }).infer(crowd.field, 1.5, belief);
    const value = (coupling: number) => {
      let sum = 0;
      for (let i = 0; i < 12; i++) {
        const near = [0, 0];
        for (let at = graph.start[i]; at < graph.start[i + 1]; at++) {
          for (const k of [0, 1]) near[k] += graph.weight[at] * belief[2 * graph.neighbour[at] + k];
        }
        const all = Math.log(near.reduce((a, n) => a + Math.exp(coupling * n), 0));
        for (const k of [0, 1]) sum += belief[2 * i + k] * (coupling * near[k] - all);
      }
      return sum;
    };
    let coupling = 1;
    for (let step = 0; step < 50; step++) coupling = nextCoupling(graph, belief, 2, coupling);
    expect((value(coupling + 1e-4) - value(coupling - 1e-4)) / 2e-4).toBeCloseTo(0, 5);
  });

  it("stays where nothing tells it", () => {
    const graph = graphOf(3, Int32Array.of(0), Int32Array.of(1), () => 1);
    expect(nextCoupling(graph, new Float64Array(6).fill(0.5), 2, 1)).toBe(1);
  });
});
