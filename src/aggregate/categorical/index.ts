/** The categorical aggregators, in the order in which the docs tell them. */
import type { AnyAggregator } from "./aggregator.ts";
import { beliefPropagation } from "./belief-propagation.ts";
import { catd } from "./catd.ts";
import { confusionVector } from "./confusion-vector.ts";
import { dalvi } from "./dalvi.ts";
import { dawidSkene } from "./dawid-skene.ts";
import { fastDawidSkene } from "./fast-dawid-skene.ts";
import { ghoshSvd } from "./ghosh-svd.ts";
import { glad } from "./glad.ts";
import { goldVote } from "./gold-vote.ts";
import { ibcc } from "./ibcc.ts";
import { iterativeWeightedVote } from "./iterative-weighted-vote.ts";
import { kos } from "./kos.ts";
import { mace } from "./mace.ts";
import { majorityVote } from "./majority-vote.ts";
import { meanField } from "./mean-field.ts";
import { minimaxEntropy } from "./minimax-entropy.ts";
import { mmsr } from "./mmsr.ts";
import { oneCoin } from "./one-coin.ts";
import { oneCoinPgd } from "./one-coin-pgd.ts";
import { oracle } from "./oracle.ts";
import { pm } from "./pm.ts";
import { sml } from "./sml.ts";
import { wawa } from "./wawa.ts";
import { weightedVote } from "./weighted-vote.ts";
import { zeroBasedSkill } from "./zero-based-skill.ts";

export const aggregators: readonly AnyAggregator[] = [
  majorityVote,
  weightedVote,
  wawa,
  zeroBasedSkill,
  goldVote,
  iterativeWeightedVote,
  pm,
  catd,
  dawidSkene,
  fastDawidSkene,
  oneCoin,
  confusionVector,
  glad,
  mace,
  minimaxEntropy,
  kos,
  ghoshSvd,
  dalvi,
  sml,
  oneCoinPgd,
  mmsr,
  ibcc,
  meanField,
  beliefPropagation,
  oracle,
];
