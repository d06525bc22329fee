/**
 * iBCC at each threshold: levels 0 … K − 1 are K − 1 questions, "above l?", each with two answers.
 *
 * As threshold-dawid-skene, with Dirichlet priors on the rates of every worker, by variational Bayes: the safer
 * choice for workers with few answers. Where the answers to the K − 1 questions contradict one another they are
 * pooled. With two levels it is iBCC.
 *
 * Raykar et al. (2010), JMLR 11, 1297–1322, section 4. https://jmlr.org/papers/v11/raykar10a.html
 * Kim & Ghahramani (2012), AISTATS, PMLR 22, 619–627. https://proceedings.mlr.press/v22/kim12.html
 */
import type { Steps } from "../../method.ts";
import type { AnyAggregator } from "../categorical/aggregator.ts";
import { dirichletOptions, ibcc } from "../categorical/bayesian/ibcc.ts";
import { leveller } from "./levels.ts";
import { thresholdPaper } from "./threshold-dawid-skene.ts";
import { fitThresholds, type ThresholdFit } from "./thresholds.ts";

/** iBCC at each threshold between ordered classes. */
export const thresholdIbcc = leveller(
  {
    id: "threshold-ibcc",
    title: "Thresholds by iBCC",
    summary:
      "Each worker has a sensitivity and a specificity at each threshold between levels, with priors; variational Bayes.",
    paper: thresholdPaper,
    family: "thresholds",
    probabilistic: true,
    cost: "O(N·K) per iteration, W·K² memory",
    options: {
      maxIterations: ibcc.options.maxIterations,
      tolerance: ibcc.options.tolerance,
      ...dirichletOptions,
    },
  },
  function* (data, { ties: _ties, seed: _seed, ...options }, context): Steps<ThresholdFit> {
    return yield* fitThresholds(data, ibcc as AnyAggregator, options, context);
  },
);
