/** `consilience/jobs`: what a person asks for, with progress and cancellation, for pages and servers. */

export {
  type AggregateOutcome,
  type AggregateRequest,
  aggregateDocument,
  aggregateJob,
  judgeJob,
} from "../jobs/aggregate.ts";
export { type Assigned, type AssignRequest, assignJob } from "../jobs/assign.ts";
export { type AttackRequest, type AttackUnits, attackCsv, attackJob } from "../jobs/attack.ts";
export { type CampaignOutcome, type CampaignRequest, campaignJob } from "../jobs/campaign.ts";
export {
  type CompareRequest,
  type Comparison,
  compareJob,
  type LearningElsewhere,
  type LearningHere,
} from "../jobs/compare.ts";
export type { LearnerRun, TrainRun } from "../jobs/compare-runners.ts";
export { answersData, type DiagnoseRequest, diagnoseJob } from "../jobs/diagnose.ts";
export { type EvaluateRequest, evaluateJob } from "../jobs/evaluate.ts";
export { type Forecasted, type ForecastRequest, forecastJob } from "../jobs/forecast.ts";
export type { EpochProgress, Hooks, JobProgress } from "../jobs/hooks.ts";
export { knownFrom } from "../jobs/known.ts";
export {
  type LearnOutcome,
  type LearnRequest,
  learnDocument,
  learnFiles,
  learnJob,
  scoreLearning,
  type TaskGold,
  type TestSet,
} from "../jobs/learn.ts";
export {
  type LearnAnswersOutcome,
  type LearnAnswersRequest,
  learnAnswersDocument,
  learnAnswersFiles,
  learnAnswersJob,
  type TestedAnswers,
} from "../jobs/learn-answers.ts";
export {
  type PredictRequest,
  predictionRows,
  predictJob,
  predictRowsJob,
} from "../jobs/predict.ts";
export { type Robustness, type RobustnessRequest, robustnessJob } from "../jobs/robustness.ts";
export { changesSince, earlierRun, type RunTables, runOf } from "../jobs/since.ts";
export { type Trained, type TrainHooks, type TrainRequest, trainJob } from "../jobs/train.ts";
export type { KnownTables, NamedTable } from "../kinds/known.ts";
