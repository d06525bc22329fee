/**
 * Ratio of eigenvectors, of Dalvi, Dasgupta, Kumar and Rastogi: how often workers agree, made
 * comparable across pairs that share many tasks and pairs that share none.
 *
 *   x[t, w]    = +1 where worker w says the class of task t, -1 where they say another
 *   R1[w, v]   = mean of x[t, w] · x[t, v] over the tasks that both labelled, 0 without any
 *   R2[w, v]   = 1 where they share a task, else 0
 *   strength   = v1 / v2, of the leading eigenvectors of the two
 *   score[t]   = sum of x[t, w] · strength[w]
 *
 * If workers are right with probabilities of their own, R1 is in expectation R2 times
 * strength[w] · strength[v], so that the ratio of the vectors, times √(λ1/λ2), is near 2·skill - 1. The
 * sign is the one that sides with more labels, or with gold. With more than two classes each is asked
 * against the rest.
 *
 * The singular vector of `ghosh-svd` without its weakness, workers with many labels; blind to workers
 * who favour a class. `normalise: false` has sums of products and numbers of common tasks instead.
 *
 * The posterior is a softmax, an order of belief and not a calibrated probability.
 *
 * Dalvi, Dasgupta, Kumar & Rastogi (2013), WWW, 285–294. https://doi.org/10.1145/2488388.2488414
 */
import type { CategoricalData } from "../../../data/categorical.ts";
import { append } from "../../../math/lists.ts";
import { createRandom } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { type WorkerPairs, workerPairs } from "./agreement-moments.ts";
import { crowdParts } from "./crowd-parts.ts";
import { leadingOptions, leadingVectors, type WorkerProduct } from "./leading-vectors.ts";
import { createScores, orient, questions, signsOf } from "./one-against-rest.ts";

/** What the ratio of eigenvectors finds beyond the answers. */
export interface Dalvi extends Fit {
  /** For a class if above 0, against it if below: score[task * K + class]; comparable within a task. */
  readonly score: Float64Array;
  /** How much a worker's word about a class counts, strength[worker * K + class]. */
  readonly strength: Float64Array;
  /** Estimate of 2·P(right about the class) - 1, reliability[worker * K + class], from -1 to 1. */
  readonly reliability: Float64Array;
}

/** Entries of v2 below this are rounding: such a worker hardly belongs to the part. */
const SMALLEST = 1e-9;

/**
 * Ratio of eigenvectors: the reliability of workers from how often pairs agree, whatever tasks they
 * share.
 */
export const dalvi = aggregator(
  {
    id: "dalvi",
    title: "Ratio of eigenvectors",
    summary:
      "Workers are weighted by their agreement in pairs, corrected for how many tasks they share.",
    paper: {
      authors: "N. Dalvi, A. Dasgupta, R. Kumar, V. Rastogi",
      year: 2013,
      title: "Aggregating crowdsourced binary ratings",
      url: "https://doi.org/10.1145/2488388.2488414",
    },
    family: "spectral",
    probabilistic: false,
    cost: "O(Σ d²) for tasks with d labels, then O(pairs) per product; O(pairs) memory",
    options: {
      ...leadingOptions,
      normalise: {
        default: true,
        help: "Use means over common tasks; otherwise sums, which give more weight to pairs with more common tasks.",
      },
    },
  },
  function* (data, options, { known, K }): Steps<Dalvi> {
    const parts = crowdParts(data);
    const pairs = workerPairs("dalvi", data);
    const scores = createScores(data);
    const random = createRandom(options.seed).split("start");
    const own = options.normalise ? new Float64Array(data.workers.length).fill(1) : workload(data);
    const vectorsOf = (values: Float64Array) =>
      leadingVectors(pairProduct(pairs, values, own), data.workers, parts, options, random);

    const shared = yield* vectorsOf(options.normalise ? pairs.common.map(() => 1) : pairs.common);
    const trace = [...shared.trace];
    let converged = shared.converged;
    const reliability = new Float64Array(data.workers.length * K);
    for (const k of questions(K)) {
      const sign = signsOf(data, k);
      const x = sign.map(Math.sign);
      const agreed = pairs.products(x, x);
      if (options.normalise) for (let p = 0; p < agreed.length; p++) agreed[p] /= pairs.common[p];
      const found = yield* vectorsOf(agreed);
      append(trace, found.trace);
      converged &&= found.converged;
      const strength = found.vector.map((v1, w) => {
        const v2 = Math.abs(shared.vector[w]);
        return v2 > SMALLEST ? (Math.sqrt(found.value[w] / shared.value[w]) * v1) / v2 : 0;
      });
      orient(data, parts, { k, sign, gold: known.gold }, strength);
      for (let w = 0; w < strength.length; w++) {
        reliability[w * K + k] = Math.min(1, Math.max(-1, strength[w]));
        if (K === 2) reliability[w * K + 1] = reliability[w * K];
      }
      scores.addWorkers(k, sign, strength, parts);
    }
    return { ...scores.finish(known, options), reliability, trace, converged };
  },
);

/** The product with a matrix of which the diagonal and the entries of pairs are given. */
function pairProduct(
  { start, other }: WorkerPairs,
  values: Float64Array,
  own: Float64Array,
): WorkerProduct {
  return (v, into, workers) => {
    for (const w of workers) {
      let sum = own[w] * v[w];
      for (let at = start[w]; at < start[w + 1]; at++) sum += values[at] * v[other[at]];
      into[w] = sum;
    }
  };
}

/** Labels of each worker, by weight: the tasks that they share with themselves. */
function workload({ workers, worker, weight }: CategoricalData): Float64Array {
  const labels = new Float64Array(workers.length);
  for (let i = 0; i < worker.length; i++) labels[worker[i]] += weight ? weight[i] : 1;
  return labels;
}
