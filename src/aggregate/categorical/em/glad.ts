/**
 * GLAD: a worker is right the more often the abler they are and the easier the task.
 *
 *   z[t]      ~ Categorical(prior)
 *   label[i]  = z[t] with probability s(logOdds[w] · exp(ease[t])), else any other class, all alike
 *   logOdds[w], ease[t] ~ Normal(1, 1),   s(x) = 1 / (1 + exp(-x)),   difficulty[t] = exp(-ease[t])
 *
 * EM. E step: one-coin with a probability for each label. M step: every worker, then every task,
 * climbs by safeguarded Newton steps, so that the penalised likelihood never falls.
 * Good when difficulty is wanted and tasks have five labels or more; with one or two a task there
 * is nothing to learn it from, and workers who favour a class make tasks of the other look hard.
 *
 * Differs from the paper: K classes, errors spread evenly. A worker's history counts as labels on
 * tasks of the prior's mean ease.
 *
 * Whitehill, Ruvolo, Wu, Bergsma & Movellan (2009), NIPS 22, 2035–2043.
 * https://papers.nips.cc/paper/2009/hash/f899139df5e1059396431415e770c6dd-Abstract.html
 */

import { coinConfusion } from "../../../belief/coin.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { voteShares } from "../../../belief/votes.ts";
import { byTask, byWorker, type CrowdDataset, selectLabels } from "../../../data/dataset.ts";
import { createClassPrior, priorOption } from "../../../em/class-prior.ts";
import { climb, climbOptions } from "../../../em/climb.ts";
import { normalizeLog } from "../../../math/log-sum-exp.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";

export interface Glad extends Fit {
  /** On a task of average ease, errors spread evenly. */
  readonly confusion: Float64Array;
  /** Log-odds of a right label of each worker on a task of difficulty 1; the paper's alpha. Below 0: an adversary. */
  readonly logOdds: Float64Array;
  /** How hard each task is: it divides the log-odds of all its workers. The paper's 1/beta. */
  readonly difficulty: Float64Array;
}

/** Beyond these a label is certain, or a guess, to the last digit. */
const LARGEST_LOG_ODDS = 20;
const LARGEST_EASE = 6;

export const glad = aggregator(
  {
    id: "glad",
    title: "GLAD",
    summary:
      "The log-odds of a right label are the worker's own, divided by the difficulty of the task.",
    paper: {
      authors: "J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma, J. Movellan",
      year: 2009,
      title:
        "Whose vote should count more: optimal integration of labels from labelers of unknown expertise",
      url: "https://papers.nips.cc/paper/2009/hash/f899139df5e1059396431415e770c6dd-Abstract.html",
    },
    family: "em",
    probabilistic: true,
    cost: "O(N + T·K) an iteration, about seven exponentials a label",
    options: {
      ...probabilisticOptions,
      maxIterations: { ...climbOptions.maxIterations, default: 60 },
      tolerance: { ...climbOptions.tolerance, default: 1e-5 },
      prior: { ...priorOption.prior, default: "uniform" },
      meanLogOdds: {
        default: 1,
        min: -LARGEST_LOG_ODDS,
        max: LARGEST_LOG_ODDS,
        help: "Mean of a worker's log-odds beforehand; the variance is 1.",
      },
      meanEase: {
        default: 1,
        min: -LARGEST_EASE,
        max: LARGEST_EASE,
        help: "Mean of log(1 / difficulty) beforehand; the variance is 1.",
      },
    },
  },
  function* (given, options, { known, K, L }): Steps<Glad> {
    // That a worker abstains says nothing of the class here.
    const data = L > K ? selectLabels(given, (i) => given.label[i] < K) : given;
    const prior = createClassPrior(data, known, options.prior);
    const model = createGlad(data, known.history, options, L);
    const base = taskBase(data, known);
    if (known.start) model.posterior.set(startingPosterior(data, known, voteShares(data)));
    else model.infer(prior.factor, base);
    const climbed = yield* climb(
      {
        maximise() {
          prior.update(model.totals());
          model.maximise();
        },
        infer: () => model.infer(prior.factor, base) + model.logPrior() + prior.logDensity(),
        change: model.change,
      },
      options,
    );
    const { logOdds, ease, posterior } = model;
    const typical = Math.exp(ease.reduce((sum, b) => sum + b, 0) / Math.max(1, ease.length));
    // P(right label) on a task of average ease.
    const skill = logOdds.map((a) => 1 / (1 + Math.exp(-a * typical)));
    return {
      posterior,
      prior: prior.shares,
      skill,
      confusion: coinConfusion(skill, new Float64Array(skill.length), K, L),
      logOdds,
      difficulty: ease.map((b) => Math.exp(-b)),
      ...climbed,
    };
  },
);

/** A function of one number where it was last looked at, and its derivatives there. */
export interface Height {
  value: number;
  slope: number;
  curvature: number;
}

interface Means {
  readonly meanLogOdds: number;
  readonly meanEase: number;
}

/** The model with its parameters, and the two steps of EM over them. */
export function createGlad(
  data: CrowdDataset,
  history: Float64Array | undefined,
  { meanLogOdds, meanEase }: Means,
  L: number,
) {
  const K = data.classes.length;
  const T = data.tasks.length;
  const W = data.workers.length;
  const tasks = byTask(data);
  const workers = byWorker(data);
  const taskWeight = sortedWeights(data, data.task, tasks.start);
  const workerWeight = sortedWeights(data, data.worker, workers.start);
  const past = rightAndWrong(history, W, K, L);
  const logOdds = new Float64Array(W).fill(meanLogOdds);
  const ease = new Float64Array(T).fill(meanEase);
  const scale = ease.map(Math.exp);
  const posterior = new Float64Array(T * K);
  const logOthers = K > 1 ? Math.log(K - 1) : 0;
  const before = new Float64Array(K);
  let change = 0;

  /** E step: writes the posterior and returns the log-likelihood of the labels. */
  const infer = (shares: Float64Array, base: Float64Array | undefined): number => {
    let logLikelihood = 0;
    change = 0;
    for (let t = 0; t < T; t++) {
      const row = t * K;
      for (let k = 0; k < K; k++) {
        before[k] = posterior[row + k];
        posterior[row + k] = Math.log(base ? shares[k] * base[row + k] : shares[k]);
      }
      for (let j = tasks.start[t]; j < tasks.start[t + 1]; j++) {
        const x = logOdds[tasks.other[j]] * scale[t];
        const weight = taskWeight ? taskWeight[j] : 1;
        // P(right) / P(a certain other class) is (K - 1) exp(x).
        posterior[row + tasks.label[j]] += weight * (x + logOthers);
        logLikelihood += weight * (logLogistic(-x) - logOthers);
      }
      logLikelihood += normalizeLog(posterior, row, row + K);
      for (let k = 0; k < K; k++) {
        change = Math.max(change, Math.abs(posterior[row + k] - before[k]));
      }
    }
    return logLikelihood;
  };

  /** What the expected log-likelihood and the prior owe to a worker's log-odds. */
  const lookAtWorker = (w: number, a: number, height: Height): void => {
    height.value = -0.5 * (a - meanLogOdds) ** 2;
    height.slope = meanLogOdds - a;
    height.curvature = -1;
    for (let j = workers.start[w]; j < workers.start[w + 1]; j++) {
      const t = workers.other[j];
      const right = posterior[t * K + workers.label[j]];
      addLabel(height, a * scale[t], scale[t], right, workerWeight ? workerWeight[j] : 1);
    }
    const usual = Math.exp(meanEase);
    addLabel(height, a * usual, usual, 1, past.right[w]);
    addLabel(height, a * usual, usual, 0, past.wrong[w]);
  };

  /** The same of a task's ease; where it curves upwards, its expected curvature instead. */
  const lookAtTask = (t: number, b: number, height: Height): void => {
    height.value = -0.5 * (b - meanEase) ** 2;
    height.slope = 0;
    height.curvature = -1;
    for (let j = tasks.start[t]; j < tasks.start[t + 1]; j++) {
      const x = logOdds[tasks.other[j]] * Math.exp(b);
      const right = posterior[t * K + tasks.label[j]];
      addLabel(height, x, x, right, taskWeight ? taskWeight[j] : 1);
    }
    height.curvature += Math.min(0, height.slope);
    height.slope += meanEase - b;
  };

  return {
    logOdds,
    ease,
    posterior,
    infer,
    lookAtWorker,
    lookAtTask,
    maximise(): void {
      for (let w = 0; w < W; w++) {
        logOdds[w] = ascend(
          (a, height) => lookAtWorker(w, a, height),
          logOdds[w],
          LARGEST_LOG_ODDS,
        );
      }
      for (let t = 0; t < T; t++) {
        ease[t] = ascend((b, height) => lookAtTask(t, b, height), ease[t], LARGEST_EASE);
        scale[t] = Math.exp(ease[t]);
      }
    },
    logPrior(): number {
      let sum = 0;
      for (const a of logOdds) sum -= 0.5 * (a - meanLogOdds) ** 2;
      for (const b of ease) sum -= 0.5 * (b - meanEase) ** 2;
      const usual = Math.exp(meanEase);
      for (let w = 0; w < W; w++) {
        const x = logOdds[w] * usual;
        sum += past.right[w] * logLogistic(x) + past.wrong[w] * logLogistic(-x);
      }
      return sum;
    },
    totals(): Float64Array {
      const totals = new Float64Array(K);
      for (let at = 0; at < posterior.length; at++) totals[at % K] += posterior[at];
      return totals;
    },
    change: () => change,
  };
}

/**
 * Adds the expected log-likelihood of a label whose log-odds are x, and its first two derivatives by
 * a parameter of which x is linear with this rate.
 */
function addLabel(height: Height, x: number, rate: number, right: number, weight: number): void {
  const e = Math.exp(-Math.abs(x));
  const s = (x >= 0 ? 1 : e) / (1 + e);
  height.value += weight * (right * x - Math.max(x, 0) - Math.log1p(e));
  height.slope += weight * (right - s) * rate;
  height.curvature -= weight * s * (1 - s) * rate * rate;
}

/** Two Newton steps uphill from x within ±limit, each halved until it does not lead down. */
function ascend(look: (x: number, height: Height) => void, x: number, limit: number): number {
  const here: Height = { value: 0, slope: 0, curvature: 0 };
  look(x, here);
  for (let step = 0; step < 2; step++) {
    // Slack for rounding, or steps too short to matter would be taken or not by chance.
    const lowest = here.value - 1e-12 * Math.abs(here.value);
    let move = Math.max(-1, Math.min(1, -here.slope / here.curvature));
    let next = x;
    for (let tries = 0; ; tries++, move /= 2) {
      if (tries === 20) return x;
      next = Math.max(-limit, Math.min(limit, x + move));
      look(next, here);
      if (here.value >= lowest) break;
    }
    x = next;
  }
  return x;
}

/** log s(x) without overflow. */
function logLogistic(x: number): number {
  return Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));
}

/** Label weights in the order of an index, or nothing where all are 1. */
function sortedWeights(
  { weight }: CrowdDataset,
  key: Int32Array,
  start: Int32Array,
): Float64Array | undefined {
  if (!weight) return undefined;
  const next = start.slice();
  const sorted = new Float64Array(weight.length);
  for (let i = 0; i < weight.length; i++) sorted[next[key[i]]++] = weight[i];
  return sorted;
}

/** Right and wrong labels of each worker's past; abstentions are neither. */
function rightAndWrong(history: Float64Array | undefined, W: number, K: number, L: number) {
  const right = new Float64Array(W);
  const wrong = new Float64Array(W);
  for (let w = 0; history && w < W; w++) {
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < K; l++) (l === k ? right : wrong)[w] += history[(w * K + k) * L + l];
    }
  }
  return { right, wrong };
}
