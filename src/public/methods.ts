/** `consilience/methods`: every method under its own name, with what goes with some of them. */
export type {
  Aggregation,
  Aggregator,
  AnyAggregator,
  CategoricalCard,
  Fit,
} from "../aggregate/categorical/aggregator.ts";
export { bwa } from "../aggregate/categorical/bayesian/bwa.ts";
export { cbcc } from "../aggregate/categorical/bayesian/cbcc.ts";
export { ebcc } from "../aggregate/categorical/bayesian/ebcc.ts";
export { ibcc } from "../aggregate/categorical/bayesian/ibcc.ts";
export { ibccGibbs } from "../aggregate/categorical/bayesian/ibcc-gibbs.ts";
export { nonparametricClusters } from "../aggregate/categorical/bayesian/nonparametric-clusters.ts";
export { oracle } from "../aggregate/categorical/bayesian/oracle.ts";
export { workerClusters } from "../aggregate/categorical/bayesian/worker-clusters.ts";
export {
  fromMatrices,
  type MatrixShape,
  toMatrices,
} from "../aggregate/categorical/confusion-matrices.ts";
export { confusionVector } from "../aggregate/categorical/em/confusion-vector.ts";
export { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
export { fastDawidSkene } from "../aggregate/categorical/em/fast-dawid-skene.ts";
export { glad } from "../aggregate/categorical/em/glad.ts";
export { mace } from "../aggregate/categorical/em/mace.ts";
export { oneCoin } from "../aggregate/categorical/em/one-coin.ts";
export { crowdSvm } from "../aggregate/categorical/margin/crowd-svm.ts";
export { m3v } from "../aggregate/categorical/margin/m3v.ts";
export { minimaxEntropy } from "../aggregate/categorical/margin/minimax-entropy.ts";
export { beliefPropagation } from "../aggregate/categorical/messages/belief-propagation.ts";
export { kos } from "../aggregate/categorical/messages/kos.ts";
export { meanField } from "../aggregate/categorical/messages/mean-field.ts";
export { cnmf } from "../aggregate/categorical/moments/cnmf.ts";
export { coupledCpd } from "../aggregate/categorical/moments/coupled-cpd.ts";
export { multiSpa } from "../aggregate/categorical/moments/multi-spa.ts";
export { spectralDawidSkene } from "../aggregate/categorical/moments/spectral-dawid-skene.ts";
export { symNmf } from "../aggregate/categorical/moments/sym-nmf.ts";
export { dalvi } from "../aggregate/categorical/spectral/dalvi.ts";
export { ghoshSvd } from "../aggregate/categorical/spectral/ghosh-svd.ts";
export { mmsr } from "../aggregate/categorical/spectral/mmsr.ts";
export { oneCoinPgd } from "../aggregate/categorical/spectral/one-coin-pgd.ts";
export { pgTac } from "../aggregate/categorical/spectral/pg-tac.ts";
export { sml } from "../aggregate/categorical/spectral/sml.ts";
export { catd } from "../aggregate/categorical/votes/catd.ts";
export { crowdlab } from "../aggregate/categorical/votes/crowdlab.ts";
export { goldVote } from "../aggregate/categorical/votes/gold-vote.ts";
export { iterativeWeightedVote } from "../aggregate/categorical/votes/iterative-weighted-vote.ts";
export { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
export { pm } from "../aggregate/categorical/votes/pm.ts";
export { wawa } from "../aggregate/categorical/votes/wawa.ts";
export {
  linearWeight,
  oneCoinWeight,
  weightedVote,
} from "../aggregate/categorical/votes/weighted-vote.ts";
export { zeroBasedSkill } from "../aggregate/categorical/votes/zero-based-skill.ts";
export { mean } from "../aggregate/numeric/mean.ts";
export { median } from "../aggregate/numeric/median.ts";
export { bradleyTerry } from "../aggregate/pairwise/bradley-terry.ts";
export type { Auto, Candidate } from "../auto/auto.ts";
export { auto } from "../auto/auto.ts";
export { heldOutScore, sameAnswers } from "../auto/compare.ts";
