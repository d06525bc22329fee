/**
 * GLAD: a worker is right the more often the abler they are and the easier the task.
 *
 *   z[t]      ~ Categorical(prior)
 *   label[i]  = z[t] with probability s(logOdds[w] · exp(ease[t])), else any other class, all alike
 *   logOdds[w], ease[t] ~ Normal(1, 1),   s(x) = 1 / (1 + exp(-x)),   difficulty[t] = exp(-ease[t])
 *
 * EM. E step: one-coin with a probability for each label. M step: every worker, then every task,
 * climbs by safeguarded Newton steps, so that the penalised likelihood never falls.
 * Good when difficulty is wanted and tasks have five labels or more; with one or two per task there
 * is nothing to learn it from, and workers who favour a class make tasks of the other look hard.
 *
 * Differs from the paper: K classes, errors spread evenly. A worker's history counts as labels on
 * tasks of the prior's mean ease.
 *
 * Whitehill, Ruvolo, Wu, Bergsma & Movellan (2009), NIPS 22, 2035–2043.
 * https://papers.nips.cc/paper/2009/hash/f899139df5e1059396431415e770c6dd-Abstract.html
 */

import { coinConfusion } from "../../../belief/coin.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { voteShares } from "../../../belief/votes.ts";
import { selectLabels } from "../../../data/categorical.ts";
import { createClassPrior, priorOption } from "../../../em/class-prior.ts";
import { climb, climbOptions } from "../../../em/climb.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";
import { createGlad, LARGEST_EASE, LARGEST_LOG_ODDS } from "./glad-model.ts";

/** What GLAD finds beyond the answers. */
export interface Glad extends Fit {
  /** On a task of average ease, errors spread evenly. */
  readonly confusion: Float64Array;
  /** Log-odds of a right label of each worker on a task of difficulty 1; the paper's alpha. Below 0: an adversary. */
  readonly logOdds: Float64Array;
  /** How hard each task is: it divides the log-odds of all its workers. The paper's 1/beta. */
  readonly difficulty: Float64Array;
}

/**
 * GLAD: the log-odds of a right label are the worker's own, divided by the difficulty of the task.
 */
export const glad = aggregator(
  {
    id: "glad",
    title: "GLAD",
    summary:
      "The log-odds of a right label are the worker's ability divided by the difficulty of the task.",
    paper: {
      authors: "J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma, J. Movellan",
      year: 2009,
      title:
        "Whose vote should count more: optimal integration of labels from labelers of unknown expertise",
      url: "https://papers.nips.cc/paper/2009/hash/f899139df5e1059396431415e770c6dd-Abstract.html",
    },
    family: "em",
    probabilistic: true,
    cost: "O(N + T·K) per iteration, about seven exponentials per label",
    options: {
      ...probabilisticOptions,
      maxIterations: { ...climbOptions.maxIterations, default: 60 },
      tolerance: { ...climbOptions.tolerance, default: 1e-5 },
      prior: { ...priorOption.prior, default: "uniform" },
      meanLogOdds: {
        default: 1,
        min: -LARGEST_LOG_ODDS,
        max: LARGEST_LOG_ODDS,
        help: "Prior mean of a worker's log-odds; the variance is 1.",
      },
      meanEase: {
        default: 1,
        min: -LARGEST_EASE,
        max: LARGEST_EASE,
        help: "Prior mean of log(1 / difficulty); the variance is 1.",
      },
    },
  },
  function* (given, options, { known, K, L }): Steps<Glad> {
    // That a worker abstains says nothing of the class here.
    const data = L > K ? selectLabels(given, (i) => given.label[i] < K) : given;
    const prior = createClassPrior(data, known, options.prior);
    const model = createGlad(data, known.history, options, L);
    const base = taskBase(data, known);
    if (known.start) model.posterior.set(startingPosterior(data, known, voteShares(data)));
    else model.infer(prior.factor, base);
    const climbed = yield* climb(
      {
        maximise() {
          prior.update(model.totals());
          model.maximise();
        },
        infer: () => model.infer(prior.factor, base) + model.logPrior() + prior.logDensity(),
        change: model.change,
      },
      options,
    );
    const { logOdds, ease, posterior } = model;
    const typical = Math.exp(ease.reduce((sum, b) => sum + b, 0) / Math.max(1, ease.length));
    // P(right label) on a task of average ease.
    const skill = logOdds.map((a) => 1 / (1 + Math.exp(-a * typical)));
    return {
      posterior,
      prior: prior.shares,
      skill,
      confusion: coinConfusion(skill, new Float64Array(skill.length), K, L),
      logOdds,
      difficulty: ease.map((b) => Math.exp(-b)),
      ...climbed,
    };
  },
);
