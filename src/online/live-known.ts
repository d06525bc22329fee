/**
 * What is known beyond the labels, while tasks and workers are added and gold changes. A new task has
 * no gold and no evidence; if tasks have priors of their own, it gets the class prior as it stands
 * when the task appears. A new worker has no history.
 */
import type { Known } from "../belief/known.ts";
import { grownDoubles, grownInts } from "./growing.ts";

export interface LiveKnown {
  /** What no label changes. */
  readonly fixed: Pick<Known, "prior" | "priorCounts" | "goldInPrior">;
  /** Known class of each task, or -1. */
  gold: Int32Array;
  evidence: Float64Array | undefined;
  taskPrior: Float64Array | undefined;
  /** Evidence times task prior, which multiplies the prior of each task; absent if there is neither. */
  base: Float64Array | undefined;
  /** Laid out for `given` things that a label can say. */
  readonly history: Float64Array | undefined;
  readonly given: number;
}

/** Returns what is known of T tasks; `start`, which is no knowledge, is left out. */
export function createLiveKnown(known: Known, T: number, given: number): LiveKnown {
  const { prior, priorCounts, goldInPrior, evidence, taskPrior } = known;
  const base = taskPrior?.slice() ?? evidence?.slice();
  if (base && taskPrior && evidence) {
    for (let at = 0; at < base.length; at++) base[at] *= evidence[at];
  }
  return {
    fixed: {
      ...(prior && { prior }),
      ...(priorCounts && { priorCounts }),
      ...(goldInPrior !== undefined && { goldInPrior }),
    },
    gold: known.gold?.slice() ?? new Int32Array(T).fill(-1),
    evidence: evidence?.slice(),
    taskPrior: taskPrior?.slice(),
    base,
    history: known.history,
    given,
  };
}

/** Makes room for task `t`, whose prior is that of the classes. */
export function addKnownTask(known: LiveKnown, t: number, prior: Float64Array): void {
  const K = prior.length;
  const length = (t + 1) * K;
  known.gold = grownInts(known.gold, t + 1, -1);
  if (known.evidence) known.evidence = grownDoubles(known.evidence, length, 1);
  if (known.base) known.base = grownDoubles(known.base, length, 1);
  if (!known.taskPrior) return;
  known.taskPrior = grownDoubles(known.taskPrior, length);
  known.taskPrior.set(prior, t * K);
  known.base?.set(prior, t * K);
}

/** Returns whether a task counts towards the class prior. */
export function countsTowardsPrior({ fixed, gold }: LiveKnown, t: number): boolean {
  return fixed.goldInPrior !== false || gold[t] < 0;
}

/** Returns the history laid out for L things that a label can say; abstentions are added or cut. */
export function historyFor({ history, given }: LiveKnown, L: number): Float64Array | undefined {
  if (!history || L === given) return history;
  const rows = history.length / given;
  const turned = new Float64Array(rows * L);
  for (let row = 0; row < rows; row++) {
    for (let l = 0; l < Math.min(L, given); l++) turned[row * L + l] = history[row * given + l];
  }
  return turned;
}

/** Returns what is known now of T tasks and W workers, as methods take it. */
export function knownNow(
  known: LiveKnown,
  { T, W, K, L }: { T: number; W: number; K: number; L: number },
): Known {
  const gold = known.gold.slice(0, T);
  const past = historyFor(known, L);
  const history = past && new Float64Array(W * K * L);
  if (past) history?.set(past);
  return {
    ...known.fixed,
    ...(gold.some((k) => k >= 0) && { gold }),
    ...(known.evidence && { evidence: known.evidence.slice(0, T * K) }),
    ...(known.taskPrior && { taskPrior: known.taskPrior.slice(0, T * K) }),
    ...(history && { history }),
  };
}
