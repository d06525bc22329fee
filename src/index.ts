/** The public API: a table of contents. */

// Methods for categorical labels.
export type {
  Aggregation,
  Aggregator,
  AnyAggregator,
  CategoricalCard,
  Fit,
} from "./aggregate/categorical/aggregator.ts";
export { bwa } from "./aggregate/categorical/bayesian/bwa.ts";
export { cbcc } from "./aggregate/categorical/bayesian/cbcc.ts";
export { ebcc } from "./aggregate/categorical/bayesian/ebcc.ts";
export { ibcc } from "./aggregate/categorical/bayesian/ibcc.ts";
export { ibccGibbs } from "./aggregate/categorical/bayesian/ibcc-gibbs.ts";
export { nonparametricClusters } from "./aggregate/categorical/bayesian/nonparametric-clusters.ts";
export { oracle } from "./aggregate/categorical/bayesian/oracle.ts";
export { workerClusters } from "./aggregate/categorical/bayesian/worker-clusters.ts";
export {
  fromMatrices,
  type MatrixShape,
  toMatrices,
} from "./aggregate/categorical/confusion-matrices.ts";
export { confusionVector } from "./aggregate/categorical/em/confusion-vector.ts";
export { dawidSkene } from "./aggregate/categorical/em/dawid-skene.ts";
export { fastDawidSkene } from "./aggregate/categorical/em/fast-dawid-skene.ts";
export { glad } from "./aggregate/categorical/em/glad.ts";
export { mace } from "./aggregate/categorical/em/mace.ts";
export { oneCoin } from "./aggregate/categorical/em/one-coin.ts";
export { crowdSvm } from "./aggregate/categorical/margin/crowd-svm.ts";
export { m3v } from "./aggregate/categorical/margin/m3v.ts";
export { minimaxEntropy } from "./aggregate/categorical/margin/minimax-entropy.ts";
export { beliefPropagation } from "./aggregate/categorical/messages/belief-propagation.ts";
export { kos } from "./aggregate/categorical/messages/kos.ts";
export { meanField } from "./aggregate/categorical/messages/mean-field.ts";
export { cnmf } from "./aggregate/categorical/moments/cnmf.ts";
export { coupledCpd } from "./aggregate/categorical/moments/coupled-cpd.ts";
export { multiSpa } from "./aggregate/categorical/moments/multi-spa.ts";
export { spectralDawidSkene } from "./aggregate/categorical/moments/spectral-dawid-skene.ts";
export { symNmf } from "./aggregate/categorical/moments/sym-nmf.ts";
export { type Prediction, predict } from "./aggregate/categorical/predict.ts";
export { load, save } from "./aggregate/categorical/save.ts";
export { dalvi } from "./aggregate/categorical/spectral/dalvi.ts";
export { ghoshSvd } from "./aggregate/categorical/spectral/ghosh-svd.ts";
export { mmsr } from "./aggregate/categorical/spectral/mmsr.ts";
export { oneCoinPgd } from "./aggregate/categorical/spectral/one-coin-pgd.ts";
// Fitted results.
export { pgTac } from "./aggregate/categorical/spectral/pg-tac.ts";
export { sml } from "./aggregate/categorical/spectral/sml.ts";
export { catd } from "./aggregate/categorical/votes/catd.ts";
export { crowdlab } from "./aggregate/categorical/votes/crowdlab.ts";
export { goldVote } from "./aggregate/categorical/votes/gold-vote.ts";
export { iterativeWeightedVote } from "./aggregate/categorical/votes/iterative-weighted-vote.ts";
export { majorityVote } from "./aggregate/categorical/votes/majority-vote.ts";
export { pm } from "./aggregate/categorical/votes/pm.ts";
export { wawa } from "./aggregate/categorical/votes/wawa.ts";
export {
  linearWeight,
  oneCoinWeight,
  weightedVote,
} from "./aggregate/categorical/votes/weighted-vote.ts";
export { zeroBasedSkill } from "./aggregate/categorical/votes/zero-based-skill.ts";
// Methods for numbers and for comparisons.
export type { NumericKnown, NumericResult } from "./aggregate/numeric/estimator.ts";
export { mean } from "./aggregate/numeric/mean.ts";
export { median } from "./aggregate/numeric/median.ts";
export { bradleyTerry } from "./aggregate/pairwise/bradley-terry.ts";
export type { PairwiseKnown, PairwiseResult } from "./aggregate/pairwise/ranker.ts";
export type { CrowdResult } from "./aggregate/result.ts";
export type { Auto, Candidate } from "./auto/auto.ts";
export { auto } from "./auto/auto.ts";
export { heldOutScore, sameAnswers } from "./auto/compare.ts";
export type { Known } from "./belief/known.ts";
// Data: who labelled what as what.
export {
  type Attributes,
  type CrowdData,
  labelsPerTask,
  labelsPerWorker,
} from "./data/crowd-data.ts";
export type { CrowdDataset, Index } from "./data/dataset.ts";
export {
  byTask,
  byWorker,
  selectLabels,
} from "./data/dataset.ts";
export { type Features, fromMatrix, rowSize, rowsOfTasks } from "./data/features.ts";
export { fingerprint } from "./data/fingerprint.ts";
export type { Columns, DatasetOptions } from "./data/from-columns.ts";
export { fromColumns } from "./data/from-columns.ts";
export type { ComparisonRow, LabelRow, ValueRow } from "./data/from-rows.ts";
export { fromRows } from "./data/from-rows.ts";
export { type Names, namesOf } from "./data/names.ts";
export type { NumericData } from "./data/numeric.ts";
export type { NumericOptions } from "./data/numeric-from-columns.ts";
export type { PairwiseData } from "./data/pairwise.ts";
export type { PairwiseOptions } from "./data/pairwise-from-columns.ts";
export type { Repeats } from "./data/repeats.ts";
export { type FeatureStatistics, featureStatistics } from "./data/standardise.ts";
export type { Spread, Summary } from "./data/summary.ts";
export { summarise } from "./data/summary.ts";
// Methods and learners of one's own.
export { defineLearner, defineMethod, type OwnCard, type OwnFit } from "./define.ts";
// Without gold.
export { type Agreement, type AgreementOptions, agreement } from "./diagnose/agreement.ts";
export type { Coefficient } from "./diagnose/coefficient.ts";
export { type CohenOptions, cohenKappa } from "./diagnose/cohen.ts";
export { type Evidence, type Explanation, explain } from "./diagnose/explain.ts";
export {
  type Identifiability,
  type IdentifiabilityCheck,
  identifiability,
} from "./diagnose/identifiability.ts";
export { type DiagnoseOptions, type Diagnosis, diagnose } from "./diagnose/index.ts";
export { type SkillIntervals, skillIntervals } from "./diagnose/skill-intervals.ts";
export { scoreWorkers, type WorkerFlag, type WorkerScore } from "./diagnose/worker-scores.ts";
export { type Code, CrowdError, type Hint } from "./error.ts";
// Against gold.
export type { Accuracy, Interval, Scored } from "./evaluate/accuracy.ts";
export { accuracy, credits } from "./evaluate/accuracy.ts";
export { type Calibration, calibration } from "./evaluate/calibration.ts";
export { confusionRecovery, type Recovery } from "./evaluate/confusion-recovery.ts";
export { evaluate, type Metrics } from "./evaluate/index.ts";
export { brier, logLoss } from "./evaluate/log-loss.ts";
export { evaluateValues, type NumericMetrics, type ScoredValues } from "./evaluate/numeric.ts";
export { type Difference, pairedDifference } from "./evaluate/paired-difference.ts";
export { evaluateScores, type PairwiseMetrics, type ScoredItems } from "./evaluate/pairwise.ts";
export { auc, type ClassScores, perClass } from "./evaluate/per-class.ts";
// Files, as text or bytes; Node's own files are in "consilience/node".
export { fromCsv } from "./io/csv.ts";
export type { ReadFeatures } from "./io/feature-array.ts";
export { type FeatureOptions, featuresFromBytes } from "./io/features.ts";
export type { Format } from "./io/format.ts";
export { fromBytes, type NamedBytes } from "./io/from-bytes.ts";
export { goldFromIdx, type IdxArray, readIdx } from "./io/idx.ts";
export { formats } from "./io/index.ts";
export { type NpyArray, type NpyData, readNpy, writeNpy } from "./io/npy.ts";
// Running with progress, cancellation and threads.
export type { Engine } from "./kernels/engine.ts";
export { createEngine, twinEngine } from "./kernels/engine.ts";
export { createTeam, type Invitation, joinTeam, type Team } from "./kernels/team.ts";
// Learning with features: a classifier straight from the labels.
export { type Checkpoint, loadCheckpoint, saveCheckpoint } from "./learn/checkpoint.ts";
export type { Classifier } from "./learn/classifier.ts";
export { type Forecast, type Forecaster, forecast } from "./learn/forecast.ts";
export { learners } from "./learn/index.ts";
export type { AnyLearner, Learner, Learning, LearnProgress } from "./learn/learner.ts";
export type { LearnContext } from "./learn/session.ts";
// First: from data to answers and workers by name.
export {
  type AggregateOptions,
  type Answer,
  aggregate,
  answers,
  type CategoricalMethods,
  type ComparisonWorker,
  type ItemAnswer,
  methods,
  type NumericMethods,
  type OptionsOf,
  type OwnMethod,
  type PairwiseMethods,
  type ResultOf,
  type ValueAnswer,
  type ValueWorker,
  type WorkerSummary,
  workers,
} from "./library.ts";
export { createRandom, type Random } from "./math/random.ts";
export type { Card, Option, OptionTable, Paper, Progress, Steps, Values } from "./method.ts";
// Live models: labels one at a time.
export type { LiveResult } from "./online/choose-method.ts";
export type { LiveAnswer, LiveBelief, LiveSkill } from "./online/live-answers.ts";
export type { LiveLabel } from "./online/live-label.ts";
export { type OnlineModel, type OnlineOptions, online } from "./online/online.ts";
// Reports.
export { toHtml } from "./report/html.ts";
export { toJson } from "./report/json.ts";
export { toMarkdown } from "./report/markdown.ts";
export { aggregationReport, type Report } from "./report/report.ts";
export { type Runnable, type RunOptions, run } from "./run.ts";
// Crowds with known truth.
export { blur } from "./simulate/blur.ts";
export {
  bayesAccuracy,
  type GaussOptions,
  gaussFeatures,
  separationFor,
  withFeatures,
} from "./simulate/features.ts";
export { scenarios } from "./simulate/index.ts";
export type { AnyScenario, LabelledTasks, Scenario, Simulation } from "./simulate/scenario.ts";
export type { GivenTasks, TasksWithTruth } from "./simulate/tasks.ts";
export { thin } from "./simulate/thin.ts";
// Networks: graphs with gradients, and what runs them.
export type { Executor, Program } from "./tensor/executor.ts";
export * as tensor from "./tensor/index.ts";
export { interpreter } from "./tensor/interpreter.ts";
export { type Model, models, type Network } from "./tensor/models.ts";
export {
  createRuntimeExecutor,
  type OnnxRuntime,
  type RuntimeOptions,
} from "./tensor/onnx-runtime.ts";
export { version } from "./version.ts";
