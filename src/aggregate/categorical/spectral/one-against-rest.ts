/**
 * Methods that know two classes, on any number of them: each class is asked against the rest, and the
 * largest score wins. Between two classes one question is enough.
 *
 * What such a method finds is often known up to its sign only; the labels themselves, or gold where
 * there is any, say which of the two is meant.
 */

import { clampGold, type Known } from "../../../belief/known.ts";
import { decide, type Ties } from "../../../belief/ties.ts";
import { labelShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { agreementWith } from "../votes/wawa.ts";
import { softmaxRows } from "../votes/weighted-vote.ts";
import type { CrowdParts } from "./crowd-parts.ts";
import { oddsOf, type TwoClassRates } from "./two-class-rates.ts";

/** The classes to ask about: what speaks for one of two speaks against the other. */
export function questions(K: number): number[] {
  return Array.from({ length: K === 2 ? 1 : K }, (_, k) => k);
}

/** +1 where a label says the class, -1 where it says another, times the weight of the label. */
export function signsOf({ label, weight }: CategoricalData, k: number): Float64Array {
  return Float64Array.from(label, (l, i) => (l === k ? 1 : -1) * (weight ? weight[i] : 1));
}

/** Is it k, or another class? */
export interface Question {
  readonly k: number;
  readonly sign: Float64Array;
  readonly gold: Int32Array | undefined;
}

/** What the answers to all questions come to. */
export interface Scored {
  /** For a class if above 0, against it if below: score[task * K + class]; comparable within a task. */
  readonly score: Float64Array;
  /** How much a worker's word about a class counts, strength[worker * K + class]; 0 where it is not one number. */
  readonly strength: Float64Array;
  readonly posterior: Float64Array;
  readonly prior: Float64Array;
  /** Share of each worker's labels that equal the answers. */
  readonly skill: Float64Array;
}

/** Gathers the scores of all tasks, class by class. */
export function createScores(data: CategoricalData) {
  const { tasks, workers, task, worker, label } = data;
  const K = data.classes.length;
  const score = new Float64Array(tasks.length * K);
  const size = new Float64Array(tasks.length);
  const count = new Int32Array(tasks.length);
  for (const t of task) count[t]++;
  const strength = new Float64Array(workers.length * K);
  const add = (k: number, sign: Float64Array, strengthOf: (i: number) => number): void => {
    for (let i = 0; i < label.length; i++) {
      const y = strengthOf(i);
      score[task[i] * K + k] += sign[i] * y;
      size[task[i]] += Math.abs(y) / count[task[i]];
    }
  };
  return {
    /** Adds the labels of each task up, label i with its own strength. */
    add,
    /** The same with one strength per worker, in units of the root mean square over a part's labels. */
    addWorkers(k: number, sign: Float64Array, ofWorkers: Float64Array, parts: CrowdParts): void {
      const unit = unitsOf(data, ofWorkers, parts);
      for (let w = 0; w < workers.length; w++) strength[w * K + k] = ofWorkers[w] / unit[w];
      add(k, sign, (i) => strength[worker[i] * K + k]);
    },
    /** Log-odds of the class by these rates of the workers and this imbalance of the classes. */
    addOdds(k: number, sign: Float64Array, rates: TwoClassRates, imbalance: number): void {
      const { says, denies } = oddsOf(rates);
      const before = Math.log((1 + imbalance) / (1 - imbalance));
      for (let t = 0; t < tasks.length; t++) score[t * K + k] += before;
      for (let i = 0; i < label.length; i++) {
        const odds = sign[i] > 0 ? says[worker[i]] : denies[worker[i]];
        score[task[i] * K + k] += Math.abs(sign[i]) * odds;
      }
      // Half of the log-odds for one of two classes and half against the other are the log-odds.
      size.fill(K === 2 ? 2 : 1);
    },
    /**
     * The softmax of the scores, each task's divided by the mean strength of its labels: an order of
     * belief, not a calibrated probability. Gold is kept.
     */
    finish(known: Known, ties: { readonly ties: Ties; readonly seed: number }): Scored {
      // Who speaks well for one of two speaks as well against the other.
      if (K === 2) {
        for (let at = 1; at < score.length; at += 2) score[at] = -score[at - 1];
        for (let at = 1; at < strength.length; at += 2) strength[at] = strength[at - 1];
      }
      const scaled = score.map((sum, at) => sum / (size[Math.floor(at / K)] || 1));
      const posterior = softmaxRows(scaled, K);
      clampGold(data, known, posterior);
      const prior = labelShares(data);
      const { consensus } = decide(data, posterior, prior, ties);
      return { score, strength, posterior, prior, skill: agreementWith(data, consensus) };
    },
  };
}

/**
 * Turns the workers' strengths of each part of the crowd so that the tasks side with gold, or, where the
 * part has none, with their labels: the sum over tasks of sign(score) · (labels for - labels against)
 * is at least 0 then. In place.
 */
export function orient(
  data: CategoricalData,
  { ofTask, ofWorker, count }: CrowdParts,
  { k, sign, gold }: Question,
  strength: Float64Array,
): void {
  const T = data.tasks.length;
  const score = new Float64Array(T);
  const votes = new Float64Array(T);
  for (let i = 0; i < data.label.length; i++) {
    score[data.task[i]] += sign[i] * strength[data.worker[i]];
    votes[data.task[i]] += sign[i];
  }
  const byLabels = new Float64Array(count);
  const byGold = new Float64Array(count);
  for (let t = 0; t < T; t++) {
    if (ofTask[t] < 0) continue;
    const side = Math.sign(score[t]);
    byLabels[ofTask[t]] += side * votes[t];
    if (gold && gold[t] >= 0) byGold[ofTask[t]] += side * (gold[t] === k ? 1 : -1);
  }
  for (let w = 0; w < strength.length; w++) {
    const part = ofWorker[w];
    if (part >= 0 && (byGold[part] || byLabels[part]) < 0) strength[w] = -strength[w];
  }
}

/** Root mean square of the strengths over the labels of the part of each worker; 1 where all are 0. */
function unitsOf(
  { worker }: CategoricalData,
  strength: Float64Array,
  { ofWorker, count }: CrowdParts,
): Float64Array {
  const squares = new Float64Array(count);
  const labels = new Float64Array(count);
  for (const w of worker) {
    squares[ofWorker[w]] += strength[w] ** 2;
    labels[ofWorker[w]]++;
  }
  return Float64Array.from(ofWorker, (part) =>
    part < 0 ? 1 : Math.sqrt(squares[part] / labels[part]) || 1,
  );
}
