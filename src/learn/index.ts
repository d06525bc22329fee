/** All learners, in the order in which they are shown. */
import { autoLearner } from "./auto-learner.ts";
import type { KindLearner } from "./create-learner.ts";
import { labelLearners } from "./label-learners.ts";
import type { AnyLearner } from "./learner.ts";
import { crowdLayerRegression } from "./numeric/crowd-layer-regression.ts";
import { twoStageRegression } from "./numeric/two-stage-regression.ts";
import { crowdRewardModel } from "./pairwise/crowd-reward-model.ts";
import { rewardModel } from "./pairwise/reward-model.ts";
import { rewardModelMixture } from "./pairwise/reward-model-mixture.ts";
import { robustRewardModel } from "./pairwise/robust-reward-model.ts";
import { clusterNet } from "./similarity/cluster-net.ts";

/** The learners by id: `learners["max-mig"]`. */
export const learners = { "auto-learner": autoLearner, ...labelLearners } as const;

export const learnerList: readonly AnyLearner[] = Object.values(learners);

/** The learners of numbers by id. */
export const numericLearners = {
  "two-stage-regression": twoStageRegression,
  "crowd-layer-regression": crowdLayerRegression,
} as const;

/** The learners of preferences by id. */
export const pairwiseLearners = {
  "reward-model": rewardModel,
  "crowd-reward-model": crowdRewardModel,
  "robust-reward-model": robustRewardModel,
  "reward-model-mixture": rewardModelMixture,
} as const;

/** The learners of similarities by id. */
export const similarityLearners = { "cluster-net": clusterNet } as const;

/** The learners of all kinds. */
export const allLearners: readonly KindLearner[] = [
  ...Object.values(learners),
  ...Object.values(numericLearners),
  ...Object.values(pairwiseLearners),
  ...Object.values(similarityLearners),
];
