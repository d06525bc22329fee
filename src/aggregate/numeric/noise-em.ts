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
/** Least variance of task values and offsets. */
export const LEAST = 1e-6;

interface NoiseSettings {
  /** Degrees of freedom of the errors; Infinity: normal. */
  readonly freedom: number;
  readonly bias: boolean;
  readonly valuePrior: "flat" | "normal";
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** Says that offsets compare only between workers whom tasks connect. */
export function offsetNotes({ tasks, task, place, places, outputs }: Frame, bias: boolean) {
  if (!bias) return [];
  const { root, join } = createForest(places.length + tasks);
  for (let i = 0; i < task.length; i++) join(place[i], places.length + task[i]);
  const groups = new Set(Array.from({ length: places.length }, (_, p) => root(p))).size;
  const answered = places.perOutput.filter((n) => n > 0).length;
  if (groups === answered) return [];
  const of = outputs > 1 ? `, counted output by output,` : "";
  return [
    `Workers form ${groups} groups that share no task${of}: offsets and values compare within a group only, and intervals are too narrow.`,
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
  /** Mean and variance of the task values of each output; variance Infinity: flat. */
  prior: Normal;
}

/** Mean and variance of the task values of each output. */
interface Normal {
  readonly m: Float64Array;
  readonly v: Float64Array;
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
    if (settings.valuePrior === "normal") state.prior = normalOf(frame, state.mu, state.variance);
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

function startOf(frame: Frame, { valuePrior }: NoiseSettings): State {
  const { tasks, workers, places, outputs, y } = frame;
  const flat = { m: new Float64Array(outputs), v: new Float64Array(outputs).fill(Infinity) };
  return {
    mu: meansOf(frame),
    variance: new Float64Array(tasks),
    noise2: new Float64Array(workers).fill(1),
    offset: new Float64Array(places.length),
    trust: new Float64Array(y.length).fill(1),
    prior: valuePrior === "normal" ? priorOfMeans(frame) : flat,
  };
}

/** Mean answer of each task. */
function meansOf({ tasks, task, y, count }: Frame): Float64Array {
  const answered = sumBy(task, tasks, (i) => count[i]);
  return sumBy(task, tasks, (i) => (count[i] * y[i]) / answered[task[i]]);
}

/** Mean and variance of the mean answers of the tasks. */
export function priorOfMeans(frame: Frame): Normal {
  return normalOf(frame, meansOf(frame), new Float64Array(frame.tasks));
}

/** E step: mean and variance of each task's value. */
function expectValues(frame: Frame, state: State): void {
  const { tasks, task, worker, place, y, count, output } = frame;
  const { noise2, offset, trust, prior } = state;
  const weight = trust.map((each, i) => (count[i] * each) / noise2[worker[i]]);
  const precision = sumBy(task, tasks, (i) => weight[i]);
  for (let t = 0; t < tasks; t++) precision[t] += 1 / prior.v[output[t]];
  const sums = sumBy(task, tasks, (i) => weight[i] * (y[i] - offset[place[i]]));
  state.mu = sums.map((sum, t) => (sum + prior.m[output[t]] / prior.v[output[t]]) / precision[t]);
  state.variance = precision.map((sum) => 1 / sum);
}

/** M step of the task prior: mean and variance of the values that are believed to be N(mu, variance). */
export function normalOf(
  { output, outputs }: Frame,
  mu: Float64Array,
  variance: Float64Array,
): Normal {
  const n = sumBy(output, outputs, () => 1);
  const sums = sumBy(output, outputs, (t) => mu[t]);
  const m = sums.map((sum, o) => sum / n[o]);
  const squares = sumBy(output, outputs, (t) => (mu[t] - m[output[t]]) ** 2 + variance[t]);
  return { m, v: squares.map((sum, o) => Math.max(sum / n[o], LEAST)) };
}

/** Expected square of an answer's error. */
const missOf = ({ task, place, y }: Frame, { mu, variance, offset }: State, i: number) =>
  (y[i] - mu[task[i]] - offset[place[i]]) ** 2 + variance[task[i]];

/** M step of the workers: trust of their answers, offsets, noise. */
function estimateWorkers(frame: Frame, state: State, { freedom, bias }: NoiseSettings): void {
  const { workers, worker, y, count, perWorker } = frame;
  const { noise2, trust } = state;
  if (freedom < Infinity) {
    for (let i = 0; i < y.length; i++)
      trust[i] = (freedom + 1) / (freedom + missOf(frame, state, i) / noise2[worker[i]]);
  }
  if (bias) estimateOffsets(frame, state);
  const misses = sumBy(worker, workers, (i) => count[i] * trust[i] * missOf(frame, state, i));
  for (let w = 0; w < workers; w++)
    noise2[w] = (2 * RATE + misses[w]) / (2 * (SHAPE + 1) + perWorker[w]);
}

/** M step of the offsets; those of an output sum to 0, and its values take the shift. */
function estimateOffsets(frame: Frame, state: State): void {
  const { task, place, places, y, count, output } = frame;
  const { noise2, offset, trust } = state;
  const n = places.length;
  const above = sumBy(place, n, (i) => count[i] * trust[i] * (y[i] - state.mu[task[i]]));
  const total = sumBy(place, n, (i) => count[i] * trust[i]);
  for (let p = 0; p < n; p++) offset[p] = above[p] / (total[p] + noise2[places.worker[p]]);
  const shift = centreOffsets(frame, offset);
  state.mu = state.mu.map((mu, t) => mu + shift[output[t]]);
  state.prior = { ...state.prior, m: state.prior.m.map((m, o) => m + shift[o]) };
}

/** Makes the offsets of each output sum to 0; returns what was taken off. */
export function centreOffsets({ places, outputs }: Frame, offset: Float64Array): Float64Array {
  const shift = sumBy(
    places.output,
    outputs,
    (p) => offset[p] / places.perOutput[places.output[p]],
  );
  for (let p = 0; p < places.length; p++) offset[p] -= shift[places.output[p]];
  return shift;
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
    const [m, v] = [prior.m[frame.output[t]], prior.v[frame.output[t]]];
    if (v === Infinity) continue;
    const square = (mu[t] - m) ** 2 + variance[t];
    sum -= 0.5 * (Math.log(2 * Math.PI * v) + square / v);
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
