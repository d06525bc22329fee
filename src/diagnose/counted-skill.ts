/**
 * Skills counted from what a fit believes of each task, without the priors that the fit may have on workers:
 *
 *   skill[w] = Σ_k π[k] · right[w, k] / n[w, k]      right, n: labels of w, each with P(class k) of its task
 *
 * Priors draw the skills of all workers together. That makes better answers, but an interval about a skill that is drawn
 * in, with the spread of skills that are drawn in, covers too little.
 */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { CategoricalData } from "../data/categorical.ts";

/** A number per worker: the skill, and the variance it would have if the classes were known. */
export interface CountedSkill {
  readonly skill: Float64Array;
  readonly variance: Float64Array;
}

/** Labels at the crowd's rate added to each class, which decide where a worker has none. */
const CROWD = 0.1;

/** Counts the skill of each worker from the posterior of a fit to these labels. */
export function countedSkill(
  data: CategoricalData,
  { posterior, prior, given }: Pick<Aggregation, "posterior" | "prior" | "given">,
): CountedSkill {
  const W = data.workers.length;
  const K = prior.length;
  const right = new Float64Array(W * K);
  const all = new Float64Array(W * K);
  for (let i = 0; i < data.label.length; i++) {
    const label = data.label[i];
    if (label >= given) continue;
    const weight = data.weight ? data.weight[i] : 1;
    const [from, belief] = [data.worker[i] * K, data.task[i] * K];
    for (let k = 0; k < K; k++) all[from + k] += weight * posterior[belief + k];
    if (label < K) right[from + label] += weight * posterior[belief + label];
  }
  const crowd = crowdRates(right, all, K);
  const skill = new Float64Array(W);
  const variance = new Float64Array(W);
  for (let at = 0; at < W * K; at++) {
    const [w, k] = [Math.floor(at / K), at % K];
    skill[w] += (prior[k] * (right[at] + CROWD * crowd[k])) / (all[at] + CROWD);
    // Half a label of either kind, so that rates of 0 and 1 have a variance.
    const rate = (right[at] + 0.5) / (all[at] + 1);
    variance[w] += (prior[k] ** 2 * rate * (1 - rate)) / (all[at] + 0.5);
  }
  return { skill, variance };
}

/** How often labels are right for each class, over all workers. */
function crowdRates(right: Float64Array, all: Float64Array, K: number): Float64Array {
  const [hits, labels] = [new Float64Array(K), new Float64Array(K)];
  for (let at = 0; at < all.length; at++) {
    hits[at % K] += right[at];
    labels[at % K] += all[at];
  }
  return hits.map((x, k) => (x + 0.5) / (labels[k] + 1));
}
