/** The categorical aggregators, in the order in which the docs tell them. */
import type { AnyAggregator } from "./aggregator.ts";
import { bwa } from "./bayesian/bwa.ts";
import { cbcc } from "./bayesian/cbcc.ts";
import { ebcc } from "./bayesian/ebcc.ts";
import { ibcc } from "./bayesian/ibcc.ts";
import { ibccGibbs } from "./bayesian/ibcc-gibbs.ts";
import { nonparametricClusters } from "./bayesian/nonparametric-clusters.ts";
import { oracle } from "./bayesian/oracle.ts";
import { workerClusters } from "./bayesian/worker-clusters.ts";
import { confusionVector } from "./em/confusion-vector.ts";
import { dawidSkene } from "./em/dawid-skene.ts";
import { fastDawidSkene } from "./em/fast-dawid-skene.ts";
import { glad } from "./em/glad.ts";
import { graphDawidSkene } from "./em/graph-dawid-skene.ts";
import { groupDawidSkene } from "./em/group-dawid-skene.ts";
import { mace } from "./em/mace.ts";
import { oneCoin } from "./em/one-coin.ts";
import { spem } from "./em/spem.ts";
import { crowdSvm } from "./margin/crowd-svm.ts";
import { m3v } from "./margin/m3v.ts";
import { minimaxEntropy } from "./margin/minimax-entropy.ts";
import { beliefPropagation } from "./messages/belief-propagation.ts";
import { kos } from "./messages/kos.ts";
import { meanField } from "./messages/mean-field.ts";
import { cnmf } from "./moments/cnmf.ts";
import { coupledCpd } from "./moments/coupled-cpd.ts";
import { multiSpa } from "./moments/multi-spa.ts";
import { spectralDawidSkene } from "./moments/spectral-dawid-skene.ts";
import { symNmf } from "./moments/sym-nmf.ts";
import { dalvi } from "./spectral/dalvi.ts";
import { ghoshSvd } from "./spectral/ghosh-svd.ts";
import { mmsr } from "./spectral/mmsr.ts";
import { oneCoinPgd } from "./spectral/one-coin-pgd.ts";
import { pgTac } from "./spectral/pg-tac.ts";
import { sml } from "./spectral/sml.ts";
import { catd } from "./votes/catd.ts";
import { crowdlab } from "./votes/crowdlab.ts";
import { goldVote } from "./votes/gold-vote.ts";
import { groupVote } from "./votes/group-vote.ts";
import { iterativeWeightedVote } from "./votes/iterative-weighted-vote.ts";
import { majorityVote } from "./votes/majority-vote.ts";
import { pm } from "./votes/pm.ts";
import { wawa } from "./votes/wawa.ts";
import { weightedVote } from "./votes/weighted-vote.ts";
import { zeroBasedSkill } from "./votes/zero-based-skill.ts";

/** By id; those of a family, which rest on the same idea, stand together. */
export const aggregatorsById = {
  "majority-vote": majorityVote,
  "weighted-vote": weightedVote,
  wawa,
  "zero-based-skill": zeroBasedSkill,
  "gold-vote": goldVote,
  "iterative-weighted-vote": iterativeWeightedVote,
  "group-vote": groupVote,
  pm,
  catd,
  crowdlab,
  "dawid-skene": dawidSkene,
  "fast-dawid-skene": fastDawidSkene,
  "one-coin": oneCoin,
  "confusion-vector": confusionVector,
  "group-dawid-skene": groupDawidSkene,
  "graph-dawid-skene": graphDawidSkene,
  glad,
  mace,
  spem,
  ibcc,
  "ibcc-gibbs": ibccGibbs,
  ebcc,
  "worker-clusters": workerClusters,
  cbcc,
  "nonparametric-clusters": nonparametricClusters,
  bwa,
  oracle,
  kos,
  "mean-field": meanField,
  "belief-propagation": beliefPropagation,
  "ghosh-svd": ghoshSvd,
  dalvi,
  sml,
  "one-coin-pgd": oneCoinPgd,
  mmsr,
  "pg-tac": pgTac,
  "spectral-dawid-skene": spectralDawidSkene,
  "multi-spa": multiSpa,
  cnmf,
  "sym-nmf": symNmf,
  "coupled-cpd": coupledCpd,
  "minimax-entropy": minimaxEntropy,
  m3v,
  "crowd-svm": crowdSvm,
} as const;

export const aggregators: readonly AnyAggregator[] = Object.values(aggregatorsById);
