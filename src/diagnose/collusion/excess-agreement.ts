/**
 * Workers who agree more than their skills explain.
 *
 *   s             one-coin skills by weighted medians (robust-coin.ts)
 *   P[u, v]       = 1/K + (K − 1)/K · s[u] s[v]              agreement expected of independent workers
 *   z[u, v]       = (agreement − P) / √(P (1 − P) / common)
 *
 * A pair is flagged if agreement − P > .1 and z > 6. Its p is the binomial chance of so many equal labels
 * if P were three standard errors larger, since skills are estimates, and is adjusted for the number of
 * pairs. Flagged pairs that survive the adjustment are joined into groups. Good workers in a poor crowd
 * agree as well, so a group is judged by the labels of the others (group-evidence.ts): it is `suspected` only
 * if its agreement exceeds what confusion matrices predict, on answers that the rest of the crowd contradicts,
 * else `alike`. Nothing is removed and no label changes.
 *
 * After Kleindessner & Awasthi (2018), Crowdsourcing with arbitrary adversaries, ICML, and
 * Traganitis & Giannakis (2021), https://arxiv.org/abs/2110.04117
 */
import type { CategoricalData } from "../../data/categorical.ts";
import { plural } from "../../error.ts";
import { joinedBy } from "../../math/forest.ts";
import { incompleteBeta } from "../../math/incomplete.ts";
import { drain, type Steps } from "../../method.ts";
import { type Copying, copyingIn } from "./copying.ts";
import { type GroupEvidence, groupEvidence, sitsOnWrongAnswers } from "./group-evidence.ts";
import { expectedAgreement, type RobustCoin, robustCoin } from "./robust-coin.ts";

/** Two workers and how far they agree, by number. */
export interface AgreeingPair {
  readonly workers: readonly [number, number];
  /** Tasks that both labelled. */
  readonly common: number;
  /** Share of common tasks with the same label. */
  readonly agreement: number;
  /** The share that independent workers of their skills would have. */
  readonly expected: number;
  readonly z: number;
  /** Chance of so much agreement if errors were independent and `expected` three standard errors larger. */
  readonly p: number;
  /** The same for the most extreme of all pairs: p times the number of pairs, at most 1 (Bonferroni). */
  readonly adjusted: number;
}

/** Workers who agree more than their skills explain. */
export interface AgreeingGroup {
  /** Numbers of the workers, ascending. */
  readonly workers: Int32Array;
  readonly names: readonly string[];
  /** The flagged pairs that join them. */
  readonly pairs: readonly AgreeingPair[];
  /** Means over those pairs, weighted by common tasks, and the smallest z. */
  readonly agreement: number;
  readonly expected: number;
  readonly z: number;
  /** Share of all labels that the group gave. */
  readonly share: number;
  /** `suspected` if the excess sits on answers that the rest contradicts, else `alike`. */
  readonly status: "suspected" | "alike";
  /** What the rest of the crowd says; undefined where too few tasks have any. */
  readonly evidence: GroupEvidence | undefined;
  /** Who answers later, where labels have times and it is not by chance. */
  readonly copying: readonly Copying[];
  /** The finding in words, with its numbers. */
  readonly reason: string;
}

/** What `excessAgreement` finds. */
export interface ExcessAgreement {
  /** Suspected groups first, then by number of workers. */
  readonly groups: readonly AgreeingGroup[];
  /** All pairs with an excess above the thresholds, most significant first. */
  readonly pairs: readonly AgreeingPair[];
  /** Workers in any of those pairs, by number, before pairs are adjusted for their number. */
  readonly flagged: Int32Array;
  /** (K p − 1) / (K − 1) of each worker, with p the probability of a right label. */
  readonly reliability: Float64Array;
  /** Pairs that share a task. */
  readonly compared: number;
  /** True if pairs were compared on a sample of tasks. */
  readonly sampled: boolean;
}

/** Settings of `excessAgreement`. */
export interface ExcessOptions {
  /** Random seed of samples and of the split of the crowd. Default: 0. */
  readonly seed?: number | undefined;
  /** Smallest excess of a flagged pair. Default: .1. */
  readonly excess?: number | undefined;
  /** Smallest z of a flagged pair. Default: 6. */
  readonly z?: number | undefined;
  /** Largest adjusted p of pairs that are joined into groups. Default: .01. */
  readonly level?: number | undefined;
  /** Pairs of labels that are compared; more are compared on a sample of whole tasks. Default: 5 million. */
  readonly mostPairs?: number | undefined;
  /** Labels from which groups are judged; more are judged on a sample of whole tasks. Default: 200,000. */
  readonly mostLabels?: number | undefined;
}

/** Finds workers who agree more than their skills explain. Reports only; the data stay as they are. */
export function excessAgreement(data: CategoricalData, options?: ExcessOptions): ExcessAgreement {
  return drain(excessAgreementSteps(data, options));
}

export function* excessAgreementSteps(
  given: CategoricalData,
  options: ExcessOptions = {},
): Steps<ExcessAgreement> {
  const { seed = 0, level = 0.01, mostPairs, mostLabels = 200_000 } = options;
  yield { iteration: 1, objective: 0, stage: "comparing pairs of workers" };
  const coin = robustCoin(given, { seed, mostPairs });
  const { pairs, compared } = flaggedPairs(coin, options);
  const certain = pairs.filter(({ adjusted }) => adjusted <= level);
  const joined = certain.map(({ workers }) => workers);
  const members = joinedBy(joined, given.workers.length);
  yield { iteration: 2, objective: 0, stage: "judging groups by the rest of the crowd" };
  const evidence = yield* groupEvidence(coin.data, members, { seed, mostLabels });
  const groups = members.map((workers, g) => describe(given, coin, workers, certain, evidence[g]));
  const rank = ({ status }: AgreeingGroup) => (status === "suspected" ? 0 : 1);
  return {
    groups: groups.sort((a, b) => rank(a) - rank(b) || b.workers.length - a.workers.length),
    pairs,
    flagged: Int32Array.from(new Set(pairs.flatMap(({ workers }) => workers))).sort(),
    reliability: coin.reliability,
    compared,
    sampled: coin.sampled,
  };
}

/** Returns the pairs above both thresholds, most significant first, and how many were compared. */
function flaggedPairs(
  { data, pairs, agreement, reliability, error }: RobustCoin,
  { excess = 0.1, z: least = 6 }: ExcessOptions,
): { readonly pairs: AgreeingPair[]; readonly compared: number } {
  const K = data.classes.length;
  const compared = pairs.other.length / 2;
  const flagged: AgreeingPair[] = [];
  for (let u = 0; K > 1 && u < reliability.length; u++) {
    for (let at = pairs.start[u]; at < pairs.start[u + 1]; at++) {
      const v = pairs.other[at];
      if (v < u) continue;
      const common = pairs.common[at];
      const expected = expectedAgreement(reliability, u, v, K);
      const beyond = agreement[at] - expected;
      const z = beyond / Math.sqrt(Math.max(1e-12, expected * (1 - expected)) / common);
      if (!(beyond > excess && z > least)) continue;
      const doubt = Math.hypot(
        reliability[u] * error[v],
        reliability[v] * error[u],
        error[u] * error[v],
      );
      const largest = Math.min(1, expected + 3 * ((K - 1) / K) * doubt);
      const p = atLeast(agreement[at] * common, common, largest);
      const adjusted = Math.min(1, p * compared);
      flagged.push({ workers: [u, v], common, agreement: agreement[at], expected, z, p, adjusted });
    }
  }
  return { pairs: flagged.sort((a, b) => a.p - b.p || b.z - a.z), compared };
}

/** P(X ≥ successes) for X ~ Binomial(n, p). */
function atLeast(successes: number, n: number, p: number): number {
  if (successes <= 0) return 1;
  return incompleteBeta(p, successes, Math.max(0, n - successes) + 1);
}

function describe(
  given: CategoricalData,
  { data }: RobustCoin,
  workers: Int32Array,
  certain: readonly AgreeingPair[],
  evidence: GroupEvidence | undefined,
): AgreeingGroup {
  const inside = new Set(workers);
  const pairs = certain.filter(({ workers: [u] }) => inside.has(u));
  const tasks = pairs.reduce((sum, { common }) => sum + common, 0);
  const mean = (of: (pair: AgreeingPair) => number) =>
    pairs.reduce((sum, pair) => sum + of(pair) * (pair.common / tasks), 0);
  const [agreement, expected] = [mean((pair) => pair.agreement), mean((pair) => pair.expected)];
  const labels = given.worker.reduce((sum, w) => sum + (inside.has(w) ? 1 : 0), 0);
  const status = evidence && sitsOnWrongAnswers(evidence) ? "suspected" : "alike";
  return {
    workers,
    names: Array.from(workers, (w) => given.workers.at(w)),
    pairs,
    agreement,
    expected,
    z: pairs.reduce((least, { z }) => Math.min(least, z), Infinity),
    share: labels / Math.max(1, given.label.length),
    status,
    evidence,
    copying: copyingIn(data, workers),
    reason: reasonOf(workers.length, agreement, expected, evidence),
  };
}

const percent = (share: number) => `${Math.round(100 * share)} %`;

function reasonOf(
  size: number,
  agreement: number,
  expected: number,
  evidence: GroupEvidence | undefined,
): string {
  const fact =
    `These ${plural(size, "worker")} gave the same label on ${percent(agreement)} of their common tasks. ` +
    `Independent workers of their skills would agree on ${percent(expected)}.`;
  if (!evidence) return `${fact} Too few of these tasks have labels by others to say why.`;
  const { predicted, wrongLooking, explained, wrongExcess, wrongZ } = evidence;
  const contradicted = `The rest of the crowd contradicts ${percent(wrongLooking)} of their equal answers`;
  const prediction = `their confusion matrices predict an agreement of ${percent(predicted)}`;
  if (sitsOnWrongAnswers(evidence)) return `${fact} ${contradicted}; ${prediction}.`;
  if (wrongExcess <= 0.05 || wrongZ <= 6) {
    return `${fact} But ${prediction}, and what is beyond that does not sit on answers that the rest contradicts.`;
  }
  return (
    `${fact} ${contradicted}, but the group may be right: its answers explain ${percent(explained)} of ` +
    `what two halves of the rest have in common, and on tasks in dispute one half sides with the other ` +
    `in ${percent(evidence.against)} of cases.`
  );
}
