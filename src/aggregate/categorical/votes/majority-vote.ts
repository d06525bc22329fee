/**
 * Majority vote: each label counts for one, the class with most labels wins.
 *
 * The posterior is the share of votes, which is no probability of being right. It is the baseline
 * of everything else: good with many labels a task and workers alike; it cannot tell an expert
 * from a spammer, and a bias shared by most workers becomes the answer.
 */

import { clampGold } from "../../../belief/known.ts";
import { agreement, labelShares, voteShares } from "../../../belief/votes.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";

export const majorityVote = aggregator(
  {
    id: "majority-vote",
    title: "Majority vote",
    summary: "Every worker counts the same; the class with most labels wins.",
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
