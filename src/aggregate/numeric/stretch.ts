/**
 * Gaussian workers who also stretch or squeeze the differences of values.
 *
 *   answer = m + offset[w] + stretch[w] · x[t] + error,   x[t] ~ N(0, v),   stretch[w] ~ N(1, 1/4)
 *
 * Variational, with q(x) and one normal of stretch and offset together for each worker and output; the noise is that of
 * `gaussian.ts`. Answers fix the product of stretch and x only: after each step the factor between them goes where the
 * bound is highest.
 */
import type { Steps } from "../../method.ts";
import { climb, type Hill } from "./climb.ts";
import {
  gammaBound,
  learnPrecisions,
  type Precisions,
  startPrecisions,
} from "./learnt-precision.ts";
import { centreOffsets, LEAST, offsetNotes, priorOfMeans } from "./noise-em.ts";
import { type Frame, type FrameFit, sumBy } from "./worker-frame.ts";

/** 1 / variance of the stretches. */
const PRIOR = 4;

interface Settings {
  readonly bias: boolean;
  readonly maxIterations: number;
  readonly tolerance: number;
}

interface Beliefs {
  /** q(x[t]) = N(x, variance), and the value that it stands for. */
  readonly x: Float64Array;
  readonly variance: Float64Array;
  readonly value: Float64Array;
  /** q(stretch, offset) of each place: means, and the covariance. */
  readonly stretch: Float64Array;
  readonly offset: Float64Array;
  readonly own: Float64Array;
  readonly joint: Float64Array;
  readonly spread: Float64Array;
  readonly noise: Precisions;
  /** Mean and variance of the values of each output, variance of the offsets. */
  readonly m: Float64Array;
  readonly v: Float64Array;
  tau2: number;
}

/** Coordinate ascent on the evidence bound. */
export function* stretchedFit(frame: Frame, settings: Settings): Steps<FrameFit> {
  const q = startOf(frame);
  const hill: Hill = {
    expect: () => expectValues(frame, q),
    improve() {
      learnSpread(frame, q);
      expectWorkers(frame, q, settings.bias);
      learnPrecisions(frame, q.noise);
      const bound = evidenceBound(frame, q, settings.bias);
      if (settings.bias) centre(frame, q);
      return bound;
    },
  };
  const { trace, converged } = yield* climb(hill, settings);
  return {
    value: q.value,
    noise: q.noise.precision.map((each) => 1 / Math.sqrt(each)),
    offset: q.offset,
    stretch: q.stretch,
    weight: q.noise.precision,
    notes: offsetNotes(frame, settings.bias),
    trace,
    converged,
  };
}

function startOf(frame: Frame): Beliefs {
  const [T, P] = [frame.tasks, frame.places.length];
  return {
    x: new Float64Array(T),
    variance: new Float64Array(T),
    value: new Float64Array(T),
    stretch: new Float64Array(P).fill(1),
    offset: new Float64Array(P),
    own: new Float64Array(P),
    joint: new Float64Array(P),
    spread: new Float64Array(P),
    noise: startPrecisions(frame.workers),
    ...priorOfMeans(frame),
    tau2: 0.1,
  };
}

/** Values given the workers. Returns how far the value that moved most went. */
function expectValues(frame: Frame, q: Beliefs): number {
  const { tasks, start, worker, place, places, y, count, output, outputs } = frame;
  const { precision } = q.noise;
  const known = (p: number) => places.answers[p] * precision[places.worker[p]];
  const total = sumBy(places.output, outputs, known);
  const usual = sumBy(places.output, outputs, (p) => known(p) * q.stretch[p]);
  let moved = 0;
  for (let t = 0; t < tasks; t++) {
    const o = output[t];
    let [weights, sum] = [1 / q.v[o], 0];
    for (let i = start[t]; i < start[t + 1]; i++) {
      const p = place[i];
      const [g, weight] = [q.stretch[p], count[i] * precision[worker[i]]];
      weights += weight * (g * g + q.own[p]);
      sum += weight * (g * (y[i] - q.m[o] - q.offset[p]) - q.joint[p]);
    }
    q.x[t] = sum / weights;
    q.variance[t] = 1 / weights;
    const value = q.m[o] + (usual[o] / total[o]) * q.x[t];
    moved = Math.max(moved, Math.abs(value - q.value[t]));
    q.value[t] = value;
  }
  return moved;
}

/** Variance of x for each output. */
function learnSpread({ output, outputs }: Frame, { x, variance, v }: Beliefs): void {
  const n = sumBy(output, outputs, () => 1);
  const squares = sumBy(output, outputs, (t) => x[t] * x[t] + variance[t]);
  for (let o = 0; o < outputs; o++) v[o] = Math.max(squares[o] / n[o], LEAST);
}

/** Stretch and offset of each place, and the squared errors under them. */
function expectWorkers(frame: Frame, q: Beliefs, bias: boolean): void {
  const { task, place, places, y, count, output } = frame;
  const P = places.length;
  const r = y.map((each, i) => each - q.m[output[task[i]]]);
  const x = sumBy(place, P, (i) => count[i] * q.x[task[i]]);
  const xx = sumBy(place, P, (i) => count[i] * (q.x[task[i]] ** 2 + q.variance[task[i]]));
  const xr = sumBy(place, P, (i) => count[i] * q.x[task[i]] * r[i]);
  const rest = sumBy(place, P, (i) => count[i] * r[i]);
  for (let p = 0; p < P; p++) {
    const weight = q.noise.precision[places.worker[p]];
    const [a, b] = [PRIOR + weight * xx[p], bias ? weight * x[p] : 0];
    const d = bias ? 1 / q.tau2 + weight * places.answers[p] : 1;
    const [top, bottom] = [PRIOR + weight * xr[p], bias ? weight * rest[p] : 0];
    const det = a * d - b * b;
    q.stretch[p] = (d * top - b * bottom) / det;
    q.offset[p] = bias ? (a * bottom - b * top) / det : 0;
    q.own[p] = d / det;
    q.joint[p] = -b / det;
    q.spread[p] = bias ? a / det : 0;
  }
  const { misses } = q.noise;
  misses.fill(0);
  for (let i = 0; i < y.length; i++) {
    const [t, p] = [task[i], place[i]];
    const [g, each] = [q.stretch[p], q.x[t]];
    const miss = r[i] - q.offset[p] - g * each;
    const unsure = (g * g + q.own[p]) * q.variance[t] + q.own[p] * each * each;
    misses[places.worker[p]] +=
      count[i] * (miss * miss + unsure + 2 * q.joint[p] * each + q.spread[p]);
  }
  rescale(frame, q);
}

/** Moves the factor between stretches and x to where the bound is highest; no error changes. */
function rescale({ tasks, output, outputs, places }: Frame, q: Beliefs): void {
  const first = sumBy(places.output, outputs, (p) => q.stretch[p]);
  const second = sumBy(places.output, outputs, (p) => q.stretch[p] ** 2 + q.own[p]);
  const factor = first.map(
    (S1, o) => (S1 + Math.sqrt(S1 * S1 + places.perOutput[o] * second[o])) / (2 * second[o]),
  );
  for (let p = 0; p < places.length; p++) {
    const a = factor[places.output[p]];
    q.stretch[p] *= a;
    q.own[p] *= a * a;
    q.joint[p] *= a;
  }
  for (let t = 0; t < tasks; t++) {
    q.x[t] /= factor[output[t]];
    q.variance[t] /= factor[output[t]] ** 2;
  }
  for (let o = 0; o < outputs; o++) q.v[o] /= factor[o] ** 2;
}

/** Centres the offsets at 0, m takes the shift; then the variance of the offsets. */
function centre(frame: Frame, q: Beliefs): void {
  const shift = centreOffsets(frame, q.offset);
  for (let o = 0; o < frame.outputs; o++) q.m[o] += shift[o];
  let squares = 0;
  for (let p = 0; p < q.offset.length; p++) squares += q.offset[p] ** 2 + q.spread[p];
  q.tau2 = Math.max(squares / q.offset.length, LEAST);
}

/** The evidence bound: expected log density of answers and priors, plus the entropies. */
function evidenceBound(frame: Frame, q: Beliefs, bias: boolean): number {
  const { tasks, output, places } = frame;
  let sum = gammaBound(frame, q.noise);
  for (let t = 0; t < tasks; t++) {
    const v = q.v[output[t]];
    sum += 0.5 * (1 + Math.log(q.variance[t] / v) - (q.x[t] ** 2 + q.variance[t]) / v);
  }
  for (let p = 0; p < places.length; p++) {
    sum += 0.5 * (1 + Math.log(PRIOR) - PRIOR * ((q.stretch[p] - 1) ** 2 + q.own[p]));
    if (!bias) sum += 0.5 * Math.log(q.own[p]);
    else {
      const det = q.own[p] * q.spread[p] - q.joint[p] ** 2;
      sum += 0.5 * (1 + Math.log(det / q.tau2) - (q.offset[p] ** 2 + q.spread[p]) / q.tau2);
    }
  }
  return sum;
}
