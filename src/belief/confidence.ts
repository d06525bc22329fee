/**
 * How sure an answer may be called. A posterior is what a method believes under its own assumptions; of a
 * task with one label by a worker of whom little is known, most methods believe that label.
 *
 *   a    accuracy of the crowd: labels of two workers for the same task agree with probability
 *        A = a² + (1 − a)² / (K − 1), so a = (1 + √((K − 1)(K·A − 1))) / K
 *   lone label: worth at most 1 − (1 − a) · c / (n + c), if n other labels of its worker were checked by
 *        others: a for a worker who is unknown, 1 for one who is known well
 *   vote: (share · n + λ/K) / (n + λ) for n labels, with λ such that one label is worth a
 *
 * This never makes an answer surer than its posterior.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { maxOf } from "../math/lists.ts";
import { isKnownTask, type Known } from "./known.ts";

/** What is counted: each label with its task, its worker and how many labels it counts for. */
export type Counted = Pick<CategoricalData, "task" | "worker" | "label" | "weight">;

/** Beliefs about tasks, and the class chosen for each. */
export interface Believed {
  /** P(class) or share of votes, as posterior[task * K + class]. */
  readonly posterior: Float64Array;
  /** The class chosen, or -1. */
  readonly consensus: Int32Array;
  /** Number of classes. */
  readonly K: number;
  /** Number of workers. */
  readonly W: number;
  /** False if the posterior is a share of votes. */
  readonly probabilistic: boolean;
}

/** Checked labels of a worker at which the crowd's accuracy counts half. */
const HALF_KNOWN = 5;

/** Pairs of labels that the assumed accuracy counts for, so that a few pairs say little. */
const ASSUMED_PAIRS = 10;

/** Returns how sure each answer may be called. */
export function confidences(data: Counted, believed: Believed, known: Known = {}): Float64Array {
  const { posterior, consensus, K } = believed;
  const T = consensus.length;
  const own = Float64Array.from({ length: T }, (_, t) =>
    consensus[t] >= 0
      ? posterior[t * K + consensus[t]]
      : maxOf(posterior.subarray(t * K, (t + 1) * K), 0),
  );
  // Workers whose confusions are given are not unknown.
  if (K < 2 || known.confusion) return own;
  const answered = countAnswers(data, T, believed);
  const accuracy = accuracyOf(answered, K);
  const isKnown = (t: number) => isKnownTask(known, t, K);
  if (!believed.probabilistic)
    return own.map((share, t) =>
      isKnown(t) ? share : worthOf(share, answered.total[t], accuracy, K),
    );
  const checked = checkedLabels(data, answered, believed, known);
  return own.map((p, t) => {
    const w = answered.by[t];
    if (w < 0 || p <= accuracy || isKnown(t)) return p;
    return Math.min(p, 1 - ((1 - accuracy) * HALF_KNOWN) / (checked[w] + HALF_KNOWN));
  });
}

/** Moves the belief about each task towards all classes alike until its answer is as sure as it may be called. */
export function temper(believed: Believed, confidence: Float64Array): void {
  const { posterior, consensus, K } = believed;
  for (let t = 0; t < consensus.length; t++) {
    const top = posterior[t * K + consensus[t]];
    if (consensus[t] < 0 || !(confidence[t] < top)) continue;
    // mix · top + (1 − mix) / K = confidence
    const mix = Math.max(0, (confidence[t] - 1 / K) / (top - 1 / K));
    for (let k = t * K; k < (t + 1) * K; k++) posterior[k] = mix * posterior[k] + (1 - mix) / K;
  }
}

interface Answers {
  /** Sum of the weights of the labels of each task. */
  readonly total: Float64Array;
  /** The worker of all labels of a task; -1 if there is none or more than one. */
  readonly by: Int32Array;
  /** Weighted pairs of labels of one task by two workers, and those that agree. */
  readonly pairs: number;
  readonly agreeing: number;
}

const SEVERAL = -1;

/**
 * Counts labels and pairs of labels by two workers. A label of weight 2 counts as the same label given
 * twice by its worker. O(labels).
 */
function countAnswers(data: Counted, T: number, { K, W }: { K: number; W: number }): Answers {
  const { label, worker, weight } = data;
  const { start, order } = sortByTask(data, T, K);
  const total = new Float64Array(T);
  const by = new Int32Array(T).fill(SEVERAL);
  const ofClass = new Float64Array(K);
  const seen = new Int32Array(W).fill(-1);
  const found = { pairs: 0, agreeing: 0 };
  for (let t = 0; t < T; t++) {
    ofClass.fill(0);
    let repeats = false;
    for (let at = start[t]; at < start[t + 1]; at++) {
      const i = order[at];
      const count = weight ? weight[i] : 1;
      found.pairs += count * total[t];
      found.agreeing += count * ofClass[label[i]];
      total[t] += count;
      ofClass[label[i]] += count;
      repeats ||= seen[worker[i]] === t;
      seen[worker[i]] = t;
      by[t] = at === start[t] || by[t] === worker[i] ? worker[i] : SEVERAL;
    }
    if (repeats) withoutRepeats(data, order.subarray(start[t], start[t + 1]), K, found);
  }
  return { total, by, ...found };
}

/** Takes away the pairs of labels that one worker gave to one task. */
function withoutRepeats(
  { label, worker, weight }: Counted,
  labels: Int32Array,
  K: number,
  found: { pairs: number; agreeing: number },
): void {
  const before = new Map<number, number>();
  const add = (key: number, count: number) => {
    const sum = before.get(key) ?? 0;
    before.set(key, sum + count);
    return count * sum;
  };
  for (const i of labels) {
    const count = weight ? weight[i] : 1;
    found.pairs -= add(worker[i] * (K + 1) + K, count);
    found.agreeing -= add(worker[i] * (K + 1) + label[i], count);
  }
}

/** Sorts the labels that count by task: those of task t stand from start[t] to start[t + 1]. */
function sortByTask({ task, label, weight }: Counted, T: number, K: number) {
  const counts = (i: number) => label[i] < K && weight?.[i] !== 0;
  const start = new Int32Array(T + 1);
  for (let i = 0; i < task.length; i++) if (counts(i)) start[task[i] + 1]++;
  for (let t = 0; t < T; t++) start[t + 1] += start[t];
  const order = new Int32Array(start[T]);
  const next = start.slice();
  for (let i = 0; i < task.length; i++) if (counts(i)) order[next[task[i]]++] = i;
  return { start, order };
}

/** Returns the accuracy that explains how often labels of two workers agree. */
function accuracyOf({ pairs, agreeing }: Answers, K: number): number {
  // Half way between guessing and never wrong, if nothing shows it.
  const assumed = (K + 1) / (2 * K);
  const agree = assumed ** 2 + (1 - assumed) ** 2 / (K - 1);
  const share = (agreeing + ASSUMED_PAIRS * agree) / (pairs + ASSUMED_PAIRS);
  return (1 + Math.sqrt((K - 1) * Math.max(0, K * share - 1))) / K;
}

/** Returns what a share of n votes is worth, if a single vote is right with this probability. */
function worthOf(share: number, n: number, accuracy: number, K: number): number {
  if (accuracy >= 1) return share;
  const excess = accuracy - 1 / K;
  if (!(excess > 0) || n === 0) return Math.min(share, 1 / K);
  const shrinkage = (1 - accuracy) / excess;
  return Math.min(share, (share * n + shrinkage / K) / (n + shrinkage));
}

/** Counts the labels of each worker for tasks of which others or what is known tell the class, and those of the past. */
function checkedLabels(
  { task, worker, label, weight }: Counted,
  { by }: Answers,
  { K, W }: Believed,
  known: Known,
): Float64Array {
  const { history } = known;
  const checked = new Float64Array(W);
  for (let i = 0; i < task.length; i++) {
    const t = task[i];
    if (label[i] >= K || (by[t] !== SEVERAL && !isKnownTask(known, t, K))) continue;
    checked[worker[i]] += weight ? weight[i] : 1;
  }
  history?.forEach((count, at) => {
    checked[Math.floor((at * W) / history.length)] += count;
  });
  return checked;
}
