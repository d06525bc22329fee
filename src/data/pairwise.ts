/**
 * Comparisons: which of two items is better. Answer `i` is what `workers.at(worker[i])` said of
 * `items.at(left[i])` beside `items.at(right[i])`, asked for `tasks.at(task[i])`.
 */
import { createForest } from "../math/forest.ts";
import type { CrowdData } from "./crowd-data.ts";
import type { Names } from "./names.ts";

/** What an answer says: the left item won, the right one did, or neither. */
export const LEFT = 0;
export const RIGHT = 1;
export const TIE = 2;

/** Comparisons: which of two items each worker preferred. */
export interface PairwiseData extends CrowdData {
  readonly kind: "pairwise";
  /** What is compared. Tasks are the questions asked, one without a name where there is no such column. */
  readonly items: Names;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** `LEFT`, `RIGHT` or `TIE`. */
  readonly label: Int32Array;
  /** Known score of each item, larger is better, or NaN where it is not known. */
  readonly gold: Float64Array;
}

/** Finds the connected parts of the graph of comparisons: the part of each item, and how many there are. */
export function componentsOf({
  items,
  left,
  right,
}: Pick<PairwiseData, "left" | "right"> & { readonly items: { readonly length: number } }): {
  ofItem: Int32Array;
  count: number;
} {
  const { root, join } = createForest(items.length);
  for (let i = 0; i < left.length; i++) join(left[i], right[i]);
  const ofItem = new Int32Array(items.length).fill(-1);
  let count = 0;
  for (let item = 0; item < items.length; item++) {
    const top = root(item);
    if (ofItem[top] < 0) ofItem[top] = count++;
    ofItem[item] = ofItem[top];
  }
  return { ofItem, count };
}

/** The same comparisons without those of some workers; all names stay. */
export function withoutWorkers(data: PairwiseData, workers: ReadonlySet<number>): PairwiseData {
  const rows = Array.from(data.label.keys()).filter((i) => !workers.has(data.worker[i]));
  return selectComparisons(data, Int32Array.from(rows));
}

/** Some rows of comparisons, in the order given. */
export function selectComparisons(data: PairwiseData, rows: Int32Array): PairwiseData {
  const ints = (column: Int32Array) => rows.map((i) => column[i]);
  const { weight, time } = data;
  return {
    ...data,
    task: ints(data.task),
    worker: ints(data.worker),
    left: ints(data.left),
    right: ints(data.right),
    label: ints(data.label),
    ...(weight && { weight: Float64Array.from(rows, (i) => weight[i]) }),
    ...(time && { time: Float64Array.from(rows, (i) => time[i]) }),
  };
}
