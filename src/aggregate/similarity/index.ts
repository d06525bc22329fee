/** The aggregators of similarities, in the order in which the docs tell them. */
import { crowdClusters } from "./crowd-clusters.ts";
import { softClusters } from "./soft-clusters.ts";
import { spectralClusters } from "./spectral-clusters.ts";

/** By id. */
export const similarityMethods = {
  "spectral-clusters": spectralClusters,
  "crowd-clusters": crowdClusters,
  "soft-clusters": softClusters,
} as const;
