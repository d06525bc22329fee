/** Answers about pairs as methods walk them, and rates of workers under memberships. */
import { componentsOf } from "../../data/pairwise.ts";
import { SAME, type SimilarityData } from "../../data/similarity.ts";

/** Answers about pairs: how often each counts, and the connected part of each item. */
export interface Frame {
  readonly N: number;
  readonly W: number;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly worker: Int32Array;
  /** 1 for "same", 0 for "different". */
  readonly same: Int32Array;
  readonly weight: Float64Array;
  readonly component: Int32Array;
  readonly parts: number;
}

export function frameOf({
  items,
  workers,
  left,
  right,
  worker,
  label,
  weight,
}: SimilarityData): Frame {
  const { ofItem, count } = componentsOf({ items, left, right });
  return {
    N: items.length,
    W: workers.length,
    left,
    right,
    worker,
    same: label.map((said) => (said === SAME ? 1 : 0)),
    weight: weight ?? new Float64Array(label.length).fill(1),
    component: ofItem,
    parts: count,
  };
}

/** Some rows of a frame; the parts are those that these rows connect. */
export function rowsOf(frame: Frame, keep: (row: number) => boolean): Frame {
  const rows = Int32Array.from(frame.left.keys()).filter(keep);
  const [left, right] = [rows.map((i) => frame.left[i]), rows.map((i) => frame.right[i])];
  const { ofItem, count } = componentsOf({ items: { length: frame.N }, left, right });
  return {
    ...frame,
    left,
    right,
    worker: rows.map((i) => frame.worker[i]),
    same: rows.map((i) => frame.same[i]),
    weight: Float64Array.from(rows, (i) => frame.weight[i]),
    component: ofItem,
    parts: count,
  };
}

/** Rates at which each worker says "same": of items in one cluster, and of items in two. */
export interface Rates {
  readonly alike: Float64Array;
  readonly apart: Float64Array;
}

/** Sums of answers: rows of `same` and `different`, of alike and of apart pairs, for each worker: sums[w * 4..]. */
export function countAnswers(
  frame: Frame,
  q: Float64Array,
  K: number,
  S: Float64Array,
): Float64Array {
  const sums = new Float64Array(frame.W * 4);
  const { left, right, worker, same, weight } = frame;
  for (let i = 0; i < left.length; i++) {
    let alike = 0;
    for (let c = 0; c < K; c++) alike += q[left[i] * K + c] * q[right[i] * K + c];
    S[i] = alike;
    const at = worker[i] * 4 + (same[i] ? 0 : 1);
    sums[at] += weight[i] * alike;
    sums[at + 2] += weight[i] * (1 - alike);
  }
  return sums;
}

/** The rates of all workers together, with one answer of each kind added. */
export function crowdRates(sums: Float64Array): { alike: number; apart: number } {
  const total = [0, 0, 0, 0];
  for (let at = 0; at < sums.length; at++) total[at % 4] += sums[at];
  return {
    alike: (1 + total[0]) / (2 + total[0] + total[1]),
    apart: (1 + total[2]) / (2 + total[2] + total[3]),
  };
}

/** The rates of each worker, drawn to those of the crowd by so many answers. */
export function workerRates(sums: Float64Array, strength: number): Rates {
  const crowd = crowdRates(sums);
  const rate = (w: number, from: number, mean: number) =>
    (sums[w * 4 + from] + strength * mean) /
    (sums[w * 4 + from] + sums[w * 4 + from + 1] + strength);
  const W = sums.length / 4;
  return {
    alike: Float64Array.from({ length: W }, (_, w) => rate(w, 0, crowd.alike)),
    apart: Float64Array.from({ length: W }, (_, w) => rate(w, 2, crowd.apart)),
  };
}

/** Memberships that are certain. */
export function certain(labels: Int32Array, K: number, on = 1): Float64Array {
  const q = new Float64Array(labels.length * K).fill(K > 1 ? (1 - on) / (K - 1) : 1);
  labels.forEach((c, i) => {
    q[i * K + c] = K > 1 ? on : 1;
  });
  return q;
}

/** The place of each cluster of the model by size, ties by the lowest item; empty ones last. */
export function clustersBySize(labels: Int32Array, K: number): Int32Array {
  const [size, first] = [new Int32Array(K), new Int32Array(K).fill(labels.length)];
  labels.forEach((c, i) => {
    size[c]++;
    first[c] = Math.min(first[c], i);
  });
  const places = new Int32Array(K);
  const order = Array.from(size.keys()).sort((a, b) => size[b] - size[a] || first[a] - first[b]);
  order.forEach((c, place) => {
    places[c] = place;
  });
  return places;
}
