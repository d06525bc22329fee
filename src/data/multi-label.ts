/**
 * Several labels per task: each answer is one worker's choice of labels for one task, none of them or many. Answer
 * `i` says that `workers.at(worker[i])` chose the labels `label[start[i]]` to `label[start[i + 1] - 1]`, and no other.
 */
import type { CrowdData } from "./crowd-data.ts";
import type { Names } from "./names.ts";

/** Several labels per task: which worker chose which labels for which task. */
export interface MultiLabelData extends CrowdData {
  readonly kind: "multi-label";
  /** The labels that can be chosen. */
  readonly classes: Names;
  /** Where the labels of each answer begin in `label`, and the end. */
  readonly start: Int32Array;
  /** The chosen labels, answer by answer, ascending within an answer. */
  readonly label: Int32Array;
  /** What is known of each label of each task, T × L: 1 it belongs to the task, 0 it does not, -1 not known. */
  readonly gold: Int8Array;
}

/** Data with some of the answers, in the given order. */
export function selectSets(data: MultiLabelData, rows: ArrayLike<number>): MultiLabelData {
  const list = Int32Array.from(rows);
  const start = new Int32Array(list.length + 1);
  list.forEach((i, at) => {
    start[at + 1] = start[at] + data.start[i + 1] - data.start[i];
  });
  const label = new Int32Array(start[list.length]);
  list.forEach((i, at) => {
    label.set(data.label.subarray(data.start[i], data.start[i + 1]), start[at]);
  });
  return {
    ...data,
    task: list.map((i) => data.task[i]),
    worker: list.map((i) => data.worker[i]),
    start,
    label,
    ...(data.weight && { weight: Float64Array.from(list, (i) => data.weight?.[i] ?? 1) }),
    ...(data.time && { time: Float64Array.from(list, (i) => data.time?.[i] ?? Number.NaN) }),
  };
}

/** The different sets among the answers, and which of them each answer is. */
export interface DistinctSets {
  readonly sets: readonly Int32Array[];
  readonly of: Int32Array;
}

/** Finds the different sets among lists of ascending labels. */
export function distinctSets(lists: Iterable<Int32Array>): DistinctSets {
  const places = new Map<string, number>();
  const sets: Int32Array[] = [];
  const of: number[] = [];
  for (const list of lists) {
    const key = list.join();
    let place = places.get(key);
    if (place === undefined) {
      place = sets.push(list) - 1;
      places.set(key, place);
    }
    of.push(place);
  }
  return { sets, of: Int32Array.from(of) };
}

/** The set of each answer. */
export function* setsOf({ start, label }: Pick<MultiLabelData, "start" | "label">) {
  for (let i = 0; i + 1 < start.length; i++) yield label.subarray(start[i], start[i + 1]);
}

/** Number of labels that two ascending lists share. */
export function sharedLabels(a: Int32Array, b: Int32Array): number {
  let [i, j, shared] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      shared++;
      i++;
      j++;
    } else if (a[i] < b[j]) i++;
    else j++;
  }
  return shared;
}

/** Jaccard's overlap of two ascending lists: what both have over what either has; 1 where both are empty. */
export function jaccard(a: Int32Array, b: Int32Array): number {
  const shared = sharedLabels(a, b);
  const either = a.length + b.length - shared;
  return either === 0 ? 1 : shared / either;
}
