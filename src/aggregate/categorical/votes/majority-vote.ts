/**
 * Majority vote: each label counts for one, the class with most labels wins.
 *
 * The posterior is the share of votes, which is no probability of being right. It is the baseline
 * of everything else: good with many labels per task and workers alike; it cannot tell an expert
 * from a spammer, and a bias shared by most workers becomes the answer.
 */

import { clampGold } from "../../../belief/known.ts";
import { agreement, labelShares, normalise, voteShares } from "../../../belief/votes.ts";
import type { LiveContext, LiveModel } from "../../../em/live.ts";
import { countHit } from "../../../em/one-coin.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";

/** Majority vote: every label counts the same; the class with most labels wins. */
export const majorityVote = aggregator(
  {
    id: "majority-vote",
    title: "Majority vote",
    summary: "All workers count the same; the class with the most labels wins.",
    paper: {
      authors: "N. de Condorcet",
      year: 1785,
      title: "Essai sur l'application de l'analyse à la probabilité des décisions",
      url: "https://gallica.bnf.fr/ark:/12148/bpt6k417181",
    },
    family: "votes",
    probabilistic: false,
    cost: "O(N), one pass",
    options: {},
    live: liveVote,
  },
  // biome-ignore lint/correctness/useYield: a vote has no iterations to report
  function* (data, _options, { known }): Steps<Fit> {
    const posterior = voteShares(data);
    clampGold(data, known, posterior);
    return {
      posterior,
      prior: labelShares(data),
      skill: agreement(data, posterior),
      trace: [],
      converged: true,
    };
  },
);

/** Returns the vote in the form that live inference keeps up to date: workers' agreement with it. */
function liveVote(_options: object, { K }: LiveContext): LiveModel {
  const prior = new Float64Array(K);
  return {
    cells: 2,
    width: 2,
    pools: false,
    prior,
    mass: (label) => (label < K ? 1 : 0),
    unit: (label, belief, at, into) => countHit(belief[at + label], into),
    learn({ labels }) {
      prior.set(labels.subarray(0, K));
      normalise(prior, K);
    },
    open: (_base, _at, scores) => {
      scores.fill(0);
    },
    hear: (_statistics, _w, label, weight, scores) => {
      if (label < K) scores[label] += weight;
    },
    close: (scores) => {
      normalise(scores, K);
    },
    skills: (statistics, W) =>
      Float64Array.from({ length: W }, (_, w) =>
        statistics[2 * w + 1] > 0 ? statistics[2 * w] / statistics[2 * w + 1] : 1 / Math.max(1, K),
      ),
    // A vote maximises nothing.
    objective: () => 0,
  };
}
