/**
 * Groups whose shared errors are large enough to matter for the answers of a crowd.
 *
 * The cautious form of `excessAgreement`, for choices that nobody looks at: groups that are `suspected` and
 * hold at least 5 % of the labels. Crowds of independent workers have none, whatever their confusions.
 */
import type { CategoricalData } from "../../data/categorical.ts";
import type { Steps } from "../../method.ts";
import { type AgreeingGroup, type AgreeingPair, excessAgreementSteps } from "./excess-agreement.ts";

/** Groups with shared errors, the largest first. */
export interface ColludingGroups {
  /** Numbers of the workers of each group, ascending. */
  readonly groups: readonly Int32Array[];
  /** The pairs that join the workers of each group. */
  readonly pairs: readonly (readonly AgreeingPair[])[];
  /** The finding of each group in words, with its numbers. */
  readonly reasons: readonly string[];
  /** Share of all labels that these groups gave. */
  readonly share: number;
  /** True if pairs were compared on a sample of tasks. */
  readonly sampled: boolean;
}

/** Groups with a smaller share of the labels are left alone. */
const SMALLEST_SHARE = 0.05;

/** Finds groups with shared errors. About a second for a million labels of a thousand workers. */
export function* colludingGroups(
  data: CategoricalData,
  { seed = 0 }: { readonly seed?: number | undefined } = {},
): Steps<ColludingGroups> {
  const found = yield* excessAgreementSteps(data, {
    seed,
    mostPairs: 2_000_000,
    mostLabels: 50_000,
  });
  const groups = found.groups
    .filter(({ status, share }) => status === "suspected" && share >= SMALLEST_SHARE)
    .sort((a: AgreeingGroup, b: AgreeingGroup) => b.share - a.share);
  return {
    groups: groups.map(({ workers }) => workers),
    pairs: groups.map(({ pairs }) => pairs),
    reasons: groups.map(({ reason }) => reason),
    share: groups.reduce((sum, { share }) => sum + share, 0),
    sampled: found.sampled,
  };
}
