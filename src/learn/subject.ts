/** What networks are trained on: rows of features, and the answers about what they describe. */
import { byTask, type CategoricalData } from "../data/categorical.ts";
import type { Buffers } from "../tensor/executor.ts";
import type { Tensor } from "../tensor/graph.ts";
import { softmax } from "../tensor/ops/softmax.ts";

/** What some examples are about. */
export interface Drawn {
  /** Numbers of the tasks or items. */
  readonly tasks: Int32Array;
  /** Numbers of the answers: of categorical labels in the order of `byTask`, of others as they stand in the data. */
  readonly labels: Int32Array;
}

/** An example is what a batch counts: a task with all its answers, or one comparison. */
export interface Subject {
  /** How many numbers the network gives for a row: one per class, or one. */
  readonly outputs: number;
  readonly workers: number;
  /** The row of features of each task or item. */
  readonly rows: Int32Array;
  /** What the numbers of the network mean, such as probabilities. */
  says(numbers: Tensor): Tensor;
  /** The tasks or items that some examples are about, each once, and their answers. */
  drawn(examples: Int32Array): Drawn;
  /** What losses ask `io` for, of the answers of a batch. */
  feeds(drawn: Drawn): Buffers;
}

/** Tasks with labels, one number per class. */
export function categoricalSubject(data: CategoricalData, rows: Int32Array): Subject {
  return {
    outputs: data.classes.length,
    workers: data.workers.length,
    rows,
    says: softmax,
    drawn: (tasks) => ({ tasks, labels: labelsOf(data, tasks) }),
    feeds: (drawn) => labelFeeds(data, drawn),
  };
}

/** The labels of some tasks, by their place in `byTask`. */
function labelsOf(data: CategoricalData, tasks: Int32Array): Int32Array {
  const { start } = byTask(data);
  let total = 0;
  for (const t of tasks) total += start[t + 1] - start[t];
  const labels = new Int32Array(total);
  let at = 0;
  for (const t of tasks) for (let j = start[t]; j < start[t + 1]; j++) labels[at++] = j;
  return labels;
}

function labelFeeds(data: CategoricalData, { tasks, labels }: Drawn): Buffers {
  const { start, other, label } = byTask(data);
  const K = data.classes.length;
  const task = new Int32Array(labels.length);
  let at = 0;
  tasks.forEach((t, row) => {
    const end = at + start[t + 1] - start[t];
    task.fill(row, at, end);
    at = end;
  });
  return {
    task,
    worker: labels.map((j) => other[j]),
    label: labels.map((j) => label[j]),
    cell: labels.map((j) => other[j] * K + label[j]),
  };
}
