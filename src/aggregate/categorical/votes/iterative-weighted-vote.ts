/**
 * Iterative weighted vote: vote, learn who agrees with the vote, vote again, until nothing changes.
 *
 *   skill[w]     = share of worker w's labels that equal the current answers
 *   score[t, k]  = sum of K·skill[w] - 1 over the workers w who called task t a k
 *
 * The weight is the straight line through the best one-coin weight at skill = 1/K: a guesser counts
 * for nothing, somebody worse votes against. Close to one-coin EM without its exponentials, good
 * for huge crowds with even errors; below the plain vote where most workers share a bias.
 *
 * Each pass raises the trace, the mean of (K·skill - 1)² over labels: it is convex in the numbers of
 * agreeing labels, and the vote maximises its tangent. So answers never come back, and it ends.
 *
 * The posterior is one-coin Bayes with these weights, softmax(K/(K-1) · score): sharper than it
 * should be where skills are learnt from few labels.
 *
 * Li & Yu (2014). https://doi.org/10.48550/arXiv.1411.4086
 */
import { labelShares, voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { answering } from "./truth-discovery.ts";
import { agreementWith } from "./wawa.ts";
import { linearWeight, softmaxRows, weightedScores } from "./weighted-vote.ts";

/** What the iterative weighted vote finds beyond the answers. */
export interface IterativeWeightedVote extends Fit {
  /** Weight that each class of each task gathered, as score[task * K + class]. */
  readonly score: Float64Array;
}

/**
 * Iterative weighted vote: votes with weights K·skill − 1, where skill is the agreement with the
 * last vote.
 */
export const iterativeWeightedVote = aggregator(
  {
    id: "iterative-weighted-vote",
    title: "Iterative weighted vote",
    summary:
      "Iterates a vote with weights K·skill - 1, where skill is the agreement with the previous vote.",
    paper: {
      authors: "H. Li, B. Yu",
      year: 2014,
      title: "Error rate bounds and iterative weighted majority voting for crowdsourcing",
      url: "https://doi.org/10.48550/arXiv.1411.4086",
    },
    family: "votes",
    probabilistic: false,
    cost: "O(N) per iteration",
    options: {
      maxIterations: {
        default: 100,
        min: 1,
        integer: true,
        help: "Maximum number of votes after the first one.",
      },
    },
  },
  function* (data, options, { known, K }): Steps<IterativeWeightedVote> {
    const prior = labelShares(data);
    const answers = answering(data, options, known, prior);
    let posterior = voteShares(data);
    let consensus = answers(posterior);
    let skill = agreementWith(data, consensus);
    let score: Float64Array = new Float64Array(posterior.length);
    const trace: number[] = [];
    let converged = false;
    for (let iteration = 1; iteration <= options.maxIterations && !converged; iteration++) {
      const weights = skill.map((p) => linearWeight(p, K));
      score = weightedScores(data, weights);
      // The slope of the best weight at 1/K makes the scores log-odds there.
      const slope = K > 1 ? K / (K - 1) : 1;
      posterior = softmaxRows(
        score.map((sum) => slope * sum),
        K,
      );
      const next = answers(posterior);
      converged = next.every((k, t) => k === consensus[t]);
      consensus = next;
      skill = agreementWith(data, consensus);
      const objective = meanSquare(data, skill, K);
      trace.push(objective);
      yield { iteration, objective };
    }
    return { posterior, prior, skill, score, trace, converged };
  },
);

/** What it climbs: the mean over labels of the squared weight of their worker. */
function meanSquare({ worker, weight }: CategoricalData, skill: Float64Array, K: number): number {
  let sum = 0;
  let all = 0;
  for (let i = 0; i < worker.length; i++) {
    const count = weight ? weight[i] : 1;
    sum += count * linearWeight(skill[worker[i]], K) ** 2;
    all += count;
  }
  return all > 0 ? sum / all : 0;
}
