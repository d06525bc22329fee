/**
 * Dawid–Skene at each threshold: levels 0 … K − 1 are K − 1 questions, "above l?", each with two answers.
 *
 * Every worker has a sensitivity and a specificity per threshold, so near misses count less than far ones, and K − 1
 * pairs of rates are learnt instead of K² − K cells. Where the answers to the K − 1 questions contradict one
 * another they are pooled. With two levels it is Dawid–Skene.
 *
 * Raykar et al. (2010), JMLR 11, 1297–1322, section 4. https://jmlr.org/papers/v11/raykar10a.html
 */
import { climbOptions } from "../../em/climb.ts";
import { smoothingOption } from "../../em/confusion.ts";
import type { Steps } from "../../method.ts";
import type { AnyAggregator } from "../categorical/aggregator.ts";
import { dawidSkene } from "../categorical/em/dawid-skene.ts";
import { leveller } from "./levels.ts";
import { fitThresholds, type ThresholdFit } from "./thresholds.ts";

/** Raykar et al., on ordered classes. */
export const thresholdPaper = {
  authors: "V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni, L. Moy",
  year: 2010,
  title: "Learning from crowds",
  url: "https://jmlr.org/papers/v11/raykar10a.html",
} as const;

/** Dawid–Skene at each threshold between ordered classes. */
export const thresholdDawidSkene = leveller(
  {
    id: "threshold-dawid-skene",
    title: "Thresholds by Dawid–Skene",
    summary:
      "Each worker has a sensitivity and a specificity at each threshold between levels; fitted by EM.",
    paper: thresholdPaper,
    family: "thresholds",
    probabilistic: true,
    cost: "O(N·K) per iteration, W·K² memory",
    options: { ...climbOptions, ...smoothingOption },
  },
  function* (data, { maxIterations, tolerance, smoothing }, context): Steps<ThresholdFit> {
    const options = { maxIterations, tolerance, smoothing };
    return yield* fitThresholds(data, dawidSkene as AnyAggregator, options, context);
  },
);
