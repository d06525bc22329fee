import { voteShares } from "../belief/votes.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { labelsPerWorker } from "../data/crowd-data.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { voteEvidence } from "./evidence.ts";

export const startOptions = {
  start: {
    default: "diagonal",
    choices: ["diagonal", "votes", "softmaxIdentity"],
    help: "Initial confusion matrices: near the identity, an estimate from the votes, or the softmax of the identity.",
  },
  startDiagonal: {
    default: 0.9,
    min: 0.01,
    max: 0.9999,
    help: "With diagonal: initial probability of a right label.",
  },
} as const;

interface Start {
  readonly start: "diagonal" | "votes" | "softmaxIdentity";
  readonly startDiagonal: number;
}

/** P[(worker * K + class) * K + label], whose softmax over labels is the confusion. */
export function startingLogits(
  data: CategoricalData,
  { start, startDiagonal }: Start,
): Float64Array {
  const K = data.classes.length;
  if (start === "votes") return voteEvidence(data, voteShares(data), 1e-4);
  return onDiagonal(
    data.workers.length,
    K,
    start === "diagonal" ? softmaxTop(startDiagonal, K) : 1,
    0,
  );
}

/** What a row's diagonal must be, beside zeros, for its softmax to be `share` there. */
const softmaxTop = (share: number, K: number) => Math.log((share * (K - 1)) / (1 - share));

/** The same two numbers for every worker: one on the diagonal, one beside it. */
function onDiagonal(workers: number, K: number, on: number, off: number): Float64Array {
  const block = identityMatrix(K).map((x) => off + x * (on - off));
  return Float64Array.from({ length: workers * K * K }, (_, at) => block[at % (K * K)]);
}

export const identityMatrix = (K: number): Float64Array =>
  Float64Array.from({ length: K * K }, (_, at) => (at % (K + 1) === 0 ? 1 : 0));

/**
 * Free numbers of matrices near the identity: with `share` on the diagonal, or, where it is 0, as the
 * papers have it: 6 I - 5 behind a softplus, 9 to 1 behind a softmax.
 */
export function diagonalStart(
  workers: number,
  K: number,
  form: "softplus" | "softmax",
  share: number,
): Float64Array {
  if (form === "softmax") return onDiagonal(workers, K, softmaxTop(share || 0.9, K), 0);
  if (share === 0) return onDiagonal(workers, K, 1, -5);
  // softplus(-5) beside the diagonal, and on it what makes its share right.
  const off = Math.log1p(Math.exp(-5));
  return onDiagonal(workers, K, Math.log(Math.expm1((share / (1 - share)) * (K - 1) * off)), -5);
}

/** 1 for each worker who gave labels, 0 for the others. */
export const whoLabelled = (data: CategoricalData): Float64Array =>
  Float64Array.from(labelsPerWorker(data), (count) => Math.min(1, count));

/** Free numbers to shares, row by row. */
export function rowSoftmax(logits: Float64Array, K: number): Float64Array {
  const shares = logits.slice();
  for (let row = 0; row < shares.length; row += K) normalizeLog(shares, row, row + K);
  return shares;
}

/** Free numbers through a softplus, then to shares, row by row. */
export function rowSoftplus(free: Float64Array, K: number): Float64Array {
  const shares = free.map((x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))));
  for (let row = 0; row < shares.length; row += K) {
    let total = 0;
    for (let l = row; l < row + K; l++) total += shares[l];
    for (let l = row; l < row + K; l++) shares[l] /= total;
  }
  return shares;
}
