/**
 * The labels from which pairs of workers are compared, cut so that the pairs can be walked through.
 *
 * A task with d labels has d(d − 1)/2 pairs. Of a task with more than `mostLabels` labels about that
 * many are used; if all tasks together then have more than `mostPairs` pairs, whole tasks are drawn by
 * their names while they have fewer. Abstentions are left out.
 */

import {
  byTask,
  byWorker,
  type CategoricalData,
  hasAbstentions,
  type Index,
  selectLabels,
} from "../data/categorical.ts";
import { labelsPerTask } from "../data/crowd-data.ts";
import { createRandom } from "../math/random.ts";

export interface CoLabelling {
  readonly byTask: Index;
  readonly byWorker: Index;
  /** True where labels were left out to bound the work. */
  readonly sampled: boolean;
}

export interface CoLabellingOptions {
  readonly mostPairs?: number | undefined;
  readonly mostLabels?: number | undefined;
  readonly seed?: number | undefined;
}

export function coLabelling(given: CategoricalData, options?: CoLabellingOptions): CoLabelling {
  const { data, sampled } = coLabelledTasks(given, options);
  return { byTask: byTask(data), byWorker: byWorker(data), sampled };
}

/** Labels from which pairs of workers are compared, and whether some were left out to bound the work. */
export interface CoLabelledTasks {
  readonly data: CategoricalData;
  readonly sampled: boolean;
}

/** Returns the labels themselves, without abstentions; the same object if none is left out. */
export function coLabelledTasks(
  given: CategoricalData,
  { mostPairs = 5_000_000, mostLabels = 1000, seed = 0 }: CoLabellingOptions = {},
): CoLabelledTasks {
  const K = given.classes.length;
  const data = hasAbstentions(given) ? selectLabels(given, (i) => given.label[i] < K) : given;
  const sizes = labelsPerTask(data);
  const pairsOf = (t: number) => {
    const used = Math.min(sizes[t], mostLabels);
    return (used * (used - 1)) / 2;
  };
  let pairs = 0;
  let large = false;
  for (let t = 0; t < sizes.length; t++) {
    pairs += pairsOf(t);
    large ||= sizes[t] > mostLabels;
  }
  if (pairs <= mostPairs && !large) return { data, sampled: false };
  const random = createRandom(seed).split("pairs of workers");
  const draw = Float64Array.from(data.tasks, (name) => random.split(name).next());
  const drawn = new Uint8Array(sizes.length);
  let taken = 0;
  for (const t of Int32Array.from(draw.keys()).sort((a, b) => draw[a] - draw[b])) {
    if (taken >= mostPairs) break;
    taken += pairsOf(t);
    drawn[t] = 1;
  }
  const labels = random.split("labels");
  const sample = selectLabels(data, (i) => {
    const t = data.task[i];
    return drawn[t] > 0 && (sizes[t] <= mostLabels || labels.next() * sizes[t] < mostLabels);
  });
  return { data: sample, sampled: true };
}

/** Calls `visit` for each label of worker `a` and each label of a later worker on the same task. */
export function visitPairs(
  { byTask: tasks, byWorker: workers }: CoLabelling,
  a: number,
  visit: (task: number, own: number, worker: number, label: number) => void,
): void {
  for (let i = workers.start[a]; i < workers.start[a + 1]; i++) {
    const t = workers.other[i];
    for (let j = tasks.start[t]; j < tasks.start[t + 1]; j++) {
      if (tasks.other[j] > a) visit(t, workers.label[i], tasks.other[j], tasks.label[j]);
    }
  }
}
