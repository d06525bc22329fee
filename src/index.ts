/** The public API: a table of contents. */

// Methods for categorical labels.
export type {
  Aggregation,
  Aggregator,
  AnyAggregator,
  CategoricalCard,
  Fit,
} from "./aggregate/categorical/aggregator.ts";
export { beliefPropagation } from "./aggregate/categorical/belief-propagation.ts";
export { bwa } from "./aggregate/categorical/bwa.ts";
export { catd } from "./aggregate/categorical/catd.ts";
export { cbcc } from "./aggregate/categorical/cbcc.ts";
export { cnmf } from "./aggregate/categorical/cnmf.ts";
export {
  fromMatrices,
  type MatrixShape,
  toMatrices,
} from "./aggregate/categorical/confusion-matrices.ts";
export { confusionVector } from "./aggregate/categorical/confusion-vector.ts";
export { coupledCpd } from "./aggregate/categorical/coupled-cpd.ts";
export { crowdSvm } from "./aggregate/categorical/crowd-svm.ts";
export { crowdlab } from "./aggregate/categorical/crowdlab.ts";
export { dalvi } from "./aggregate/categorical/dalvi.ts";
export { dawidSkene } from "./aggregate/categorical/dawid-skene.ts";
export { ebcc } from "./aggregate/categorical/ebcc.ts";
export { fastDawidSkene } from "./aggregate/categorical/fast-dawid-skene.ts";
export { ghoshSvd } from "./aggregate/categorical/ghosh-svd.ts";
export { glad } from "./aggregate/categorical/glad.ts";
export { goldVote } from "./aggregate/categorical/gold-vote.ts";
export { ibcc } from "./aggregate/categorical/ibcc.ts";
export { ibccGibbs } from "./aggregate/categorical/ibcc-gibbs.ts";
export { iterativeWeightedVote } from "./aggregate/categorical/iterative-weighted-vote.ts";
export { kos } from "./aggregate/categorical/kos.ts";
export { m3v } from "./aggregate/categorical/m3v.ts";
export { mace } from "./aggregate/categorical/mace.ts";
export { majorityVote } from "./aggregate/categorical/majority-vote.ts";
export { meanField } from "./aggregate/categorical/mean-field.ts";
export { minimaxEntropy } from "./aggregate/categorical/minimax-entropy.ts";
export { mmsr } from "./aggregate/categorical/mmsr.ts";
export { multiSpa } from "./aggregate/categorical/multi-spa.ts";
export { nonparametricClusters } from "./aggregate/categorical/nonparametric-clusters.ts";
export { oneCoin } from "./aggregate/categorical/one-coin.ts";
export { oneCoinPgd } from "./aggregate/categorical/one-coin-pgd.ts";
export { oracle } from "./aggregate/categorical/oracle.ts";
// Fitted results.
export { pgTac } from "./aggregate/categorical/pg-tac.ts";
export { pm } from "./aggregate/categorical/pm.ts";
export { type Prediction, predict } from "./aggregate/categorical/predict.ts";
export { load, save } from "./aggregate/categorical/save.ts";
export type { Known } from "./aggregate/categorical/shared/known.ts";
export { sml } from "./aggregate/categorical/sml.ts";
export { spectralDawidSkene } from "./aggregate/categorical/spectral-dawid-skene.ts";
export { symNmf } from "./aggregate/categorical/sym-nmf.ts";
export { type Updated, update } from "./aggregate/categorical/update.ts";
export { wawa } from "./aggregate/categorical/wawa.ts";
export {
  linearWeight,
  oneCoinWeight,
  weightedVote,
} from "./aggregate/categorical/weighted-vote.ts";
export { workerClusters } from "./aggregate/categorical/worker-clusters.ts";
export { zeroBasedSkill } from "./aggregate/categorical/zero-based-skill.ts";
export type { Auto, Candidate } from "./auto/auto.ts";
/** What the command runs when it is not told which method; a good first call. */
export { auto, auto as aggregate } from "./auto/auto.ts";
export { heldOutScore, inapplicable, sameAnswers } from "./auto/compare.ts";
export { methods } from "./auto/index.ts";
// Data: who labelled what as what.
export type { Attributes, CrowdDataset, Index } from "./dataset/dataset.ts";
export {
  byTask,
  byWorker,
  labelsPerTask,
  labelsPerWorker,
  selectLabels,
} from "./dataset/dataset.ts";
export { type Features, fromMatrix, rowSize, rowsOfTasks } from "./dataset/features.ts";
export { fingerprint } from "./dataset/fingerprint.ts";
export type { Columns, DatasetOptions, Repeats } from "./dataset/from-columns.ts";
export { fromColumns } from "./dataset/from-columns.ts";
export type { LabelRow } from "./dataset/from-rows.ts";
export { fromRows } from "./dataset/from-rows.ts";
export { type FeatureStatistics, featureStatistics } from "./dataset/standardise.ts";
export type { Spread, Summary } from "./dataset/summary.ts";
export { summarise } from "./dataset/summary.ts";
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
export { type Code, CrowdError } from "./error.ts";
// Against gold.
export type { Accuracy, Interval, Scored } from "./evaluate/accuracy.ts";
export { accuracy, credits } from "./evaluate/accuracy.ts";
export { type Calibration, calibration } from "./evaluate/calibration.ts";
export { confusionRecovery, type Recovery } from "./evaluate/confusion-recovery.ts";
export { evaluate, type Metrics } from "./evaluate/index.ts";
export { brier, logLoss } from "./evaluate/log-loss.ts";
export { type Difference, pairedDifference } from "./evaluate/paired-difference.ts";
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
export { createRandom, type Random } from "./math/random.ts";
export type { Card, Option, OptionTable, Paper, Progress, Steps, Values } from "./method.ts";
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
