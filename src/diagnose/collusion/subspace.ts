/**
 * Colluders as columns of the agreement matrix that do not lie in the space of the others. Experimental.
 *
 *   Σ[u, v] = P(u and v agree) = <x[u], x[v]> for u ≠ v, x of dimension at most K (K − 1) + 1
 *
 * holds for honest pairs, and for an honest worker with an adversary, since honest workers err independently. The
 * diagonal is 1 but its part in <x, x> is unknown, so it is treated as missing. A space of low rank is fitted to a
 * set of columns that grows from a trusted worker to half of the crowd: given, or the one with the highest skill by
 * medians (robust-coin.ts). The rank is the smallest that explains these columns. Every worker gets coordinates
 * from the agreement with them, and a score: the mean of z² over partners. Least trimmed columns without a trusted
 * worker do not work: colluders who always agree have no residual at all and are kept first.
 *
 * After Traganitis & Giannakis (2021), https://arxiv.org/abs/2110.04117; the published algorithm was not at hand.
 */
import { workerPairs } from "../../aggregate/categorical/spectral/agreement-moments.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { CrowdError } from "../../error.ts";
import { leastSquares, symmetricEigen } from "../../math/matrix.ts";
import { type CoLabellingOptions, coLabelledTasks } from "../co-labelling.ts";
import { robustCoin } from "./robust-coin.ts";

/** Settings of `agreementSubspace`. */
export interface SubspaceOptions extends CoLabellingOptions {
  /** Number of a worker who is trusted; by default the one with the highest skill by medians. */
  readonly trusted?: number | undefined;
}

/** Scores of workers by the space of the others. */
export interface Subspace {
  /** Mean z² of the agreement with partners: about 1 for honest workers. */
  readonly score: Float64Array;
  /** Workers with a score above 25 times the median, by number. */
  readonly flagged: Int32Array;
  /** Dimension of the space. */
  readonly rank: number;
  /** Workers that the space was fitted to, by number, and the one they were grown from. */
  readonly basis: Int32Array;
  readonly trusted: number;
}

/** More workers than this would take minutes. */
const MOST_WORKERS = 400;
/** Scores are flagged above so many times the median score, or 1 if that is more. */
const FLAG = 25;
/** A rank explains the trusted columns if their mean z² is below this. */
const EXPLAINED = 1.5;
const ROUNDS = 20;

/** Agreement and common tasks of all pairs, as tables. */
interface Tables {
  readonly W: number;
  readonly agreement: Float64Array;
  readonly common: Float64Array;
}

/** Scores workers by how far their agreement departs from a space of low rank. */
export function agreementSubspace(given: CategoricalData, options: SubspaceOptions = {}): Subspace {
  const { data } = coLabelledTasks(given, options);
  const W = data.workers.length;
  const K = data.classes.length;
  if (W > MOST_WORKERS) {
    throw new CrowdError(
      "too-large",
      `agreementSubspace: at most ${MOST_WORKERS} workers, not ${W}. Use excessAgreement.`,
    );
  }
  const nothing = { flagged: new Int32Array(), rank: 0, basis: new Int32Array(), trusted: -1 };
  let best: Subspace = { score: new Float64Array(W), ...nothing };
  if (W < 4 || K < 2) return best;
  const tables = tablesOf(data);
  const trusted = options.trusted ?? mostReliable(robustCoin(data).reliability);
  const half = Math.max(3, Math.ceil(W / 2));
  for (let rank = 1; rank <= Math.min(K * (K - 1) + 1, half - 2); rank++) {
    const first = closest(tables, rank + 3, trusted);
    const { basis, score, own } = grow(tables, first, rank, half);
    best = { score, rank, basis, trusted, flagged: beyond(score) };
    if (own < EXPLAINED) break;
  }
  return best;
}

function tablesOf(data: CategoricalData): Tables {
  const W = data.workers.length;
  const { start, other, common, agreed } = workerPairs("subspace", data);
  const same = agreed();
  const tables = { W, agreement: new Float64Array(W * W), common: new Float64Array(W * W) };
  for (let u = 0; u < W; u++) {
    for (let at = start[u]; at < start[u + 1]; at++) {
      tables.agreement[u * W + other[at]] = same[at] / common[at];
      tables.common[u * W + other[at]] = common[at];
    }
  }
  return tables;
}

/** Returns workers with a score far above that of most. */
function beyond(score: Float64Array): Int32Array {
  const sorted = score.slice().sort();
  const usual = Math.max(1, sorted[(sorted.length - 1) >> 1]);
  return Int32Array.from(score.keys()).filter((w) => score[w] > FLAG * usual);
}

/** Moves to the columns with the smallest scores, a quarter more at a time. */
function grow(
  tables: Tables,
  first: Int32Array,
  rank: number,
  half: number,
): { readonly basis: Int32Array; readonly score: Float64Array; readonly own: number } {
  let basis = first;
  let score = scoresOf(tables, basis, rank);
  for (let round = 0; round < ROUNDS; round++) {
    const size = Math.min(half, Math.ceil(basis.length * 1.25));
    const order = [...score.keys()].sort((a, b) => score[a] - score[b] || a - b);
    const next = Int32Array.from(order.slice(0, size)).sort();
    const same = next.length === basis.length && next.every((w, i) => w === basis[i]);
    if (same) break;
    basis = next;
    score = scoresOf(tables, basis, rank);
  }
  return { basis, score, own: basis.reduce((sum, w) => sum + score[w] / basis.length, 0) };
}

/** Returns the worker with the highest skill, the first of several. */
function mostReliable(reliability: Float64Array): number {
  return reliability.reduce((best, s, w) => (s > reliability[best] ? w : best), 0);
}

/** The trusted worker and those who agree most with them. */
function closest({ W, agreement }: Tables, size: number, trusted: number): Int32Array {
  const order = Int32Array.from({ length: W }, (_, w) => w).filter((w) => w !== trusted);
  order.sort((a, b) => agreement[trusted * W + b] - agreement[trusted * W + a]);
  return Int32Array.of(trusted, ...order.subarray(0, size - 1)).sort();
}

/** Mean z² of each worker's agreement with all others, under the space of the basis. */
function scoresOf(tables: Tables, basis: Int32Array, rank: number): Float64Array {
  const { W, agreement, common } = tables;
  const axes = basisAxes(tables, basis, rank);
  const places = Array.from({ length: W }, (_, w) => coordinates(tables, basis, axes, rank, w));
  return Float64Array.from({ length: W }, (_, u) => {
    let [sum, n] = [0, 0];
    for (let v = 0; v < W; v++) {
      const tasks = common[u * W + v];
      if (v === u || tasks === 0) continue;
      let expected = 0;
      for (let r = 0; r < rank; r++) expected += places[u][r] * places[v][r];
      const p = Math.min(1 - 1e-6, Math.max(1e-6, expected));
      sum += (agreement[u * W + v] - p) ** 2 / (Math.max(p * (1 - p), 1 / (4 * tasks)) / tasks);
      n++;
    }
    return n > 0 ? sum / n : 0;
  });
}

/** V with V Vᵀ ≈ Σ off the diagonal, for the workers of the basis: eigenvectors, the diagonal filled in by turns. */
function basisAxes(
  { W, agreement, common }: Tables,
  basis: Int32Array,
  rank: number,
): Float64Array {
  const n = basis.length;
  const table = new Float64Array(n * n);
  let [sum, pairs] = [0, 0];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i === j || common[basis[i] * W + basis[j]] === 0) continue;
      sum += agreement[basis[i] * W + basis[j]];
      pairs++;
    }
  }
  // Pairs without common tasks, and at first the diagonal, are as usual.
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const known = i !== j && common[basis[i] * W + basis[j]] > 0;
      table[i * n + j] = known ? agreement[basis[i] * W + basis[j]] : sum / Math.max(1, pairs);
    }
  }
  let axes = new Float64Array(n * rank);
  for (let round = 0; round < 10; round++) {
    const { values, vectors } = symmetricEigen(table, n);
    axes = Float64Array.from({ length: n * rank }, (_, at) => {
      const r = at % rank;
      return Math.sqrt(Math.max(0, values[r])) * vectors[Math.floor(at / rank) * n + r];
    });
    for (let i = 0; i < n; i++) {
      let own = 0;
      for (let r = 0; r < rank; r++) own += axes[i * rank + r] ** 2;
      table[i * n + i] = own;
    }
  }
  return axes;
}

/** Coordinates of a worker: least squares of the agreement with the workers of the basis. */
function coordinates(
  { W, agreement, common }: Tables,
  basis: Int32Array,
  axes: Float64Array,
  rank: number,
  w: number,
): Float64Array {
  const partners = [...basis.keys()].filter((i) => basis[i] !== w && common[w * W + basis[i]] > 0);
  if (partners.length < rank) return new Float64Array(rank);
  const rows = new Float64Array(partners.length * rank);
  const values = new Float64Array(partners.length);
  partners.forEach((i, at) => {
    const weight = Math.sqrt(common[w * W + basis[i]]);
    values[at] = weight * agreement[w * W + basis[i]];
    for (let r = 0; r < rank; r++) rows[at * rank + r] = weight * axes[i * rank + r];
  });
  return leastSquares(rows, values, partners.length, rank);
}
