/**
 * Crowd clusters: items belong to clusters, and each worker says "same" at one rate of pairs within a cluster and at
 * another of pairs across.
 *
 *   z_i ~ pi,   P(u says "same" of i and j) = alike_u if z_i = z_j, else apart_u
 *   alike_u ~ Beta(10 a, 10 (1 - a)),   apart_u ~ Beta(10 b, 10 (1 - b)),   pi ~ Dirichlet(1)
 *
 * Mean field. With S the probability that the items of an answer are in one cluster under the memberships q:
 *
 *   a, b         rates of the crowd, learnt in the first 20 iterations, then kept
 *   rates        Beta counts of each worker, answers shared by S and 1 - S
 *   q'_i[c]      exp(E log pi[c] + sum over answers about i and j of e · q_j[c])
 *                e = E log P(answer | alike) - E log P(answer | apart)
 *   q            (q + q') / 2, all items at once, so that their order does not matter
 *
 * Begins at the spectral clusters. Beliefs are too sure, as those of mean field are. Random starts end in one cluster.
 *
 * Gomes, Welinder, Krause & Perona (2011), NIPS 24, 558–566, for clusters and workers from answers about pairs.
 */
import type { Steps } from "../../method.ts";
import { fitBlocks } from "./block-fit.ts";
import { type Clustering, clusterer, clustersOption, likeliest } from "./clusterer.ts";
import { embed, spectralLabels } from "./spectral.ts";
import { looksSwapped } from "./swapped.ts";

/** Clusters, and two rates of saying "same" for each worker. */
export const crowdClusters = clusterer(
  {
    id: "crowd-clusters",
    title: "Crowd clusters",
    summary:
      "Items belong to clusters; each worker says “same” at one rate within and at another across them.",
    paper: {
      authors: "R. Gomes, P. Welinder, A. Krause, P. Perona",
      year: 2011,
      title: "Crowdclustering",
      url: "https://papers.nips.cc/paper/4187-crowdclustering",
    },
    family: "blocks",
    cost: "O(NK) per iteration; 0 clusters: about 40 fits",
    options: {
      ...clustersOption,
      strength: {
        default: 10,
        min: 0.001,
        unit: "answers",
        help: "Answers that the rates of the crowd count for in those of a worker.",
      },
      maxIterations: { default: 300, min: 1, integer: true, help: "Maximum number of iterations." },
      tolerance: {
        default: 1e-7,
        min: 0,
        help: "Stop when the objective changes by less than this share of it.",
      },
    },
  },
  function* (frame, K, settings): Steps<Clustering> {
    const labels = spectralLabels(embed(frame, Math.max(1, K - 1)), frame.N, K);
    const found = yield* fitBlocks(frame, K, labels, settings);
    const { q, crowd: _, ...fit } = found;
    const chosen = likeliest(q, frame.N, K);
    return {
      ...fit,
      membership: q,
      confidence: Float64Array.from(chosen, (c, i) => q[i * K + c]),
      swapped: looksSwapped(frame, K, found),
    };
  },
);
