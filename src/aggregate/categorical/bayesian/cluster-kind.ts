/** Communities whose members all have the confusion of the community: those of `worker-clusters`. */

import { expectLogs } from "../../../em/dirichlet.ts";
import { priorTable } from "../../../em/ibcc.ts";
import type { CommunitySettings, Kind, Sizes } from "./communities.ts";
import { normaliseTables } from "./community-starts.ts";

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
