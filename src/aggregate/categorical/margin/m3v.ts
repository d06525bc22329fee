/**
 * M3V, max-margin majority voting: weigh workers so that on every task the answer is clearly ahead.
 *
 *   s[t, k] = sum of weight[w] over the workers w who called task t a k
 *
 *   minimise  ½ |weight|² + penalty · sum over t of max(0, margin - (s[t, y[t]] - the best other s[t, k]))
 *
 * over weights and answers y, in turns from the majority vote: the weights by a support vector machine
 * (margin-svm.ts), the answers as the classes with the largest s, until these repeat. Neither turn raises
 * the objective. Weights may be negative: such a worker's vote for a class speaks against it. Tasks on
 * which classes tie are left out until weights break the tie.
 *
 * No likelihood, one number per worker: good for the answers alone where errors fall evenly on the classes.
 * The turns trust the vote they start from, so that a bias shared by most workers stays.
 *
 * The posterior is the softmax of s / margin: an order of belief, not a calibrated probability.
 *
 * Tian & Zhu (2015), NIPS 28, 1621–1629.
 * https://papers.nips.cc/paper/2015/hash/d7322ed717dedf1eb4e6e52a37ea7bcd-Abstract.html
 */

import { entriesOf } from "../../../belief/gibbs.ts";
import { clampGold, type Known } from "../../../belief/known.ts";
import { nameOrder } from "../../../belief/name-order.ts";
import { decide, tieSet } from "../../../belief/ties.ts";
import { labelShares, voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { agreementWith } from "../votes/wawa.ts";
import { softmaxRows, weightedScores } from "../votes/weighted-vote.ts";
import { createSvm, type Svm } from "./margin-svm.ts";

/** What M3V finds beyond the answers. */
export interface M3v extends Fit {
  /** Below 0 for a worker who is wrong more often than right. */
  readonly weights: Float64Array;
  /** Weight that each class of each task gathered, as score[task * K + class]. */
  readonly score: Float64Array;
  /** At most this part of the last machine's objective is still to be gained. */
  readonly gap: number;
}

export const marginOptions = {
  penalty: {
    default: 1,
    min: 0,
    help: "Penalty per task whose answer does not lead by the margin.",
  },
  margin: { default: 1, min: 1e-6, help: "Margin by which the answer should lead." },
} as const;

/**
 * M3V: weights of workers under which the answers lead by a margin, and those answers, found in
 * turns.
 */
export const m3v = aggregator(
  {
    id: "m3v",
    title: "M3V",
    summary:
      "Alternates between worker weights with a large margin and the answers that they give.",
    paper: {
      authors: "T. Tian, J. Zhu",
      year: 2015,
      title: "Max-margin majority voting for learning from crowds",
      url: "https://papers.nips.cc/paper/2015/hash/d7322ed717dedf1eb4e6e52a37ea7bcd-Abstract.html",
    },
    family: "margin",
    probabilistic: false,
    cost: "O(N·K + T·K²) per pass, tens to hundreds of passes per round; T·K memory",
    options: {
      ...marginOptions,
      maxIterations: {
        default: 100,
        min: 1,
        integer: true,
        help: "Maximum number of rounds after the vote.",
      },
      tolerance: {
        default: 1e-5,
        min: 1e-12,
        help: "Duality gap of the weights, relative to the objective, at which to stop.",
      },
      maxPasses: {
        default: 2000,
        min: 1,
        integer: true,
        help: "Maximum number of passes over the tasks per round.",
      },
    },
  },
  function* (data, options, { known, K, L }): Steps<M3v> {
    // Gold is all that it can use.
    const { gold } = known;
    const sorted = nameOrder(data, gold ? { gold } : {}, { K, L });
    const svm = createSvm(entriesOf(sorted.data), { W: data.workers.length, K }, options);
    const answer = createAnswers(svm, sorted.known, K);
    const trace: number[] = [];
    let [gap, unsolved, passes] = [0, 0, 0];
    let converged = false;
    svm.weights.fill(1);
    answer();
    svm.weights.fill(0);
    while (trace.length < options.maxIterations && !converged) {
      let primal = 0;
      for (let pass = 1; pass <= options.maxPasses; pass++) {
        svm.pass();
        const now = svm.measure();
        primal = now.primal;
        gap = primal > 0 ? now.gap / primal : 0;
        yield { iteration: ++passes, objective: -primal, stage: `turn ${trace.length + 1}` };
        if (gap <= options.tolerance) break;
      }
      if (gap > options.tolerance) unsolved++;
      trace.push(-primal);
      converged = answer() === 0;
    }
    const weights = sorted.restore.workers(svm.weights);
    const { score, posterior } = read(data, weights, options.margin);
    clampGold(data, known, posterior);
    const prior = labelShares(data);
    const { consensus } = decide(data, posterior, prior, options);
    return {
      posterior,
      prior,
      weights,
      score,
      gap,
      trace,
      converged,
      skill: agreementWith(data, consensus),
      notes:
        unsolved > 0
          ? [
              `In ${unsolved} of ${trace.length} turns the weights were not found within ${options.maxPasses} ` +
                `passes; the last gap is ${gap.toExponential(1)}. Raise maxPasses or lower the penalty.`,
            ]
          : [],
    };
  },
);

/** The turn of the answers; returns how many changed. */
function createAnswers(svm: Svm, { gold }: Known, K: number): () => number {
  const score = new Float64Array(K);
  const best = (t: number): number => {
    if (gold && gold[t] >= 0) return gold[t];
    svm.scoresOf(t, score);
    const tied = tieSet(score, 0, K);
    if (tied.includes(svm.classes[t])) return svm.classes[t];
    return tied.length === 1 ? tied[0] : -1;
  };
  return () => {
    // All are read before any changes, since a change gives back what the task did for the weights.
    const next = svm.classes.map((_, t) => best(t));
    const changed = next.filter((k, t) => k !== svm.classes[t]).length;
    next.forEach((k, t) => {
      svm.choose(t, k);
    });
    return changed;
  };
}

/** Scores by these weights; a task whose workers have none at all is left to the plain vote. */
function read(data: CategoricalData, weights: Float64Array, margin: number) {
  const K = data.classes.length;
  const score = weightedScores(data, weights);
  const posterior = softmaxRows(
    score.map((s) => s / margin),
    K,
  );
  const votes = voteShares(data);
  for (let from = 0; from < score.length; from += K) {
    const silent = score.subarray(from, from + K).every((s) => s === 0);
    if (silent) posterior.set(votes.subarray(from, from + K), from);
  }
  return { score, posterior };
}
