/** All learners, in the order in which they are shown. */
import { aLfc } from "./a-lfc.ts";
import { aggnet } from "./aggnet.ts";
import { bayesDgc } from "./bayes-dgc.ts";
import { ccem } from "./ccem.ts";
import { coinNet } from "./coin-net.ts";
import { conal } from "./conal.ts";
import type { KindLearner } from "./create-learner.ts";
import { crowdLayer } from "./crowd-layer.ts";
import { deepBp } from "./deep-bp.ts";
import { deepMf } from "./deep-mf.ts";
import { doctorNet } from "./doctor-net.ts";
import { geoCrowdNetF } from "./geo-crowd-net-f.ts";
import { geoCrowdNetW } from "./geo-crowd-net-w.ts";
import { instanceTrace } from "./instance-trace.ts";
import type { AnyLearner } from "./learner.ts";
import { maxMig } from "./max-mig.ts";
import { mbem } from "./mbem.ts";
import { crowdLayerRegression } from "./numeric/crowd-layer-regression.ts";
import { twoStageRegression } from "./numeric/two-stage-regression.ts";
import { crowdRewardModel } from "./pairwise/crowd-reward-model.ts";
import { rewardModel } from "./pairwise/reward-model.ts";
import { rewardModelMixture } from "./pairwise/reward-model-mixture.ts";
import { robustRewardModel } from "./pairwise/robust-reward-model.ts";
import { raykar } from "./raykar.ts";
import { clusterNet } from "./similarity/cluster-net.ts";
import { traceRegularised } from "./trace-regularised.ts";
import { twoStage } from "./two-stage.ts";

/** The learners by id: `learners["max-mig"]`. */
export const learners = {
  "two-stage": twoStage,
  raykar,
  aggnet,
  mbem,
  "crowd-layer": crowdLayer,
  "doctor-net": doctorNet,
  ccem,
  "trace-regularised": traceRegularised,
  "geo-crowd-net-f": geoCrowdNetF,
  "geo-crowd-net-w": geoCrowdNetW,
  "deep-mf": deepMf,
  "deep-bp": deepBp,
  "bayes-dgc": bayesDgc,
  "max-mig": maxMig,
  "instance-trace": instanceTrace,
  "coin-net": coinNet,
  conal,
  "a-lfc": aLfc,
} as const;

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
