/**
 * A worker's skill over time as a random walk of its log-odds x, one step per bin of answers.
 *
 *   x[1] ~ N(1, 4)      x[t] = x[t − 1] + N(0, s2)      P(answer right) = logistic(x[t])
 *
 * Laplace's approximation: at the current x, each bin is one normal observation of x[t],
 *
 *   score[t] = Σ_j (h_j − p)      W[t] = Σ_j (p(1 − p) − h_j(1 − h_j))      observed x + score/W, variance 1/W
 *
 * with p = logistic(x[t]) and h_j the probability that answer j is right (0 or 1 with gold, so that W = n p(1 − p)). A
 * Kalman filter and the Rauch–Tung–Striebel smoother give the next x, until it stays. With A = prior precision + diag(W),
 * the smoothed variances are the diagonal of A⁻¹, and
 *
 *   log evidence(s2) = log P(answers | x) + log p(x) + T/2 · log 2π − ½ log det A
 *
 * The skill is averaged over s2 on a grid by this evidence. O(T) per pass.
 *
 * Rauch, Tung & Striebel (1965), AIAA Journal 3(8), 1445–1450. https://doi.org/10.2514/3.3166
 * Durbin & Koopman (2012), Time Series Analysis by State Space Methods, 2nd ed., Oxford, chapter 10.
 */
import { normalQuantile } from "../../math/incomplete.ts";
import { maxOf } from "../../math/lists.ts";
import { normalizeLog } from "../../math/log-sum-exp.ts";
import { type JudgedAnswers, rightness } from "./judged-answers.ts";
import type { SkillEstimate } from "./windows.ts";

/** Variances of a step that are tried; with the first the skill hardly moves. */
export const STEP_VARIANCES = [1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1] as const;
const [FIRST_MEAN, FIRST_VARIANCE] = [1, 4];
const MOST_PASSES = 30;
const TOLERANCE = 1e-8;
/** Longest step of a log-odds in one pass. */
const LONGEST_STEP = 2;
/** Least share of the information of known answers that uncertain ones are taken to have. */
const LEAST_INFORMATION = 0.05;

/** The skill of each bin, and how far the answers speak for a skill that moves. */
export interface SkillPath {
  /** One estimate per bin. */
  readonly curve: readonly SkillEstimate[];
  /** Log evidence of the best variance less that of the smallest, in nats; above 3 the skill moves. */
  readonly logBayes: number;
}

/** One variance: the mode of the log-odds, their variances, and the evidence. */
export interface SmoothedPath {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
  readonly information: Float64Array;
  readonly logEvidence: number;
}

/** Estimates the skill of each bin; the answers of bin t stand at start[t]..start[t + 1]. */
export function skillPath(answers: JudgedAnswers, start: Int32Array, level = 0.95): SkillPath {
  const T = start.length - 1;
  const paths = STEP_VARIANCES.map((s2) => smoothedPath(answers, start, s2));
  const evidence = Float64Array.from(paths, ({ logEvidence }) => logEvidence);
  const logBayes = maxOf(evidence) - evidence[0];
  const weight = evidence;
  normalizeLog(weight, 0, weight.length);
  const z = normalQuantile((1 + level) / 2);
  const curve = Array.from({ length: T }, (_, t) => {
    let [mean, second] = [0, 0];
    paths.forEach((path, at) => {
      mean += weight[at] * path.mean[t];
      second += weight[at] * (path.variance[t] + path.mean[t] ** 2);
    });
    const deviation = Math.sqrt(Math.max(0, second - mean ** 2));
    return {
      skill: logistic(mean),
      low: logistic(mean - z * deviation),
      high: logistic(mean + z * deviation),
    };
  });
  return { curve, logBayes };
}

/** Finds the mode for one variance of the steps by repeated smoothing. */
export function smoothedPath(answers: JudgedAnswers, start: Int32Array, s2: number): SmoothedPath {
  const T = start.length - 1;
  const x = new Float64Array(T).fill(FIRST_MEAN);
  const bins = { score: new Float64Array(T), information: new Float64Array(T) };
  let smoothed = smooth(x, bins, s2);
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    lookAt(answers, start, x, bins);
    smoothed = smooth(x, bins, s2);
    let moved = 0;
    for (let t = 0; t < T; t++) {
      const step = smoothed.mean[t] - x[t];
      moved = Math.max(moved, Math.abs(step));
      x[t] += Math.max(-LONGEST_STEP, Math.min(LONGEST_STEP, step));
    }
    if (moved < TOLERANCE) break;
  }
  lookAt(answers, start, x, bins);
  smoothed = smooth(x, bins, s2);
  let square = T > 0 ? (x[0] - FIRST_MEAN) ** 2 / FIRST_VARIANCE : 0;
  for (let t = 1; t < T; t++) square += (x[t] - x[t - 1]) ** 2 / s2;
  return {
    mean: x,
    variance: smoothed.variance,
    information: bins.information,
    // log p(x) + T/2 log 2π − ½ log det A, in which the determinant of the prior precision cancels.
    logEvidence: logLikelihood(answers, start, x) - square / 2 - smoothed.logDeterminant / 2,
  };
}

interface Bins {
  readonly score: Float64Array;
  readonly information: Float64Array;
}

/** Writes score and W of each bin at x. */
function lookAt(answers: JudgedAnswers, start: Int32Array, x: Float64Array, bins: Bins): void {
  for (let t = 0; t < x.length; t++) {
    const p = logistic(x[t]);
    const spread = p * (1 - p);
    let [score, information] = [0, 0];
    for (let j = start[t]; j < start[t + 1]; j++) {
      const h = rightness(answers, j, p);
      score += h - p;
      information += spread - h * (1 - h);
    }
    const n = start[t + 1] - start[t];
    bins.score[t] = score;
    bins.information[t] = Math.max(LEAST_INFORMATION * n * spread, information);
  }
}

/** log P(answers | x). */
function logLikelihood(
  { right, wrong }: JudgedAnswers,
  start: Int32Array,
  x: Float64Array,
): number {
  let sum = 0;
  for (let t = 0; t < x.length; t++) {
    const p = logistic(x[t]);
    for (let j = start[t]; j < start[t + 1]; j++) {
      sum += Math.log(p * right[j] + (1 - p) * wrong[j]);
    }
  }
  return sum;
}

/** Kalman filter and Rauch–Tung–Striebel smoother; a bin without answers passes through. */
function smooth(x: Float64Array, { score, information }: Bins, s2: number) {
  const T = x.length;
  const [mean, variance, predicted] = [0, 1, 2].map(() => new Float64Array(T));
  let logDeterminant = 0;
  for (let t = 0; t < T; t++) {
    predicted[t] = t === 0 ? FIRST_VARIANCE : variance[t - 1] + s2;
    const before = t === 0 ? FIRST_MEAN : mean[t - 1];
    const W = information[t];
    variance[t] = predicted[t] / (1 + predicted[t] * W);
    // W (x + score/W − before), without the division.
    mean[t] = before + variance[t] * (W * (x[t] - before) + score[t]);
    logDeterminant += Math.log1p(predicted[t] * W);
  }
  for (let t = T - 2; t >= 0; t--) {
    const gain = variance[t] / predicted[t + 1];
    mean[t] += gain * (mean[t + 1] - mean[t]);
    variance[t] += gain ** 2 * (variance[t + 1] - predicted[t + 1]);
  }
  return { mean, variance, logDeterminant };
}

function logistic(x: number): number {
  return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
}
