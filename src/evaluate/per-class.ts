/** Precision, recall and F1 of each class, their means, and AUC where there are two classes. */

import { maxOf } from "../math/lists.ts";
import { ranks } from "../math/statistics.ts";
import { noGold, type Scored } from "./accuracy.ts";

interface ClassScore {
  readonly class: string;
  /** Tasks of this class in gold, and tasks answered so. */
  readonly gold: number;
  readonly answered: number;
  /** 0 where nothing was answered so, or no gold task is of the class. */
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** Precision, recall and F1 of each class, and their means. */
export interface ClassScores {
  readonly classes: readonly ClassScore[];
  /** Mean recall, and mean F1, over the classes that gold has. */
  readonly balancedAccuracy: number;
  readonly macroF1: number;
  /** Confusion of the answers, as counts[gold * K + answer]. */
  readonly counts: Float64Array;
}

/** Computes precision, recall and F1 of each class. */
export function perClass({ classes, posterior, gold, consensus }: Scored): ClassScores {
  const K = classes.length;
  const counts = new Float64Array(K * K);
  let tasks = 0;
  for (let t = 0; t < gold.length; t++) {
    if (gold[t] < 0) continue;
    tasks++;
    const row = posterior.subarray(t * K, (t + 1) * K);
    const answer = consensus ? consensus[t] : row.indexOf(maxOf(row));
    if (answer >= 0) counts[gold[t] * K + answer]++;
  }
  if (tasks === 0) throw noGold();
  const inGold = Array.from(classes, (_, k) => gold.filter((g) => g === k).length);
  const scores = Array.from(classes, (name, k) => {
    let answered = 0;
    for (let g = 0; g < K; g++) answered += counts[g * K + k];
    const hits = counts[k * K + k];
    const precision = answered > 0 ? hits / answered : 0;
    const recall = inGold[k] > 0 ? hits / inGold[k] : 0;
    const f1 = hits > 0 ? (2 * precision * recall) / (precision + recall) : 0;
    return { class: name, gold: inGold[k], answered, precision, recall, f1 };
  });
  const present = scores.filter((score) => score.gold > 0);
  const mean = (of: (score: ClassScore) => number) =>
    present.reduce((sum, score) => sum + of(score), 0) / present.length;
  return {
    classes: scores,
    balancedAccuracy: mean(({ recall }) => recall),
    macroF1: mean(({ f1 }) => f1),
    counts,
  };
}

/**
 * Area under the ROC curve of P(second class), by ranks with ties shared; undefined unless there are
 * two classes and gold has both.
 */
export function auc({ classes, posterior, gold }: Scored): number | undefined {
  if (classes.length !== 2) return undefined;
  const scored = [...gold.keys()].filter((t) => gold[t] >= 0);
  const positives = scored.filter((t) => gold[t] === 1).length;
  const negatives = scored.length - positives;
  if (positives === 0 || negatives === 0) return undefined;
  const places = ranks(scored.map((t) => posterior[t * 2 + 1]));
  const sum = scored.reduce((total, t, i) => total + (gold[t] === 1 ? places[i] : 0), 0);
  return (sum - (positives * (positives + 1)) / 2) / (positives * negatives);
}
