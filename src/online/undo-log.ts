/**
 * What was believed of a task before each label that was added to it, so that taking the label away
 * restores it. The labels of a task stand in a chain, latest first, that breaks when something else
 * changes the belief: a sweep, gold, or a label that came with the data being taken away.
 */
import { grownDoubles, grownInts } from "./growing.ts";

export interface UndoLog {
  readonly classes: number;
  /** Labels before this place came with the data and are never in a chain. */
  readonly given: number;
  /** The last label of each task's chain, or -1. */
  last: Int32Array;
  /** The label before in the chain, or -1: previous[label - given]. */
  previous: Int32Array;
  /** Belief before the label was added: before[(label - given) * classes + class]. */
  before: Float64Array;
}

export function createUndoLog(T: number, classes: number, given: number): UndoLog {
  return {
    classes,
    given,
    last: new Int32Array(T).fill(-1),
    previous: new Int32Array(0),
    before: new Float64Array(0),
  };
}

/** Gives a new task an empty chain. */
export function startChain(undo: UndoLog, t: number): void {
  undo.last = grownInts(undo.last, t + 1, -1);
}

/** Remembers the belief posterior[t * classes + class], which label `i` is about to change. */
export function remember(undo: UndoLog, t: number, i: number, posterior: Float64Array): void {
  const K = undo.classes;
  const slot = i - undo.given;
  undo.previous = grownInts(undo.previous, slot + 1);
  undo.before = grownDoubles(undo.before, (slot + 1) * K);
  undo.previous[slot] = undo.last[t];
  for (let k = 0; k < K; k++) undo.before[slot * K + k] = posterior[t * K + k];
  undo.last[t] = i;
}

/** Breaks the chain of a task: its belief has changed for another reason than a new label. */
export function breakChain(undo: UndoLog, t: number): void {
  undo.last[t] = -1;
}

/**
 * Takes label `i` out of the chain of its task. Returns where in `before` the belief stands that holds
 * without the label, or -1 if later labels of the chain remain or the label is in no chain.
 */
export function takeBack(undo: UndoLog, t: number, i: number): number {
  const { classes: K, given, last, previous, before } = undo;
  let above = -1;
  let at = last[t];
  while (at >= 0 && at !== i) {
    above = at;
    at = previous[at - given];
  }
  if (at < 0) {
    last[t] = -1;
    return -1;
  }
  const slot = (i - given) * K;
  if (above < 0) {
    last[t] = previous[i - given];
    return slot;
  }
  // The label above now follows on what held before this one.
  previous[above - given] = previous[i - given];
  before.copyWithin((above - given) * K, slot, slot + K);
  return -1;
}
