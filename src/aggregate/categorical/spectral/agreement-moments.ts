/**
 * What pairs of workers did on the tasks that both labelled, for those pairs only that share one: what
 * two workers say of the same tasks is all that tells workers apart without gold.
 *
 * The pairs of worker w stand at start[w]..start[w + 1], by the number of the other; each pair is there
 * twice, once from either side. O(Σ d²) time for tasks with d labels, O(pairs) memory: never a table of
 * all workers by all workers, unless all do share tasks.
 *
 * Two labels of weights a and b on a task are √(ab) of a common task, so a task whose labels all weigh
 * two counts like two tasks.
 */

import { byTask, byWorker, type CategoricalData } from "../../../data/categorical.ts";
import { labelsPerTask } from "../../../data/crowd-data.ts";
import { CrowdError } from "../../../error.ts";
import type { CrowdParts } from "./crowd-parts.ts";

export interface WorkerPairs {
  readonly start: Int32Array;
  /** The other worker of each pair. */
  readonly other: Int32Array;
  /** How many tasks the two share. */
  readonly common: Float64Array;
  /** Sum of a[i] · b[j] over their common tasks, i the label of w and j that of the other. */
  products(a: Float64Array, b: Float64Array): Float64Array;
  /** On how many common tasks their labels are the same. */
  agreed(): Float64Array;
  /** The same numbers from the other side: those of (v, w) where those of (w, v) were. */
  mirrored(values: Float64Array): Float64Array;
}

/** Pairs, each counted from both sides, that are kept at most: about a gigabyte. */
const MOST_PAIRS = 3e7;
/** Pairs of labels that are looked at: some minutes. */
const MOST_VISITS = 2e10;

/** Refuses, in the name of the method, what would take too long or too much memory. */
export function workerPairs(id: string, data: CategoricalData): WorkerPairs {
  checkVisits(id, data);
  const { task, worker, label, weight } = data;
  const W = data.workers.length;
  const tasks = byTask(data);
  const workers = byWorker(data);
  const inTask = positionsBy(task, tasks.start);
  const inWorker = positionsBy(worker, workers.start);
  const { start, other } = partnersOf(id, data);
  const place = new Int32Array(W);
  const rootWeight = weight?.map(Math.sqrt);

  const sum = (a: Float64Array, b: Float64Array, onlyEqual: boolean): Float64Array => {
    const sums = new Float64Array(other.length);
    const left = rootWeight ? a.map((x, i) => x * rootWeight[i]) : a;
    const right = Float64Array.from(inTask, (i) => (rootWeight ? b[i] * rootWeight[i] : b[i]));
    for (let w = 0; w < W; w++) {
      for (let at = start[w]; at < start[w + 1]; at++) place[other[at]] = at;
      for (let mine = workers.start[w]; mine < workers.start[w + 1]; mine++) {
        const i = inWorker[mine];
        const end = tasks.start[task[i] + 1];
        for (let at = tasks.start[task[i]]; at < end; at++) {
          const v = tasks.other[at];
          if (v === w || (onlyEqual && tasks.label[at] !== label[i])) continue;
          sums[place[v]] += left[i] * right[at];
        }
      }
    }
    return sums;
  };
  const ones = new Float64Array(label.length).fill(1);
  return {
    start,
    other,
    common: sum(ones, ones, false),
    products: (a, b) => sum(a, b, false),
    agreed: () => sum(ones, ones, true),
    mirrored(values) {
      // Rows are sorted, so that the workers who have v as a partner come in the order of v's row.
      const next = start.slice();
      return values.map((_, at) => values[next[other[at]]++]);
    },
  };
}

/**
 * How far pairs agree beyond chance: 1 where always, 0 where as often as K classes drawn at random do.
 * If workers are right with probabilities p of their own and errors spread evenly, it is in
 * expectation s[w] · s[v], with s = (K p - 1) / (K - 1).
 */
export function chanceCorrected({ common, agreed }: WorkerPairs, K: number): Float64Array {
  const same = agreed();
  return same.map((n, pair) => (K > 1 ? ((K * n) / common[pair] - 1) / (K - 1) : 0));
}

/**
 * The parts of the crowd, of two workers or more, that fall into two sides with pairs between them only:
 * all s of one side can be doubled and those of the other halved, and no pair shows it.
 */
export function bipartiteParts({ start, other }: WorkerPairs, parts: CrowdParts): number[] {
  const side = new Int8Array(parts.ofWorker.length);
  const even = new Uint8Array(parts.count).fill(1);
  const size = new Int32Array(parts.count);
  for (let first = 0; first < side.length; first++) {
    if (side[first] !== 0 || parts.ofWorker[first] < 0) continue;
    side[first] = 1;
    const queue = [first];
    for (const w of queue) {
      size[parts.ofWorker[w]]++;
      for (let at = start[w]; at < start[w + 1]; at++) {
        const v = other[at];
        if (side[v] === side[w]) even[parts.ofWorker[w]] = 0;
        else if (side[v] === 0) {
          side[v] = -side[w];
          queue.push(v);
        }
      }
    }
  }
  return [...even.keys()].filter((part) => even[part] && size[part] > 1);
}

/** Who shares a task with whom. */
function partnersOf(id: string, data: CategoricalData): { start: Int32Array; other: Int32Array } {
  const W = data.workers.length;
  const tasks = byTask(data);
  const workers = byWorker(data);
  const start = new Int32Array(W + 1);
  const rows: Int32Array[] = [];
  const seen = new Int32Array(W).fill(-1);
  const met = new Int32Array(W);
  for (let w = 0; w < W; w++) {
    let size = 0;
    seen[w] = w;
    for (let mine = workers.start[w]; mine < workers.start[w + 1]; mine++) {
      const t = workers.other[mine];
      for (let at = tasks.start[t]; at < tasks.start[t + 1]; at++) {
        const v = tasks.other[at];
        if (seen[v] === w) continue;
        seen[v] = w;
        met[size++] = v;
      }
    }
    rows.push(met.slice(0, size).sort());
    start[w + 1] = start[w] + size;
    if (start[w + 1] > MOST_PAIRS) {
      throw new CrowdError(
        "too-large",
        `${id}: more than ${MOST_PAIRS / 2} pairs of workers share tasks, too many to keep. ` +
          `Use a method without pairs, such as one-coin or kos, or fewer workers.`,
      );
    }
  }
  const other = new Int32Array(start[W]);
  for (let w = 0; w < W; w++) other.set(rows[w], start[w]);
  return { start, other };
}

function checkVisits(id: string, data: CategoricalData): void {
  const visits = labelsPerTask(data).reduce((sum, d) => sum + d * d, 0);
  if (visits <= MOST_VISITS) return;
  throw new CrowdError(
    "too-large",
    `${id}: the tasks hold ${visits.toExponential(1)} pairs of labels, too many to compare. ` +
      `Use a method without pairs, such as one-coin or kos, or fewer labels per task.`,
  );
}

/** The numbers of the labels in the order of byTask or byWorker. */
function positionsBy(key: Int32Array, start: Int32Array): Int32Array {
  const at = new Int32Array(key.length);
  const next = start.slice();
  for (let i = 0; i < key.length; i++) at[next[key[i]]++] = i;
  return at;
}
