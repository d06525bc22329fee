/**
 * Who labelled what as what: three parallel columns of indices, and the names they point to.
 *
 * Label `i` says that `workers.at(worker[i])` called `tasks.at(task[i])` a `classes.at(label[i])`.
 */
import type { CrowdData } from "./crowd-data.ts";
import type { Names } from "./names.ts";

/** Labels: which worker gave which class to which task. */
export interface CategoricalData extends CrowdData {
  readonly kind: "categorical";
  readonly classes: Names;
  /** Index into `classes`, or `classes.length` where the worker abstained. */
  readonly label: Int32Array;
  /** Known class of each task, or -1 where it is not known. */
  readonly gold: Int32Array;
}

/** The labels of each task (or worker) in a row: those of `i` stand at start[i]..start[i + 1]. */
export interface Index {
  readonly start: Int32Array;
  /** The worker (or task) of each label, in that order. */
  readonly other: Int32Array;
  /** The class of each label, in that order. */
  readonly label: Int32Array;
}

const taskIndexes = new WeakMap<CategoricalData, Index>();
const workerIndexes = new WeakMap<CategoricalData, Index>();

/** The labels sorted by task, each task's in the order given: `other` holds workers. Made once. */
export function byTask(data: CategoricalData): Index {
  return cached(taskIndexes, data, () =>
    sortBy(data.task, data.tasks.length, data.worker, data.label),
  );
}

/** The labels sorted by worker, each worker's in the order given: `other` holds tasks. Made once. */
export function byWorker(data: CategoricalData): Index {
  return cached(workerIndexes, data, () =>
    sortBy(data.worker, data.workers.length, data.task, data.label),
  );
}

function cached(
  cache: WeakMap<CategoricalData, Index>,
  data: CategoricalData,
  make: () => Index,
): Index {
  const known = cache.get(data);
  if (known) return known;
  const made = make();
  cache.set(data, made);
  return made;
}

/** Counting sort, O(N). */
function sortBy(key: Int32Array, keys: number, other: Int32Array, label: Int32Array): Index {
  const start = new Int32Array(keys + 1);
  for (let i = 0; i < key.length; i++) start[key[i] + 1]++;
  for (let k = 0; k < keys; k++) start[k + 1] += start[k];
  const sorted = { start, other: new Int32Array(key.length), label: new Int32Array(key.length) };
  const next = start.slice();
  for (let i = 0; i < key.length; i++) {
    const at = next[key[i]]++;
    sorted.other[at] = other[i];
    sorted.label[at] = label[i];
  }
  return sorted;
}

/** True if some worker abstained on some task. */
export function hasAbstentions(data: CategoricalData): boolean {
  const K = data.classes.length;
  for (let i = 0; i < data.label.length; i++) if (data.label[i] >= K) return true;
  return false;
}

/** The same tasks, workers and classes with only the labels for which `keep` is true. */
export function selectLabels(data: CategoricalData, keep: (i: number) => boolean): CategoricalData {
  const N = data.label.length;
  const rows = new Int32Array(N);
  let kept = 0;
  for (let i = 0; i < N; i++) if (keep(i)) rows[kept++] = i;
  const ints = (column: Int32Array) => {
    const picked = new Int32Array(kept);
    for (let j = 0; j < kept; j++) picked[j] = column[rows[j]];
    return picked;
  };
  const doubles = (column: Float64Array) =>
    Float64Array.from({ length: kept }, (_, j) => column[rows[j]]);
  const { weight, time, ...rest } = data;
  return {
    ...rest,
    task: ints(data.task),
    worker: ints(data.worker),
    label: ints(data.label),
    ...(weight && { weight: doubles(weight) }),
    ...(time && { time: doubles(time) }),
  };
}
