/** The methods for ordered classes, in the order in which the docs tell them. */
import { cumulativeLink } from "./cumulative-link.ts";
import { ordinalMinimaxEntropy } from "./ordinal-minimax-entropy.ts";
import { thresholdDawidSkene } from "./threshold-dawid-skene.ts";
import { thresholdIbcc } from "./threshold-ibcc.ts";

/** By id. */
export const ordinalMethods = {
  "threshold-ibcc": thresholdIbcc,
  "threshold-dawid-skene": thresholdDawidSkene,
  "cumulative-link": cumulativeLink,
  "ordinal-minimax-entropy": ordinalMinimaxEntropy,
} as const;
