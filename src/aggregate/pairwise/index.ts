/** The pairwise aggregators, in the order in which the docs tell them. */
import { bradleyTerry } from "./bradley-terry.ts";

/** By id. */
export const pairwiseMethods = { "bradley-terry": bradleyTerry } as const;

export const rankers = Object.values(pairwiseMethods);
