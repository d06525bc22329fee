/**
 * The library's front page: from data to answers and workers by name. What fewer people need has pages of
 * its own: `consilience/methods`, `/learn`, `/evaluate`, `/diagnose`, `/simulate`, `/attack`, `/report`,
 * `/jobs`, `/io`, `/tensor` and, for files and threads, `/node`.
 */

// Data: who said what.

export {
  byTask,
  byWorker,
  type CategoricalData,
  type Index,
  selectLabels,
} from "./data/categorical.ts";
export {
  type CategoricalOptions,
  type Columns,
  fromColumns,
} from "./data/categorical-from-columns.ts";
export {
  type Attributes,
  type CrowdData,
  labelsPerTask,
  labelsPerWorker,
} from "./data/crowd-data.ts";
export { fingerprint } from "./data/fingerprint.ts";
export {
  type ComparisonRow,
  fromRows,
  type LabelRow,
  type LabelSetRow,
  type PairRow,
  type TagRow,
  type ValueRow,
  type ValuesRow,
} from "./data/from-rows.ts";
export type { MultiLabelData } from "./data/multi-label.ts";
export type { MultiLabelOptions, SetGold } from "./data/multi-label-from-columns.ts";
export { type Names, namesOf } from "./data/names.ts";
export { type NumericData, type Outputs, oneOutput } from "./data/numeric.ts";
export type { NumericOptions } from "./data/numeric-from-columns.ts";
export type { OrdinalData } from "./data/ordinal.ts";
export type { PairwiseData } from "./data/pairwise.ts";
export type { PairwiseOptions } from "./data/pairwise-from-columns.ts";
export type { Repeats } from "./data/repeats.ts";
export type { SequenceData, Tokens } from "./data/sequence.ts";
export type { PositionGold, SequenceOptions } from "./data/sequence-from-columns.ts";
export type { SimilarityData } from "./data/similarity.ts";
export type { SimilarityOptions } from "./data/similarity-from-columns.ts";
export { type Spread, type Summary, summarise } from "./data/summary.ts";

export { type BytesOptions, type FromOptions, fromBytes, fromCsv } from "./jobs/from-bytes.ts";
export type { AnyData, DataByKind } from "./kinds.ts";

// From data to answers and workers by name.

export type { Aggregation } from "./aggregate/categorical/aggregator.ts";
export { type Prediction, predict } from "./aggregate/categorical/predict.ts";
export { load, save } from "./aggregate/categorical/save.ts";
export type { MultiLabelKnown, MultiLabelResult } from "./aggregate/multi-label/labeller.ts";
export type { NumericKnown, NumericResult } from "./aggregate/numeric/estimator.ts";
export type { OrdinalResult } from "./aggregate/ordinal/levels.ts";
export type { PairwiseKnown, PairwiseResult, WorkerType } from "./aggregate/pairwise/ranker.ts";
export type { CrowdResult } from "./aggregate/result.ts";
export type { SequenceKnown, SequenceResult, Spans } from "./aggregate/sequence/tagger.ts";
export type { TriedClusters } from "./aggregate/similarity/cluster-count.ts";
export type { SimilarityKnown, SimilarityResult } from "./aggregate/similarity/clusterer.ts";
export type { Known } from "./belief/known.ts";
export { type Links, linksOf } from "./belief/links.ts";
export { type Evidence, type Explanation, explain } from "./diagnose/explain.ts";
export {
  type AggregateOptions,
  type Answer,
  aggregate,
  answers,
  type CategoricalMethods,
  type ClusterAnswer,
  type ComparisonWorker,
  type ItemAnswer,
  type LevelAnswer,
  type MultiLabelMethods,
  methods,
  type NumericMethods,
  type OptionsOf,
  type OrdinalMethods,
  type OwnMethod,
  type PairWorker,
  type PairwiseMethods,
  type ResultOf,
  type SequenceMethods,
  type SetAnswer,
  type SetWorker,
  type SimilarityMethods,
  type TagAnswer,
  type TagWorker,
  type ValueAnswer,
  type ValueWorker,
  type WorkerSummary,
  workers,
} from "./library.ts";

// Live models: labels one at a time.

export type { LiveResult } from "./online/choose-method.ts";
export type { LiveAnswer, LiveBelief, LiveSkill, LiveVote } from "./online/live-answers.ts";
export type { LiveLabel } from "./online/live-label.ts";
export { type OnlineModel, type OnlineOptions, online } from "./online/online.ts";

// Methods and learners of one's own.

export {
  defineLearner,
  defineMethod,
  type OwnCard,
  type OwnFit,
  type OwnLearnerCard,
} from "./define.ts";
export { createRandom, type Random } from "./math/random.ts";
export type { Card, Option, OptionTable, Paper, Progress, Steps, Values } from "./method.ts";

// Running with progress, cancellation and threads.

export { createEngine, type Engine, twinEngine } from "./kernels/engine.ts";
export { createTeam, type Invitation, joinTeam, type Team } from "./kernels/team.ts";
export { type Runnable, type RunOptions, run } from "./run.ts";

// Errors and version.

export { type Code, CrowdError, type Hint } from "./error.ts";
export { version } from "./version.ts";
