/**
 * The linear support vector machine that weighs workers: each task's class is to be ahead of every other
 * by a margin, in votes that count by weight.
 *
 *   minimise  ½ |w|² + C · sum over tasks t of  max over k of (margin · [k ≠ y[t]] + s[t, k] - s[t, y[t]])
 *
 * with C the penalty and s[t, k] the sum of w over the workers who called t a k. Its dual shares C of each task among all
 * classes, alpha[t, k] ≥ 0, and is climbed two classes of a task at a time: from the one that least
 * deserves its share to the one that most does, as far as is best. What stays with the task's own class
 * speaks for nobody:
 *
 *   w = sum of alpha[t, k] · (votes for y[t] - votes for k)
 *   dual = margin · sum of alpha[t, k ≠ y[t]] - ½ |w|²
 *
 * A task without a class stands for a tie, and costs what a tie does: C · margin.
 *
 * Crammer & Singer (2001), JMLR 2, 265–292; by coordinates as in Keerthi, Sundararajan, Chang, Hsieh & Lin
 * (2008), KDD, 408–416. https://doi.org/10.1145/1401890.1401942
 */
import type { Entries } from "../../../belief/gibbs.ts";

export interface SvmSettings {
  readonly penalty: number;
  readonly margin: number;
}

export interface Svm {
  /** One number per worker; below 0 for who is wrong more often than right. */
  readonly weights: Float64Array;
  /** The class of each task, -1 for a tie; set by `choose`. */
  readonly classes: Int32Array;
  /** Weight of the votes of a task for each class, written to `into`. */
  scoresOf(t: number, into: Float64Array): void;
  /** Gives a task another class. Its shares go back to nobody. */
  choose(t: number, k: number): void;
  /** Two classes of every task, as often as there are rivals. */
  pass(): void;
  /** The objective, and how far below it the dual still is: never less than what is left to gain. */
  measure(): { primal: number; gap: number };
}

/** The votes, and the dual. */
interface State {
  readonly entries: Entries;
  readonly K: number;
  readonly penalty: number;
  readonly margin: number;
  readonly weights: Float64Array;
  readonly classes: Int32Array;
  /** Shares of C, as alpha[task * K + class]. */
  readonly alpha: Float64Array;
  /** Room for the scores of one task. */
  readonly score: Float64Array;
}

/** Sets up the machine: no task has a class, and all weights are 0. */
export function createSvm(
  entries: Entries,
  { W, K }: { readonly W: number; readonly K: number },
  { penalty, margin }: SvmSettings,
): Svm {
  const T = entries.start.length - 1;
  const state: State = {
    entries,
    K,
    penalty,
    margin,
    weights: new Float64Array(W),
    classes: new Int32Array(T).fill(-1),
    alpha: new Float64Array(T * K),
    score: new Float64Array(K),
  };
  const { weights, classes } = state;
  return {
    weights,
    classes,
    scoresOf: (t, into) => scoresOf(state, t, into),
    choose: (t, k) => choose(state, t, k),
    pass() {
      for (let t = 0; t < T; t++) {
        if (classes[t] < 0) continue;
        for (let rival = 1; rival < K && step(state, t); rival++);
      }
    },
    measure: () => measure(state),
  };
}

/** Writes s[t, k], the weight of the votes of task t for each class, to `into`. */
function scoresOf({ entries, weights }: State, t: number, into: Float64Array): void {
  const { start, worker, label, count } = entries;
  const end = start[t + 1];
  for (let k = 0; k < into.length; k++) into[k] = 0;
  for (let e = start[t]; e < end; e++) into[label[e]] += count[e] * weights[worker[e]];
}

/** Adds an amount of the votes of task t for class k to the weights. */
function addVotes({ entries, weights }: State, t: number, k: number, amount: number): void {
  const { start, worker, label, count } = entries;
  const end = start[t + 1];
  for (let e = start[t]; e < end; e++) {
    if (label[e] === k) weights[worker[e]] += amount * count[e];
  }
}

/** Returns |votes for a - votes for b|²; who voted for both is counted once, by the difference. */
function distance(
  { start, worker, label, count }: Entries,
  t: number,
  a: number,
  b: number,
): number {
  const [from, end] = [start[t], start[t + 1]];
  let [sum, one] = [0, 0];
  for (let e = from; e < end; e++) {
    if (e > from && worker[e] !== worker[e - 1]) {
      sum += one * one;
      one = 0;
    }
    if (label[e] === a) one += count[e];
    else if (label[e] === b) one -= count[e];
  }
  return sum + one * one;
}

/** Moves a share of C from the class that least deserves it to the one that most does; false if none does. */
function step(state: State, t: number): boolean {
  const { K, margin, alpha, score } = state;
  const own = state.classes[t];
  scoresOf(state, t, score);
  let [most, least] = [own, -1];
  for (let k = 0; k < K; k++) {
    if (k !== own) score[k] += margin;
    if (score[k] > score[most]) most = k;
    if (alpha[t * K + k] > 0 && (least < 0 || score[k] < score[least])) least = k;
  }
  const gain = least < 0 ? 0 : score[most] - score[least];
  if (!(gain > 1e-14 * (margin + Math.abs(score[most])))) return false;
  const curvature = distance(state.entries, t, least, most);
  const share = Math.min(alpha[t * K + least], curvature > 0 ? gain / curvature : Infinity);
  alpha[t * K + least] -= share;
  alpha[t * K + most] += share;
  addVotes(state, t, least, share);
  addVotes(state, t, most, -share);
  return true;
}

/** Gives task t the class k. Its shares go back to nobody. */
function choose(state: State, t: number, k: number): void {
  const { K, penalty, classes, alpha } = state;
  const own = classes[t];
  if (own === k) return;
  for (let other = 0; own >= 0 && other < K; other++) {
    const share = alpha[t * K + other];
    if (other === own || share === 0) continue;
    addVotes(state, t, own, -share);
    addVotes(state, t, other, share);
  }
  alpha.fill(0, t * K, (t + 1) * K);
  if (k >= 0) alpha[t * K + k] = penalty;
  classes[t] = k;
}

/** Returns the objective, and how far below it the dual is. */
function measure(state: State): { primal: number; gap: number } {
  const { K, penalty: C, margin, weights, classes, alpha, score } = state;
  const square = weights.reduce((sum, w) => sum + w * w, 0) / 2;
  let [loss, gained] = [0, 0];
  for (let t = 0; t < classes.length; t++) {
    const own = classes[t];
    if (own < 0) {
      loss += K > 1 ? C * margin : 0;
      gained += K > 1 ? C * margin : 0;
      continue;
    }
    scoresOf(state, t, score);
    let worst = 0;
    for (let k = 0; k < K; k++) {
      if (k === own) continue;
      worst = Math.max(worst, margin + score[k] - score[own]);
      gained += margin * alpha[t * K + k];
    }
    loss += C * worst;
  }
  const primal = square + loss;
  return { primal, gap: primal - (gained - square) };
}
