/**
 * cBCC: workers belong to communities, and each worker's confusion is a variation of the community's.
 *
 *   h                ~ Dirichlet(concentration, …)
 *   g[w]             ~ Categorical(h)
 *   confusion[w, k]  ~ Dirichlet(kappa · shared[g[w], k])
 *   z[t]             ~ Categorical(prior),  prior ~ Dirichlet(classCount)
 *   label[i]         ~ Categorical(confusion[w, z[t]])
 *
 * Between worker clusters (kappa without bound) and a Dawid–Skene whose confusions share one learnt prior
 * (one community). Variational Bayes, where a worker's confusion is believed anew under each community;
 * `shared` is the most probable one, with prior counts as in iBCC.
 *
 * Venanzi, Guiver, Kazai, Kohli & Shokouhi (2014), WWW, 155–164. https://doi.org/10.1145/2566486.2567989
 */

import { tableBytes } from "../../../belief/confusion-table.ts";
import { priorOption } from "../../../em/class-prior.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, probabilisticOptions } from "../aggregator.ts";
import { clusterKind } from "./cluster-kind.ts";
import { type Communities, communityOptions, createCommunities } from "./communities.ts";
import { communityKind } from "./community-kind.ts";
import { bestStart } from "./community-starts.ts";
import { dirichletOptions } from "./ibcc.ts";

/** cBCC: workers belong to communities and vary around their community's confusion matrix. */
export const cbcc = aggregator(
  {
    id: "cbcc",
    title: "cBCC (communities)",
    summary:
      "Workers belong to communities and vary around the confusion matrix of their community.",
    paper: {
      authors: "M. Venanzi, J. Guiver, G. Kazai, P. Kohli, M. Shokouhi",
      year: 2014,
      title: "Community-based Bayesian aggregation models for crowdsourcing",
      url: "https://doi.org/10.1145/2566486.2567989",
    },
    family: "bayesian",
    probabilistic: true,
    cost: "O(N·K + W·J·K²) per iteration, with W·J·K² digammas; W·(J + K²) memory",
    memory: tableBytes,
    total: ({ labels: N, workers: W, classes: K }) => 250 * (N * K + 10 * W * K ** 2),
    options: {
      ...probabilisticOptions,
      ...communityOptions,
      ...priorOption,
      ...dirichletOptions,
      kappa: {
        default: 10,
        min: 1e-2,
        unit: "labels",
        help: "Strength of the community's confusion matrix, in labels per class.",
      },
    },
  },
  function* (data, options, context): Steps<Communities> {
    const model = createCommunities(data, options, context);
    const clusters = yield* bestStart(model, clusterKind(options, model.sizes), options.seed);
    const kind = communityKind(options, model.sizes);
    const end = yield* model.ascend(kind, clusters, "communities");
    return { ...model.read(kind), trace: end.trace, converged: end.converged };
  },
);
