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
import { digamma, logGamma } from "../../../math/gamma.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, probabilisticOptions } from "../aggregator.ts";
import {
  type Communities,
  type CommunitySettings,
  communityOptions,
  createCommunities,
  type Kind,
  type Sizes,
} from "./communities.ts";
import { dirichletOptions, priorTable } from "./ibcc.ts";
import { bestStart, clusterKind } from "./worker-clusters.ts";

/** Shares of a community below this are cut: a worker's prior count must be above 0. */
const LEAST = 1e-6;
/** Memberships below this say nothing. */
const NOTHING = 1e-9;

export const cbcc = aggregator(
  {
    id: "cbcc",
    title: "cBCC (communities)",
    summary: "Workers belong to communities and vary around their community's confusion.",
    paper: {
      authors: "M. Venanzi, J. Guiver, G. Kazai, P. Kohli, M. Shokouhi",
      year: 2014,
      title: "Community-based Bayesian aggregation models for crowdsourcing",
      url: "https://doi.org/10.1145/2566486.2567989",
    },
    family: "bayesian",
    probabilistic: true,
    cost: "O(N·K + W·J·K²) an iteration, with W·J·K² digammas; W·(J + K²) memory",
    memory: tableBytes,
    options: {
      ...probabilisticOptions,
      ...communityOptions,
      ...priorOption,
      ...dirichletOptions,
      kappa: {
        default: 10,
        min: 1e-2,
        unit: "labels",
        help: "How many labels a class the community's confusion is worth to a worker.",
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

function communityKind(
  options: CommunitySettings & { readonly kappa: number },
  { workers: W, classes: K, given: L, communities: J }: Sizes,
): Kind {
  const { kappa } = options;
  const cells = L * K;
  const beta = priorTable({ workers: 1, classes: K, given: L }, options, undefined);
  const shared = new Float64Array(J * cells);
  let fresh = true;

  /** Visits the rows of all workers that have labels there, under all communities they may belong to. */
  function each(
    counts: Float64Array,
    visit: (w: number, j: number, k: number, row: number, cell: number, total: number) => void,
    membership?: Float64Array,
  ): void {
    for (let w = 0; w < W; w++) {
      for (let k = 0; k < K; k++) {
        const row = w * cells + k;
        let total = 0;
        for (let l = 0; l < L; l++) total += counts[row + l * K];
        for (let j = 0; j < J; j++) {
          if (membership && membership[w * J + j] < NOTHING) continue;
          visit(w, j, k, row, j * cells + k, total);
        }
      }
    }
  }

  /** Shares from counts and the prior's, none too small. */
  function toShares(counts: Float64Array): void {
    for (let j = 0; j < J; j++) {
      for (let k = 0; k < K; k++) {
        let total = 0;
        for (let l = 0; l < L; l++) {
          const at = l * K + k;
          total += shared[j * cells + at] = Math.max(LEAST, counts[j * cells + at] + beta[at]);
        }
        for (let l = 0; l < L; l++) shared[j * cells + l * K + k] /= total;
      }
    }
  }

  return {
    /** Minka's fixed point: a label counts for less the more of its kind the worker gave. */
    settle(counts, membership) {
      const sums = new Float64Array(J * cells);
      if (fresh) {
        each(
          counts,
          (w, j, _k, row, cell) => {
            for (let l = 0; l < L; l++) {
              sums[cell + l * K] += membership[w * J + j] * counts[row + l * K];
            }
          },
          membership,
        );
        toShares(sums);
        fresh = false;
      }
      for (let step = 0; step < 2; step++) {
        sums.fill(0);
        each(
          counts,
          (w, j, _k, row, cell, total) => {
            if (total === 0) return;
            for (let l = 0; l < L; l++) {
              const prior = kappa * shared[cell + l * K];
              const gain = digamma(prior + counts[row + l * K]) - digamma(prior);
              sums[cell + l * K] += membership[w * J + j] * prior * gain;
            }
          },
          membership,
        );
        toShares(sums);
      }
      let log = 0;
      for (let at = 0; at < shared.length; at++) log += beta[at % cells] * Math.log(shared[at]);
      return -log;
    },
    score(counts, into) {
      into.fill(0);
      each(counts, (w, j, _k, row, cell, total) => {
        if (total === 0) return;
        let log = logGamma(kappa) - logGamma(kappa + total);
        for (let l = 0; l < L; l++) {
          const count = counts[row + l * K];
          const prior = kappa * shared[cell + l * K];
          if (count > 0) log += logGamma(prior + count) - logGamma(prior);
        }
        into[w * J + j] += log;
      });
    },
    speak(counts, membership, rates) {
      const logs = new Float64Array(W * cells);
      const held = new Float64Array(W);
      let divergence = 0;
      each(
        counts,
        (w, j, k, row, cell, total) => {
          const r = membership[w * J + j];
          if (k === 0) held[w] += r;
          const base = digamma(kappa + total);
          let own = logGamma(kappa + total) - logGamma(kappa);
          for (let l = 0; l < L; l++) {
            const count = counts[row + l * K];
            const prior = kappa * shared[cell + l * K];
            const log = digamma(prior + count) - base;
            logs[row + l * K] += r * log;
            if (count > 0) own += logGamma(prior) - logGamma(prior + count) + count * log;
          }
          divergence += r * own;
        },
        membership,
      );
      for (let at = 0; at < logs.length; at++) {
        rates[at] = Math.max(1e-30, Math.exp(logs[at] / held[Math.floor(at / cells)]));
      }
      return divergence;
    },
    workers(counts, membership) {
      const mean = new Float64Array(W * cells);
      const held = new Float64Array(W);
      each(
        counts,
        (w, j, k, row, cell, total) => {
          const r = membership[w * J + j];
          if (k === 0) held[w] += r;
          for (let l = 0; l < L; l++) {
            const at = row + l * K;
            mean[at] += (r * (kappa * shared[cell + l * K] + counts[at])) / (kappa + total);
          }
        },
        membership,
      );
      return mean.map((sum, at) => sum / held[Math.floor(at / cells)]);
    },
    communities: () => shared.slice(),
  };
}
