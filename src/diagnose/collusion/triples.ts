/**
 * Skills from triples of workers, if fewer than half of them are adversaries of any kind.
 *
 *   C[u, v] C[u, w] / C[v, w] = s[u]²
 *
 * with C the agreement beyond chance, holds for an honest worker u who errs evenly and any v and w of whom one
 * is honest: what an adversary says enters through how often it is right, and cancels. The median over
 * pairs (v, w) then has less than a quarter of wrong values. Pairs with |C| within two standard errors of 0 are
 * skipped. For an adversary who colludes with many, most triples are wrong; what such a worker has in common with
 * others is c[v] = median over u of C[u, v] / s[u]. Workers of pairs that depart from c[u] c[v] by more than .1 and
 * six standard errors are flagged: only pairs of two adversaries do.
 *
 * Kleindessner & Awasthi (2018), Crowdsourcing with arbitrary adversaries, ICML.
 */
import {
  chanceCorrected,
  type WorkerPairs,
  workerPairs,
} from "../../aggregate/categorical/spectral/agreement-moments.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { createRandom, type Random } from "../../math/random.ts";
import { quantile } from "../../math/statistics.ts";
import { type CoLabellingOptions, coLabelledTasks } from "../co-labelling.ts";

/** Skills by triples, and workers in pairs that they do not explain. */
export interface Triples {
  /** (K p − 1) / (K − 1) of each worker, with p the probability of a right label; 0 where no triple tells. */
  readonly reliability: Float64Array;
  /** Share of each worker's partners with whom agreement is not explained. */
  readonly score: Float64Array;
  /** Workers with such a partner, by number. */
  readonly flagged: Int32Array;
}

/** Pairs (v, w) that are drawn per worker. */
const DRAWS = 500;

/** Estimates skills by medians over triples, and flags workers in pairs that skills do not explain. */
export function agreementTriples(given: CategoricalData, options?: CoLabellingOptions): Triples {
  const { data } = coLabelledTasks(given, options);
  const K = data.classes.length;
  const W = data.workers.length;
  const pairs = workerPairs("triples", data);
  const beyond = chanceCorrected(pairs, K);
  const random = createRandom(options?.seed ?? 0).split("triples");
  const size = new Float64Array(W);
  for (let u = 0; K > 1 && u < W; u++) {
    size[u] = medianOfTriples(pairs, beyond, K, u, random.split(data.workers.at(u)));
  }
  const reliability = withSigns(pairs, beyond, size);
  const common = medianRatios(pairs, beyond, reliability);
  const score = new Float64Array(W);
  for (let u = 0; u < W; u++) {
    for (let at = pairs.start[u]; at < pairs.start[u + 1]; at++) {
      const expected = common[u] * common[pairs.other[at]];
      const apart = Math.abs(beyond[at] - expected);
      if (apart > 0.1 && apart > 6 * errorOf(expected, pairs.common[at], K)) score[u]++;
    }
  }
  return {
    reliability,
    score: score.map((n, u) => n / Math.max(1, pairs.start[u + 1] - pairs.start[u])),
    flagged: Int32Array.from(score.keys()).filter((u) => score[u] > 0),
  };
}

/** Standard error of C at n common tasks if its expectation is c. */
function errorOf(c: number, n: number, K: number): number {
  if (K < 2) return Infinity;
  const agreement = Math.min(1, Math.max(0, (c * (K - 1) + 1) / K));
  const floor = 1 / (4 * n);
  return (K / (K - 1)) * Math.sqrt(Math.max(floor, agreement * (1 - agreement)) / n);
}

function medianOfTriples(
  { start, other, common }: WorkerPairs,
  beyond: Float64Array,
  K: number,
  u: number,
  random: Random,
): number {
  const n = start[u + 1] - start[u];
  const all = (n * (n - 1)) / 2;
  const found: number[] = [];
  const consider = (a: number, b: number) => {
    const at = find(other, start, other[start[u] + a], other[start[u] + b]);
    if (at < 0) return;
    if (Math.abs(beyond[at]) < K / (K - 1) / Math.sqrt(common[at])) return;
    found.push((beyond[start[u] + a] * beyond[start[u] + b]) / beyond[at]);
  };
  if (all <= DRAWS) for (let a = 0; a < n; a++) for (let b = 0; b < a; b++) consider(a, b);
  else {
    for (let draw = 0; draw < DRAWS; draw++) {
      const a = Math.floor(random.next() * n);
      const b = Math.floor(random.next() * (n - 1));
      consider(a, b < a ? b : b + 1);
    }
  }
  if (found.length === 0) return 0;
  const middle = quantile(Float64Array.from(found).sort(), 0.5);
  return Math.min(1, Math.sqrt(Math.max(0, middle)));
}

/** c[u]: the median over partners of C[u, v] / s[v], each counting the same. */
function medianRatios(
  { start, other }: WorkerPairs,
  beyond: Float64Array,
  s: Float64Array,
): Float64Array {
  return s.map((own, u) => {
    const ratios: number[] = [];
    for (let at = start[u]; at < start[u + 1]; at++) {
      if (Math.abs(s[other[at]]) > 0.05) ratios.push(beyond[at] / s[other[at]]);
    }
    if (ratios.length === 0) return own;
    const middle = quantile(Float64Array.from(ratios).sort(), 0.5);
    return Math.min(1, Math.max(-1, middle));
  });
}

/** Place of the pair (v, w), or -1: partners are sorted. */
function find(other: Int32Array, start: Int32Array, v: number, w: number): number {
  let [low, high] = [start[v], start[v + 1] - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (other[middle] === w) return middle;
    if (other[middle] < w) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Signs by majority: that of Σ C[u, v] s[v] √common, from all positive; at last most labels are positive. */
function withSigns(
  { start, other, common }: WorkerPairs,
  beyond: Float64Array,
  size: Float64Array,
): Float64Array {
  let s = size.slice();
  for (let round = 0; round < 20; round++) {
    const next = s.map((_, u) => {
      let sum = 0;
      for (let at = start[u]; at < start[u + 1]; at++)
        sum += beyond[at] * s[other[at]] * Math.sqrt(common[at]);
      return sum < 0 ? -size[u] : size[u];
    });
    const same = next.every((x, u) => x === s[u]);
    s = next;
    if (same) break;
  }
  const positive = s.reduce((sum, x) => sum + Math.sign(x), 0);
  return positive < 0 ? s.map((x) => -x) : s;
}
