/**
 * Spectral clusters: items that the answers tie together lie close by in the leading eigenvectors of the answers.
 *
 *   A[i][j] = sum over answers about i and j of (1 for "same", 0 for "different") - mean,   B = A / sqrt(d_i d_j)
 *
 * with d the answers of an item. The K - 1 leading eigenvectors of B, times the roots of their eigenvalues, make a point
 * of each item; points are scaled to length 1 and clustered by k-means from points far apart. No random numbers.
 * All workers count alike. Workers' rates are then counted against the clusters.
 *
 * Ng, Jordan & Weiss (2001), NIPS 14, 849–856. https://papers.nips.cc/paper/2092
 */
import type { Steps } from "../../method.ts";
import { type Clustering, clusterer, clustersOption, STRENGTH } from "./clusterer.ts";
import { certain, countAnswers, workerRates } from "./frame.ts";
import { embed, spectralLabels } from "./spectral.ts";

/** Clusters from the leading eigenvectors of the answers; all workers count alike. */
export const spectralClusters = clusterer(
  {
    id: "spectral-clusters",
    title: "Spectral clusters",
    summary:
      "Clusters of items in the leading eigenvectors of the answers; all workers count alike.",
    paper: {
      authors: "A. Y. Ng, M. I. Jordan, Y. Weiss",
      year: 2001,
      title: "On spectral clustering: analysis and an algorithm",
      url: "https://papers.nips.cc/paper/2092-on-spectral-clustering-analysis-and-an-algorithm",
    },
    family: "spectral",
    cost: "O(N + IK²) per product of the matrix, for I items",
    options: clustersOption,
  },
  function* (frame, K): Steps<Clustering> {
    yield { iteration: 0, objective: 0, stage: "eigenvectors" };
    const labels = spectralLabels(embed(frame, Math.max(1, K - 1)), frame.N, K);
    const membership = certain(labels, K);
    const sums = countAnswers(frame, membership, K, new Float64Array(frame.left.length));
    return { ...workerRates(sums, STRENGTH), membership, trace: [], converged: true };
  },
);
