/**
 * BWA, Bayesian weighted averaging: labels are noisy measurements of 0 or 1, and a worker's weight is the
 * precision of theirs. For each class against the rest, y = 1 where a label says the class:
 *
 *   z[t]          ~ Normal(mu, 1 / lambda)
 *   y[i]          ~ Normal(z[t], 1 / precision[w])
 *   precision[w]  ~ Gamma(a / 2, b / 2),   b / a = how much votes vary within a task
 *
 * Its most probable values, in turns: z the weighted average of the labels and mu, precision the prior's
 * and the worker's spread around z, mu the mean of z. The strong prior (a = 15 labels) keeps workers near
 * each other, so that it differs from the majority vote only for a reason.
 *
 * Li, Rubinstein & Cohn (2019), WWW. https://arxiv.org/abs/1902.08918
 */

import { clampGold, type Known } from "../../../belief/known.ts";
import { decide } from "../../../belief/ties.ts";
import { labelShares, normalise } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { labelsPerTask } from "../../../data/crowd-data.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { agreementWith } from "../votes/wawa.ts";

/** What BWA finds beyond the answers. */
export interface Bwa extends Fit {
  /** The average for each class against the rest: score[task * K + class], between 0 and 1. */
  readonly score: Float64Array;
  /** Weight of each worker's labels about a class: precision[worker * K + class]. */
  readonly precision: Float64Array;
}

/** The prior's spread is at least this: a crowd of one mind has none, and precisions would be infinite. */
const LEAST = 1e-9;

/** BWA: averages labels by the precision of each worker, which a prior keeps near the crowd's. */
export const bwa = aggregator(
  {
    id: "bwa",
    title: "BWA (weighted averaging)",
    summary:
      "Averages labels by the precision of each worker, with a prior that shrinks it to the crowd's.",
    paper: {
      authors: "Y. Li, B. I. P. Rubinstein, T. Cohn",
      year: 2019,
      title:
        "Truth inference at scale: a Bayesian model for adjudicating highly redundant crowd annotations",
      url: "https://arxiv.org/abs/1902.08918",
    },
    family: "bayesian",
    probabilistic: false,
    cost: "O(N·K) per iteration; W·K + T·K memory",
    options: {
      maxIterations: { default: 500, min: 1, integer: true, help: "Maximum number of iterations." },
      tolerance: {
        default: 1e-3,
        min: 0,
        help: "Largest relative change of an average at which a class has converged.",
      },
      strength: {
        default: 15,
        min: 1e-3,
        unit: "labels",
        help: "Strength of the prior of a worker's precision, in labels.",
      },
      pull: {
        default: 1,
        min: 1e-6,
        help: "Precision with which the mean of a class over all tasks enters each task.",
      },
      correct: {
        default: true,
        help: "Multiply the spread of the prior by 4·(1 - 1/K), since votes vary more with more classes.",
      },
    },
  },
  function* (data, options, { known, K }): Steps<Bwa> {
    const classes = Array.from(data.classes, (_, k) => createAverage(data, k, options, known));
    const trace: number[] = [];
    let open = classes;
    while (trace.length < options.maxIterations && open.length > 0) {
      open = open.filter((each) => !each.update(options.tolerance));
      trace.push(classes.reduce((sum, { objective }) => sum + objective(), 0));
      yield { iteration: trace.length, objective: trace[trace.length - 1] };
    }
    const T = data.tasks.length;
    const score = new Float64Array(T * K).map((_, at) => classes[at % K].z[Math.floor(at / K)]);
    const precision = new Float64Array(data.workers.length * K).map(
      (_, at) => classes[at % K].precision[Math.floor(at / K)],
    );
    const posterior = normalise(score.slice(), K);
    clampGold(data, known, posterior);
    const prior = labelShares(data);
    return {
      posterior,
      prior,
      score,
      precision,
      trace,
      skill: agreementWith(data, decide(data, posterior, prior, options).consensus),
      converged: open.length === 0,
    };
  },
);

interface AverageSettings {
  readonly strength: number;
  readonly pull: number;
  readonly correct: boolean;
}

/** The averages of one class against the rest, and the precisions they rest on. */
interface Average {
  /** The average for each task. */
  readonly z: Float64Array;
  readonly precision: Float64Array;
  /** Updates everything once; returns true if nothing changed by more than a part of itself. */
  update(tolerance: number): boolean;
  /** Returns the log density of everything, without constants. */
  objective(): number;
}

/** Sets up one class against the rest. */
function createAverage(
  data: CategoricalData,
  k: number,
  { strength, pull, correct }: AverageSettings,
  { gold }: Known,
): Average {
  const T = data.tasks.length;
  const labelled = labelsPerTask(data).map((n) => (n > 0 ? 1 : 0));
  const labelledTasks = labelled.reduce((sum, n) => sum + n, 0);
  const labels = workloads(data);
  const { z, spread } = startFromVotes(data, k, gold);
  const K = data.classes.length;
  const b = Math.max(LEAST, strength * (spread * (correct ? 4 * (1 - 1 / K) : 1)));
  const precision = new Float64Array(labels.length).fill(strength / b);
  const around = new Float64Array(labels.length);
  let mu = 0;
  measure(data, k, z, around);
  return {
    z,
    precision,
    update(tolerance) {
      mu = 0;
      for (let t = 0; t < T; t++) if (labelled[t] > 0) mu += z[t] / labelledTasks;
      for (let w = 0; w < labels.length; w++)
        precision[w] = (strength + labels[w]) / (b + around[w]);
      const { said, all } = sumLabels(data, k, precision);
      let still = true;
      for (let t = 0; t < T; t++) {
        if (hold(z, t, k, gold)) continue;
        const next = (pull * mu + said[t]) / (pull + all[t]);
        if (Math.abs(next - z[t]) > 1e-8 + tolerance * Math.abs(next)) still = false;
        z[t] = next;
      }
      measure(data, k, z, around);
      return still;
    },
    objective() {
      let log = 0;
      for (let w = 0; w < labels.length; w++) {
        const counts = strength + labels[w];
        log += (counts * Math.log(precision[w]) - precision[w] * (b + around[w])) / 2;
      }
      for (let t = 0; t < T; t++) if (labelled[t] > 0) log -= (pull * (z[t] - mu) ** 2) / 2;
      return log;
    },
  };
}

/** Returns the summed weight of each worker's labels. */
function workloads({ workers, worker, weight }: CategoricalData): Float64Array {
  const labels = new Float64Array(workers.length);
  for (let i = 0; i < worker.length; i++) labels[worker[i]] += weight ? weight[i] : 1;
  return labels;
}

/** Starts from the vote shares; `spread` is how much votes vary within a task. */
function startFromVotes(data: CategoricalData, k: number, gold: Int32Array | undefined) {
  const K = data.classes.length;
  const { said, all } = sumLabels(data, k, new Float64Array(data.workers.length).fill(1));
  const z = said.map((sum, t) => (all[t] > 0 ? sum / all[t] : 1 / K));
  for (let t = 0; t < z.length; t++) hold(z, t, k, gold);
  let varied = 0;
  for (let t = 0; t < z.length; t++) varied += all[t] * z[t] * (1 - z[t]);
  const total = all.reduce((sum, n) => sum + n, 0);
  return { z, spread: total > 0 ? varied / total : 0 };
}

/** Sets the average of a task whose class is known; returns true if it is. */
function hold(z: Float64Array, t: number, k: number, gold: Int32Array | undefined): boolean {
  if (!gold || gold[t] < 0) return false;
  z[t] = gold[t] === k ? 1 : 0;
  return true;
}

/** Sums the labels of each task by the precision of their workers: those for class k, and all. */
function sumLabels(
  { tasks, task, worker, label, weight }: CategoricalData,
  k: number,
  precision: Float64Array,
) {
  const said = new Float64Array(tasks.length);
  const all = new Float64Array(tasks.length);
  for (let i = 0; i < label.length; i++) {
    const one = (weight ? weight[i] : 1) * precision[worker[i]];
    all[task[i]] += one;
    if (label[i] === k) said[task[i]] += one;
  }
  return { said, all };
}

/** Writes how far each worker's labels are from the averages, as a sum of squares, to `around`. */
function measure(
  { task, worker, label, weight }: CategoricalData,
  k: number,
  z: Float64Array,
  around: Float64Array,
): void {
  around.fill(0);
  for (let i = 0; i < label.length; i++) {
    const away = z[task[i]] - (label[i] === k ? 1 : 0);
    around[worker[i]] += (weight ? weight[i] : 1) * away * away;
  }
}
