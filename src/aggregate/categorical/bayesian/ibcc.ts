/**
 * iBCC: Dawid–Skene with Dirichlet priors, fitted by variational Bayes.
 *
 *   prior            ~ Dirichlet(classCount)
 *   confusion[w, k]  ~ Dirichlet(diagonal where label = k, offDiagonal elsewhere)
 *   z[t]             ~ Categorical(prior)
 *   label[i]         ~ Categorical(confusion[w, z[t]])
 *
 * Coordinate ascent on the evidence lower bound, starting from the vote shares. The prior keeps
 * workers with few labels near "better than chance", so it is the safer choice for small or sparse
 * data; it errs where most of the crowd is adversarial. The preset `bayes-gc` has that paper's priors.
 *
 * Kim & Ghahramani (2012), AISTATS, PMLR 22, 619–627. https://proceedings.mlr.press/v22/kim12.html
 */

import { exposureOf, skillOf, tableBytes } from "../../../belief/confusion-table.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { voteShares } from "../../../belief/votes.ts";
import { createClassBelief } from "../../../em/class-belief.ts";
import { priorOption } from "../../../em/class-prior.ts";
import { climb, climbOptions } from "../../../em/climb.ts";
import { expectRates, liveIbcc, meanConfusion, priorTable } from "../../../em/ibcc.ts";
import { createExpectation } from "../../../kernels/expectation.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";

/** What iBCC finds beyond the answers. */
export interface Ibcc extends Fit {
  /** Posterior mean of the confusions. */
  readonly confusion: Float64Array;
}

export const dirichletOptions = {
  diagonal: {
    default: 4,
    min: 1e-3,
    unit: "labels",
    help: "Prior count of right labels per class.",
  },
  offDiagonal: { default: 1, min: 1e-3, unit: "labels", help: "Prior count of each wrong label." },
  classCount: {
    default: 1,
    min: 1e-3,
    unit: "tasks",
    help: "Prior count of tasks per class.",
  },
} as const;

/** iBCC: Dawid–Skene with priors, which help workers with few labels, by variational Bayes. */
export const ibcc = aggregator(
  {
    id: "ibcc",
    title: "iBCC (variational)",
    summary:
      "Bayesian Dawid–Skene: priors regularise workers with few labels; fitted by variational Bayes.",
    paper: {
      authors: "H.-C. Kim, Z. Ghahramani",
      year: 2012,
      title: "Bayesian classifier combination",
      url: "https://proceedings.mlr.press/v22/kim12.html",
    },
    family: "bayesian",
    probabilistic: true,
    cost: "O(N·K + W·K²) per iteration, W·K² memory",
    memory: tableBytes,
    options: {
      ...probabilisticOptions,
      maxIterations: { ...climbOptions.maxIterations, default: 500 },
      tolerance: { ...climbOptions.tolerance, default: 1e-8 },
      ...priorOption,
      ...dirichletOptions,
    },
    presets: {
      "bayes-gc": {
        title: "BayesGC",
        options: { diagonal: 5, offDiagonal: 2, classCount: 1.1 },
      },
    },
    live: liveIbcc,
  },
  function* (data, options, { known, engine, K, L }): Steps<Ibcc> {
    const shape = { workers: data.workers.length, classes: K, given: L };
    const model = createExpectation(
      { ...data, tasks: data.tasks.length, ...shape, base: taskBase(data, known) },
      engine,
    );
    const beta = priorTable(shape, options, known.history);
    const prior = new Float64Array(K).fill(options.classCount);
    const classes = createClassBelief(data, known, options.prior, prior);
    let divergence = 0;
    model.startFrom(startingPosterior(data, known, voteShares(data)));

    const climbed = yield* climb(
      {
        maximise() {
          const ofClasses = classes.update(model.totals);
          divergence = expectRates(model.counts, beta, shape, model.rates, ofClasses);
        },
        infer: () => model.infer(classes.factor) - divergence,
        change: model.change,
      },
      options,
    );
    const confusion = meanConfusion(beta, model.counts, shape);
    return {
      posterior: model.posterior.slice(),
      prior: classes.shares,
      confusion,
      exposure: exposureOf(model.counts, shape),
      skill: skillOf(confusion, classes.shares, shape),
      ...climbed,
    };
  },
);
