/** The aggregators of sequences, in the order in which the docs tell them. */
import { bscSeq } from "./bsc-seq.ts";
import { hmmCrowd } from "./hmm-crowd.ts";
import { tokenVote } from "./token-vote.ts";

/** By id. */
export const sequenceMethods = {
  "token-vote": tokenVote,
  "hmm-crowd": hmmCrowd,
  "bsc-seq": bscSeq,
} as const;
