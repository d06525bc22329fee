/** Answers about pairs of items as networks are trained on them: a batch holds answers, and every item of theirs once. */
import type { Buffers } from "../tensor/executor.ts";
import type { Tensor } from "../tensor/graph.ts";
import type { Subject } from "./subject.ts";

/** Answers about pairs, whatever they say. */
interface PairAnswers {
  readonly items: { readonly length: number };
  readonly workers: { readonly length: number };
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly worker: Int32Array;
  readonly weight?: Float64Array;
}

/** Answers about pairs; `left` and `right` are rows of the batch. `more` feeds what the answers say. */
export function pairSubject(
  { items, workers, left, right, worker, weight }: PairAnswers,
  rows: Int32Array,
  outputs: number,
  more: (labels: Int32Array) => Buffers,
  says: (numbers: Tensor) => Tensor = (numbers) => numbers,
): Subject {
  const place = new Int32Array(items.length);
  return {
    outputs,
    workers: workers.length,
    rows,
    says,
    drawn(labels) {
      const seen = new Set<number>();
      for (const i of labels) seen.add(left[i]).add(right[i]);
      return { tasks: Int32Array.from(seen), labels };
    },
    feeds({ tasks, labels }) {
      tasks.forEach((item, row) => {
        place[item] = row;
      });
      return {
        left: labels.map((i) => place[left[i]]),
        right: labels.map((i) => place[right[i]]),
        worker: labels.map((i) => worker[i]),
        weight: Float32Array.from(labels, (i) => (weight ? weight[i] : 1)),
        ...more(labels),
      };
    },
  };
}
