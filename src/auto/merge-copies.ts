/** Workers who copy from one another count for one: a group of copies answers once per task, by the mean of its answers. */
import type { NumericData } from "../data/numeric.ts";
import { effectiveAnswerers } from "../diagnose/effective/effective-answerers.ts";
import { createForest } from "../math/forest.ts";

/** Correlation of errors from which on two workers are taken for copies. */
const COPY = 0.5;

export interface Merged {
  readonly data: NumericData;
  /** Groups of workers who were taken for copies. */
  readonly groups: readonly (readonly number[])[];
}

/** Puts the answers of copies together; the same data where nobody copies. */
export function mergeCopies(data: NumericData): Merged {
  const { root, join } = createForest(data.workers.length);
  for (const { workers, correlation, dependent } of effectiveAnswerers(data).correlations) {
    if (dependent && correlation > COPY) join(workers[0], workers[1]);
  }
  const members = new Map<number, number[]>();
  for (let w = 0; w < data.workers.length; w++) {
    members.set(root(w), [...(members.get(root(w)) ?? []), w]);
  }
  const groups = [...members.values()].filter(({ length }) => length > 1);
  return groups.length > 0 ? { data: together(data, root), groups } : { data, groups };
}

/** Replaces the answers of one group on one task by their mean, which counts as much as one of them does. */
function together(data: NumericData, root: (worker: number) => number): NumericData {
  const cells = new Map<number, { sum: number; weight: number; answers: number }>();
  const W = data.workers.length;
  data.task.forEach((t, i) => {
    const key = t * W + root(data.worker[i]);
    const own = cells.get(key) ?? { sum: 0, weight: 0, answers: 0 };
    const weight = data.weight ? data.weight[i] : 1;
    cells.set(key, {
      sum: own.sum + weight * data.value[i],
      weight: own.weight + weight,
      answers: own.answers + 1,
    });
  });
  const keys = [...cells.keys()];
  const found = [...cells.values()];
  const { time: _, ...rest } = data;
  return {
    ...rest,
    task: Int32Array.from(keys, (key) => Math.floor(key / W)),
    worker: Int32Array.from(keys, (key) => key % W),
    value: Float64Array.from(found, ({ sum, weight }) => (weight > 0 ? sum / weight : 0)),
    ...(data.weight && {
      weight: Float64Array.from(found, ({ weight, answers }) => weight / answers),
    }),
  };
}
