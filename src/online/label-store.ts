/**
 * The labels of a live model: columns that grow, a list of labels per task (latest first) and one of
 * all labels in the order of arrival. Adding costs O(1) on average, finding and taking away O(labels
 * of the task); the place of a label that was added and taken away is used again.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { type ArrivalOrder, arrive, createArrivalOrder, inOrder, leave } from "./arrival-order.ts";
import { copiedDoubles, copiedInts, grownDoubles, grownInts } from "./growing.ts";

/** One label by numbers; an abstention has as label the number of classes. */
export interface NumberedLabel {
  readonly t: number;
  readonly w: number;
  readonly label: number;
  readonly weight: number;
  /** NaN if unknown. */
  readonly time: number;
}

/** The columns of a dataset that hold labels. */
export type LabelColumns = Pick<CategoricalData, "task" | "worker" | "label" | "weight" | "time">;

export interface LabelStore {
  /** Labels before this place came with the data, those from it on were added. */
  readonly given: number;
  readonly classes: number;
  task: Int32Array;
  worker: Int32Array;
  label: Int32Array;
  /** Absent while all labels have weight one. */
  weight: Float64Array | undefined;
  /** Absent while no label has a time. */
  time: Float64Array | undefined;
  /** The latest label of each task, or -1. */
  latest: Int32Array;
  /** The label of the same task that came before, or -1; for free places the next one. */
  earlier: Int32Array;
  /** A place that can be used again, or -1. */
  free: number;
  /** Places in use or free. */
  size: number;
  abstentions: number;
  readonly order: ArrivalOrder;
}

/** Returns a store with the labels of a dataset. O(labels). */
export function createLabelStore(data: CategoricalData): LabelStore {
  const { task, worker, label, weight, time, classes, tasks } = data;
  const N = label.length;
  const latest = new Int32Array(tasks.length).fill(-1);
  const earlier = new Int32Array(N);
  let abstentions = 0;
  for (let i = 0; i < N; i++) {
    earlier[i] = latest[task[i]];
    latest[task[i]] = i;
    if (label[i] >= classes.length) abstentions++;
  }
  return {
    given: N,
    classes: classes.length,
    task: copiedInts(task),
    worker: copiedInts(worker),
    label: copiedInts(label),
    weight: weight && copiedDoubles(weight, 1),
    time: time && copiedDoubles(time, Number.NaN),
    latest: copiedInts(latest, -1),
    earlier: copiedInts(earlier),
    free: -1,
    size: N,
    abstentions,
    order: createArrivalOrder(N),
  };
}

/** Gives a new task an empty list of labels. */
export function makeRoomForTask(store: LabelStore, t: number): void {
  store.latest = grownInts(store.latest, t + 1, -1);
}

/** Adds a label and returns its place. */
export function addLabel(store: LabelStore, { t, w, label, weight, time }: NumberedLabel): number {
  const i = freePlace(store);
  store.task[i] = t;
  store.worker[i] = w;
  store.label[i] = label;
  if (weight !== 1) store.weight ??= new Float64Array(store.task.length).fill(1);
  if (store.weight) store.weight[i] = weight;
  if (!Number.isNaN(time)) store.time ??= new Float64Array(store.task.length).fill(Number.NaN);
  if (store.time) store.time[i] = time;
  store.earlier[i] = store.latest[t];
  store.latest[t] = i;
  if (label >= store.classes) store.abstentions++;
  arrive(store.order, i);
  return i;
}

/** Returns a place that holds no label, with room for it in all columns. */
function freePlace(store: LabelStore): number {
  if (store.free >= 0) {
    const i = store.free;
    store.free = store.earlier[i];
    return i;
  }
  const i = store.size++;
  store.task = grownInts(store.task, store.size);
  store.worker = grownInts(store.worker, store.size);
  store.label = grownInts(store.label, store.size);
  store.earlier = grownInts(store.earlier, store.size);
  if (store.weight) store.weight = grownDoubles(store.weight, store.task.length, 1);
  if (store.time) store.time = grownDoubles(store.time, store.task.length, Number.NaN);
  return i;
}

/** Returns the latest label of a task by this worker, or the latest that says `label`; or -1. */
export function findLabel(store: LabelStore, t: number, w: number, label?: number): number {
  let i = store.latest[t];
  while (i >= 0) {
    if (store.worker[i] === w && (label === undefined || store.label[i] === label)) return i;
    i = store.earlier[i];
  }
  return -1;
}

/** Takes a label away. */
export function removeLabel(store: LabelStore, i: number): void {
  const { earlier, latest } = store;
  const t = store.task[i];
  if (latest[t] === i) latest[t] = earlier[i];
  else {
    let later = latest[t];
    while (earlier[later] !== i) later = earlier[later];
    earlier[later] = earlier[i];
  }
  if (store.label[i] >= store.classes) store.abstentions--;
  leave(store.order, i);
  // Places of labels that came with the data stay empty: the ones after them have more columns.
  if (i < store.given) return;
  earlier[i] = store.free;
  store.free = i;
}

/** Returns how many labels label `i` counts for. */
export function weightOf({ weight }: LabelStore, i: number): number {
  return weight ? weight[i] : 1;
}

/**
 * Returns the labels that remain, in the order of arrival. Weights and times are left out if `given`,
 * the data that the store began with, has none and no label that remains does.
 */
export function labelColumns(store: LabelStore, given: CategoricalData): LabelColumns {
  const rows = inOrder(store.order);
  const { weight, time } = store;
  const weighted = given.weight || (weight && rows.some((i) => weight[i] !== 1));
  const timed = given.time || (time && rows.some((i) => !Number.isNaN(time[i])));
  return {
    task: rows.map((i) => store.task[i]),
    worker: rows.map((i) => store.worker[i]),
    label: rows.map((i) => store.label[i]),
    ...(weight && weighted && { weight: Float64Array.from(rows, (i) => weight[i]) }),
    ...(time && timed && { time: Float64Array.from(rows, (i) => time[i]) }),
  };
}
