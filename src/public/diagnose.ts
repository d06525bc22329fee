/** `consilience/diagnose`: what labels say about themselves, without gold. */
export { type Agreement, type AgreementOptions, agreement } from "../diagnose/agreement.ts";
export type { Check, CheckStatus } from "../diagnose/checks.ts";
export type { Coefficient } from "../diagnose/coefficient.ts";
export { type CohenOptions, cohenKappa } from "../diagnose/cohen.ts";
export { type ColludingGroups, colludingGroups } from "../diagnose/collusion/colluding-groups.ts";
export {
  type ConflictOptions,
  type Conflicts,
  conflictPenalties,
} from "../diagnose/collusion/conflicts.ts";
export type { Copying } from "../diagnose/collusion/copying.ts";
export {
  type AgreeingGroup,
  type AgreeingPair,
  type ExcessAgreement,
  type ExcessOptions,
  excessAgreement,
} from "../diagnose/collusion/excess-agreement.ts";
export type { GroupEvidence } from "../diagnose/collusion/group-evidence.ts";
export {
  agreementSubspace,
  type Subspace,
  type SubspaceOptions,
} from "../diagnose/collusion/subspace.ts";
export { type GroupTreatment, treatGroups } from "../diagnose/collusion/treat-groups.ts";
export { agreementTriples, type Triples } from "../diagnose/collusion/triples.ts";
export { drift, driftSteps } from "../diagnose/drift/drift.ts";
export type { DriftOptions } from "../diagnose/drift/drift-options.ts";
export type {
  Drift,
  DriftFlag,
  SkillChange,
  SkillSpan,
  TaskDrift,
  WorkerDrift,
} from "../diagnose/drift/drift-result.ts";
export {
  type Fatigue,
  type FatigueOptions,
  fatigue,
  type WorkerFatigue,
} from "../diagnose/drift/fatigue.ts";
export { numericDrift, numericDriftSteps } from "../diagnose/drift/numeric-drift.ts";
export {
  type OnlineChange,
  type OnlineChangeOptions,
  type OnlineState,
  onlineChange,
} from "../diagnose/drift/online-change.ts";
export { pairwiseDrift, pairwiseDriftSteps } from "../diagnose/drift/pairwise-drift.ts";
export type { Slope } from "../diagnose/drift/slope.ts";
export type { TurnOptions } from "../diagnose/drift/turns.ts";
export type {
  CommonTurn,
  Turn,
  TurnEstimate,
  TurnFlag,
  TurnMeasure,
  TurnSpan,
  Turns,
  WorkerTurns,
} from "../diagnose/drift/turns-result.ts";
export {
  type AnswererCorrelation,
  type EffectiveAnswerers,
  effectiveAnswerers,
} from "../diagnose/effective/effective-answerers.ts";
export {
  type EffectiveJudges,
  effectiveJudges,
  type JudgeCorrelation,
} from "../diagnose/effective/effective-judges.ts";
export {
  type EffectiveOptions,
  type EffectiveWorkers,
  effectiveWorkers,
} from "../diagnose/effective/effective-workers.ts";
export {
  type AnswerFairness,
  type AnswerFairnessOptions,
  answerFairness,
  type FairnessGap,
  type NoGap,
  type TaskGroup,
} from "../diagnose/fairness/answer-fairness.ts";
export { taskAttribute, workerAttribute } from "../diagnose/fairness/attributes.ts";
export { newcombeInterval, type Share } from "../diagnose/fairness/difference-of-shares.ts";
export {
  type FairDawidSkene,
  type FairDawidSkeneOptions,
  fairDawidSkene,
  fairDawidSkeneSteps,
} from "../diagnose/fairness/fair-dawid-skene.ts";
export {
  type Fairness,
  type FairnessOptions,
  fairness,
  fairnessSteps,
  type TaskFairness,
  type WorkerGroupFairness,
} from "../diagnose/fairness/fairness.ts";
export {
  type GroupThreshold,
  type ParityThresholds,
  parityThresholds,
} from "../diagnose/fairness/parity-thresholds.ts";
export type { JudgedAnswers, RateKind } from "../diagnose/fairness/rate-table.ts";
export type { GroupDifference } from "../diagnose/fairness/within-tasks.ts";
export {
  type RelativeGap,
  type WorkerFairness,
  type WorkerFairnessOptions,
  workerFairness,
} from "../diagnose/fairness/worker-fairness.ts";
export {
  type WorkerGroup,
  type WorkerGroupGap,
  type WorkerGroupGaps,
  type WorkerGroupOptions,
  workerGroupGaps,
} from "../diagnose/fairness/worker-group-gaps.ts";
export {
  type Identifiability,
  type IdentifiabilityCheck,
  identifiability,
} from "../diagnose/identifiability.ts";
export { type DiagnoseOptions, type Diagnosis, diagnose } from "../diagnose/index.ts";
export type { Judgement, WorkerFlag } from "../diagnose/judgement.ts";
export {
  type ScoreInterval,
  type ScoreIntervals,
  scoreIntervalSteps,
  scoreIntervals,
} from "../diagnose/score-intervals.ts";
export {
  type SharedErrorOptions,
  type SharedErrors,
  sharedErrors,
} from "../diagnose/shared-errors.ts";
export type { ChangedAnswer, ChangedWorker, Changes, Run, RunRow } from "../diagnose/since.ts";
export { type SkillIntervals, skillIntervals } from "../diagnose/skill-intervals.ts";
export {
  type CovarianceOptions,
  type CovarianceSpammers,
  covarianceSpammerSteps,
  covarianceSpammers,
} from "../diagnose/spammers/covariance.ts";
export {
  type HeldOutChange,
  type PrunedAnswer,
  type PrunedWorker,
  type PruneOptions,
  type Pruning,
  pruneSpammerSteps,
  pruneSpammers,
} from "../diagnose/spammers/prune.ts";
export { type Ranked, type Standing, worstFirst } from "../diagnose/standing.ts";
export {
  expectedAccuracy,
  type GoldCheck,
  type SuspectGroup,
  type Verdict,
  type VerdictEvidence,
  type VerdictLevel,
  verdict,
} from "../diagnose/verdict.ts";
export { scoreWorkers, type WorkerScore } from "../diagnose/worker-scores.ts";
export { findGroups, type GroupSearch, type WorkerGroups } from "../em/find-groups.ts";
