/** The pairwise aggregators, in the order in which the docs tell them. */
import { bradleyTerry } from "./bradley-terry.ts";
import { elo } from "./elo.ts";
import { hodgeRank } from "./hodge-rank.ts";

/** By id. */
export const pairwiseMethods = {
  "bradley-terry": bradleyTerry,
  elo,
  "hodge-rank": hodgeRank,
} as const;

export const rankers = Object.values(pairwiseMethods);
