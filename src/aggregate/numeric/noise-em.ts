/**
 * EM for workers with noise of their own size, normal or with Student's heavy tails.
 *
 *   y ~ value[t] + offset[w] + s[w] · error,   s[w]² ~ InverseGamma(2, 3),   offset[w] ~ N(0, 1)
 *
 * in units of the pooled standard deviation: the prior's mode is 1 and weighs six answers. The shift that
 * offsets and values share is not fixed by the answers; at the maximum the offsets sum to 0.
 */
import { createForest } from "../../math/forest.ts";
import { logGamma } from "../../math/gamma.ts";
import type { Steps } from "../../method.ts";
import { type Frame, type FrameFit, sumBy } from "./worker-frame.ts";

/** Prior of the variances: shape, and scale with mode 1. */
const SHAPE = 2;
const RATE = SHAPE + 1;
/** Least variance of the task values. */
const LEAST = 1e-6;

interface NoiseSettings {
  /** Degrees of freedom of the errors; Infinity: normal. */
  readonly freedom: number;
  readonly bias: boolean;
  readonly taskPrior: "flat" | "normal";
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** Says that offsets compare only between workers whom tasks connect. */
export function offsetNotes({ tasks, task, worker, workers }: Frame, bias: boolean): string[] {
  if (!bias) return [];
  const { root, join } = createForest(workers + tasks);
  for (let i = 0; i < task.length; i++) join(worker[i], workers + task[i]);
  const groups = new Set(Array.from({ length: workers }, (_, w) => root(w))).size;
  if (groups === 1) return [];
  return [
    `Workers form ${groups} groups that share no task: offsets and values compare within a group only, and intervals are too narrow.`,
  ];
}

/** What EM climbs on: the parameters, and what is believed of the task values. */
interface State {
  mu: Float64Array;
  /** Variance of each task's value under what is believed. */
  variance: Float64Array;
  readonly noise2: Float64Array;
  readonly offset: Float64Array;
  /** How much each answer counts: less if it lies far off for its worker; 1 for normal errors. */
  readonly trust: Float64Array;
  /** Mean and variance of the task values; variance Infinity: flat. */
  prior: { m: number; v: number };
}

/** A fit with the weight that each answer has in the end. */
interface NoiseFit extends FrameFit {
  readonly noise: Float64Array;
  readonly offset: Float64Array;
  /** Precision of each answer, for one count. */
  readonly precision: Float64Array;
}

/** Climbs until no value moves by more than the tolerance. */
export function* noiseEm(frame: Frame, settings: NoiseSettings): Steps<NoiseFit> {
  const state = startOf(frame, settings);
  expectValues(frame, state);
  const trace: number[] = [];
  let converged = false;
  for (let iteration = 1; iteration <= settings.maxIterations && !converged; iteration++) {
    const before = state.mu;
    if (settings.taskPrior === "normal") state.prior = priorOf(state);
    estimateWorkers(frame, state, settings);
    expectValues(frame, state);
    converged = state.mu.every((mu, t) => Math.abs(mu - before[t]) <= settings.tolerance);
    trace.push(bound(frame, state, settings));
    yield { iteration, objective: trace[trace.length - 1] };
  }
  return {
    value: state.mu,
    noise: state.noise2.map(Math.sqrt),
    offset: state.offset,
    precision: state.trust.map((trust, i) => trust / state.noise2[frame.worker[i]]),
    notes: offsetNotes(frame, settings.bias),
    trace,
    converged,
  };
}

function startOf({ tasks, workers, task, y, count }: Frame, settings: NoiseSettings): State {
  const answered = sumBy(task, tasks, (i) => count[i]);
  const mean = sumBy(task, tasks, (i) => (count[i] * y[i]) / answered[task[i]]);
  const m = mean.reduce((sum, each) => sum + each, 0) / tasks;
  const v = mean.reduce((sum, each) => sum + (each - m) ** 2, 0) / tasks;
  return {
    mu: mean,

    variance: new Float64Array(tasks),
    noise2: new Float64Array(workers).fill(1),
    offset: new Float64Array(workers),
    trust: new Float64Array(y.length).fill(1),
    prior: settings.taskPrior === "normal" ? { m, v: Math.max(v, LEAST) } : { m: 0, v: Infinity },
  };
}

/** E step: mean and variance of each task's value. */
function expectValues({ tasks, task, worker, y, count }: Frame, state: State): void {
  const { noise2, offset, trust, prior } = state;
  const weight = trust.map((each, i) => (count[i] * each) / noise2[worker[i]]);
  const precision = sumBy(task, tasks, (i) => weight[i]).map((sum) => sum + 1 / prior.v);
  const sums = sumBy(task, tasks, (i) => weight[i] * (y[i] - offset[worker[i]]));
  state.mu = sums.map((sum, t) => (sum + prior.m / prior.v) / precision[t]);
  state.variance = precision.map((sum) => 1 / sum);
}

/** M step of the task prior: mean and variance of the values. */
function priorOf({ mu, variance }: State): State["prior"] {
  const m = mu.reduce((sum, each) => sum + each, 0) / mu.length;
  const squares = mu.reduce((sum, each, t) => sum + (each - m) ** 2 + variance[t], 0);
  return { m, v: Math.max(squares / mu.length, LEAST) };
}

/** Expected square of an answer's error. */
const missOf = ({ task, worker, y }: Frame, { mu, variance, offset }: State, i: number) =>
  (y[i] - mu[task[i]] - offset[worker[i]]) ** 2 + variance[task[i]];

/** M step of the workers: trust of their answers, offsets, noise. */
function estimateWorkers(frame: Frame, state: State, { freedom, bias }: NoiseSettings): void {
  const { workers, task, worker, y, count, perWorker } = frame;
  const { noise2, offset, trust } = state;
  if (freedom < Infinity) {
    for (let i = 0; i < y.length; i++)
      trust[i] = (freedom + 1) / (freedom + missOf(frame, state, i) / noise2[worker[i]]);
  }
  if (bias) {
    const above = sumBy(worker, workers, (i) => count[i] * trust[i] * (y[i] - state.mu[task[i]]));
    const total = sumBy(worker, workers, (i) => count[i] * trust[i]);
    for (let w = 0; w < workers; w++) offset[w] = above[w] / (total[w] + noise2[w]);
    const shift = offset.reduce((sum, each) => sum + each, 0) / workers;
    for (let w = 0; w < workers; w++) offset[w] -= shift;
    state.mu = state.mu.map((mu) => mu + shift);
    state.prior = { ...state.prior, m: state.prior.m + shift };
  }
  const misses = sumBy(worker, workers, (i) => count[i] * trust[i] * missOf(frame, state, i));
  for (let w = 0; w < workers; w++)
    noise2[w] = (2 * RATE + misses[w]) / (2 * (SHAPE + 1) + perWorker[w]);
}

/** The objective: for normal errors, after an E step, the log marginal likelihood with the log priors. */
function bound(frame: Frame, state: State, { freedom, bias }: NoiseSettings): number {
  const { worker, y, count } = frame;
  const { mu, variance, noise2, offset, prior } = state;
  const log = errorDensity(freedom);
  let sum = 0;
  for (let i = 0; i < y.length; i++) {
    const s2 = noise2[worker[i]];
    sum += count[i] * (log(missOf(frame, state, i) / s2) - 0.5 * Math.log(s2));
  }
  for (let t = 0; t < mu.length; t++) {
    sum += 0.5 * Math.log(2 * Math.PI * Math.E * variance[t]);
    if (prior.v === Infinity) continue;
    const square = (mu[t] - prior.m) ** 2 + variance[t];
    sum -= 0.5 * (Math.log(2 * Math.PI * prior.v) + square / prior.v);
  }
  for (const s2 of noise2) sum -= (SHAPE + 1) * Math.log(s2) + RATE / s2;
  if (bias) for (const b of offset) sum -= (b * b) / 2;
  return sum;
}

/** Returns the log density of an error by its square. */
function errorDensity(freedom: number): (square: number) => number {
  if (freedom === Infinity) return (square) => -0.5 * (Math.log(2 * Math.PI) + square);
  const constant =
    logGamma((freedom + 1) / 2) - logGamma(freedom / 2) - 0.5 * Math.log(Math.PI * freedom);
  return (square) => constant - ((freedom + 1) / 2) * Math.log1p(square / freedom);
}
