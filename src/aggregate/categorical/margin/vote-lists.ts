/** The votes of a crowd by task and by worker: labels that name a class, those alike put together. */
import type { Entries } from "../../../belief/gibbs.ts";

export interface Votes {
  /** How many tasks, workers and classes there are. */
  readonly T: number;
  readonly W: number;
  readonly K: number;
  /** Those of task t stand at start[t]..start[t + 1], those of one worker together. */
  readonly start: Int32Array;
  readonly worker: Int32Array;
  readonly label: Int32Array;
  readonly count: Float64Array;
  /** Those of worker w are order[from[w]..from[w + 1]], those on one task together. */
  readonly from: Int32Array;
  readonly order: Int32Array;
  readonly task: Int32Array;
}

/** Leaves out what abstentions say. */
export function votesOf(
  entries: Entries,
  { W, K }: { readonly W: number; readonly K: number },
): Votes {
  const T = entries.start.length - 1;
  const kept: number[] = [];
  const task: number[] = [];
  const start = new Int32Array(T + 1);
  for (let t = 0; t < T; t++) {
    for (let e = entries.start[t]; e < entries.start[t + 1]; e++) {
      if (entries.label[e] >= K) continue;
      kept.push(e);
      task.push(t);
    }
    start[t + 1] = kept.length;
  }
  const worker = Int32Array.from(kept, (e) => entries.worker[e]);
  const from = new Int32Array(W + 1);
  for (const w of worker) from[w + 1]++;
  for (let w = 0; w < W; w++) from[w + 1] += from[w];
  const next = from.slice();
  const order = new Int32Array(kept.length);
  worker.forEach((w, i) => {
    order[next[w]++] = i;
  });
  return {
    T,
    W,
    K,
    start,
    worker,
    from,
    order,
    label: Int32Array.from(kept, (e) => entries.label[e]),
    count: Float64Array.from(kept, (e) => entries.count[e]),
    task: Int32Array.from(task),
  };
}

/** Weight of the votes for each class, written to scores[task * K + class]. */
export function scoreVotes(votes: Votes, weights: Float64Array, scores: Float64Array): void {
  const { K, worker, label, count, task } = votes;
  scores.fill(0);
  for (let i = 0; i < worker.length; i++) {
    scores[task[i] * K + label[i]] += count[i] * weights[worker[i]];
  }
}

/** The class other than k with the largest score of a task, the first of those that tie; -1 if there is none. */
export function rivalOf(scores: Float64Array, t: number, k: number, K: number): number {
  let rival = -1;
  for (let other = 0; other < K; other++) {
    if (other === k) continue;
    if (rival < 0 || scores[t * K + other] > scores[t * K + rival]) rival = other;
  }
  return rival;
}
