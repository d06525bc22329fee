/**
 * CROWDLAB: the labels of the crowd and the predictions of any classifier, averaged by how far each can be
 * trusted. One pass, or two; no model of confusions.
 *
 *   P        = mean share of a task's labels that equal the vote, over tasks with two labels or more
 *   base     = error of always naming the commonest class
 *   w[u]     = 1 - (share of others on the same tasks who disagree with u) / base
 *   w[model] = (1 - (share of votes that the model misses) / base) · root of the labels per task
 *
 *   p[t, k]  ∝  w[model] · prediction[t, k] + sum over labels of w[u] · (P if it says k, else (1 - P) / (K - 1))
 *
 * No weight is below 1e-6. A second pass takes the answers of the first where the first took the vote, in P, in base and in
 * the weight of the model; workers are compared with each other, so their agreement stays. The predictions must be of a classifier that did not see these labels: by folds,
 * or trained on something else. One that learnt them by heart agrees with every error.
 *
 * Goh, Tkachenko & Mueller (2022). https://arxiv.org/abs/2210.06812
 */

import { clampGold } from "../../../belief/known.ts";
import { tempered } from "../../../belief/temper.ts";
import { decide } from "../../../belief/ties.ts";
import { labelShares, normalise, voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { CrowdError, hint } from "../../../error.ts";
import { maxOf } from "../../../math/lists.ts";
import { createRandom } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { bestTemperature } from "./temperature.ts";

/** No weight and no error rate is below this. */
const LEAST = 1e-6;

/** What CROWDLAB finds beyond the answers. */
export interface Crowdlab extends Fit {
  /** What each worker's labels counted for. */
  readonly weights: Float64Array;
  /** What the predictions counted for, beside the labels of a task. */
  readonly modelWeight: number;
  /** Temperature of the predictions that were counted: 1 as given, more is less sure. */
  readonly temperature: number;
  /** Share of the others on the same tasks who agree with each worker. */
  readonly agreement: Float64Array;
  /** ActiveLab's score of each task: the lower, the more another label of it is worth. */
  readonly activeLab: Float64Array;
}

/**
 * CROWDLAB: averages labels and a classifier's predictions by how far each agrees with the crowd.
 */
export const crowdlab = aggregator(
  {
    id: "crowdlab",
    title: "CROWDLAB",
    summary:
      "Averages labels and a classifier's predictions, weighted by their agreement with the crowd.",
    paper: {
      authors: "H. W. Goh, U. Tkachenko, J. Mueller",
      year: 2022,
      title:
        "CROWDLAB: supervised learning to infer consensus labels and quality scores for data with multiple annotators",
      url: "https://arxiv.org/abs/2210.06812",
    },
    family: "votes",
    probabilistic: false,
    needs: "predictions",
    cost: "O(N + T·K), one pass or two",
    options: {
      passes: {
        default: 1,
        min: 1,
        max: 2,
        integer: true,
        help: "Number of passes. The first weighs by agreement with the vote, a second by agreement with the answers of the first.",
      },
      calibration: {
        default: "none",
        choices: ["none", "temperature"],
        help: "Predictions as given, or at the temperature at which they fit the shares of labels best.",
      },
    },
  },
  function* (data, options, { known, K }): Steps<Crowdlab> {
    if (!known.predictions) {
      throw new CrowdError(
        "bad-option",
        `crowdlab needs ${hint("known.predictions")}: P(class) of each task by a classifier that did not see ` +
          "these labels. Without one, ibcc and dawid-skene need labels only.",
      );
    }
    const prior = labelShares(data);
    const given = normalise(known.predictions.slice(), K);
    const temperature = options.calibration === "none" ? 1 : bestTemperature(data, given);
    const f = tempered(given, K, temperature);
    const tasks = countTasks(data);
    const agreement = agreementWithOthers(data, tasks);
    const vote = firstVote(data, f, agreement, options.seed);
    /** Compares all with these answers, or with gold where it is known. */
    const pass = (answers: Int32Array) => {
      const believed = answers.map((k, t) =>
        known.gold && known.gold[t] >= 0 ? known.gold[t] : k,
      );
      const trust = weigh(data, f, believed, tasks, agreement);
      const posterior = average(data, f, trust);
      clampGold(data, known, posterior);
      return { trust, posterior };
    };
    const first = pass(vote);
    const { trust, posterior } =
      options.passes === 1 ? first : pass(mostProbable(first.posterior, vote));
    const { consensus } = decide(data, posterior, prior, options);
    return {
      posterior,
      prior,
      agreement,
      weights: trust.weights,
      modelWeight: trust.model,
      temperature,
      skill: qualityOf(data, posterior, consensus, trust, tasks),
      activeLab: scoresForNext(data, posterior, trust),
      trace: [],
      converged: true,
      notes: trust.notes,
    };
  },
);

interface Tasks {
  /** Labels of each task, by weight. */
  readonly labels: Float64Array;
  /** True for tasks with more than one. */
  readonly shared: readonly boolean[];
}

function countTasks({ tasks, task, weight }: CategoricalData): Tasks {
  const labels = new Float64Array(tasks.length);
  const rows = new Int32Array(tasks.length);
  for (let i = 0; i < task.length; i++) {
    labels[task[i]] += weight ? weight[i] : 1;
    rows[task[i]]++;
  }
  return { labels, shared: Array.from(rows, (n) => n > 1) };
}

/** Each worker's agreement with the others on the same tasks; the mean where there are no others. */
function agreementWithOthers(data: CategoricalData, { labels, shared }: Tasks): Float64Array {
  const { workers, classes, task, worker, label, weight } = data;
  const K = classes.length;
  const said = new Float64Array(labels.length * K);
  for (let i = 0; i < label.length; i++) said[task[i] * K + label[i]] += weight ? weight[i] : 1;
  const same = new Float64Array(workers.length);
  const others = new Float64Array(workers.length);
  for (let i = 0; i < label.length; i++) {
    if (!shared[task[i]]) continue;
    const own = weight ? weight[i] : 1;
    same[worker[i]] += own * (said[task[i] * K + label[i]] - own);
    others[worker[i]] += own * (labels[task[i]] - own);
  }
  const rates = same.map((sum, w) => (others[w] > 0 ? sum / others[w] : Number.NaN));
  const known = rates.filter((rate) => !Number.isNaN(rate));
  const mean = known.length > 0 ? known.reduce((sum, rate) => sum + rate, 0) / known.length : 1;
  return rates.map((rate) => (Number.isNaN(rate) ? mean : rate));
}

/** The vote; ties to what the model prefers, then the rarer class, then the better workers, then by lot. */
function firstVote(
  data: CategoricalData,
  f: Float64Array,
  agreement: Float64Array,
  seed: number,
): Int32Array {
  const K = data.classes.length;
  const shares = voteShares(data);
  const common = labelShares(data);
  const trust = voteShares(data, agreement);
  const random = createRandom(seed).split("first-vote");
  return Int32Array.from(data.tasks, (name, t) => {
    let best = Array.from({ length: K }, (_, k) => k);
    const keep = (value: (k: number) => number) => {
      if (best.length < 2) return;
      const most = maxOf(best.map(value));
      best = best.filter((k) => value(k) >= most - 1e-12);
    };
    keep((k) => shares[t * K + k]);
    keep((k) => f[t * K + k]);
    keep((k) => -common[k]);
    keep((k) => trust[t * K + k]);
    if (best.length > 1) keep((k) => random.split(name).split(data.classes.at(k)).next());
    return best[0];
  });
}

/** The most probable class of each task; the vote where several are. */
function mostProbable(posterior: Float64Array, vote: Int32Array): Int32Array {
  const K = posterior.length / Math.max(1, vote.length);
  return vote.map((voted, t) => {
    const row = posterior.subarray(t * K, (t + 1) * K);
    const most = maxOf(row);
    const best = row.indexOf(most);
    return row.indexOf(most, best + 1) < 0 ? best : voted;
  });
}

/** The largest probability, pulled towards 1/K by one worker of mean weight: less so where more have spoken. */
function scoresForNext(
  { tasks, classes, task, worker, weight }: CategoricalData,
  posterior: Float64Array,
  { weights, model }: Trust,
): Float64Array {
  const K = classes.length;
  const spoken = new Float64Array(tasks.length).fill(model);
  for (let i = 0; i < task.length; i++) {
    spoken[task[i]] += (weight ? weight[i] : 1) * weights[worker[i]];
  }
  const mean = weights.reduce((sum, w) => sum + w, 0) / Math.max(1, weights.length);
  return spoken.map((weighs, t) => {
    const sure = maxOf(posterior.subarray(t * K, (t + 1) * K));
    return weighs + mean > 0 ? (weighs * sure + mean / K) / (weighs + mean) : sure;
  });
}

interface Trust {
  readonly weights: Float64Array;
  readonly model: number;
  /** How often a label equals the vote. */
  readonly right: number;
  readonly notes: string[];
}

function weigh(
  data: CategoricalData,
  f: Float64Array,
  vote: Int32Array,
  { labels, shared }: Tasks,
  agreement: Float64Array,
): Trust {
  const K = data.classes.length;
  const chosen = Array.from(vote.keys()).filter((t) => shared[t]);
  const labelled = labels.filter((n) => n > 0);
  const labelsPerTask = labelled.reduce((sum, n) => sum + n, 0) / Math.max(1, labelled.length);
  if (chosen.length === 0) return trustUnknown(data, f, labelsPerTask);
  const hits = new Float64Array(labels.length);
  for (let i = 0; i < data.label.length; i++) {
    if (data.label[i] === vote[data.task[i]])
      hits[data.task[i]] += data.weight ? data.weight[i] : 1;
  }
  const mean = (value: (t: number) => number) =>
    chosen.reduce((sum, t) => sum + value(t), 0) / chosen.length;
  const counts = new Float64Array(K);
  for (const t of chosen) counts[vote[t]]++;
  const base = Math.max(LEAST, 1 - maxOf(counts) / chosen.length);
  const missed = mean((t) => {
    const row = f.subarray(t * K, (t + 1) * K);
    return row[vote[t]] >= maxOf(row) - 1e-12 ? 0 : 1;
  });
  return {
    weights: agreement.map((rate) => Math.max(LEAST, 1 - (1 - rate) / base)),
    model: Math.max(LEAST, 1 - missed / base) * Math.sqrt(labelsPerTask),
    right: mean((t) => hits[t] / labels[t]),
    notes: [],
  };
}

/** Where no task has two labels nothing says whom to trust: all alike, and labels as the model sees them. */
function trustUnknown(
  { workers, task, label, classes }: CategoricalData,
  f: Float64Array,
  root: number,
): Trust {
  const K = classes.length;
  let sum = 0;
  for (let i = 0; i < label.length; i++) sum += f[task[i] * K + label[i]];
  return {
    weights: new Float64Array(workers.length).fill(1),
    model: Math.sqrt(root),
    right: Math.max(1 / K, label.length > 0 ? sum / label.length : 1),
    notes: [
      "No task has two labels, so no worker can be judged: labels and predictions count the same.",
    ],
  };
}

function average(
  { classes, task, worker, label, weight }: CategoricalData,
  f: Float64Array,
  { weights, model, right }: Trust,
): Float64Array {
  const K = classes.length;
  const sums = f.map((p) => model * p);
  if (K < 2) return normalise(sums, K);
  const wrong = (1 - right) / (K - 1);
  for (let i = 0; i < label.length; i++) {
    const counts = weights[worker[i]] * (weight ? weight[i] : 1);
    for (let k = 0; k < K; k++) sums[task[i] * K + k] += counts * (k === label[i] ? right : wrong);
  }
  return normalise(sums, K);
}

/** Mean probability of a worker's labels, mixed with how often they equal the answers. */
function qualityOf(
  { workers, classes, task, worker, label }: CategoricalData,
  posterior: Float64Array,
  consensus: Int32Array,
  { weights, model }: Trust,
  { labels, shared }: Tasks,
): Float64Array {
  const [W, K] = [workers.length, classes.length];
  const [probable, all, same, among] = Array.from({ length: 4 }, () => new Float64Array(W));
  for (let i = 0; i < label.length; i++) {
    all[worker[i]]++;
    probable[worker[i]] += posterior[task[i] * K + label[i]];
    if (!shared[task[i]]) continue;
    among[worker[i]]++;
    if (label[i] === consensus[task[i]]) same[worker[i]]++;
  }
  const labelled = labels.filter((n) => n > 0);
  const perTask = labelled.reduce((sum, n) => sum + n, 0) / Math.max(1, labelled.length);
  const crowd = (weights.reduce((sum, w) => sum + w, 0) * perTask) / Math.max(1, W);
  const share = model / (model + crowd);
  const quality = all.map((n, w) => {
    if (n === 0) return Number.NaN;
    const own = probable[w] / n;
    return among[w] > 0 ? share * own + ((1 - share) * same[w]) / among[w] : own;
  });
  const known = quality.filter((q) => !Number.isNaN(q));
  const mean =
    known.length > 0 ? known.reduce((sum, q) => sum + q, 0) / known.length : 1 / Math.max(1, K);
  return quality.map((q) => (Number.isNaN(q) ? mean : q));
}
