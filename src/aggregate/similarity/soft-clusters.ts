/**
 * Soft clusters: each item is a mixture of clusters, and two items are the same as far as their mixtures overlap.
 *
 *   s = f_i · f_j,   P(u says "same") = alike_u s + apart_u (1 - s),   f on the simplex
 *
 * Maximum of the log-likelihood, less half the squared distance of each worker's logits from their means over workers,
 * by Adam on the logits of f, alike and apart, from the spectral clusters. Mixtures absorb what workers get wrong, so the
 * rates say nothing of how good a worker is: skills are those of crowd-clusters.
 *
 * Vinayak & Hassibi (2016), NIPS 29, 1316–1324, for clusters from answers about pairs; the simplex form is that of
 * tutorials on crowdsourced clustering.
 */
import type { Steps } from "../../method.ts";
import { fitBlocks, START, usual } from "./block-fit.ts";
import { type Clustering, clusterer, clustersOption, likeliest } from "./clusterer.ts";
import { certain } from "./frame.ts";
import { createSoftModel } from "./soft-model.ts";
import { embed, spectralLabels } from "./spectral.ts";
import { looksSwapped } from "./swapped.ts";

/** Mixtures of clusters, and two rates for each worker, by gradient. */
export const softClusters = clusterer(
  {
    id: "soft-clusters",
    title: "Soft clusters",
    summary:
      "Each item is a mixture of clusters; two are the same as far as their mixtures overlap.",
    paper: {
      authors: "R. K. Vinayak, B. Hassibi",
      year: 2016,
      title: "Crowdsourced clustering: querying edges vs triangles",
      url: "https://papers.nips.cc/paper/6499-crowdsourced-clustering-querying-edges-vs-triangles",
    },
    family: "blocks",
    cost: "O(NK) per step; 0 clusters: about 40 fits of crowd-clusters before",
    options: {
      ...clustersOption,
      rate: { default: 0.1, min: 0.0001, max: 10, help: "Learning rate of Adam." },
      steps: { default: 300, min: 0, integer: true, help: "Number of steps." },
    },
  },
  function* (frame, K, { rate, steps }): Steps<Clustering> {
    const labels = spectralLabels(embed(frame, Math.max(1, K - 1)), frame.N, K);
    const blocks = yield* fitBlocks(frame, K, labels, usual);
    const model = createSoftModel(frame, K, certain(labels, K, START));
    const trace: number[] = [];
    for (let iteration = 1; iteration <= steps; iteration++) {
      const objective = model.step(rate);
      trace.push(objective);
      yield { iteration, objective };
    }
    const { f, alike, apart } = model.read();
    const chosen = likeliest(f, frame.N, K);
    return {
      membership: f,
      alike,
      apart,
      confidence: Float64Array.from(chosen, (c, i) => f[i * K + c]),
      skill: blocks.alike.map((a, w) => (a + 1 - blocks.apart[w]) / 2),
      trace,
      converged: true,
      swapped: looksSwapped(frame, K, blocks),
    };
  },
);
