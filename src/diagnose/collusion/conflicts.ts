/**
 * Penalties for labels that others contradict, without a model of workers.
 *
 * A task is in conflict if its labels name two classes or more; each class named is a side of it.
 *   soft: a label gets 1 / number of labels on its side; a worker's penalty is the mean over own labels in conflict
 *   hard: each side is charged to one of its workers, so that Σ load² is least (an optimal semi-matching);
 *         a worker's penalty is the load
 * Workers alone on their side are punished, which is how random spammers and lone adversaries look. Penalties
 * say little of large groups that agree: a side of many is cheap.
 *
 * Jagabathula, Subramanian & Venkataraman (2017), Identifying unreliable and adversarial workers in crowdsourced
 * labeling tasks, Journal of Machine Learning Research 18, 1–67; first version:
 * https://papers.nips.cc/paper/2014/hash/535ab76633d94208236a2e829ea6d888-Abstract.html
 * Harvey, Ladner, Lovász & Tamir (2006), Semi-matchings for bipartite graphs and load balancing.
 */
import { byTask, type CategoricalData } from "../../data/categorical.ts";
import { quantile } from "../../math/statistics.ts";
import { coLabelledTasks } from "../co-labelling.ts";

/** Penalties of each worker. */
export interface Conflicts {
  /** Mean of 1 / labels on the same side, over own labels on tasks in conflict; 0 without any. */
  readonly soft: Float64Array;
  /** Sides charged to the worker. Workers with the same choices may share them in another way. */
  readonly hard: Int32Array;
  /** Workers whose soft penalty is beyond median + 3 · 1.4826 · median absolute deviation, by number. */
  readonly flagged: Int32Array;
  /** Tasks in conflict. */
  readonly tasks: number;
  /** True if some tasks were left out to bound the work. */
  readonly sampled: boolean;
}

/** Settings of `conflictPenalties`. */
export interface ConflictOptions {
  readonly seed?: number | undefined;
  /** Pairs of labels; of more a sample of whole tasks is taken. Default: 1 million. */
  readonly mostPairs?: number | undefined;
}

/** Returns penalties of workers for labels that others contradict. */
export function conflictPenalties(
  given: CategoricalData,
  { seed = 0, mostPairs = 1_000_000 }: ConflictOptions = {},
): Conflicts {
  const { data, sampled } = coLabelledTasks(given, { seed, mostPairs });
  const W = data.workers.length;
  const { sides, tasks } = conflictSides(data);
  const [sum, count] = [new Float64Array(W), new Float64Array(W)];
  for (const side of sides) {
    for (const w of side) {
      sum[w] += 1 / side.length;
      count[w]++;
    }
  }
  const soft = sum.map((total, w) => (count[w] > 0 ? total / count[w] : 0));
  const hard = semiMatching(sides, W);
  return { soft, hard, flagged: outliers(soft, count), tasks, sampled };
}

/** The workers on each side of each task in conflict. */
function conflictSides(data: CategoricalData): {
  readonly sides: Int32Array[];
  readonly tasks: number;
} {
  const { start, other, label } = byTask(data);
  const sides: Int32Array[] = [];
  let tasks = 0;
  for (let t = 0; t < data.tasks.length; t++) {
    const byClass = new Map<number, number[]>();
    for (let i = start[t]; i < start[t + 1]; i++) {
      const side = byClass.get(label[i]) ?? [];
      side.push(other[i]);
      byClass.set(label[i], side);
    }
    if (byClass.size < 2) continue;
    tasks++;
    for (const side of byClass.values()) sides.push(Int32Array.from(new Set(side)).sort());
  }
  return { sides, tasks };
}

/**
 * Charges each side to one of its workers so that Σ load² is least, and returns the loads. A greedy start is
 * improved along paths worker → side → worker from a load to one smaller by two or more; without such a
 * path the assignment is optimal.
 */
export function semiMatching(sides: readonly Int32Array[], W: number): Int32Array {
  const load = new Int32Array(W);
  const owned: Set<number>[] = Array.from({ length: W }, () => new Set());
  const order = [...sides.keys()].sort((a, b) => sides[a].length - sides[b].length);
  for (const side of order) {
    const w = sides[side].reduce((best, v) => (load[v] < load[best] ? v : best));
    owned[w].add(side);
    load[w]++;
  }
  const settled = new Uint8Array(W);
  for (;;) {
    let from = -1;
    for (let w = 0; w < W; w++) {
      if (!settled[w] && (from < 0 || load[w] > load[from])) from = w;
    }
    if (from < 0) return load;
    shift(sides, owned, load, settled, from);
  }
}

/**
 * Moves one side away from the worker with the largest load along a path to a load smaller by two or more. If there
 * is none, all that were reached are settled: none of them has such a path, and no path into them is of use.
 */
function shift(
  sides: readonly Int32Array[],
  owned: readonly Set<number>[],
  load: Int32Array,
  settled: Uint8Array,
  from: number,
): void {
  const reached = new Map<number, { readonly worker: number; readonly side: number }>();
  const queue = [from];
  for (const w of queue) {
    for (const side of owned[w]) {
      for (const v of sides[side]) {
        if (v === from || settled[v] || reached.has(v)) continue;
        reached.set(v, { worker: w, side });
        if (load[v] > load[from] - 2) queue.push(v);
        else {
          moveAlong(reached, owned, load, from, v);
          return;
        }
      }
    }
  }
  for (const w of queue) settled[w] = 1;
}

/** Hands sides on along the path that was found. */
function moveAlong(
  reached: ReadonlyMap<number, { readonly worker: number; readonly side: number }>,
  owned: readonly Set<number>[],
  load: Int32Array,
  from: number,
  end: number,
): void {
  load[end]++;
  load[from]--;
  for (let to = end; to !== from; ) {
    const step = reached.get(to);
    if (!step) return;
    owned[step.worker].delete(step.side);
    owned[to].add(step.side);
    to = step.worker;
  }
}

function outliers(penalty: Float64Array, count: Float64Array): Int32Array {
  const judged = Int32Array.from(penalty.keys()).filter((w) => count[w] >= 5);
  if (judged.length === 0) return judged;
  const centre = medianOf(Float64Array.from(judged, (w) => penalty[w]));
  const spread = 1.4826 * medianOf(Float64Array.from(judged, (w) => Math.abs(penalty[w] - centre)));
  return judged.filter((w) => penalty[w] > centre + 3 * spread + 1e-12);
}

const medianOf = (values: Float64Array) => quantile(values.sort(), 0.5);
