/**
 * Workers and classes in the order of their names, so that what a method finds does not depend on how
 * they are numbered: neither by ties, nor by random numbers, nor by rounding.
 */
import type { CrowdDataset } from "../../dataset/dataset.ts";

export interface NameOrder {
  /** The same labels with workers and classes in the order of their names. */
  readonly data: CrowdDataset;
  /** confusion[(worker * K + class) * L + label] of that data, in the order of the original. */
  restore(confusion: Float64Array, L: number): Float64Array;
  /** The worker of the original whose place in the order of names this is. */
  readonly workers: Int32Array;
}

export function inNameOrder(data: CrowdDataset): NameOrder {
  const workers = orderOf(data.workers);
  const classes = orderOf(data.classes);
  const [workerRank, classRank] = [inverse(workers), inverse(classes)];
  const K = classes.length;
  const W = workers.length;
  const rank = (label: number) => (label < K ? classRank[label] : label);
  return {
    data: {
      ...data,
      workers: Array.from(workers, (w) => data.workers[w]),
      classes: Array.from(classes, (k) => data.classes[k]),
      worker: data.worker.map((w) => workerRank[w]),
      label: data.label.map(rank),
      gold: data.gold.map((k) => (k < 0 ? k : classRank[k])),
    },
    workers,
    restore(confusion, L) {
      const restored = new Float64Array(confusion.length);
      for (let w = 0; w < W; w++) {
        for (let k = 0; k < K; k++) {
          const [from, to] = [(workerRank[w] * K + classRank[k]) * L, (w * K + k) * L];
          for (let l = 0; l < L; l++) restored[to + l] = confusion[from + rank(l)];
        }
      }
      return restored;
    },
  };
}

/** Numbers by size, the rest as text. */
function orderOf(names: readonly string[]): Int32Array {
  const numbers = names.map(Number);
  const numeric = names.every((name, i) => name.trim() !== "" && !Number.isNaN(numbers[i]));
  const places = Int32Array.from(names, (_, i) => i);
  const byText = (i: number, j: number) => (names[i] < names[j] ? -1 : names[i] > names[j] ? 1 : 0);
  return places.sort((i, j) => (numeric && numbers[i] - numbers[j]) || byText(i, j));
}

function inverse(order: Int32Array): Int32Array {
  const rank = new Int32Array(order.length);
  order.forEach((at, place) => {
    rank[at] = place;
  });
  return rank;
}
