/**
 * Wawa, "worker agreement with aggregate": vote, see who agrees with the vote, vote again by that.
 *
 *   skill[w]     = share of worker w's labels that equal the majority vote
 *   score[t, k]  = sum of skill[w] over the workers w who called task t a k
 *
 * One correction, no iteration. Good for a quick look at workers with few labels and many classes;
 * it cannot see a bias that most workers share, and hardly punishes a guesser: with two classes
 * half of the guesses agree. The posterior is a share of weight, no probability.
 *
 * The skills are weights: `weighted-vote` applies them to other tasks.
 *
 * A practice of CrowdFlower (now Appen); as in Ustalov, Pavlichenko & Tseitlin (2024), JOSS 9(96),
 * 6227. https://doi.org/10.21105/joss.06227
 */

import { clampGold } from "../../../belief/known.ts";
import { decide } from "../../../belief/ties.ts";
import { labelShares, normalise, voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { weightedScores } from "./weighted-vote.ts";

/** Wawa: each worker counts by the share of labels that agree with the majority vote. */
export const wawa = aggregator(
  {
    id: "wawa",
    title: "Wawa",
    summary: "Workers are weighted by their agreement with the majority vote.",
    paper: {
      authors: "D. Ustalov, N. Pavlichenko, B. Tseitlin",
      year: 2024,
      title: "Learning from crowds with Crowd-Kit",
      url: "https://doi.org/10.21105/joss.06227",
    },
    family: "votes",
    probabilistic: false,
    cost: "O(N), two passes",
    options: {},
  },
  // biome-ignore lint/correctness/useYield: two passes are no iterations
  function* (data, options, { known }): Steps<Fit> {
    const prior = labelShares(data);
    const votes = voteShares(data);
    clampGold(data, known, votes);
    const skill = agreementWith(data, decide(data, votes, prior, options).consensus);
    const posterior = weightedShares(data, skill);
    clampGold(data, known, posterior);
    return { posterior, prior, skill, trace: [], converged: true };
  },
);

/** Share of each worker's labels that name the class of their task; 1/K without labels. */
export function agreementWith(
  { workers, classes, task, worker, label, weight }: CategoricalData,
  consensus: Int32Array,
): Float64Array {
  const same = new Float64Array(workers.length);
  const all = new Float64Array(workers.length);
  for (let i = 0; i < label.length; i++) {
    const count = weight ? weight[i] : 1;
    all[worker[i]] += count;
    if (label[i] === consensus[task[i]]) same[worker[i]] += count;
  }
  return same.map((count, w) => (all[w] > 0 ? count / all[w] : 1 / classes.length));
}

/** Shares of the weight; a task labelled only by workers without weight falls back on plain votes. */
export function weightedShares(data: CategoricalData, weights: Float64Array): Float64Array {
  const K = data.classes.length;
  const scores = weightedScores(data, weights);
  const votes = voteShares(data);
  for (let from = 0; from < scores.length; from += K) {
    let total = 0;
    for (let k = from; k < from + K; k++) total += scores[k];
    if (!(total > 0)) scores.set(votes.subarray(from, from + K), from);
  }
  return normalise(scores, K);
}
