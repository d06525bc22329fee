/**
 * How far each worker is better than chance, from agreement alone, so that a minority of pairs that agree
 * for other reasons does not count.
 *
 *   C[u, v] = (K · agreement[u, v] − 1) / (K − 1), in expectation s[u] · s[v] if errors are independent
 *   s[u] ← median over v of C[u, v] / s[v], weights |s[v]| √common[u, v]
 *
 * which lowers Σ √common |C − s s| one worker at a time. All workers move at once, halfway, so that their
 * order does not matter. In each connected part of the crowd the median skill is positive.
 */
import {
  chanceCorrected,
  type WorkerPairs,
  workerPairs,
} from "../../aggregate/categorical/spectral/agreement-moments.ts";
import { type CrowdParts, crowdParts } from "../../aggregate/categorical/spectral/crowd-parts.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { labelsPerWorker } from "../../data/crowd-data.ts";
import { quantile } from "../../math/statistics.ts";
import { type CoLabellingOptions, coLabelledTasks } from "../co-labelling.ts";

/** Pairs of workers with what one-coin skills say of them. */
export interface RobustCoin {
  /** The labels that were compared. */
  readonly data: CategoricalData;
  /** True if pairs were compared on a sample of tasks. */
  readonly sampled: boolean;
  readonly pairs: WorkerPairs;
  /** Share of common tasks with the same label, for each pair. */
  readonly agreement: Float64Array;
  /** (K p − 1) / (K − 1) with p the probability of a right label; 0 for a worker without a partner. */
  readonly reliability: Float64Array;
  /** Standard error of each, about: that of a median of ratios, over no more tasks than the worker has. */
  readonly error: Float64Array;
}

const SWEEPS = 200;
const TOLERANCE = 1e-6;
/** Skills are kept this far from 0, over which ratios are taken. */
const SMALLEST = 1e-3;

/** Fits one-coin skills by weighted medians. O(sweeps · pairs · log). */
export function robustCoin(given: CategoricalData, options?: CoLabellingOptions): RobustCoin {
  const { data, sampled } = coLabelledTasks(given, options);
  const K = data.classes.length;
  const pairs = workerPairs("excess-agreement", data);
  const beyond = chanceCorrected(pairs, K);
  const agreement = beyond.map((c) => (K > 1 ? (c * (K - 1) + 1) / K : 1));
  const reliability =
    K > 1 ? medianSkills(pairs, beyond, K) : new Float64Array(pairs.start.length - 1);
  turnParts(reliability, pairs, crowdParts(data));
  const error = standardErrors(data, pairs, reliability);
  return { data, sampled, pairs, agreement, reliability, error };
}

/** π/2 · (K / (K − 1))² / 4 over Σ common s² of the partners, or over the worker's labels if they are fewer. */
function standardErrors(
  data: CategoricalData,
  { start, other, common }: WorkerPairs,
  s: Float64Array,
): Float64Array {
  const K = data.classes.length;
  const labels = labelsPerWorker(data);
  return s.map((_, w) => {
    let information = 0;
    for (let at = start[w]; at < start[w + 1]; at++) information += common[at] * s[other[at]] ** 2;
    const spread = K > 1 ? (Math.PI / 8) * (K / (K - 1)) ** 2 : 0;
    const n = Math.min(information, labels[w]);
    return n > 0 ? Math.sqrt(spread / n) : 2;
  });
}

/** Returns the agreement that independent one-coin workers u and v would have. */
export function expectedAgreement(
  reliability: Float64Array,
  u: number,
  v: number,
  K: number,
): number {
  const expected = 1 / K + ((K - 1) / K) * reliability[u] * reliability[v];
  return Math.min(1, Math.max(0, expected));
}

function medianSkills(
  { start, other, common }: WorkerPairs,
  beyond: Float64Array,
  K: number,
): Float64Array {
  const W = start.length - 1;
  const low = -1 / (K - 1);
  const root = common.map(Math.sqrt);
  let s = startingSkills(start, root, beyond);
  let widest = 0;
  for (let w = 0; w < W; w++) widest = Math.max(widest, start[w + 1] - start[w]);
  const ratio = new Float64Array(widest);
  const weight = new Float64Array(widest);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const next = new Float64Array(W);
    let moved = 0;
    for (let w = 0; w < W; w++) {
      const n = start[w + 1] - start[w];
      for (let j = 0; j < n; j++) {
        const at = start[w] + j;
        const sv = awayFromZero(s[other[at]]);
        ratio[j] = beyond[at] / sv;
        weight[j] = Math.abs(sv) * root[at];
      }
      const found = weightedMedian(ratio.subarray(0, n), weight.subarray(0, n));
      next[w] = (s[w] + Math.min(1, Math.max(low, found))) / 2;
      moved = Math.max(moved, Math.abs(next[w] - s[w]));
    }
    s = next;
    if (moved < TOLERANCE) break;
  }
  return s.map((value, w) => (start[w + 1] > start[w] ? value : 0));
}

/** Starts everybody at the root of the crowd's mean agreement beyond chance. */
function startingSkills(start: Int32Array, root: Float64Array, beyond: Float64Array): Float64Array {
  let [sum, total] = [0, 0];
  for (let at = 0; at < root.length; at++) {
    sum += root[at] * beyond[at];
    total += root[at];
  }
  const level = Math.sqrt(Math.min(1, Math.max(0.04, total > 0 ? sum / total : 0)));
  return new Float64Array(start.length - 1).fill(level);
}

const awayFromZero = (s: number) => (Math.abs(s) >= SMALLEST ? s : s < 0 ? -SMALLEST : SMALLEST);

/**
 * Returns the least value with half of the weight at or below it; 0 for none. Reorders both arrays.
 * O(n) on average.
 */
export function weightedMedian(values: Float64Array, weights: Float64Array): number {
  let [low, high] = [0, values.length - 1];
  if (high < 0) return 0;
  let rest = 0;
  for (const weight of weights) rest += weight;
  rest /= 2;
  while (low < high) {
    const [a, b, c] = [values[low], values[(low + high) >> 1], values[high]];
    const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    let [i, j] = [low, high];
    let below = 0;
    while (i <= j) {
      while (values[i] < pivot) below += weights[i++];
      while (values[j] > pivot) j--;
      if (i > j) break;
      swap(values, i, j);
      swap(weights, i, j);
      below += weights[i++];
      j--;
    }
    // Now values[low..i) ≤ pivot ≤ values(j..high], and what lies between is the pivot.
    if (j + 1 < i && below - weights[i - 1] < rest && rest <= below) return values[i - 1];
    if (rest <= below) high = i - 1;
    else {
      rest -= below;
      low = i;
    }
  }
  return values[low];
}

function swap(list: Float64Array, i: number, j: number): void {
  const kept = list[i];
  list[i] = list[j];
  list[j] = kept;
}

/** Turns all skills of a part if their median is negative: pairs look the same either way. */
function turnParts(s: Float64Array, { start }: WorkerPairs, { ofWorker, count }: CrowdParts): void {
  const members: number[][] = Array.from({ length: count }, () => []);
  for (let w = 0; w < s.length; w++) {
    if (ofWorker[w] >= 0 && start[w + 1] > start[w]) members[ofWorker[w]].push(w);
  }
  for (const part of members) {
    const sorted = Float64Array.from(part, (w) => s[w]).sort();
    if (sorted.length > 0 && quantile(sorted, 0.5) < 0) for (const w of part) s[w] = -s[w];
  }
}
