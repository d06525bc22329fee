/** Communities whose members vary around the confusion of the community: those of `cbcc`. */

import { priorTable } from "../../../em/ibcc.ts";
import { digamma, logGamma } from "../../../math/gamma.ts";
import type { CommunitySettings, Kind, Sizes } from "./communities.ts";
import { normaliseTables } from "./community-starts.ts";

/** Shares of a community below this are cut: a worker's prior count must be above 0. */
const LEAST = 1e-6;
/** Memberships below this say nothing. */
const NOTHING = 1e-9;

/** The confusions of the communities, and how much they are worth to a worker. */
interface Tables {
  readonly sizes: Sizes;
  readonly kappa: number;
  /** Prior counts, as beta[label * K + class]. */
  readonly beta: Float64Array;
  /** P(label | class, community) as shared[(community * L + label) * K + class]. */
  readonly shared: Float64Array;
}

/** Visits a row of worker w, at `row` of the counts, under community j, at `cell` of the shared tables. */
type Visit = (w: number, j: number, row: number, cell: number, total: number) => void;

/** Members of a community have confusions that vary around its own. */
export function communityKind(
  options: CommunitySettings & { readonly kappa: number },
  sizes: Sizes,
): Kind {
  const { classes: K, given: L, communities: J } = sizes;
  const beta = priorTable({ workers: 1, classes: K, given: L }, options, undefined);
  const tables = { sizes, kappa: options.kappa, beta, shared: new Float64Array(J * L * K) };
  let fresh = true;
  return {
    settle(counts, membership) {
      if (fresh) countMembers(tables, counts, membership);
      fresh = false;
      for (let step = 0; step < 2; step++) stepShared(tables, counts, membership);
      let log = 0;
      const { shared } = tables;
      for (let at = 0; at < shared.length; at++) log += beta[at % (L * K)] * Math.log(shared[at]);
      return -log;
    },
    score: (counts, into) => score(tables, counts, into),
    speak: (counts, membership, rates) => expectRates(tables, counts, membership, rates),
    workers: (counts, membership) => meanRates(tables, counts, membership),
    communities: () => tables.shared.slice(),
  };
}

/** Visits the rows of all workers under all communities, or only those they may belong to. */
function eachRow(
  { workers: W, classes: K, given: L, communities: J }: Sizes,
  counts: Float64Array,
  visit: Visit,
  membership?: Float64Array,
): void {
  const cells = L * K;
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      const row = w * cells + k;
      let total = 0;
      for (let l = 0; l < L; l++) total += counts[row + l * K];
      for (let j = 0; j < J; j++) {
        if (membership && membership[w * J + j] < NOTHING) continue;
        visit(w, j, row, j * cells + k, total);
      }
    }
  }
}

/** Sums the memberships of each worker that are visited. */
function heldBy(membership: Float64Array, { workers: W, communities: J }: Sizes): Float64Array {
  const held = new Float64Array(W);
  for (let at = 0; at < membership.length; at++) {
    if (!(membership[at] < NOTHING)) held[Math.floor(at / J)] += membership[at];
  }
  return held;
}

/** Writes shares from counts and the prior's to `shared`, none too small. */
function setShared({ sizes, beta, shared }: Tables, counts: Float64Array): void {
  for (let at = 0; at < shared.length; at++) {
    shared[at] = Math.max(LEAST, counts[at] + beta[at % beta.length]);
  }
  normaliseTables(shared, sizes.classes, sizes.given);
}

/** Starts the shared confusions from the labels of the members. */
function countMembers(tables: Tables, counts: Float64Array, membership: Float64Array): void {
  const { classes: K, given: L, communities: J } = tables.sizes;
  const sums = new Float64Array(tables.shared.length);
  const count: Visit = (w, j, row, cell) => {
    for (let l = 0; l < L; l++) {
      sums[cell + l * K] += membership[w * J + j] * counts[row + l * K];
    }
  };
  eachRow(tables.sizes, counts, count, membership);
  setShared(tables, sums);
}

/**
 * Takes one step of Minka's fixed point: a label counts for less the more of its kind the worker gave.
 *
 *   shared[j, k, l] ∝ beta[k, l] + sum over w of membership[w, j] · prior · (digamma(prior + n) - digamma(prior))
 *
 * with prior = kappa · shared[j, k, l] and n the worker's labels.
 */
function stepShared(tables: Tables, counts: Float64Array, membership: Float64Array): void {
  const { sizes, kappa, shared } = tables;
  const { classes: K, given: L, communities: J } = sizes;
  const sums = new Float64Array(shared.length);
  const gain: Visit = (w, j, row, cell, total) => {
    if (total === 0) return;
    for (let l = 0; l < L; l++) {
      const prior = kappa * shared[cell + l * K];
      const gain = digamma(prior + counts[row + l * K]) - digamma(prior);
      sums[cell + l * K] += membership[w * J + j] * prior * gain;
    }
  };
  eachRow(sizes, counts, gain, membership);
  setShared(tables, sums);
}

/** Writes log P(labels of a worker | community), the worker's confusion integrated out, to `into`. */
function score({ sizes, kappa, shared }: Tables, counts: Float64Array, into: Float64Array): void {
  const { classes: K, given: L, communities: J } = sizes;
  into.fill(0);
  eachRow(sizes, counts, (w, j, row, cell, total) => {
    if (total === 0) return;
    let log = logGamma(kappa) - logGamma(kappa + total);
    for (let l = 0; l < L; l++) {
      const count = counts[row + l * K];
      const prior = kappa * shared[cell + l * K];
      if (count > 0) log += logGamma(prior + count) - logGamma(prior);
    }
    into[w * J + j] += log;
  });
}

/** Writes exp(E log P(label | class, worker)) to `rates`; returns the divergence from the communities. */
function expectRates(
  { sizes, kappa, shared }: Tables,
  counts: Float64Array,
  membership: Float64Array,
  rates: Float64Array,
): number {
  const { workers: W, classes: K, given: L, communities: J } = sizes;
  const cells = L * K;
  const logs = new Float64Array(W * cells);
  const held = heldBy(membership, sizes);
  let divergence = 0;
  const expect: Visit = (w, j, row, cell, total) => {
    const r = membership[w * J + j];
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
  };
  eachRow(sizes, counts, expect, membership);
  for (let at = 0; at < logs.length; at++) {
    rates[at] = Math.max(1e-30, Math.exp(logs[at] / held[Math.floor(at / cells)]));
  }
  return divergence;
}

/** Returns the mean of P(label | class, worker) over the communities a worker may belong to. */
function meanRates(
  { sizes, kappa, shared }: Tables,
  counts: Float64Array,
  membership: Float64Array,
): Float64Array {
  const { workers: W, classes: K, given: L, communities: J } = sizes;
  const cells = L * K;
  const mean = new Float64Array(W * cells);
  const held = heldBy(membership, sizes);
  const add: Visit = (w, j, row, cell, total) => {
    const r = membership[w * J + j];
    for (let l = 0; l < L; l++) {
      const at = row + l * K;
      mean[at] += (r * (kappa * shared[cell + l * K] + counts[at])) / (kappa + total);
    }
  };
  eachRow(sizes, counts, add, membership);
  return mean.map((sum, at) => sum / held[Math.floor(at / cells)]);
}
