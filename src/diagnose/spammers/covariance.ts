/**
 * Spammers by the covariances of workers: those of honest workers are of low rank, those of spammers are 0.
 *
 *   C[u][v] = covariance of the labels of u and v over their common tasks      0 if there are fewer than two
 *   C ≈ V Vᵀ off the diagonal, V of `rank` columns
 *
 * The diagonal is unknown, as it holds each worker's own variance: the leading eigenvectors of C with ΣV² on the
 * diagonal give the next V, negative eigenvalues count as 0, until V stands still. The rows of V fall into two clusters
 * (k-means, best of 20 starts); the cluster nearer to 0 holds the candidates.
 *
 * Labels are coded by the numbers of their classes ("scalar", as in the paper), which for more than two classes depends on
 * the order of the classes; or by indicators ("one-hot", the default for more than two classes): then C[u][v] is
 * the norm of the K × K covariance, with the sign of its trace. For two classes both are the same but for a factor.
 *
 * k-means always finds two clusters, also where nobody is a spammer. So a candidate is confirmed only if the labels do
 * not depend on what the others believe (cross-fit.ts and dependence.ts, p > `level`).
 *
 * Traganitis & Giannakis (2021), ICASSP. https://doi.org/10.1109/ICASSP39728.2021.9414242
 */
import type { CategoricalData } from "../../data/categorical.ts";
import { CrowdError } from "../../error.ts";
import { clusterMeans, tightestClusters } from "../../math/k-means.ts";
import { topEigen } from "../../math/lanczos.ts";
import { lengthOf } from "../../math/lists.ts";
import { createRandom, type Random } from "../../math/random.ts";
import { drain, type Steps } from "../../method.ts";
import { type CoLabelling, coLabelling, visitPairs } from "../co-labelling.ts";
import { crossFit } from "../cross-fit.ts";
import { dependence } from "../dependence.ts";

/** Settings of the covariance detector. */
export interface CovarianceOptions {
  /** How labels become numbers. Default: scalar for two classes, one-hot for more. */
  readonly coding?: "scalar" | "one-hot" | undefined;
  /** Columns of V. Default: the number of classes. */
  readonly rank?: number | undefined;
  /** A candidate whose labels depend on the others' beliefs with a smaller p is not confirmed. Default: .01. */
  readonly level?: number | undefined;
  readonly seed?: number | undefined;
  /** More pairs of labels than this are judged on a sample of whole tasks. Default: five million. */
  readonly mostPairs?: number | undefined;
}

/** What the covariances say of each worker. */
export interface CovarianceSpammers {
  readonly coding: "scalar" | "one-hot";
  /** Row w of V, as vectors[worker * rank + column]. */
  readonly vectors: Float64Array;
  readonly rank: number;
  /** Workers of the cluster nearer to 0, in their order: what the published detector would prune. */
  readonly candidates: readonly number[];
  /** Candidates whose labels do not depend on what the others believe. */
  readonly spammers: readonly number[];
  /** Chance that guesses would depend on the others' beliefs as much, per worker; NaN for those not tested. */
  readonly p: Float64Array;
  /** True if pairs were judged on a sample of the tasks. */
  readonly sampled: boolean;
}

const RESTARTS = 20;
const MOST_ROUNDS = 100;
/** Labels of one worker that the guard looks at, and random orders behind its p. */
const [MOST_TESTED, DRAWS] = [1000, 400];

/** Finds spammers by the covariances of workers. */
export function covarianceSpammers(
  data: CategoricalData,
  options: CovarianceOptions = {},
): CovarianceSpammers {
  return drain(covarianceSpammerSteps(data, options));
}

/** The same in steps, with progress. */
export function* covarianceSpammerSteps(
  data: CategoricalData,
  options: CovarianceOptions = {},
): Steps<CovarianceSpammers> {
  const K = data.classes.length;
  const W = data.workers.length;
  const { seed = 0, level = 0.01, coding = K > 2 ? "one-hot" : "scalar" } = options;
  const wanted = options.rank ?? Math.max(1, K);
  if (!(wanted >= 1 && Number.isInteger(wanted))) {
    throw new CrowdError("bad-option", `rank must be a whole number of at least 1, not ${wanted}.`);
  }
  const rank = Math.min(wanted, W);
  const random = createRandom(seed).split("covariance");
  const p = new Float64Array(W).fill(Number.NaN);
  yield { iteration: 1, objective: 0, stage: "comparing workers" };
  const pairs = coLabelling(data, { seed, mostPairs: options.mostPairs });
  const table = covariances(pairs, W, K, coding);
  yield { iteration: 2, objective: 0, stage: "fitting covariances" };
  const vectors = lowRank(table, W, rank, data, random);
  const candidates = K > 1 && W > 1 ? nearZero(vectors, rank, W, random) : [];
  yield { iteration: 3, objective: 0, stage: "testing candidates" };
  if (candidates.length > 0) test(data, candidates, p, seed);
  return {
    coding,
    vectors,
    rank,
    candidates,
    spammers: candidates.filter((w) => p[w] > level),
    p,
    sampled: pairs.sampled,
  };
}

/** Covariances of the pairs that share tasks; those of worker u stand at start[u]..start[u + 1]. */
interface Covariances {
  readonly start: Int32Array;
  readonly other: Int32Array;
  readonly value: Float64Array;
}

function covariances(
  pairs: CoLabelling,
  W: number,
  K: number,
  coding: "scalar" | "one-hot",
): Covariances {
  const joint = new Float64Array(W * K * K);
  const seen = new Uint8Array(W);
  const [first, second, values]: [number[], number[], number[]] = [[], [], []];
  for (let u = 0; u < W; u++) {
    const met: number[] = [];
    visitPairs(pairs, u, (_task, own, v, label) => {
      if (!seen[v]) met.push(v);
      seen[v] = 1;
      joint[(v * K + own) * K + label]++;
    });
    for (const v of met) {
      const counts = joint.subarray(v * K * K, (v + 1) * K * K);
      const value = coding === "scalar" ? scalarCovariance(counts, K) : signedNorm(counts, K);
      counts.fill(0);
      seen[v] = 0;
      if (value === 0) continue;
      first.push(u);
      second.push(v);
      values.push(value);
    }
  }
  return bothSides(first, second, values, W);
}

/** Covariance of the class numbers, from how often each pair of labels occurred. */
export function scalarCovariance(counts: Float64Array, K: number): number {
  let [n, x, y, xy] = [0, 0, 0, 0];
  for (let k = 0; k < K; k++) {
    for (let l = 0; l < K; l++) {
      const count = counts[k * K + l];
      n += count;
      x += count * k;
      y += count * l;
      xy += count * k * l;
    }
  }
  return n < 2 ? 0 : xy / n - (x / n) * (y / n);
}

/** Norm of R − μ νᵀ with the sign of its trace, R the shares of pairs of labels, μ and ν its margins. */
export function signedNorm(counts: Float64Array, K: number): number {
  const left = new Float64Array(K);
  const right = new Float64Array(K);
  let n = 0;
  for (let k = 0; k < K; k++) {
    for (let l = 0; l < K; l++) {
      left[k] += counts[k * K + l];
      right[l] += counts[k * K + l];
      n += counts[k * K + l];
    }
  }
  if (n < 2) return 0;
  let [trace, square] = [0, 0];
  for (let k = 0; k < K; k++) {
    for (let l = 0; l < K; l++) {
      const covariance = counts[k * K + l] / n - (left[k] / n) * (right[l] / n);
      square += covariance ** 2;
      if (k === l) trace += covariance;
    }
  }
  return Math.sign(trace) * Math.sqrt(square);
}

/** Each pair from both sides, sorted by the worker. */
function bothSides(
  first: readonly number[],
  second: readonly number[],
  values: readonly number[],
  W: number,
): Covariances {
  const start = new Int32Array(W + 1);
  for (let i = 0; i < values.length; i++) {
    start[first[i] + 1]++;
    start[second[i] + 1]++;
  }
  for (let w = 0; w < W; w++) start[w + 1] += start[w];
  const next = start.slice();
  const other = new Int32Array(2 * values.length);
  const value = new Float64Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    for (const [u, v] of [
      [first[i], second[i]],
      [second[i], first[i]],
    ]) {
      other[next[u]] = v;
      value[next[u]++] = values[i];
    }
  }
  return { start, other, value };
}

/** Rows V[w * rank + j] with C ≈ V Vᵀ off the diagonal. */
function lowRank(
  { start, other, value }: Covariances,
  W: number,
  rank: number,
  data: CategoricalData,
  random: Random,
): Float64Array {
  const diagonal = new Float64Array(W);
  const multiply = (v: Float64Array, into: Float64Array) => {
    for (let w = 0; w < W; w++) {
      let sum = diagonal[w] * v[w];
      for (let at = start[w]; at < start[w + 1]; at++) sum += value[at] * v[other[at]];
      into[w] = sum;
    }
  };
  const draws = random.split("start");
  const first = Float64Array.from(data.workers, (name) => draws.split(name).next() - 0.5);
  const rows = new Float64Array(W * rank);
  for (let round = 0; round < MOST_ROUNDS && W > 0; round++) {
    const { values, vectors } = topEigen(multiply, first, rank);
    rows.fill(0);
    for (let j = 0; j < values.length; j++) {
      const root = Math.sqrt(Math.max(0, values[j]));
      for (let w = 0; w < W; w++) rows[w * rank + j] = root * vectors[j * W + w];
    }
    let [moved, size] = [0, 0];
    for (let w = 0; w < W; w++) {
      let square = 0;
      for (let j = 0; j < rank; j++) square += rows[w * rank + j] ** 2;
      moved = Math.max(moved, Math.abs(square - diagonal[w]));
      size = Math.max(size, square);
      diagonal[w] = square;
    }
    if (moved <= 1e-7 * size) break;
  }
  return rows;
}

/** The workers of the cluster whose centre is nearer to 0. */
function nearZero(rows: Float64Array, rank: number, W: number, random: Random): number[] {
  const cluster = tightestClusters(rows, rank, 2, { starts: RESTARTS, random });
  const centres = clusterMeans(rows, rank, 2, cluster);
  const [left, right] = [0, 1].map((c) => lengthOf(centres.subarray(c * rank, (c + 1) * rank)));
  const low = left <= right ? 0 : 1;
  const workers = [...cluster.keys()].filter((w) => cluster[w] === low);
  return workers.length < W ? workers : [];
}

/** Writes the p-values of the candidates. */
function test(
  data: CategoricalData,
  candidates: readonly number[],
  p: Float64Array,
  seed: number,
): void {
  const K = data.classes.length;
  const wanted = new Set(candidates);
  const random = createRandom(seed).split("guard");
  const meaning = Int32Array.from(data.classes, (_, k) => k);
  crossFit(data, K, { seed, most: MOST_TESTED, meaning }, (w, others) => {
    if (!wanted.has(w)) return;
    const draws = others.label.length <= 500 ? DRAWS : 0;
    p[w] = dependence(others, K, K, random.split(data.workers.at(w)), draws).p;
  });
}
