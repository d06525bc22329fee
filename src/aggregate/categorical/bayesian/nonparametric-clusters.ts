/**
 * Clusters of workers, as many as the labels call for: workers sit down at the tables of a Chinese
 * restaurant, and all at a table have one confusion.
 *
 *   g             ~ CRP(concentration)     a worker joins a cluster by its size, or opens a new one
 *   shared[j, k]  ~ Dirichlet(diagonal where label = k, offDiagonal elsewhere)
 *   z[t]          ~ Categorical(prior),  prior ~ Dirichlet(classCount)
 *   label[i]      ~ Categorical(shared[g[w], z[t]])
 *
 * Prior and confusions are integrated out; classes and clusters are drawn one after the other:
 *
 *   P(z[t] = k | rest) ∝ (classCount + n[k]) · product of (beta[k, l] + N[g, k, l]) / sum over l, each label
 *                        counted before the next, since workers of one cluster share its counts
 *   P(g[w] = j | rest) ∝ size[j] · product over k of B(beta[k] + N[j, k] + n[w, k]) / B(beta[k] + N[j, k])
 *
 * with size = concentration and N = 0 for a new cluster. The concentration itself is drawn too, under
 * Gamma(1, 1), unless it is fixed.
 *
 * Moreno, Artés-Rodríguez, Teh & Perez-Cruz (2015), JMLR 16, 1607–1627. https://jmlr.org/papers/v16/moreno15a.html
 */

import { tableBytes } from "../../../belief/confusion-table.ts";
import { chainOptions, createMeans, drawsPerChain, keptOf, walk } from "../../../belief/gibbs.ts";
import { nameOrder } from "../../../belief/name-order.ts";
import { priorOption } from "../../../em/class-prior.ts";
import { effectiveSize, splitRHat } from "../../../math/chains.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";
import { readChains } from "./chain-tasks.ts";
import { dirichletOptions } from "./ibcc.ts";
import { createRestaurant, pairsOf, ratesOf, startSeating, sweepSeating } from "./restaurant.ts";

const MIXED = 1.05;
const FURTHEST = 1e6;
/** A table of as many pairs of workers has a million numbers. */
const MOST_PAIRED = 1000;

/** What nonparametric clustering finds beyond the answers. */
export interface NonparametricClusters extends Fit {
  /** Posterior mean of the confusions. */
  readonly confusion: Float64Array;
  /** Monte Carlo error of the posterior, from the spread between halves of chains. */
  readonly standardError: Float64Array;
  /** P(two workers are of one cluster | labels) as together[worker * W + other]; empty above 1000 workers. */
  readonly together: Float64Array;
  /** Monte Carlo error of `together`. */
  readonly togetherError: Float64Array;
  /** Expected number of clusters, and its Monte Carlo error. */
  readonly clusters: number;
  readonly clustersError: number;
  /** Split R-hat of the log joint density, at most 1e6, and how many independent draws it is worth. */
  readonly rHatOverall: number;
  readonly effectiveSizeOverall: number;
}

/**
 * Nonparametric worker clusters: workers of a cluster share a confusion matrix; the number of
 * clusters is learnt.
 */
export const nonparametricClusters = aggregator(
  {
    id: "nonparametric-clusters",
    title: "Nonparametric worker clusters",
    summary: "Workers of a cluster share a confusion matrix; the number of clusters is inferred.",
    paper: {
      authors: "P. G. Moreno, A. Artés-Rodríguez, Y. W. Teh, F. Perez-Cruz",
      year: 2015,
      title: "Bayesian nonparametric crowdsourcing",
      url: "https://jmlr.org/papers/v16/moreno15a.html",
    },
    family: "bayesian",
    probabilistic: true,
    cost: "O(N·K + W·C·K²) per sweep with C clusters, 1800 sweeps; W² memory",
    memory: tableBytes,
    total: ({ labels: N, workers: W, classes: K }) => 1800 * (N * K + 10 * W * K ** 2),
    options: {
      ...probabilisticOptions,
      ...chainOptions,
      ...priorOption,
      ...dirichletOptions,
      concentration: {
        default: 0,
        min: 0,
        unit: "workers",
        help: "Concentration of the Dirichlet process; 0 samples it under a Gamma(1, 1) prior.",
      },
    },
  },
  function* (data, options, { known, K, L, averageAlike }): Steps<NonparametricClusters> {
    const W = data.workers.length;
    const { chains } = options;
    const draws = drawsPerChain(options);
    const paired = W <= MOST_PAIRED;
    const sorted = nameOrder(data, known, { K, L });
    const model = createRestaurant(sorted.data, options, { known: sorted.known, K, L });
    const sums = {
      posterior: createMeans(data.tasks.length * K),
      confusion: createMeans(W * L * K),
      together: createMeans(paired ? W * W : 0),
      clusters: createMeans(1),
    };
    const trace = yield* walk(options, (_, random) => {
      const chain = startSeating(model, random);
      return {
        sweep: () => sweepSeating(chain),
        keep(draw) {
          sums.posterior.add(chain.conditional);
          sums.confusion.add(ratesOf(chain));
          if (paired) sums.together.add(pairsOf(chain));
          sums.clusters.add(Float64Array.of(chain.alive.length));
          if ((draw + 1) % (draws / 2) === 0) for (const each of Object.values(sums)) each.close();
        },
      };
    });
    const pairs = sums.together.finish();
    const clusters = sums.clusters.finish();
    const joint = Array.from({ length: chains }, (_, c) => keptOf(trace, c, options));
    const rHatOverall = Math.min(FURTHEST, splitRHat(joint));
    const converged = !(rHatOverall > MIXED);
    return {
      ...readChains(data, { known, restore: sorted.restore, averageAlike }, options, sums, L),
      together: paired ? sorted.restore.pairs(pairs.mean) : pairs.mean,
      togetherError: paired ? sorted.restore.pairs(pairs.standardError) : pairs.mean,
      clusters: clusters.mean[0],
      clustersError: clusters.standardError[0],
      rHatOverall,
      effectiveSizeOverall: effectiveSize(joint),
      trace,
      converged,
      notes: [
        ...(converged ? [] : [disagreement(rHatOverall)]),
        ...(paired
          ? []
          : [`${W} workers are too many for a table of pairs, so "together" is empty.`]),
      ],
    };
  },
);

function disagreement(rHat: number): string {
  return (
    `The chains disagree: R-hat of the log joint density is ${rHat.toFixed(2)}. More burnIn and ` +
    "samples help if they are only slow."
  );
}
