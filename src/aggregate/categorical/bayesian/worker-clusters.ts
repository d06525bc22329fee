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
import { createRandom } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, probabilisticOptions } from "../aggregator.ts";
import { expectLogs } from "./class-belief.ts";
import {
  type Ascent,
  type Communities,
  type CommunityModel,
  type CommunitySettings,
  communityOptions,
  createCommunities,
  type Kind,
  type Sizes,
} from "./communities.ts";
import { groupCounts, normaliseTables } from "./community-starts.ts";
import { dirichletOptions, priorTable } from "./ibcc.ts";

export const workerClusters = aggregator(
  {
    id: "worker-clusters",
    title: "Worker clusters",
    summary:
      "A few confusions for all, each worker having one: for workers with a handful of labels.",
    paper: {
      authors: "H. Imamura, I. Sato, M. Sugiyama",
      year: 2018,
      title:
        "Analysis of minimax error rate for crowdsourcing and its application to worker clustering model",
      url: "https://proceedings.mlr.press/v80/imamura18a.html",
    },
    family: "bayesian",
    probabilistic: true,
    cost: "O(N·K + W·J·K²) an iteration, times five starts; W·(J + K²) memory",
    memory: tableBytes,
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

/** Ascends from several starts; returns the end of the best, by the bound. */
export function* bestStart(model: CommunityModel, kind: Kind, seed: number): Steps<Ascent> {
  const random = createRandom(seed).split("groups");
  let best: Ascent | undefined;
  for (const groups of groupCounts(model.sizes.communities)) {
    const start = model.startAt(groups, random.split(groups));
    const ascent = yield* model.ascend(kind, start, `from ${groups} groups`);
    if (!best || ascent.bound > best.bound + 1e-9 * Math.abs(best.bound)) best = ascent;
  }
  return best as Ascent;
}

/** Members of a cluster have its confusion, one Dirichlet per row. Tables are [label * K + class]. */
export function clusterKind(options: CommunitySettings, sizes: Sizes): Kind {
  const { classes: K, given: L, communities: J } = sizes;
  const beta = priorTable({ workers: 1, classes: K, given: L }, options, undefined);
  const totals = new Float64Array(J * L * K); // labels of each cluster, with the prior's
  const logs = new Float64Array(J * L * K); // E log P(label | class, cluster)
  const means = () => normaliseTables(totals.slice(), K, L);
  return {
    settle(counts, membership) {
      for (let j = 0; j < J; j++) totals.set(beta, j * L * K);
      addMembers(counts, membership, sizes, totals);
      return expectTables(totals, beta, sizes, logs);
    },
    score: (counts, into) => scoreWorkers(counts, logs, sizes, into),
    speak(_counts, membership, into) {
      mix(logs, membership, sizes).forEach((log, at) => {
        into[at] = Math.exp(log);
      });
      return 0;
    },
    // Normalised once more, since small memberships were left out.
    workers: (_counts, membership) => normaliseTables(mix(means(), membership, sizes), K, L),
    communities: means,
  };
}

/** Adds the labels of the workers to the tables of their clusters, by membership. */
function addMembers(
  counts: Float64Array,
  membership: Float64Array,
  { workers: W, classes: K, given: L, communities: J }: Sizes,
  totals: Float64Array,
): void {
  const cells = L * K;
  for (let w = 0; w < W; w++) {
    for (let j = 0; j < J; j++) {
      const r = membership[w * J + j];
      if (r === 0) continue;
      for (let c = 0; c < cells; c++) totals[j * cells + c] += r * counts[w * cells + c];
    }
  }
}

/** Writes E log P(label | class, cluster) under the counts to `logs`; returns the divergence from beta. */
function expectTables(
  totals: Float64Array,
  beta: Float64Array,
  { classes: K, given: L, communities: J }: Sizes,
  logs: Float64Array,
): number {
  const cells = L * K;
  const row = new Float64Array(L);
  const own = new Float64Array(L);
  const rates = new Float64Array(L);
  let divergence = 0;
  for (let j = 0; j < J; j++) {
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < L; l++) {
        row[l] = totals[j * cells + l * K + k];
        own[l] = beta[l * K + k];
      }
      divergence += expectLogs(row, own, rates, 1);
      for (let l = 0; l < L; l++) logs[j * cells + l * K + k] = Math.log(rates[l]);
    }
  }
  return divergence;
}

/** Writes E log P(labels of a worker | cluster) to into[worker * J + cluster]. */
function scoreWorkers(
  counts: Float64Array,
  logs: Float64Array,
  { workers: W, classes: K, given: L, communities: J }: Sizes,
  into: Float64Array,
): void {
  const cells = L * K;
  for (let w = 0; w < W; w++) {
    for (let j = 0; j < J; j++) {
      let sum = 0;
      for (let c = 0; c < cells; c++) sum += counts[w * cells + c] * logs[j * cells + c];
      into[w * J + j] = sum;
    }
  }
}

/** Returns the mean of the clusters' tables for each worker, by membership. */
function mix(
  tables: Float64Array,
  membership: Float64Array,
  { workers: W, classes: K, given: L, communities: J }: Sizes,
): Float64Array {
  const cells = L * K;
  const mixed = new Float64Array(W * cells);
  for (let w = 0; w < W; w++) {
    for (let j = 0; j < J; j++) {
      const r = membership[w * J + j];
      if (r < 1e-12) continue;
      for (let c = 0; c < cells; c++) mixed[w * cells + c] += r * tables[j * cells + c];
    }
  }
  return mixed;
}
