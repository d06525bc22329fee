/**
 * Weighted vote: each label counts for as much as its worker is worth; the class with most weight wins.
 *
 *   score[t, k] = sum of weight[w] over the workers w who called task t a k
 *
 * The weights come from outside: skills of another method or of another campaign. A negative weight
 * votes against. A worker who is right with probability p is best given log((K-1)p / (1-p)), which
 * turns the scores into log-probabilities (`posterior: softmax`); K·p - 1 is its straight line at
 * p = 1/K, and does without certainty. Good when skills are known and errors spread evenly; no
 * better than its weights, and blind to workers who favour a class.
 *
 * Nitzan & Paroush (1982), International Economic Review 23(2), 289–297. https://doi.org/10.2307/2526438
 * K classes and the straight line: Li & Yu (2014). https://doi.org/10.48550/arXiv.1411.4086
 */

import { clampGold } from "../../../belief/known.ts";
import { FLOOR } from "../../../belief/shares.ts";
import { agreement, labelShares, normalise } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { labelsPerWorker } from "../../../data/crowd-data.ts";
import { CrowdError, hint } from "../../../error.ts";
import { normalizeLog } from "../../../math/log-sum-exp.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";

/** What the weighted vote finds beyond the answers. */
export interface WeightedVote extends Fit {
  /** Weight that each class of each task gathered, as score[task * K + class]. */
  readonly score: Float64Array;
}

/** Weighted vote: each worker counts for a given weight; the class with most weight wins. */
export const weightedVote = aggregator(
  {
    id: "weighted-vote",
    title: "Weighted vote",
    summary: "Each worker has a known weight; the class with the largest total weight wins.",
    paper: {
      authors: "S. Nitzan, J. Paroush",
      year: 1982,
      title: "Optimal decision rules in uncertain dichotomous choice situations",
      url: "https://doi.org/10.2307/2526438",
    },
    family: "votes",
    probabilistic: false,
    needs: "weights",
    cost: "O(N), one pass",
    options: {
      withoutWeight: {
        default: "error",
        choices: ["error", "ignore", "default"],
        help: "What to do about a worker without a weight: stop with an error, ignore the worker, or use defaultWeight.",
      },
      defaultWeight: {
        default: 1,
        help: "Weight of workers without a weight, if withoutWeight is default.",
      },
      posterior: {
        default: "shares",
        choices: ["shares", "softmax"],
        help: "Posterior: shares of the weight, or one-coin Bayes with the weights as log-odds. Negative weights always use one-coin Bayes.",
      },
    },
  },
  function* (data, options, { known, K, named }): Steps<WeightedVote> {
    const weights = settledWeights(named, known.weights, options);
    const against = weights.some((weight) => weight < 0);
    const score = weightedScores(data, weights);
    const posterior =
      against || options.posterior === "softmax"
        ? softmaxRows(score, K)
        : normalise(score.slice(), K);
    clampGold(data, known, posterior);
    return {
      posterior,
      prior: labelShares(data),
      skill: agreement(data, posterior),
      trace: [],
      converged: true,
      score,
      notes:
        against && options.posterior === "shares"
          ? ["Some weights are negative, so the posterior is the softmax of the scores."]
          : [],
    };
  },
);

/** The best weight of a worker who is right with this probability, errors spread evenly. */
export function oneCoinWeight(accuracy: number, classes: number): number {
  const p = Math.min(1 - FLOOR, Math.max(FLOOR, accuracy));
  return classes > 1 ? Math.log(((classes - 1) * p) / (1 - p)) : 0;
}

/** The straight line through that weight at 1/K, up to its scale: from -1 to K - 1, and 0 for a guesser. */
export function linearWeight(accuracy: number, classes: number): number {
  return classes * accuracy - 1;
}

/** Weight of the labels of each class, as scores[task * K + class]. */
export function weightedScores(
  { tasks, classes, task, worker, label, weight }: CategoricalData,
  weights: Float64Array,
): Float64Array {
  const K = classes.length;
  const scores = new Float64Array(tasks.length * K);
  for (let i = 0; i < label.length; i++) {
    if (label[i] < K) scores[task[i] * K + label[i]] += weights[worker[i]] * (weight?.[i] ?? 1);
  }
  return scores;
}

/** Each task's K scores as probabilities: exp, normalised. */
export function softmaxRows(scores: Float64Array, K: number): Float64Array {
  const shares = scores.slice();
  for (let from = 0; from < shares.length; from += K) normalizeLog(shares, from, from + K);
  return shares;
}

/** The weights with the missing ones settled by the policy; refuses what cannot be added up. */
function settledWeights(
  data: CategoricalData,
  weights: Float64Array | undefined,
  {
    withoutWeight,
    defaultWeight,
  }: { readonly withoutWeight: string; readonly defaultWeight: number },
): Float64Array {
  if (!weights) {
    throw new CrowdError(
      "bad-option",
      `weighted-vote needs ${hint("known.weights")}, one number per worker. The skills of wawa would do.`,
    );
  }
  const labels = labelsPerWorker(data);
  const used = (w: number) => labels[w] > 0;
  const infinite = weights.findIndex((weight, w) => used(w) && Math.abs(weight) === Infinity);
  if (infinite >= 0) {
    throw new CrowdError(
      "bad-option",
      `weighted-vote: the weight of worker "${data.workers.at(infinite)}" is ${weights[infinite]}, which is not finite.`,
    );
  }
  const unknown = weights.findIndex((weight, w) => used(w) && Number.isNaN(weight));
  if (unknown >= 0 && withoutWeight === "error") {
    throw new CrowdError(
      "bad-option",
      `weighted-vote: worker "${data.workers.at(unknown)}" has no weight. ` +
        `Give one, or choose withoutWeight: ignore or withoutWeight: default.`,
    );
  }
  const instead = withoutWeight === "default" ? defaultWeight : 0;
  return weights.map((weight) => (Number.isFinite(weight) ? weight : instead));
}
