/** The categorical aggregators, in the order in which the docs tell them. */
import type { AnyAggregator } from "./aggregator.ts";
import { beliefPropagation } from "./belief-propagation.ts";
import { bwa } from "./bwa.ts";
import { catd } from "./catd.ts";
import { cbcc } from "./cbcc.ts";
import { cnmf } from "./cnmf.ts";
import { confusionVector } from "./confusion-vector.ts";
import { coupledCpd } from "./coupled-cpd.ts";
import { crowdSvm } from "./crowd-svm.ts";
import { crowdlab } from "./crowdlab.ts";
import { dalvi } from "./dalvi.ts";
import { dawidSkene } from "./dawid-skene.ts";
import { ebcc } from "./ebcc.ts";
import { fastDawidSkene } from "./fast-dawid-skene.ts";
import { ghoshSvd } from "./ghosh-svd.ts";
import { glad } from "./glad.ts";
import { goldVote } from "./gold-vote.ts";
import { ibcc } from "./ibcc.ts";
import { ibccGibbs } from "./ibcc-gibbs.ts";
import { iterativeWeightedVote } from "./iterative-weighted-vote.ts";
import { kos } from "./kos.ts";
import { m3v } from "./m3v.ts";
import { mace } from "./mace.ts";
import { majorityVote } from "./majority-vote.ts";
import { meanField } from "./mean-field.ts";
import { minimaxEntropy } from "./minimax-entropy.ts";
import { mmsr } from "./mmsr.ts";
import { multiSpa } from "./multi-spa.ts";
import { nonparametricClusters } from "./nonparametric-clusters.ts";
import { oneCoin } from "./one-coin.ts";
import { oneCoinPgd } from "./one-coin-pgd.ts";
import { oracle } from "./oracle.ts";
import { pgTac } from "./pg-tac.ts";
import { pm } from "./pm.ts";
import { sml } from "./sml.ts";
import { spectralDawidSkene } from "./spectral-dawid-skene.ts";
import { symNmf } from "./sym-nmf.ts";
import { wawa } from "./wawa.ts";
import { weightedVote } from "./weighted-vote.ts";
import { workerClusters } from "./worker-clusters.ts";
import { zeroBasedSkill } from "./zero-based-skill.ts";

/** By family: those that rest on the same idea stand together. */
export const aggregators: readonly AnyAggregator[] = [
  ...[majorityVote, weightedVote, wawa, zeroBasedSkill, goldVote, iterativeWeightedVote, pm, catd],
  ...[dawidSkene, fastDawidSkene, oneCoin, confusionVector, glad, mace],
  ...[ibcc, ibccGibbs, ebcc, workerClusters, cbcc, nonparametricClusters, bwa],
  ...[kos, meanField, beliefPropagation],
  ...[ghoshSvd, dalvi, sml, oneCoinPgd, mmsr, pgTac],
  ...[spectralDawidSkene, multiSpa, cnmf, symNmf, coupledCpd],
  ...[minimaxEntropy, m3v, crowdSvm],
  ...[crowdlab, oracle],
];
