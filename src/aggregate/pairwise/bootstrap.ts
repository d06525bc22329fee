/**
 * Standard errors of scores by the Bayesian bootstrap: scores are fitted anew under random weights of mean 1, as often as
 * asked for, and spread as they do.
 *
 * If judges are taken for independent, all comparisons of a judge have one exponential weight; else each comparison has
 * its own, and those of one outcome of a pair add up to a gamma weight. Weights are never 0, so that items stay connected.
 * A draw depends on what judges and items are like, not on their names or order.
 *
 * Rubin (1981), The Annals of Statistics 9(1), 130–134. https://doi.org/10.1214/aos/1176345338
 */
import { answerHashes } from "../../data/content-hash.ts";
import { LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { exponential, gamma } from "../../math/distributions.ts";
import { createRandom, type Random } from "../../math/random.ts";
import type { Steps } from "../../method.ts";
import type { Pairs } from "./pairs.ts";
import { climb, type Fit, type Point } from "./score-fit.ts";

interface Settings {
  readonly resamples: number;
  readonly seed: number;
  readonly maxIterations: number;
  readonly tolerance: number;
  /** True if judges are taken for independent, false if comparisons are. */
  readonly byJudge: boolean;
}

/** Standard errors of all scores. */
export function* bootstrapErrors(
  data: PairwiseData,
  fit: Fit,
  at: Point,
  { resamples, seed, byJudge, ...limits }: Settings,
): Steps<Float64Array> {
  const draw = byJudge ? judgeWeights(data, fit.pairs, seed) : cellWeights(data, fit.pairs, seed);
  const n = at.score.length;
  const [sum, squares] = [new Float64Array(n), new Float64Array(n)];
  for (let b = 1; b <= resamples; b++) {
    yield { iteration: b, objective: 0, stage: `resampling, ${b} of ${resamples}` };
    const steps = climb({ ...fit, pairs: draw() }, at, limits);
    let step = steps.next();
    while (!step.done) step = steps.next();
    const { score } = step.value.at;
    for (let i = 0; i < n; i++) {
      sum[i] += score[i] - at.score[i];
      squares[i] += (score[i] - at.score[i]) ** 2;
    }
  }
  return squares.map((each, i) =>
    Math.sqrt(Math.max(0, each - sum[i] ** 2 / resamples) / Math.max(1, resamples - 1)),
  );
}

/** A stream of random numbers for each thing, by what it is like; those that are alike are told apart by their order. */
function streams(keys: Float64Array, seed: number): Random[] {
  const root = createRandom(seed).split("bootstrap");
  const seen = new Map<number, number>();
  return Array.from(keys, (key) => {
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return root.split(`${key} ${before}`);
  });
}

/** Adds up hashes of all answers about each thing. */
function keysOf(hashes: Uint32Array, count: number, columns: readonly Int32Array[]): Float64Array {
  const keys = new Float64Array(count);
  for (const column of columns) {
    column.forEach((thing, i) => {
      keys[thing] += hashes[i];
    });
  }
  return keys;
}

function hashesOf({ left, right, worker, label, items, workers }: PairwiseData): Uint32Array {
  return answerHashes(Uint32Array.from(label), [
    { of: [left], count: items.length },
    { of: [right], count: items.length },
    { of: [worker], count: workers.length },
  ]);
}

function judgeWeights(data: PairwiseData, pairs: Pairs, seed: number): () => Pairs {
  const { left, right, label, worker, weight, workers } = data;
  const random = streams(keysOf(hashesOf(data), workers.length, [worker]), seed);
  return () => {
    const times = Float64Array.from(random, exponential);
    const [won, lost, tied] = [0, 1, 2].map(() => new Float64Array(pairs.first.length));
    for (let i = 0; i < label.length; i++) {
      const at = pairs.ofRow[i];
      if (at < 0) continue;
      const count = times[worker[i]] * (weight ? weight[i] : 1);
      if (label[i] === TIE) tied[at] += count;
      else if ((label[i] === LEFT ? left[i] : right[i]) === pairs.first[at]) won[at] += count;
      else lost[at] += count;
    }
    return { ...pairs, won, lost, tied };
  };
}

function cellWeights(data: PairwiseData, pairs: Pairs, seed: number): () => Pairs {
  const keys = keysOf(hashesOf(data), data.items.length, [data.left, data.right]);
  const pair = Float64Array.from(
    pairs.first,
    (a, p) => keys[a] * 3 + keys[pairs.second[p]] * 7 + pairs.won[p] * 11 + pairs.lost[p] * 13,
  );
  const random = streams(pair, seed);
  const drawn = (counts: Float64Array) =>
    counts.map((count, p) => (count > 0 ? gamma(random[p], count) : 0));
  return () => ({
    ...pairs,
    won: drawn(pairs.won),
    lost: drawn(pairs.lost),
    tied: drawn(pairs.tied),
  });
}
