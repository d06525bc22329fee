/**
 * M-MSR, matrix mean-subsequence-reduced: one-coin skills from agreement of which part may be forged.
 *
 *   C[w, v]   = (K · share of common tasks on which w and v agree - 1) / (K - 1),  E C = s[w] · s[v]
 *   b[v]      = trimmed mean over the partners w of |C[w, v]| / a[w],  then a by b the same way
 *   |s|       = a, where a and b have settled;  signs: those of the leading vector of sign(C)
 *
 * Trimmed: of the ratios above the current value the `F` largest are left out, or all if fewer, and of
 * those below the `F` smallest, F = half of the fewest partners a worker has, less one. So up to F
 * partners of each worker can show whatever they like. Then the posterior of one-coin workers with these
 * skills.
 *
 * For crowds with copiers, colluders or other adversaries, up to nearly half of everybody's partners;
 * needs workers who all share tasks with many. Blind to workers who favour a class.
 *
 * Ma & Olshevsky (2020), NeurIPS 33. https://arxiv.org/abs/2010.12181
 */

import { selectLabels } from "../../../data/categorical.ts";
import type { Names } from "../../../data/names.ts";
import { createRandom, type Random } from "../../../math/random.ts";
import { smallestFirst } from "../../../math/select.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, probabilisticOptions } from "../aggregator.ts";
import { chanceCorrected, type WorkerPairs, workerPairs } from "./agreement-moments.ts";
import { answersOf, type CoinSkills, pairNotes, settleSigns } from "./coin-skills.ts";
import { type CrowdParts, crowdParts } from "./crowd-parts.ts";
import { leadingVectors } from "./leading-vectors.ts";

/** What M-MSR finds beyond the answers. */
export interface Mmsr extends CoinSkills {
  /** How many of a worker's partners were left out above and below, at most. */
  readonly trimmed: Int32Array;
}

/** M-MSR: skills from how often pairs of workers agree, robust to adversaries. */
export const mmsr = aggregator(
  {
    id: "mmsr",
    title: "M-MSR",
    summary:
      "Estimates skills from the agreement of pairs and trims outliers, which makes it robust to adversaries.",
    paper: {
      authors: "Q. Ma, A. Olshevsky",
      year: 2020,
      title: "Adversarial crowdsourcing through robust rank-one matrix completion",
      url: "https://arxiv.org/abs/2010.12181",
    },
    family: "spectral",
    probabilistic: true,
    cost: "O(Σ d²) for tasks with d labels, then O(pairs) per iteration; O(pairs) memory",
    options: {
      ...probabilisticOptions,
      trim: {
        default: "least",
        choices: ["least", "own", "none"],
        help: "How many extreme partners are trimmed: up to half of the smallest number of partners, up to half of each worker's own, or none.",
      },
      signs: {
        default: "pattern",
        choices: ["pattern", "agreement"],
        help: "What tells who is worse than chance: whether each pair agrees more often than chance, or how much more, which is better on sparse crowds with many classes.",
      },
      maxIterations: {
        default: 10_000,
        min: 1,
        integer: true,
        help: "Maximum number of rounds of a and b.",
      },
      tolerance: {
        default: 1e-8,
        min: 0,
        help: "Relative change of the products a · b at which to stop.",
      },
    },
  },
  function* (data, options, context): Steps<Mmsr> {
    const { known, K } = context;
    const said = context.L > K ? selectLabels(data, (i) => data.label[i] < K) : data;
    const pairs = workerPairs("mmsr", said);
    const parts = crowdParts(said);
    const random = createRandom(options.seed);
    const values = chanceCorrected(pairs, K);
    const trimmed = trimOf(pairs, options.trim);
    const sizes = yield* sizesOf(pairs, values, trimmed, data.workers, options, random);
    const evidence = signEvidence(pairs, values, options.signs);
    const signs = yield* signsOf(pairs, evidence, parts, data.workers, random);
    const margin = Math.min(0.5, 1 / Math.sqrt(Math.max(1, data.tasks.length)));
    const range = [-1 / Math.max(1, K - 1) + margin, 1 - margin] as const;
    const strength = sizes.sizes.map((size, w) => size * signs[w]);
    const reliability = settleSigns(said, pairs, parts, known.gold, strength, range);
    return {
      ...answersOf(data, reliability, context),
      trimmed,
      trace: sizes.trace,
      converged: sizes.converged,
      notes: pairNotes(said, pairs, parts),
    };
  },
);

/** F of each worker. */
export function trimOf({ start }: WorkerPairs, trim: "least" | "own" | "none"): Int32Array {
  const partners = Int32Array.from(start.subarray(1), (end, w) => end - start[w]);
  const least = partners.reduce((min, n) => (n > 0 ? Math.min(min, n) : min), Infinity);
  return partners.map((n) => {
    if (trim === "none" || n === 0) return 0;
    return Math.max(0, Math.floor((trim === "own" ? n : least) / 2) - 1);
  });
}

/**
 * The sizes of s: a and b by turns from random starts, each drawn by name. The trace is minus the
 * logarithm of how far the products moved, as a part of themselves.
 */
export function* sizesOf(
  pairs: WorkerPairs,
  values: Float64Array,
  trim: Int32Array,
  workers: Names,
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
  random: Random,
): Steps<{ sizes: Float64Array; trace: number[]; converged: boolean }> {
  const draw = (key: string) =>
    Float64Array.from(workers, (name) => 0.2 + 0.6 * random.split(key).split(name).next());
  let [a, b] = balanced(draw("a"), draw("b"));
  const trace: number[] = [];
  let converged = false;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    const nextB = trimmedMeans(pairs, values, trim, a, b);
    const [nextA, evenB] = balanced(trimmedMeans(pairs, values, trim, nextB, a), nextB);
    // |a bᵀ - a' b'ᵀ| without the table: at most |a - a'| |b| + |a'| |b - b'|, both sides equally long.
    const size = length(nextA) * length(evenB);
    const moved = distance(a, nextA) * length(evenB) + length(a) * distance(b, evenB);
    [a, b] = [nextA, evenB];
    converged = moved <= tolerance * size;
    const objective = size > 0 && moved > 0 ? -Math.log(moved / size) : 0;
    trace.push(objective);
    yield { iteration, objective };
  }
  return { sizes: a, trace, converged };
}

/** For each worker the mean of |C| / theirs over the partners, without the furthest above and below. */
function trimmedMeans(
  { start, other }: WorkerPairs,
  values: Float64Array,
  trim: Int32Array,
  theirs: Float64Array,
  own: Float64Array,
): Float64Array {
  const longest = start.reduce(
    (most, end, w) => (w > 0 ? Math.max(most, end - start[w - 1]) : 0),
    0,
  );
  const ratios = new Float64Array(longest);
  return own.map((current, w) => {
    const n = start[w + 1] - start[w];
    let [below, above] = [0, 0];
    for (let r = 0; r < n; r++) {
      const pair = start[w] + r;
      ratios[r] = Math.abs(values[pair]) / Math.max(SMALLEST, theirs[other[pair]]);
      if (ratios[r] < current) below++;
      else if (ratios[r] > current) above++;
    }
    const first = Math.min(trim[w], below);
    const last = n - Math.min(trim[w], above);
    if (first >= last) return current;
    smallestFirst(ratios, 0, n, first);
    smallestFirst(ratios, first, n, last - first);
    let sum = 0;
    for (let r = first; r < last; r++) sum += ratios[r];
    return sum / (last - first);
  });
}

/** Nobody is divided by less than this. */
const SMALLEST = 1e-6;

/**
 * What each pair says of its signs, from -1 to 1; pairs without common tasks say nothing. Two who share one task with ten classes
 * mostly disagree, however good they are, so sign(C) is mostly -1. √n · C is 0 on average where skills are at chance, whatever n,
 * and being cut at 1 gives no pair, so no liar, more of a say than sign(C) does. Divided by the roots of how many partners the two
 * have, since otherwise the vector of a sparse crowd is that of its busiest workers, and noise elsewhere.
 */
function signEvidence(
  { start, other, common }: WorkerPairs,
  values: Float64Array,
  signs: "pattern" | "agreement",
): Float64Array {
  if (signs === "pattern") return values.map(Math.sign);
  const evidence = new Float64Array(values.length);
  for (let w = 0; w + 1 < start.length; w++) {
    for (let at = start[w]; at < start[w + 1]; at++) {
      const v = other[at];
      const partners = (start[w + 1] - start[w]) * (start[v + 1] - start[v]);
      const strength = Math.min(1, Math.max(-1, values[at] * Math.sqrt(common[at])));
      evidence[at] = strength / Math.sqrt(partners);
    }
  }
  return evidence;
}

/** The sign of each worker: that of the leading eigenvector of the evidence, a part at a time. */
function* signsOf(
  { start, other }: WorkerPairs,
  values: Float64Array,
  parts: CrowdParts,
  workers: Names,
  random: Random,
): Steps<Float64Array> {
  const product = (v: Float64Array, into: Float64Array, members: Int32Array): void => {
    for (const w of members) {
      let sum = 0;
      for (let at = start[w]; at < start[w + 1]; at++) sum += values[at] * v[other[at]];
      into[w] = sum;
    }
  };
  const rough = { maxIterations: 20, tolerance: 1e-6 };
  const { vector } = yield* leadingVectors(product, workers, parts, rough, random.split("signs"));
  return vector.map((x) => (x < 0 ? -1 : 1));
}

/** Both as long as each other, with the same products. */
function balanced(a: Float64Array, b: Float64Array): [a: Float64Array, b: Float64Array] {
  const k = Math.sqrt(length(a) / length(b));
  if (!(k > 0 && k < Infinity)) return [a, b];
  return [a.map((x) => x / k), b.map((x) => x * k)];
}

function length(v: Float64Array): number {
  return Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
}

function distance(a: Float64Array, b: Float64Array): number {
  return Math.sqrt(a.reduce((sum, x, w) => sum + (x - b[w]) ** 2, 0));
}
