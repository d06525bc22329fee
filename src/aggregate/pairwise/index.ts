/** The pairwise aggregators, in the order in which the docs tell them. */
import { annotatorTypes } from "./annotator-types.ts";
import { bradleyTerry } from "./bradley-terry.ts";
import { crowdBt } from "./crowd-bt.ts";
import { elo } from "./elo.ts";
import { flipRate } from "./flip-rate.ts";
import { hodgeRank } from "./hodge-rank.ts";
import { noisyBradleyTerry } from "./noisy-bradley-terry.ts";

/** By id. */
export const pairwiseMethods = {
  "bradley-terry": bradleyTerry,
  elo,
  "hodge-rank": hodgeRank,
  "crowd-bt": crowdBt,
  "noisy-bradley-terry": noisyBradleyTerry,
  "flip-rate": flipRate,
  "annotator-types": annotatorTypes,
} as const;
