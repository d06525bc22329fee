/**
 * Worker clusters: a few confusions for all, and each worker has one of them.
 *
 *   h             ~ Dirichlet(concentration, …)
 *   g[w]          ~ Categorical(h)
 *   shared[j, k]  ~ Dirichlet(diagonal where label = k, offDiagonal elsewhere)
 *   z[t]          ~ Categorical(prior),  prior ~ Dirichlet(classCount)
 *   label[i]      ~ Categorical(shared[g[w], z[t]])
 *
 * Variational Bayes. Workers with one to ten labels borrow from those like them; with one cluster there is
 * one confusion for everybody. It errs where every worker is different.
 *
 * Imamura, Sato & Sugiyama (2018), ICML, PMLR 80, 2147–2156. https://proceedings.mlr.press/v80/imamura18a.html
 */

import { tableBytes } from "../../../belief/confusion-table.ts";
import { priorOption } from "../../../em/class-prior.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, probabilisticOptions } from "../aggregator.ts";
import { clusterKind } from "./cluster-kind.ts";
import { type Communities, communityOptions, createCommunities } from "./communities.ts";
import { bestStart } from "./community-starts.ts";
import { dirichletOptions } from "./ibcc.ts";

/**
 * Worker clusters: all workers of a cluster share one confusion matrix, for workers with few
 * labels.
 */
export const workerClusters = aggregator(
  {
    id: "worker-clusters",
    title: "Worker clusters",
    summary: "Workers share a small number of confusion matrices: for workers with few labels.",
    paper: {
      authors: "H. Imamura, I. Sato, M. Sugiyama",
      year: 2018,
      title:
        "Analysis of minimax error rate for crowdsourcing and its application to worker clustering model",
      url: "https://proceedings.mlr.press/v80/imamura18a.html",
    },
    family: "bayesian",
    probabilistic: true,
    cost: "O(N·K + W·J·K²) per iteration, times five starts; W·(J + K²) memory",
    memory: tableBytes,
    total: ({ labels: N, workers: W, classes: K }) => 250 * (N * K + 10 * W * K ** 2),
    options: {
      ...probabilisticOptions,
      ...communityOptions,
      ...priorOption,
      ...dirichletOptions,
    },
  },
  function* (data, options, context): Steps<Communities> {
    const model = createCommunities(data, options, context);
    const kind = clusterKind(options, model.sizes);
    const best = yield* bestStart(model, kind, options.seed);
    // Once more from the best, so that everything belongs to it.
    const end = yield* model.ascend(kind, best, "best start");
    return { ...model.read(kind), trace: [...best.trace, ...end.trace], converged: end.converged };
  },
);
