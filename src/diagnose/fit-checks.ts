/**
 * What a fit says of its own identifiability: the rank of confusions against their noise, pure
 * labels, and who is better than a guess.
 */
import { byWorker, type CategoricalData } from "../data/categorical.ts";
import { singularValues, symmetricEigen } from "../math/matrix.ts";
import { createRandom } from "../math/random.ts";
import { coLabelling, visitPairs } from "./co-labelling.ts";
import { type Dependence, dependence, ONE_SIDED } from "./dependence.ts";
import { leaveOneOut } from "./leave-one-out.ts";
import type { Model } from "./score-rank.ts";

/** Only so many workers, those with most labels, are judged one by one. */
const MOST_WORKERS = 2000;
/** Pairs of workers are compared among so many, where they share so many tasks. */
const BUSIEST = 50;
const ENOUGH_SHARED = 30;
/** Above this ratio of singular values a matrix is as good as singular. */
export const ILL_CONDITIONED = 1e3;

export interface FitChecks {
  /** Workers judged. */
  readonly workers: number;
  /** Those whose confusion has full rank by more than its noise, and whose labels depend on the truth. */
  readonly fullRank: number;
  /** Those whose confusion is ill-conditioned. */
  readonly illConditioned: number;
  /** The median of the smallest singular value. */
  readonly medianSingular: number;
  /** Pairs of busy workers compared, and how many joint tables are ill-conditioned. */
  readonly pairs: number;
  readonly illPairs: number;
  /** Best purity of a label as evidence for each class, and how many labels reach .8. */
  readonly purity: Float64Array;
  readonly nearPure: Int32Array;
  /** Smallest eigenvalue of the mean of a aᵀ over labels' evidence a, which sums to 1. */
  readonly scatter: number;
  /** Workers of whom their labels suffice to tell, and those who agree with others more than a guess would. */
  readonly counted: number;
  readonly better: number;
  /** Classes that the crowd, by its confusions, calls by another name more often than by their own. */
  readonly misnamed: readonly number[];
}

export function fitChecks(data: CategoricalData, model: Model, posterior: Float64Array): FitChecks {
  const { start } = byWorker(data);
  const size = (w: number) => start[w + 1] - start[w];
  const busiest = Array.from(data.workers, (_, w) => w)
    .filter((w) => size(w) > 0)
    .sort((a, b) => size(b) - size(a) || a - b);
  const judged = busiest.slice(0, MOST_WORKERS);
  const K = data.classes.length;
  const random = createRandom(0);
  const others = leaveOneOut(data, model.given, 2000);
  const tests = judged.map((w) => dependence(others(w), K, model.given, random, 0));
  return {
    workers: judged.length,
    ...ranks(data, model, posterior, judged, tests),
    ...pairRanks(data, busiest.slice(0, BUSIEST)),
    ...anchors(data, model, judged),
    ...betterThanRandom(tests),
    misnamed: misnamed(data, model, judged),
  };
}

/** Singular values of each confusion against those that noise in its rates would leave. */
function ranks(
  data: CategoricalData,
  { confusion, given: L }: Model,
  posterior: Float64Array,
  judged: readonly number[],
  tests: readonly Dependence[],
) {
  const K = data.classes.length;
  const { start, other, label } = byWorker(data);
  const smallest: number[] = [];
  let [fullRank, illConditioned] = [0, 0];
  judged.forEach((w, at) => {
    const rows = confusion.subarray(w * K * L, (w + 1) * K * L);
    const values = singularValues(rows, K, L);
    const least = values[K - 1] ?? 0;
    smallest.push(least);
    const conditioned = values[0] <= ILL_CONDITIONED * least;
    if (!conditioned) illConditioned++;
    const met = new Float64Array(K);
    for (let i = start[w]; i < start[w + 1]; i++) {
      if (label[i] < L) for (let k = 0; k < K; k++) met[k] += posterior[other[i] * K + k];
    }
    // With K² rates each off by s, a singular value of 0 becomes about s: twice that is signal.
    const noise = (2 * Math.sqrt(rateVariance(rows, met, K, L))) / K;
    if (conditioned && least > noise && tests[at].p <= 0.05 / judged.length) fullRank++;
  });
  smallest.sort((a, b) => a - b);
  return { fullRank, illConditioned, medianSingular: smallest[smallest.length >> 1] ?? 0 };
}

/** Sum of the variances of all rates, each row from the labels its class was met with. */
function rateVariance(rows: Float64Array, met: Float64Array, K: number, L: number): number {
  let sum = 0;
  for (let k = 0; k < K; k++) {
    let spread = 1;
    for (let l = 0; l < L; l++) spread -= rows[k * L + l] ** 2;
    sum += spread / Math.max(met[k], 0.5);
  }
  return sum;
}

/** Condition of the joint tables R[u][v] of the labels of two workers on shared tasks. */
function pairRanks(data: CategoricalData, chosen: readonly number[]) {
  const K = data.classes.length;
  const pairs = coLabelling(data);
  const slot = new Int32Array(data.workers.length).fill(-1);
  chosen.forEach((w, s) => {
    slot[w] = s;
  });
  let [count, ill] = [0, 0];
  for (const a of chosen) {
    const tables = chosen.map(() => ({ n: 0, cells: new Float64Array(K * K) }));
    visitPairs(pairs, a, (_t, k, v, l) => {
      if (slot[v] < 0) return;
      tables[slot[v]].n++;
      tables[slot[v]].cells[k * K + l]++;
    });
    for (const { n, cells } of tables) {
      if (n < ENOUGH_SHARED) continue;
      const values = singularValues(cells, K, K);
      count++;
      if (!(values[0] <= ILL_CONDITIONED * values[K - 1])) ill++;
    }
  }
  return { pairs: count, illPairs: ill };
}

/** How purely some label of some worker, given at least five times, is evidence for each class. */
function anchors(data: CategoricalData, { confusion, given: L }: Model, judged: readonly number[]) {
  const K = data.classes.length;
  const { start, label } = byWorker(data);
  const purity = new Float64Array(K);
  const nearPure = new Int32Array(K);
  const gram = new Float64Array(K * K);
  let rows = 0;
  for (const w of judged) {
    const said = new Int32Array(L);
    for (let i = start[w]; i < start[w + 1]; i++) if (label[i] < L) said[label[i]]++;
    for (let l = 0; l < L; l++) {
      if (said[l] < 5) continue;
      const evidence = Float64Array.from({ length: K }, (_, k) => confusion[(w * K + k) * L + l]);
      const total = evidence.reduce((sum, x) => sum + x, 0);
      if (!(total > 0)) continue;
      rows++;
      for (let k = 0; k < K; k++) {
        const share = evidence[k] / total;
        purity[k] = Math.max(purity[k], share);
        if (share >= 0.8) nearPure[k]++;
        for (let j = 0; j < K; j++) gram[k * K + j] += (share * evidence[j]) / total;
      }
    }
  }
  const mean = gram.map((x) => (rows > 0 ? x / rows : 0));
  return { purity, nearPure, scatter: symmetricEigen(mean, K).values[K - 1] ?? 0 };
}

/** By the others' beliefs, so that nobody is better than random by their own votes. */
function betterThanRandom(tests: readonly Dependence[]) {
  const able = tests.filter(({ power }) => power >= 0.8);
  return {
    counted: able.length,
    better: able.filter(({ diagonal }) => diagonal > ONE_SIDED).length,
  };
}

function misnamed(
  data: CategoricalData,
  { confusion, given: L }: Model,
  judged: readonly number[],
) {
  const K = data.classes.length;
  const { start } = byWorker(data);
  const pooled = new Float64Array(K * L);
  for (const w of judged) {
    const size = start[w + 1] - start[w];
    for (let at = 0; at < K * L; at++) pooled[at] += size * confusion[w * K * L + at];
  }
  return Array.from(data.classes, (_, k) => k).filter((k) => {
    const row = pooled.subarray(k * L, (k + 1) * L);
    return row.some((x, l) => l !== k && x > row[k] + 1e-9);
  });
}
