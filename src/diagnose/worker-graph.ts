/**
 * The co-labelling graph: workers, joined where they labelled a common task.
 *
 * What two workers say of the same tasks is all that tells them apart without gold. Workers in
 * different components cannot be compared; in a bipartite component the signs of all skills on one side
 * can be turned with no trace in any pair; and without a triangle, three workers who pairwise share
 * tasks, no confusions can be told from pairs or triples of labels.
 *
 * Components and their colours need no pairs: a task of three workers or more is itself an odd cycle.
 * Colleagues and triangles are counted from pairs, bounded as in co-labelling.ts.
 */
import { byTask, byWorker, type CategoricalData, type Index } from "../data/categorical.ts";
import { type CoLabellingOptions, coLabelling, visitPairs } from "./co-labelling.ts";

export interface WorkerGraph {
  /** Workers with labels; the rest is not in the graph. */
  readonly workers: number;
  /** Those who share no task with anybody. */
  readonly isolated: number;
  /** Sizes of the components of at least two workers, largest first. */
  readonly components: readonly number[];
  /** The sizes of those that are bipartite. */
  readonly bipartite: readonly number[];
  /** Fewest and median number of colleagues of a worker who is not isolated. */
  readonly smallestDegree: number;
  readonly medianDegree: number;
  /** Triangles, as far as they were counted: no more than `MOST_TRIANGLES`. */
  readonly triangles: number;
  /** True where colleagues and triangles were counted on a sample. */
  readonly sampled: boolean;
}

/** Counting stops here; a crowd with so many has enough. */
export const MOST_TRIANGLES = 1000;

/** O(N), and O(Σ d²) bounded for tasks with d labels. */
export function workerGraph(data: CategoricalData, options?: CoLabellingOptions): WorkerGraph {
  const W = data.workers.length;
  const K = data.classes.length;
  const { start } = byWorker(data);
  const pairs = coLabelling(data, options);
  const degree = new Int32Array(W);
  const seen = new Int32Array(W).fill(-1);
  const later: number[][] = [];
  for (let a = 0; a < W; a++) {
    const met: number[] = [];
    visitPairs(pairs, a, (_t, _k, v) => {
      if (seen[v] === a) return;
      seen[v] = a;
      met.push(v);
      degree[a]++;
      degree[v]++;
    });
    later.push(met);
  }
  const found = componentsOf(byTask(data), byWorker(data), K);
  const degrees = degree.filter((n) => n > 0).sort();
  const active = [...data.workers].filter((_, w) => start[w + 1] > start[w]).length;
  const large = found.filter(({ size }) => size > 1).sort((a, b) => b.size - a.size);
  const triangles = countTriangles(later, W);
  return {
    workers: active,
    isolated: active - large.reduce((sum, { size }) => sum + size, 0),
    components: large.map(({ size }) => size),
    bipartite: large.filter(({ even }) => even).map(({ size }) => size),
    smallestDegree: degrees[0] ?? 0,
    medianDegree: degrees[degrees.length >> 1] ?? 0,
    triangles,
    sampled: pairs.sampled,
  };
}

/** From worker to tasks to workers, colouring by turns; abstentions (labels from K on) join nobody. */
function componentsOf(tasks: Index, workers: Index, K: number) {
  const W = workers.start.length - 1;
  const colour = new Int8Array(W);
  const visited = new Uint8Array(tasks.start.length);
  const found: { size: number; even: boolean }[] = [];
  for (let first = 0; first < W; first++) {
    if (colour[first] !== 0) continue;
    colour[first] = 1;
    const queue = [first];
    let even = true;
    for (let at = 0; at < queue.length; at++) {
      const a = queue[at];
      for (let i = workers.start[a]; i < workers.start[a + 1]; i++) {
        const t = workers.other[i];
        if (workers.label[i] >= K || visited[t]) continue;
        visited[t] = 1;
        const others = othersOn(tasks, t, a, K);
        if (others.size > 1) even = false;
        for (const v of others) {
          if (colour[v] === 0) {
            colour[v] = -colour[a];
            queue.push(v);
          } else if (colour[v] === colour[a]) even = false;
        }
      }
    }
    found.push({ size: queue.length, even });
  }
  return found;
}

function othersOn({ start, other, label }: Index, t: number, a: number, K: number): Set<number> {
  const others = new Set<number>();
  for (let i = start[t]; i < start[t + 1]; i++) {
    if (label[i] < K && other[i] !== a) others.add(other[i]);
  }
  return others;
}

/** Triples a < b < c that are all joined. */
function countTriangles(later: readonly (readonly number[])[], W: number): number {
  const mark = new Int32Array(W).fill(-1);
  let triangles = 0;
  for (let a = 0; a < W; a++) {
    for (const b of later[a]) mark[b] = a;
    for (const b of later[a]) {
      for (const c of later[b]) {
        if (mark[c] === a && ++triangles >= MOST_TRIANGLES) return triangles;
      }
    }
  }
  return triangles;
}
