/** `consilience/learn`: classifiers trained straight from the labels, with features of the tasks. */
export { type Features, fromMatrix, rowSize, rowsOfTasks } from "../data/features.ts";
export { type FeatureStatistics, featureStatistics } from "../data/standardise.ts";
export { aLfc } from "../learn/a-lfc.ts";
export { aggnet } from "../learn/aggnet.ts";
export { autoLearner } from "../learn/auto-learner.ts";
export { bayesDgc } from "../learn/bayes-dgc.ts";
export { ccem } from "../learn/ccem.ts";
export { type Checkpoint, loadCheckpoint, saveCheckpoint } from "../learn/checkpoint.ts";
export type { Classifier } from "../learn/classifier.ts";
export { coinNet } from "../learn/coin-net.ts";
export { conal } from "../learn/conal.ts";
export type { LearnerCard, LearnProgress, Learnt } from "../learn/create-learner.ts";
export { crowdLayer } from "../learn/crowd-layer.ts";
export { deepBp } from "../learn/deep-bp.ts";
export { deepMf } from "../learn/deep-mf.ts";
export { doctorNet } from "../learn/doctor-net.ts";
export { type Forecast, type Forecaster, forecast } from "../learn/forecast.ts";
export { geoCrowdNetF } from "../learn/geo-crowd-net-f.ts";
export { geoCrowdNetW } from "../learn/geo-crowd-net-w.ts";
export {
  learners,
  numericLearners,
  pairwiseLearners,
  similarityLearners,
} from "../learn/index.ts";
export { instanceTrace } from "../learn/instance-trace.ts";
export type {
  AnyLearner,
  Learner,
  Learning,
  LearnSteps,
  Lesson,
} from "../learn/learner.ts";
export { maxMig } from "../learn/max-mig.ts";
export { mbem } from "../learn/mbem.ts";
export { crowdLayerRegression } from "../learn/numeric/crowd-layer-regression.ts";
export type { NumericLearner, NumericLearning } from "../learn/numeric/numeric-learner.ts";
export { twoStageRegression } from "../learn/numeric/two-stage-regression.ts";
export { crowdRewardModel } from "../learn/pairwise/crowd-reward-model.ts";
export type { PairwiseLearner, PairwiseLearning } from "../learn/pairwise/pairwise-learner.ts";
export { rewardModel } from "../learn/pairwise/reward-model.ts";
export { rewardModelMixture } from "../learn/pairwise/reward-model-mixture.ts";
export { robustRewardModel } from "../learn/pairwise/robust-reward-model.ts";
export type { Predictor } from "../learn/predictor.ts";
export { raykar } from "../learn/raykar.ts";
export type { LearnContext, Session } from "../learn/session.ts";
export { clusterNet } from "../learn/similarity/cluster-net.ts";
export type {
  SimilarityLearner,
  SimilarityLearning,
} from "../learn/similarity/similarity-learner.ts";
export { traceRegularised } from "../learn/trace-regularised.ts";
export { type ModelBytes, readModel, type TrainedModel } from "../learn/trained-model.ts";
export { twoStage } from "../learn/two-stage.ts";
