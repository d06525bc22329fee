/** `consilience/evaluate`: answers against gold. */
export type { Accuracy, Interval, Scored } from "../evaluate/accuracy.ts";
export { accuracy, credits } from "../evaluate/accuracy.ts";
export { type Calibration, calibration } from "../evaluate/calibration.ts";
export { confusionRecovery, type Recovery } from "../evaluate/confusion-recovery.ts";
export { evaluate, type Metrics } from "../evaluate/index.ts";
export { brier, logLoss } from "../evaluate/log-loss.ts";
export { evaluateSets, type MultiLabelMetrics, type ScoredSets } from "../evaluate/multi-label.ts";
export { evaluateValues, type NumericMetrics, type ScoredValues } from "../evaluate/numeric.ts";
export { type Difference, pairedDifference } from "../evaluate/paired-difference.ts";
export { evaluateScores, type PairwiseMetrics, type ScoredItems } from "../evaluate/pairwise.ts";
export { auc, type ClassScores, perClass } from "../evaluate/per-class.ts";
export { evaluateTags, type ScoredTags, type SequenceMetrics } from "../evaluate/sequence.ts";
export {
  evaluateClusters,
  type ScoredClusters,
  type SimilarityMetrics,
} from "../evaluate/similarity.ts";
