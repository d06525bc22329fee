/** Where the workers' confusion matrices start, as free numbers behind a softmax along each row. */
import { voteShares } from "../aggregate/categorical/majority-vote.ts";
import type { CrowdDataset } from "../dataset/dataset.ts";
import { normalise, voteEvidence } from "./evidence.ts";

export const startOptions = {
  start: {
    default: "diagonal",
    choices: ["diagonal", "votes", "softmaxIdentity"],
    help: "Where confusions start: near the identity, at what the votes say, or at the softmax of the identity.",
  },
  startDiagonal: {
    ...{ default: 0.9, min: 0.01, max: 0.9999 },
    help: "P(right label) of every worker at the start, for diagonal.",
  },
} as const;

interface Start {
  readonly start: "diagonal" | "votes" | "softmaxIdentity";
  readonly startDiagonal: number;
}

/** P[(worker * K + class) * K + label], whose softmax over labels is the confusion. */
export function startingLogits(data: CrowdDataset, { start, startDiagonal }: Start): Float64Array {
  const K = data.classes.length;
  if (start === "votes") return voteEvidence(data, voteShares(data), 1e-4);
  const top = start === "diagonal" ? Math.log((startDiagonal * (K - 1)) / (1 - startDiagonal)) : 1;
  return Float64Array.from({ length: data.workers.length * K * K }, (_, at) =>
    Math.floor(at / K) % K === at % K ? top : 0,
  );
}

/** Free numbers to shares, row by row. */
export function rowSoftmax(logits: Float64Array, K: number): Float64Array {
  const shares = logits.slice();
  for (let row = 0; row < shares.length; row += K) normalise(shares, row, K);
  return shares;
}
