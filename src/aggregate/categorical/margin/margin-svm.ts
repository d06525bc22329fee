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
  /** One number a worker; below 0 for who is wrong more often than right. */
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

export function createSvm(
  { start, worker, label, count }: Entries,
  { W, K }: { readonly W: number; readonly K: number },
  { penalty: C, margin }: SvmSettings,
): Svm {
  const T = start.length - 1;
  const weights = new Float64Array(W);
  const classes = new Int32Array(T).fill(-1);
  const alpha = new Float64Array(T * K);
  const score = new Float64Array(K);

  const scoresOf = (t: number, into: Float64Array): void => {
    into.fill(0);
    for (let e = start[t]; e < start[t + 1]; e++) into[label[e]] += count[e] * weights[worker[e]];
  };

  /** Adds an amount of the votes of a task for a class to the weights. */
  const add = (t: number, k: number, amount: number): void => {
    for (let e = start[t]; e < start[t + 1]; e++) {
      if (label[e] === k) weights[worker[e]] += amount * count[e];
    }
  };

  /** |votes for a - votes for b|²; who voted for both is counted once, by the difference. */
  const distance = (t: number, a: number, b: number): number => {
    let [sum, one] = [0, 0];
    for (let e = start[t]; e < start[t + 1]; e++) {
      if (e > start[t] && worker[e] !== worker[e - 1]) {
        sum += one * one;
        one = 0;
      }
      if (label[e] === a) one += count[e];
      else if (label[e] === b) one -= count[e];
    }
    return sum + one * one;
  };

  /** Moves a share of C from the class that least deserves it to the one that most does; false if none does. */
  const step = (t: number): boolean => {
    const own = classes[t];
    scoresOf(t, score);
    for (let k = 0; k < K; k++) if (k !== own) score[k] += margin;
    let [most, least] = [own, -1];
    for (let k = 0; k < K; k++) {
      if (score[k] > score[most]) most = k;
      if (alpha[t * K + k] > 0 && (least < 0 || score[k] < score[least])) least = k;
    }
    const gain = least < 0 ? 0 : score[most] - score[least];
    if (!(gain > 1e-14 * (margin + Math.abs(score[most])))) return false;
    const curvature = distance(t, least, most);
    const share = Math.min(alpha[t * K + least], curvature > 0 ? gain / curvature : Infinity);
    alpha[t * K + least] -= share;
    alpha[t * K + most] += share;
    add(t, least, share);
    add(t, most, -share);
    return true;
  };

  return {
    weights,
    classes,
    scoresOf,
    choose(t, k) {
      const own = classes[t];
      if (own === k) return;
      for (let other = 0; own >= 0 && other < K; other++) {
        const share = alpha[t * K + other];
        if (other === own || share === 0) continue;
        add(t, own, -share);
        add(t, other, share);
      }
      alpha.fill(0, t * K, (t + 1) * K);
      if (k >= 0) alpha[t * K + k] = C;
      classes[t] = k;
    },
    pass() {
      for (let t = 0; t < T; t++) {
        if (classes[t] < 0) continue;
        for (let rival = 1; rival < K && step(t); rival++);
      }
    },
    measure() {
      const square = weights.reduce((sum, w) => sum + w * w, 0) / 2;
      let [loss, gained] = [0, 0];
      for (let t = 0; t < T; t++) {
        const own = classes[t];
        if (own < 0) {
          loss += K > 1 ? C * margin : 0;
          gained += K > 1 ? C * margin : 0;
          continue;
        }
        scoresOf(t, score);
        let worst = 0;
        for (let k = 0; k < K; k++) {
          if (k !== own) worst = Math.max(worst, margin + score[k] - score[own]);
          if (k !== own) gained += margin * alpha[t * K + k];
        }
        loss += C * worst;
      }
      const primal = square + loss;
      return { primal, gap: primal - (gained - square) };
    },
  };
}
