/**
 * Low-rank covariance: what workers share is the truth, what pairs share beyond it is copying.
 *
 *   answer - offset[w] = m + gain[w] · (value[t] - m) + error,   covariance of errors: diagonal, but for a few pairs
 *
 * Covariances of workers over common tasks are gain · gain · Var(value) off the diagonal. That rank-one part is fitted
 * with Huber's weights, so that pairs that stand out do not bend it; pairs more than four standard errors away stay in
 * the covariance of errors, and their answers count as little more than one. Values are the best linear estimates.
 *
 * Needs tasks that workers have in common. No intervals: those that the fit suggests are too narrow.
 *
 * Tenzer, Dror, Nadler, Bilal & Kluger (2022), AISTATS, PMLR 151. https://proceedings.mlr.press/v151/tenzer22a.html
 */
import { symmetricEigen } from "../../math/matrix.ts";
import type { Steps } from "../../method.ts";
import { type Covariances, covariancesOf, type RankOne, rankOne } from "./covariances.ts";
import { groupRows } from "./estimator.ts";
import { centreOffsets } from "./noise-em.ts";
import { type Frame, type FrameFit, sumBy, workerAware } from "./worker-frame.ts";

/** Answers that a worker's variance takes over from the pooled one. */
const PRIOR = 4;
/** Least share of a worker's variance that is noise. */
const LEAST_NOISE = 0.05;
/** Least mean gain. */
const LEAST_GAIN = 0.1;
/** Common tasks and standard errors from which on a pair is kept as copying. */
const PAIR_TASKS = 20;
const PAIR_ERRORS = 4;

/** Low-rank covariance: finds pairs of workers who err together, and counts them as little more than one. */
export const lowRankCovariance = workerAware(
  {
    id: "low-rank-covariance",
    title: "Low-rank covariance",
    summary:
      "Workers' covariances are a rank-one part, the truth, and a few pairs who err together and count less.",
    paper: {
      authors: "Y. Tenzer, O. Dror, B. Nadler, E. Bilal, Y. Kluger",
      year: 2022,
      title: "Crowdsourcing regression: A spectral approach",
      url: "https://proceedings.mlr.press/v151/tenzer22a.html",
    },
    family: "covariance",
    cost: "O(N·d + W²) per fit and O(d³) per task with such a pair, for d answers per task; W² memory",
    memory: ({ workers }) => 3 * 8 * workers ** 2,
    options: {
      maxIterations: {
        default: 500,
        min: 1,
        integer: true,
        help: "Maximum number of rounds of the rank-one fit.",
      },
      tolerance: {
        default: 1e-9,
        min: 0,
        unit: "pooled standard deviations",
        help: "Largest change at which the rank-one fit stops.",
      },
    },
  },
  function* (frame, options): Steps<FrameFit> {
    const { offset, m } = additiveFit(frame);
    const z = frame.y.map((y, i) => y - m[frame.output[frame.task[i]]] - offset[frame.place[i]]);
    const moments = covariancesOf(frame, z);
    const fit = yield* rankOne(moments, options);
    const noise2 = noiseOf(frame, moments, fit);
    const gain = gainsOf(frame, fit.h, noise2);
    const joint = jointErrors(moments, fit, noise2);
    return {
      value: bestLinear(frame, z, gain, joint).map((each, t) => m[frame.output[t]] + each),
      noise: noise2.map(Math.sqrt),
      offset,
      notes: pairNotes(joint, frame.workers),
      trace: fit.trace,
      converged: fit.converged,
    };
  },
);

/** Offsets that sum to 0 and the mean of the values, for each output by least squares: means in turns until none moves. */
function additiveFit(frame: Frame) {
  const { tasks, task, place, places, y, count, output, outputs } = frame;
  const answered = sumBy(task, tasks, (i) => count[i]);
  let offset: Float64Array = new Float64Array(places.length);
  const valuesOf = (b: Float64Array) =>
    sumBy(task, tasks, (i) => (count[i] * (y[i] - b[place[i]])) / answered[task[i]]);
  for (let round = 0; round < 10_000; round++) {
    const before = offset;
    const value = valuesOf(before);
    offset = sumBy(place, places.length, (i) => count[i] * (y[i] - value[task[i]]));
    for (let p = 0; p < offset.length; p++) offset[p] /= places.answers[p];
    centreOffsets(frame, offset);
    if (offset.every((each, p) => Math.abs(each - before[p]) <= 1e-10)) break;
  }
  const value = valuesOf(offset);
  const n = sumBy(output, outputs, () => 1);
  return { offset, m: sumBy(output, outputs, (t) => value[t]).map((sum, o) => sum / n[o]) };
}

/** Variance of each worker's errors: what the rank-one part leaves, drawn to the pooled variance. */
function noiseOf({ perWorker }: Frame, { own }: Covariances, { h }: RankOne): Float64Array {
  return own.map((c, w) => {
    const left = perWorker[w] * Math.max(c - h[w] ** 2, 0);
    return Math.max((left + PRIOR) / (perWorker[w] + PRIOR), LEAST_NOISE * c);
  });
}

/** Gains in units of their mean, which counts workers by answers and precision. */
function gainsOf({ perWorker }: Frame, h: Float64Array, noise2: Float64Array): Float64Array {
  let [sum, total] = [0, 0];
  for (let w = 0; w < h.length; w++) {
    sum += (perWorker[w] / noise2[w]) * h[w];
    total += perWorker[w] / noise2[w];
  }
  const mean = Math.max(sum / total, LEAST_GAIN);
  return h.map((each) => each / mean);
}

/** Covariance of the errors: the variances, and pairs that stand out. */
function jointErrors(
  { own, common, joint }: Covariances,
  { h }: RankOne,
  noise2: Float64Array,
): Float64Array {
  const W = own.length;
  const sigma = new Float64Array(W * W);
  for (let u = 0; u < W; u++) {
    sigma[u * W + u] = noise2[u];
    for (let v = 0; v < W; v++) {
      const n = common[u * W + v];
      if (u === v || n < PAIR_TASKS) continue;
      const left = joint[u * W + v] - h[u] * h[v];
      const error = Math.sqrt((own[u] * own[v] + (h[u] * h[v]) ** 2) / n);
      if (Math.abs(left) > PAIR_ERRORS * error) sigma[u * W + v] = left;
    }
  }
  return sigma;
}

/** Says how many pairs of workers err together. */
function pairNotes(sigma: Float64Array, W: number): string[] {
  let pairs = 0;
  for (let u = 0; u < W; u++) for (let v = 0; v < u; v++) if (sigma[u * W + v] !== 0) pairs++;
  if (pairs === 0) return [];
  return [`${pairs === 1 ? "A pair" : `${pairs} pairs`} of workers err together, and count less.`];
}

/** Per task the weights x = Σ⁻¹ gain of its workers, and the value x · z / x · gain. */
function bestLinear(
  { tasks, workers, task, worker, count }: Frame,
  z: Float64Array,
  gain: Float64Array,
  sigma: Float64Array,
): Float64Array {
  const { rows, start } = groupRows(task, tasks);
  return Float64Array.from({ length: tasks }, (_, t) => {
    const own = rows.subarray(start[t], start[t + 1]);
    const d = own.length;
    const errors = new Float64Array(d * d);
    for (let a = 0; a < d; a++) {
      for (let b = 0; b < d; b++) {
        const [u, v] = [worker[own[a]], worker[own[b]]];
        // Two answers of one worker have errors of their own.
        if (u !== v || a === b) errors[a * d + b] = sigma[u * workers + v];
      }
      errors[a * d + a] /= count[own[a]];
    }
    const x = solveFloored(
      errors,
      Float64Array.from(own, (i) => gain[worker[i]]),
    );
    let [top, bottom] = [0, 0];
    for (let a = 0; a < d; a++) {
      top += x[a] * z[own[a]];
      bottom += x[a] * gain[worker[own[a]]];
    }
    return bottom > 0 ? top / bottom : 0;
  });
}

/** The x with a x = b for a symmetric matrix whose eigenvalues count at least a tenth of its least diagonal. */
function solveFloored(a: Float64Array, b: Float64Array): Float64Array {
  const d = b.length;
  let [least, diagonal] = [Infinity, true];
  for (let i = 0; i < d; i++) {
    least = Math.min(least, a[i * d + i]);
    for (let j = 0; j < d; j++) if (i !== j && a[i * d + j] !== 0) diagonal = false;
  }
  if (diagonal) return b.map((each, i) => each / a[i * d + i]);
  const { values, vectors } = symmetricEigen(a, d);
  const x = new Float64Array(d);
  for (let k = 0; k < d; k++) {
    let along = 0;
    for (let i = 0; i < d; i++) along += vectors[i * d + k] * b[i];
    const step = along / Math.max(values[k], 0.1 * least);
    for (let i = 0; i < d; i++) x[i] += step * vectors[i * d + k];
  }
  return x;
}
