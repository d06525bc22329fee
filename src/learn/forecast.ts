/** Predictions from features and labels together, for methods that know what a worker's label is worth. */

import { tempered } from "../belief/temper.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { labelsPerTask } from "../data/crowd-data.ts";
import type { Names } from "../data/names.ts";
import { oneVoiceEach } from "../diagnose/collusion/exact-copies.ts";
import { CrowdError } from "../error.ts";
import { infer } from "./evidence.ts";

/** What a learner knows of its workers: nats that a label adds to each class. */
export interface Forecaster {
  readonly workers: Names;
  readonly classes: Names;
  /** evidence[(worker * K + class) * K + label]. */
  readonly evidence: Float64Array;
  /** What the classifier's logits were divided by to be honest: labels join what it said before. Absent: 1. */
  readonly temperature?: number | undefined;
  /** The group of each worker by number, where some are copies of one another: on a task one of them counts. */
  readonly copies?: Int32Array | undefined;
}

/** Beliefs about new tasks from features and labels together. */
export interface Forecast {
  /** P(class | features, labels) of the tasks of the data. */
  readonly posterior: Float64Array;
  /** Labels of workers that the learner did not know, which say nothing. */
  readonly unknown: number;
}

/** Joins what the classifier says of the tasks of `data`, f[task * K + class], with their labels. */
export function forecast(
  { workers, classes, evidence, temperature = 1, copies }: Forecaster,
  f: Float64Array,
  data: CategoricalData,
): Forecast {
  const K = classes.length;
  if (String(data.classes) !== String(classes)) {
    throw new CrowdError(
      "bad-data",
      `The labels have classes ${[...data.classes].join(", ")}, the model ${[...classes].join(", ")}.`,
    );
  }
  const place = new Map(Array.from(workers, (name, w) => [name, w]));
  const own = new Float64Array(data.workers.length * K * K);
  const known = Array.from(data.workers, (name, w) => {
    const from = place.get(name);
    if (from === undefined) return false;
    own.set(evidence.subarray(from * K * K, (from + 1) * K * K), w * K * K);
    return true;
  });
  const joined = new Float64Array(f.length);
  const voices = oneVoiceEach(data, copies && voicesOf(data, place, copies));
  infer(voices, tempered(f, K, 1 / temperature), own, joined);
  const labels = labelsPerTask(data);
  const posterior = joined.map((p, at) => (labels[Math.floor(at / K)] > 0 ? p : f[at]));
  return { posterior, unknown: data.worker.reduce((n, w) => n + (known[w] ? 0 : 1), 0) };
}

/** For each worker of the data the first one there who is a copy of them, or they themselves. */
function voicesOf(
  { workers }: CategoricalData,
  place: ReadonlyMap<string, number>,
  copies: Int32Array,
): Int32Array {
  const first = new Map<number, number>();
  return Int32Array.from(workers, (name, w) => {
    const known = place.get(name);
    if (known === undefined) return w;
    const voice = first.get(copies[known]) ?? w;
    first.set(copies[known], voice);
    return voice;
  });
}

/** The labels of the given tasks alone, numbered as these are; labels of others and abstentions are left out. */
export function labelsOn(tasks: Names, data: CategoricalData): CategoricalData {
  const K = data.classes.length;
  const place = new Map(Array.from(tasks, (name, t) => [name, t]));
  const known = selectLabels(
    data,
    (i) => data.label[i] < K && place.has(data.tasks.at(data.task[i])),
  );
  return {
    ...known,
    tasks,
    task: known.task.map((t) => place.get(data.tasks.at(t)) ?? 0),
    gold: new Int32Array(tasks.length).fill(-1),
  };
}
