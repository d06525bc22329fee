/**
 * Spectral vote of Ghosh, Kale and McAfee: workers count for their part in the leading singular vector
 * of the table of all labels.
 *
 *   x[t, w]    = +1 where worker w says the class of task t, -1 where they say another, 0 without label
 *   x          ≈ σ · u · vᵀ, its best approximation of rank one
 *   score[t]   = sum of x[t, w] · v[w] = σ · u[t]
 *
 * If each worker is right with a probability of their own, x is in expectation such a product: of the
 * truth and of 2·skill - 1, as far as all label as many tasks. The sign is the one that sides with more
 * labels, or with gold. With more than two classes each is asked against the rest.
 *
 * No start to choose and one vector to compute; but workers with many labels dominate the table, and
 * where they are bad, so is the answer.
 *
 * The posterior is a softmax, an order of belief and not a calibrated probability.
 *
 * Ghosh, Kale & McAfee (2011), EC, 167–176. https://doi.org/10.1145/1993574.1993599
 */

import type { CategoricalData } from "../../../data/categorical.ts";
import { labelsPerWorker } from "../../../data/crowd-data.ts";
import { append } from "../../../math/lists.ts";
import { createRandom } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { crowdParts } from "./crowd-parts.ts";
import { leadingOptions, leadingVectors, type WorkerProduct } from "./leading-vectors.ts";
import { createScores, orient, questions, signsOf } from "./one-against-rest.ts";

/** What the leading singular vector finds beyond the answers. */
export interface GhoshSvd extends Fit {
  /** For a class if above 0, against it if below: score[task * K + class]; comparable within a task. */
  readonly score: Float64Array;
  /** How much a worker's word about a class counts, strength[worker * K + class]. */
  readonly strength: Float64Array;
}

/**
 * Ghosh–Kale–McAfee SVD: the leading singular vector of the table of labels gives the reliability
 * of workers.
 */
export const ghoshSvd = aggregator(
  {
    id: "ghosh-svd",
    title: "Ghosh–Kale–McAfee SVD",
    summary:
      "The leading singular vector of the label matrix gives the reliability of the workers.",
    paper: {
      authors: "A. Ghosh, S. Kale, P. McAfee",
      year: 2011,
      title:
        "Who moderates the moderators? Crowdsourcing abuse detection in user-generated content",
      url: "https://doi.org/10.1145/1993574.1993599",
    },
    family: "spectral",
    probabilistic: false,
    cost: "O(N) per product, some 24 to 200 of them, times K classes if more than two",
    options: leadingOptions,
  },
  function* (data, options, { known, K }): Steps<GhoshSvd> {
    const parts = crowdParts(data);
    const scores = createScores(data);
    const random = createRandom(options.seed).split("start");
    const trace: number[] = [];
    let converged = true;
    for (const k of questions(K)) {
      const sign = signsOf(data, k);
      const product = gramProduct(data, sign);
      const found = yield* leadingVectors(product, data.workers, parts, options, random);
      append(trace, found.trace);
      converged &&= found.converged;
      orient(data, parts, { k, sign, gold: known.gold }, found.vector);
      scores.addWorkers(k, sign, found.vector, parts);
    }
    return { ...scores.finish(known, options), trace, converged };
  },
);

/** xᵀ x · v by way of the tasks, without the table between workers: O(labels of these workers). */
function gramProduct(data: CategoricalData, sign: Float64Array): WorkerProduct {
  const { task, worker, tasks } = data;
  const sizes = labelsPerWorker(data);
  const start = new Int32Array(sizes.length + 1);
  for (let w = 0; w < sizes.length; w++) start[w + 1] = start[w] + sizes[w];
  const taskOf = new Int32Array(task.length);
  const signOf = new Float64Array(task.length);
  const next = start.slice();
  for (let i = 0; i < task.length; i++) {
    const at = next[worker[i]]++;
    taskOf[at] = task[i];
    signOf[at] = sign[i];
  }
  const u = new Float64Array(tasks.length);
  return (v, into, workers) => {
    for (const w of workers) for (let at = start[w]; at < start[w + 1]; at++) u[taskOf[at]] = 0;
    for (const w of workers) {
      for (let at = start[w]; at < start[w + 1]; at++) u[taskOf[at]] += signOf[at] * v[w];
    }
    for (const w of workers) {
      let sum = 0;
      for (let at = start[w]; at < start[w + 1]; at++) sum += signOf[at] * u[taskOf[at]];
      into[w] = sum;
    }
  };
}
