/** `consilience/methods`: every method under its own name, with what goes with some of them. */
export type {
  Aggregation,
  Aggregator,
  AnyAggregator,
  CategoricalCard,
  Fit,
} from "../aggregate/categorical/aggregator.ts";
export { type Bwa, bwa } from "../aggregate/categorical/bayesian/bwa.ts";
export { cbcc } from "../aggregate/categorical/bayesian/cbcc.ts";
export type { ClassChains } from "../aggregate/categorical/bayesian/class-chains.ts";
export type { Communities } from "../aggregate/categorical/bayesian/communities.ts";
export { type Ebcc, ebcc } from "../aggregate/categorical/bayesian/ebcc.ts";
export { type Ibcc, ibcc } from "../aggregate/categorical/bayesian/ibcc.ts";
export { ibccGibbs } from "../aggregate/categorical/bayesian/ibcc-gibbs.ts";
export {
  type NonparametricClusters,
  nonparametricClusters,
} from "../aggregate/categorical/bayesian/nonparametric-clusters.ts";
export { type Oracle, oracle } from "../aggregate/categorical/bayesian/oracle.ts";
export { workerClusters } from "../aggregate/categorical/bayesian/worker-clusters.ts";
export {
  fromMatrices,
  type MatrixShape,
  toMatrices,
} from "../aggregate/categorical/confusion-matrices.ts";
export {
  type ConfusionVector,
  confusionVector,
} from "../aggregate/categorical/em/confusion-vector.ts";
export { type DawidSkene, dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
export {
  type FastDawidSkene,
  fastDawidSkene,
} from "../aggregate/categorical/em/fast-dawid-skene.ts";
export { type Glad, glad } from "../aggregate/categorical/em/glad.ts";
export {
  type GraphDawidSkene,
  graphDawidSkene,
} from "../aggregate/categorical/em/graph-dawid-skene.ts";
export {
  type GroupDawidSkene,
  groupDawidSkene,
} from "../aggregate/categorical/em/group-dawid-skene.ts";
export { type Mace, mace } from "../aggregate/categorical/em/mace.ts";
export { type OneCoin, oneCoin } from "../aggregate/categorical/em/one-coin.ts";
export { type Spem, spem } from "../aggregate/categorical/em/spem.ts";
export { type CrowdSvm, crowdSvm } from "../aggregate/categorical/margin/crowd-svm.ts";
export { type M3v, m3v } from "../aggregate/categorical/margin/m3v.ts";
export {
  type MinimaxEntropy,
  minimaxEntropy,
} from "../aggregate/categorical/margin/minimax-entropy.ts";
export {
  type BeliefPropagationFit,
  beliefPropagation,
} from "../aggregate/categorical/messages/belief-propagation.ts";
export { type Kos, kos } from "../aggregate/categorical/messages/kos.ts";
export { type MeanFieldFit, meanField } from "../aggregate/categorical/messages/mean-field.ts";
export { cnmf } from "../aggregate/categorical/moments/cnmf.ts";
export { coupledCpd } from "../aggregate/categorical/moments/coupled-cpd.ts";
export type { MomentFit } from "../aggregate/categorical/moments/moment-fit.ts";
export { multiSpa } from "../aggregate/categorical/moments/multi-spa.ts";
export { spectralDawidSkene } from "../aggregate/categorical/moments/spectral-dawid-skene.ts";
export { symNmf } from "../aggregate/categorical/moments/sym-nmf.ts";
export type { CoinSkills } from "../aggregate/categorical/spectral/coin-skills.ts";
export { type Dalvi, dalvi } from "../aggregate/categorical/spectral/dalvi.ts";
export { type GhoshSvd, ghoshSvd } from "../aggregate/categorical/spectral/ghosh-svd.ts";
export { type Mmsr, mmsr } from "../aggregate/categorical/spectral/mmsr.ts";
export { oneCoinPgd } from "../aggregate/categorical/spectral/one-coin-pgd.ts";
export { type PgTac, pgTac } from "../aggregate/categorical/spectral/pg-tac.ts";
export { type Sml, sml } from "../aggregate/categorical/spectral/sml.ts";
export { catd } from "../aggregate/categorical/votes/catd.ts";
export { type Crowdlab, crowdlab } from "../aggregate/categorical/votes/crowdlab.ts";
export { type GoldVote, goldVote } from "../aggregate/categorical/votes/gold-vote.ts";
export { type GroupVote, groupVote } from "../aggregate/categorical/votes/group-vote.ts";
export {
  type IterativeWeightedVote,
  iterativeWeightedVote,
} from "../aggregate/categorical/votes/iterative-weighted-vote.ts";
export { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
export { pm } from "../aggregate/categorical/votes/pm.ts";
export type { Discovery } from "../aggregate/categorical/votes/truth-discovery.ts";
export { wawa } from "../aggregate/categorical/votes/wawa.ts";
export {
  linearWeight,
  oneCoinWeight,
  type WeightedVote,
  weightedVote,
} from "../aggregate/categorical/votes/weighted-vote.ts";
export { zeroBasedSkill } from "../aggregate/categorical/votes/zero-based-skill.ts";
export type { Labeller } from "../aggregate/multi-label/labeller.ts";
export { setVote } from "../aggregate/multi-label/set-vote.ts";
export { sharedWorkers } from "../aggregate/multi-label/shared-workers.ts";
export { catdNumeric } from "../aggregate/numeric/catd-numeric.ts";
export type { NumericAggregator } from "../aggregate/numeric/estimator.ts";
export { gaussian } from "../aggregate/numeric/gaussian.ts";
export { looWeight } from "../aggregate/numeric/loo-weight.ts";
export { lowRankCovariance } from "../aggregate/numeric/low-rank-covariance.ts";
export { mean } from "../aggregate/numeric/mean.ts";
export { median } from "../aggregate/numeric/median.ts";
export { ok2019 } from "../aggregate/numeric/ok-2019.ts";
export { pmNumeric } from "../aggregate/numeric/pm-numeric.ts";
export { studentT } from "../aggregate/numeric/student-t.ts";
export { trimmedMean } from "../aggregate/numeric/trimmed-mean.ts";
export type { WorkerAware, WorkerAwareResult } from "../aggregate/numeric/worker-frame.ts";
export {
  type CumulativeLink,
  cumulativeLink,
} from "../aggregate/ordinal/cumulative-link.ts";
export type { Decision, OrdinalAggregator } from "../aggregate/ordinal/levels.ts";
export { ordinalMinimaxEntropy } from "../aggregate/ordinal/ordinal-minimax-entropy.ts";
export { thresholdDawidSkene } from "../aggregate/ordinal/threshold-dawid-skene.ts";
export { thresholdIbcc } from "../aggregate/ordinal/threshold-ibcc.ts";
export type { ThresholdFit } from "../aggregate/ordinal/thresholds.ts";
export { type AnnotatorTypes, annotatorTypes } from "../aggregate/pairwise/annotator-types.ts";
export type { Answering } from "../aggregate/pairwise/answering.ts";
export { type BradleyTerry, bradleyTerry } from "../aggregate/pairwise/bradley-terry.ts";
export { type CrowdBt, crowdBt } from "../aggregate/pairwise/crowd-bt.ts";
export { type Elo, elo } from "../aggregate/pairwise/elo.ts";
export { type FlipRate, flipRate } from "../aggregate/pairwise/flip-rate.ts";
export { type HodgeRank, hodgeRank } from "../aggregate/pairwise/hodge-rank.ts";
export {
  type NoisyBradleyTerry,
  noisyBradleyTerry,
} from "../aggregate/pairwise/noisy-bradley-terry.ts";
export {
  type Preference,
  preferences,
  preferenceVotes,
} from "../aggregate/pairwise/preferences.ts";
export type { Ranker } from "../aggregate/pairwise/ranker.ts";
export type { Method } from "../aggregate/result.ts";
export { bscSeq } from "../aggregate/sequence/bsc-seq.ts";
export { hmmCrowd } from "../aggregate/sequence/hmm-crowd.ts";
export type { Tagger } from "../aggregate/sequence/tagger.ts";
export { tokenVote } from "../aggregate/sequence/token-vote.ts";
export type { Clusterer } from "../aggregate/similarity/clusterer.ts";
export { crowdClusters } from "../aggregate/similarity/crowd-clusters.ts";
export { softClusters } from "../aggregate/similarity/soft-clusters.ts";
export { spectralClusters } from "../aggregate/similarity/spectral-clusters.ts";
export { auto } from "../auto/auto.ts";
export type { Auto, Candidate } from "../auto/blend.ts";
export { heldOutScore, sameAnswers } from "../auto/compare.ts";
export { multiLabelAuto } from "../auto/multi-label.ts";
export { numericAuto } from "../auto/numeric.ts";
export { ordinalAuto } from "../auto/ordinal.ts";
export { pairwiseAuto } from "../auto/pairwise.ts";
export type { Picked, Picker, Tried } from "../auto/pick.ts";
export { sequenceAuto } from "../auto/sequence.ts";
export { similarityAuto } from "../auto/similarity.ts";
