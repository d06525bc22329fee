/** Agreement of comparisons: the same pair, asked for the same task, is one thing to agree on. */
import { pairLabels } from "../data/pair-labels.ts";
import type { PairwiseData } from "../data/pairwise.ts";
import { type Agreement, type AgreementOptions, agreement } from "./agreement.ts";

/** Measures how much workers agree on which of two items is better. */
export function pairwiseAgreement(data: PairwiseData, options: AgreementOptions = {}): Agreement {
  return agreement(pairLabels(data, "keep").labels, options);
}
