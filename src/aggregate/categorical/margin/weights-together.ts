/**
 * All weights of a margin model in one draw, given the classes y: with r[t] the rival of y[t], the other
 * class with the largest score, D[t] = votes for y[t] - votes for r[t] and short[t] = margin - weights · D[t],
 *
 *   exp(-2C max(0, short)) = integral over lambda of exp(-(lambda + C short)² / 2 lambda) / √(2π lambda)
 *
 *   1 / lambda[t] ~ InverseGaussian(1 / |C short[t]|, 1)
 *   weights ~ Normal(B · sum of (C + C² margin / lambda) D, B),  1/B = I / variance + C² sum of D Dᵀ / lambda
 *
 * The normal is drawn by solving for a right side that is drawn, through a matrix of workers × workers or
 * of tasks × tasks, whichever is smaller. The rivals are those of the weights before: with two classes they are
 * never others, with more the draw is that of the paper, and only near the right one.
 *
 * Polson & Scott (2011), Bayesian Analysis 6(1), 1–23. https://doi.org/10.1214/11-BA601
 */
import { inverseGaussian, normal } from "../../../math/distributions.ts";
import { cholesky, solveCholesky } from "../../../math/matrix.ts";
import type { Random } from "../../../math/random.ts";
import type { MarginSettings } from "./margin-voice.ts";
import { rivalOf, scoreVotes, type Votes } from "./vote-lists.ts";

/** Nobody is nearer to the margin than this, and no precision above that: so all digits are kept. */
const NEAREST = 1e-6;
const SHARPEST = 1e10;

/** Differences of votes, a row per task: those of t stand at start[t]..start[t + 1]. */
interface Rows {
  readonly start: Int32Array;
  readonly worker: Int32Array;
  readonly value: Float64Array;
  /** The root of C² / lambda of each task. */
  readonly root: Float64Array;
}

export function createTogether(
  votes: Votes,
  { penalty: C, margin, variance }: MarginSettings,
  random: Random,
) {
  const { T, W, K, start, worker, label, count } = votes;
  const scores = new Float64Array(T * K);
  const rows: Rows = {
    start: new Int32Array(T + 1),
    worker: new Int32Array(worker.length),
    value: new Float64Array(worker.length),
    root: new Float64Array(T),
  };

  /** Writes the rows, and adds the right side without what is drawn of the prior. */
  const differ = (z: Int32Array, right: Float64Array): void => {
    let size = 0;
    for (let t = 0; t < T; t++) {
      const rival = rivalOf(scores, t, z[t], K);
      const from = size;
      for (let i = start[t]; rival >= 0 && i < start[t + 1]; i++) {
        if (label[i] !== z[t] && label[i] !== rival) continue;
        rows.worker[size] = worker[i];
        rows.value[size++] = label[i] === z[t] ? count[i] : -count[i];
      }
      rows.start[t + 1] = size;
      if (size === from) continue;
      const short = margin - scores[t * K + z[t]] + scores[t * K + rival];
      const mean = 1 / (C * Math.max(NEAREST, Math.abs(short)));
      const sharpness = Math.min(SHARPEST, inverseGaussian(random, mean, 1));
      rows.root[t] = C * Math.sqrt(sharpness);
      const pull = C + C * C * margin * sharpness + rows.root[t] * normal(random);
      for (let e = from; e < size; e++) right[rows.worker[e]] += pull * rows.value[e];
    }
  };

  return {
    /** Draws all weights, in place. */
    draw(z: Int32Array, weights: Float64Array): void {
      const right = new Float64Array(W);
      rows.start.fill(0);
      if (C > 0) {
        scoreVotes(votes, weights, scores);
        differ(z, right);
      }
      for (let w = 0; w < W; w++) right[w] += normal(random) / Math.sqrt(variance);
      weights.set(
        W <= T ? solveByWorkers(rows, right, variance) : solveByTasks(rows, right, variance),
      );
    },
  };
}

/** (I / variance + sum of root² · row rowᵀ)⁻¹ right. */
function solveByWorkers(
  { start, worker, value, root }: Rows,
  right: Float64Array,
  variance: number,
) {
  const W = right.length;
  const matrix = new Float64Array(W * W);
  for (let w = 0; w < W; w++) matrix[w * W + w] = 1 / variance;
  for (let t = 0; t < root.length; t++) {
    for (let e = start[t]; e < start[t + 1]; e++) {
      const scaled = root[t] * root[t] * value[e];
      const row = worker[e] * W;
      for (let f = start[t]; f < start[t + 1]; f++) matrix[row + worker[f]] += scaled * value[f];
    }
  }
  const lower = cholesky(matrix, W);
  if (lower) solveCholesky(lower, right, W);
  return right;
}

/** The same by Woodbury: variance · right - variance² · Rᵀ (I + variance · R Rᵀ)⁻¹ R right, R = root · rows. */
function solveByTasks({ start, worker, value, root }: Rows, right: Float64Array, variance: number) {
  const T = root.length;
  const matrix = new Float64Array(T * T);
  const inner = new Float64Array(T);
  const spread = new Float64Array(right.length);
  const dot = (t: number, vector: Float64Array): number => {
    let sum = 0;
    for (let e = start[t]; e < start[t + 1]; e++) sum += value[e] * vector[worker[e]];
    return root[t] * sum;
  };
  for (let t = 0; t < T; t++) {
    for (let e = start[t]; e < start[t + 1]; e++) spread[worker[e]] += root[t] * value[e];
    for (let other = 0; other <= t; other++) matrix[t * T + other] = variance * dot(other, spread);
    matrix[t * T + t] += 1;
    for (let e = start[t]; e < start[t + 1]; e++) spread[worker[e]] = 0;
    inner[t] = dot(t, right);
  }
  const lower = cholesky(matrix, T);
  if (lower) solveCholesky(lower, inner, T);
  for (let w = 0; w < right.length; w++) right[w] *= variance;
  for (let t = 0; t < T; t++) {
    const scaled = variance * variance * root[t] * inner[t];
    for (let e = start[t]; e < start[t + 1]; e++) right[worker[e]] -= scaled * value[e];
  }
  return right;
}
