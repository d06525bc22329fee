/** The model of `glad`: its parameters, and the two steps of EM over them. */

import { sumOverTasks } from "../../../belief/task-priors.ts";
import { byTask, byWorker, type CategoricalData, type Index } from "../../../data/categorical.ts";
import { sortedWeights } from "../../../data/sorted-weights.ts";
import { normalizeLog } from "../../../math/log-sum-exp.ts";

/** Beyond these a label is certain, or a guess, to the last digit. */
export const LARGEST_LOG_ODDS = 20;
export const LARGEST_EASE = 6;

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

/** Labels by task and by worker, and the parameters. */
interface State extends Means {
  readonly K: number;
  readonly tasks: Index;
  readonly workers: Index;
  /** Weights of the labels in the order of `tasks` and of `workers`. */
  readonly taskWeight: Float64Array | undefined;
  readonly workerWeight: Float64Array | undefined;
  /** Right and wrong labels of each worker's past. */
  readonly past: { readonly right: Float64Array; readonly wrong: Float64Array };
  readonly logOdds: Float64Array;
  readonly ease: Float64Array;
  /** exp(ease). */
  readonly scale: Float64Array;
  readonly posterior: Float64Array;
  /** Largest change of a posterior in the last E step. */
  change: number;
}

/** Sets up the model at the means of its priors. */
export function createGlad(
  data: CategoricalData,
  history: Float64Array | undefined,
  { meanLogOdds, meanEase }: Means,
  L: number,
) {
  const [T, W, K] = [data.tasks.length, data.workers.length, data.classes.length];
  const [tasks, workers] = [byTask(data), byWorker(data)];
  const ease = new Float64Array(T).fill(meanEase);
  const state: State = {
    meanLogOdds,
    meanEase,
    K,
    tasks,
    workers,
    taskWeight: sortedWeights(data, data.task, tasks.start),
    workerWeight: sortedWeights(data, data.worker, workers.start),
    past: rightAndWrong(history, W, K, L),
    logOdds: new Float64Array(W).fill(meanLogOdds),
    ease,
    scale: ease.map(Math.exp),
    posterior: new Float64Array(T * K),
    change: 0,
  };
  return {
    logOdds: state.logOdds,
    ease,
    posterior: state.posterior,
    infer: (shares: Float64Array, base: Float64Array | undefined) => infer(state, shares, base),
    lookAtWorker: (w: number, a: number, height: Height) => lookAtWorker(state, w, a, height),
    lookAtTask: (t: number, b: number, height: Height) => lookAtTask(state, t, b, height),
    maximise: () => maximise(state),
    logPrior: () => logPrior(state),
    totals: () => sumOverTasks(state.posterior, K),
    change: () => state.change,
  };
}

/** E step: writes the posterior and returns the log-likelihood of the labels. */
function infer(state: State, shares: Float64Array, base: Float64Array | undefined): number {
  const { K, tasks, taskWeight, logOdds, scale, posterior } = state;
  const logOthers = K > 1 ? Math.log(K - 1) : 0;
  const before = new Float64Array(K);
  let logLikelihood = 0;
  let change = 0;
  for (let t = 0; t < scale.length; t++) {
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
  state.change = change;
  return logLikelihood;
}

/** M step: every worker climbs, then every task. */
function maximise(state: State): void {
  const { logOdds, ease, scale } = state;
  for (let w = 0; w < logOdds.length; w++) {
    const look = (a: number, height: Height) => lookAtWorker(state, w, a, height);
    logOdds[w] = ascend(look, logOdds[w], LARGEST_LOG_ODDS);
  }
  for (let t = 0; t < ease.length; t++) {
    const look = (b: number, height: Height) => lookAtTask(state, t, b, height);
    ease[t] = ascend(look, ease[t], LARGEST_EASE);
    scale[t] = Math.exp(ease[t]);
  }
}

/** Writes what the expected log-likelihood and the prior owe to the log-odds a of worker w. */
function lookAtWorker(state: State, w: number, a: number, height: Height): void {
  const { K, workers, workerWeight, past, scale, posterior, meanLogOdds, meanEase } = state;
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
}

/** Writes the same for the ease b of task t; if it curves upwards, with its expected curvature instead. */
function lookAtTask(state: State, t: number, b: number, height: Height): void {
  const { K, tasks, taskWeight, logOdds, posterior, meanEase } = state;
  const scale = Math.exp(b);
  height.value = -0.5 * (b - meanEase) ** 2;
  height.slope = 0;
  height.curvature = -1;
  for (let j = tasks.start[t]; j < tasks.start[t + 1]; j++) {
    const x = logOdds[tasks.other[j]] * scale;
    const right = posterior[t * K + tasks.label[j]];
    addLabel(height, x, x, right, taskWeight ? taskWeight[j] : 1);
  }
  height.curvature += Math.min(0, height.slope);
  height.slope += meanEase - b;
}

/** Returns the log density of the parameters and of the past, without constants. */
function logPrior({ logOdds, ease, past, meanLogOdds, meanEase }: State): number {
  let sum = 0;
  for (const a of logOdds) sum -= 0.5 * (a - meanLogOdds) ** 2;
  for (const b of ease) sum -= 0.5 * (b - meanEase) ** 2;
  const usual = Math.exp(meanEase);
  for (let w = 0; w < logOdds.length; w++) {
    const x = logOdds[w] * usual;
    sum += past.right[w] * logLogistic(x) + past.wrong[w] * logLogistic(-x);
  }
  return sum;
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

/** Takes two Newton steps uphill from x within ±limit, each halved until it does not lead down. */
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

/** Returns log s(x) without overflow. */
function logLogistic(x: number): number {
  return Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));
}

/** Counts right and wrong labels of each worker's past; abstentions are neither. */
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
