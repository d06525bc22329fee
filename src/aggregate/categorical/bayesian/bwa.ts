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
import { labelsPerTask } from "../../../data/crowd-data.ts";
import type { CrowdDataset } from "../../../data/dataset.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { agreementWith } from "../votes/wawa.ts";

export interface Bwa extends Fit {
  /** The average for each class against the rest: score[task * K + class], between 0 and 1. */
  readonly score: Float64Array;
  /** Weight of each worker's labels about a class: precision[worker * K + class]. */
  readonly precision: Float64Array;
}

/** The prior's spread is at least this: a crowd of one mind has none, and precisions would be infinite. */
const LEAST = 1e-9;

export const bwa = aggregator(
  {
    id: "bwa",
    title: "BWA (weighted averaging)",
    summary:
      "Labels are averaged by the precision of each worker, held near the crowd's by a prior.",
    paper: {
      authors: "Y. Li, B. I. P. Rubinstein, T. Cohn",
      year: 2019,
      title:
        "Truth inference at scale: a Bayesian model for adjudicating highly redundant crowd annotations",
      url: "https://arxiv.org/abs/1902.08918",
    },
    family: "bayesian",
    probabilistic: false,
    cost: "O(N·K) an iteration; W·K + T·K memory",
    options: {
      maxIterations: { default: 500, min: 1, integer: true, help: "Most iterations." },
      tolerance: {
        default: 1e-3,
        min: 0,
        help: "A class is done when no average changes by more than this part of itself.",
      },
      strength: {
        default: 15,
        min: 1e-3,
        unit: "labels",
        help: "How many labels the prior of a worker's precision is worth.",
      },
      pull: {
        default: 1,
        min: 1e-6,
        help: "Precision with which a class's mean over all tasks enters each of them.",
      },
      correct: {
        default: true,
        help: "Multiply the prior's spread by 4·(1 - 1/K), as more classes make votes vary more.",
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

/** One class against the rest. */
function createAverage(
  data: CrowdDataset,
  k: number,
  { strength, pull, correct }: AverageSettings,
  { gold }: Known,
) {
  const { tasks, workers, classes, task, worker, label, weight } = data;
  const [N, T, W, K] = [label.length, tasks.length, workers.length, classes.length];
  const support = labelsPerTask(data);
  const labelled = support.reduce((sum, n) => sum + (n > 0 ? 1 : 0), 0);
  const labels = new Float64Array(W);
  const said = new Float64Array(T);
  const all = new Float64Array(T);
  for (let i = 0; i < N; i++) {
    const one = weight ? weight[i] : 1;
    labels[worker[i]] += one;
    all[task[i]] += one;
    if (label[i] === k) said[task[i]] += one;
  }
  const z = said.map((sum, t) => (all[t] > 0 ? sum / all[t] : 1 / K));
  /** What is known stays; returns true if it is. */
  const hold = (t: number): boolean => {
    if (!gold || gold[t] < 0) return false;
    z[t] = gold[t] === k ? 1 : 0;
    return true;
  };
  for (let t = 0; t < T; t++) hold(t);
  let varied = 0;
  for (let t = 0; t < T; t++) varied += all[t] * z[t] * (1 - z[t]);
  const total = all.reduce((sum, n) => sum + n, 0);
  const spread = (total > 0 ? varied / total : 0) * (correct ? 4 * (1 - 1 / K) : 1);
  const b = Math.max(LEAST, strength * spread);
  const precision = new Float64Array(W).fill(strength / b);
  const around = new Float64Array(W);
  let mu = 0;

  /** How far each worker's labels are from the averages, whenever these have changed. */
  const measure = (): void => {
    around.fill(0);
    for (let i = 0; i < N; i++) {
      const away = z[task[i]] - (label[i] === k ? 1 : 0);
      around[worker[i]] += (weight ? weight[i] : 1) * away * away;
    }
  };
  measure();
  return {
    z,
    precision,
    /** Everything once; returns true if nothing changed by more than a part of itself. */
    update(tolerance: number): boolean {
      mu = 0;
      for (let t = 0; t < T; t++) if (support[t] > 0) mu += z[t] / labelled;
      for (let w = 0; w < W; w++) precision[w] = (strength + labels[w]) / (b + around[w]);
      said.fill(0);
      all.fill(0);
      for (let i = 0; i < N; i++) {
        const one = (weight ? weight[i] : 1) * precision[worker[i]];
        all[task[i]] += one;
        if (label[i] === k) said[task[i]] += one;
      }
      let still = true;
      for (let t = 0; t < T; t++) {
        if (hold(t)) continue;
        const next = (pull * mu + said[t]) / (pull + all[t]);
        if (Math.abs(next - z[t]) > 1e-8 + tolerance * Math.abs(next)) still = false;
        z[t] = next;
      }
      measure();
      return still;
    },
    /** Log density of everything, without constants. */
    objective(): number {
      let log = 0;
      for (let w = 0; w < W; w++) {
        const counts = strength + labels[w];
        log += (counts * Math.log(precision[w]) - precision[w] * (b + around[w])) / 2;
      }
      for (let t = 0; t < T; t++) if (support[t] > 0) log -= (pull * (z[t] - mu) ** 2) / 2;
      return log;
    },
  };
}
