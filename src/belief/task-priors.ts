/** P(class) of each task before its labels are seen: h[task * K + class], each task's K sum to 1. */
import type { CategoricalData } from "../data/categorical.ts";
import { type Known, taskBase } from "./known.ts";
import { normalise } from "./votes.ts";

/** The prior, or the task's own, times soft gold; gold is certain. */
export function taskPriors(
  data: CategoricalData,
  known: Known,
  factor: ArrayLike<number>,
): Float64Array {
  const K = data.classes.length;
  const base = taskBase(data, known) ?? new Float64Array(data.tasks.length * K).fill(1);
  return normalise(
    base.map((p, at) => p * factor[at % K]),
    K,
  );
}

/**
 * Lets no class of a task above c, in place: what exceeds it goes to the classes below c in equal
 * parts, until nothing does. A sure but wrong h would outvote all labels. 1/K makes every task
 * uniform, 1 changes nothing.
 *
 * Kim, Cho, Kim & Ok (2022), AISTATS, PMLR 151. https://arxiv.org/abs/2111.00734
 */
export function clip(h: Float64Array, K: number, c: number): Float64Array {
  const most = Math.max(c, 1 / K);
  for (let from = 0; from < h.length; from += K) clipTask(h, from, from + K, most);
  return h;
}

/** Each pass holds at least one more class at the most, so there are at most K. */
function clipTask(h: Float64Array, from: number, to: number, most: number): void {
  for (;;) {
    let excess = 0;
    let open = 0;
    for (let k = from; k < to; k++) {
      if (h[k] < most) open++;
      else {
        excess += h[k] - most;
        h[k] = most;
      }
    }
    if (excess === 0 || open === 0) return;
    for (let k = from; k < to; k++) if (h[k] < most) h[k] += excess / open;
  }
}

/** Sum of the posteriors of all tasks, by class. */
export function sumOverTasks(posterior: Float64Array, K: number): Float64Array {
  const totals = new Float64Array(K);
  for (let at = 0; at < posterior.length; at++) totals[at % K] += posterior[at];
  return totals;
}
