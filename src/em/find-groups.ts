/**
 * Finds groups of workers who err together, or that there are none.
 *
 * Clusters of `belief/worker-groups.ts` are proposed for 2, 3, … groups, and those of `belief/tight-groups.ts`, which need
 * few common tasks; each proposal is fitted by the model of two levels (`group-em.ts`). A proposal gains
 *
 *   gain = log-likelihood − log-likelihood of independent workers − ½ · K(K − 1) · log T for each group
 *
 * over independent workers, on T tasks (Schwarz 1978). If a group tells something else than all others together, the labels
 * cannot say which of the two is the truth: that a group of 18 errs together, or that the 42 others do, is the same model
 * with two names. Of proposals that explain the labels alike, the one with fewest members is taken. Of the proposal with the largest gain, groups are dissolved
 * as long as that raises the gain. What is left is found if its gain is above 3 after log (W over n) is taken off for
 * each group of n out of W workers, since the members were chosen from these labels (Chen & Chen 2008, Biometrika
 * 95(3), 759–771). 3 is strong evidence by the usual reading of Bayes factors (Kass & Raftery 1995).
 *
 * Groups are kept only if each half of the tasks finds them as well: of the pairs of workers who are together in either half,
 * at least half must be together in both. Schools of thought that shade into each other pass the first test on many labels,
 * with other members in each half, and counting them for one worker each does harm.
 *
 * Independent workers are a special case of the model, so the gain of needless groups is chance alone. They are
 * fitted again from the answers of the best proposal, lest a better start pass for groups.
 */
import { blind } from "../belief/blind.ts";
import type { Known } from "../belief/known.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import { tightGroups } from "../belief/tight-groups.ts";
import {
  clusterWorkers,
  groupSizes,
  numberGroups,
  type WorkerAffinity,
  workerAffinity,
} from "../belief/worker-groups.ts";
import { type CategoricalData, hasAbstentions, selectLabels } from "../data/categorical.ts";
import { labelsPerTask } from "../data/crowd-data.ts";
import { plural } from "../error.ts";
import { logGamma } from "../math/gamma.ts";
import { createRandom } from "../math/random.ts";
import { drain, type Steps } from "../method.ts";
import { climbGroups } from "./group-em.ts";

/** Groups of workers who err together. */
export interface WorkerGroups {
  /** The group of each worker, from 0; a worker alone has a number of their own. */
  readonly groups: Int32Array;
  /** Number of groups of two workers or more; 0 if every worker is alone. */
  readonly found: number;
  /** Evidence for the groups over independent workers, after all penalties, in nats; 0 without groups. */
  readonly gain: number;
  /** The gain of each number of clusters that was tried, before groups were dissolved and members paid for. */
  readonly tried: readonly { readonly clusters: number; readonly gain: number }[];
  /** Leading eigenvalues of the normalised scores of pairs; a gap after the nth speaks for n clusters. */
  readonly eigenvalues: Float64Array;
  /** True if only a sample of the tasks, or the workers with most labels, were compared. */
  readonly sampled: boolean;
}

/** How groups are looked for. */
export interface GroupSearch {
  readonly seed: number;
  /** Number of clusters; 0 to find it. */
  readonly clusters: number;
  /** Largest number of clusters that is tried. */
  readonly mostClusters: number;
}

/** Clusters that are tried at most if nothing else is asked for. */
const MOST_CLUSTERS = 12;

/** The option of methods that work on groups. */
export const groupOption = {
  groups: {
    default: 0,
    min: 0,
    integer: true,
    help: "Number of groups, workers alone included; 0 finds the groups, or that there are none. Known groups override it.",
  },
} as const;

/** Labels on which proposals are fitted: about so many, or those of so many tasks. */
const ENOUGH_LABELS = 50_000;
const ENOUGH_TASKS = 300;

/** Pairs of labels that are compared at most. */
const MOST_PAIRS = 50_000_000;

/** Numbers of clusters in a row that are tried without a gain over the best. */
const PATIENCE = 4;

/** Gain from which groups are believed, in nats. */
const LEAST_GAIN = 3;

/** Share of pairs in which the groups of both halves of the tasks must agree. */
const LEAST_COMMON = 0.5;

const settings = {
  smoothing: 0.01,
  shrinkage: 0,
  prior: "learn",
  maxIterations: 50,
  tolerance: 1e-6,
} as const;

/**
 * Finds groups that both halves of the tasks confirm, or makes as many as `clusters` asks for. Names of workers must stand
 * for what they said.
 */
function* searchGroups(data: CategoricalData, search: GroupSearch, L: number): Steps<WorkerGroups> {
  const whole = yield* proposeGroups(data, search, L, true);
  if (search.clusters > 0 || whole.found === 0) return whole;
  const random = createRandom(search.seed).split("halves");
  const half = Int8Array.from(data.tasks, (name) => (random.split(name).next() < 0.5 ? 0 : 1));
  const halves: Int32Array[] = [];
  for (const side of [0, 1]) {
    const part = selectLabels(data, (i) => half[data.task[i]] === side);
    const { groups, found } = yield* proposeGroups(part, search, L, false);
    if (found > 0) halves.push(groups);
  }
  if (halves.length === 2 && commonPairs(halves[0], halves[1]) >= LEAST_COMMON) return whole;
  return { ...whole, groups: Int32Array.from(whole.groups.keys()), found: 0, gain: 0 };
}

/** Pairs of workers in one group in both, as a share of those in one group in either. */
function commonPairs(a: Int32Array, b: Int32Array): number {
  const pairs = (groups: Int32Array) =>
    groupSizes(groups).reduce((sum, n) => sum + (n * (n - 1)) / 2, 0);
  const W = a.length;
  const both = pairs(numberGroups(Float64Array.from(a, (g, w) => g * W + b[w])));
  return both / (pairs(a) + pairs(b) - both);
}

/** Finds groups in these labels, or makes as many as `clusters` asks for. Only if `sure`, their members are paid for. */
function* proposeGroups(
  data: CategoricalData,
  { seed, clusters, mostClusters }: GroupSearch,
  L: number,
  sure: boolean,
): Steps<WorkerGroups> {
  const W = data.workers.length;
  const K = data.classes.length;
  const [toCompare, toFit] = samplesOf(data, seed);
  const affinity = workerAffinity(toCompare, Math.max(clusters, mostClusters), seed);
  const n = affinity.workers.length;
  const base = {
    eigenvalues: affinity.eigenvalues,
    sampled: affinity.cut || toCompare !== data || toFit !== data,
  };
  const alone = Int32Array.from({ length: W }, (_, w) => w);
  const independent = { ...base, groups: alone, found: 0, gain: 0, tried: [] };
  if (clusters > 0) {
    const groups = clusters >= W ? alone : spread(affinity, clusters, seed, W);
    return { ...independent, groups, found: countGroups(groups) };
  }
  if (W < 3 || K < 2) return independent;
  const propose = fitter(toFit, L);
  const reference = yield* propose(alone);
  const tried: { clusters: number; gain: number }[] = [];
  let first = reference;
  for (let J = 2, without = 0; J <= Math.min(mostClusters, n - 1) && without < PATIENCE; J++) {
    const proposal = yield* propose(spread(affinity, J, seed, W));
    tried.push({ clusters: J, gain: proposal.score - reference.score });
    const better = first === reference || proposal.score > first.score;
    if (better) first = proposal;
    without = better ? 0 : without + 1;
  }
  const tight = tightGroups(toCompare, mostClusters);
  if (countGroups(tight) > 0) {
    const proposal = yield* propose(tight);
    tried.push({ clusters: new Set(tight).size, gain: proposal.score - reference.score });
    if (first === reference || proposal.score > first.score) first = proposal;
  }
  if (tried.length === 0) return independent;
  const best = yield* dissolve(first, propose);
  const { groups } = best;
  const restarted = yield* propose(alone, best.posterior);
  const price = sure ? logChoices(groups) : 0;
  const gain = best.score - Math.max(reference.score, restarted.score) - price;
  if (!(gain > (sure ? LEAST_GAIN : 0))) return { ...independent, tried };
  return { ...base, groups, gain, found: countGroups(groups), tried };
}

/**
 * Finds groups of workers who err together, from labels alone. Abstentions are left out. `clusters` asks for a number
 * of groups instead; `mostClusters` (12) is the largest number tried.
 */
export function findGroups(
  given: CategoricalData,
  options: Partial<GroupSearch> = {},
): WorkerGroups {
  return drain(findGroupSteps(given, options));
}

/** The same in steps, with progress. */
export function* findGroupSteps(
  given: CategoricalData,
  { seed = 0, clusters = 0, mostClusters = MOST_CLUSTERS }: Partial<GroupSearch> = {},
): Steps<WorkerGroups> {
  const K = given.classes.length;
  const data = hasAbstentions(given) ? selectLabels(given, (i) => given.label[i] < K) : given;
  return yield* searchGroups(blind(data, {}).data, { seed, clusters, mostClusters }, K);
}

/** True if a search for groups takes seconds: many labels of many workers take minutes. */
export function isSearchable({ label, workers }: CategoricalData): boolean {
  return label.length <= 200_000 || workers.length <= 300;
}

/** The groups that a method works on: known ones, as many as asked for, or those found. */
export function* groupsFor(
  data: CategoricalData,
  { groups: clusters, seed }: { readonly groups: number; readonly seed: number },
  { known, L }: { readonly known: Known; readonly L: number },
): Steps<Pick<WorkerGroups, "groups" | "found" | "sampled">> {
  if (known.groups) {
    const groups = numberGroups(known.groups);
    return { groups, found: countGroups(groups), sampled: false };
  }
  return yield* searchGroups(data, { seed, clusters, mostClusters: MOST_CLUSTERS }, L);
}

/** Says what was found, and from what. */
export function groupNotes({
  groups,
  found,
  sampled,
}: Pick<WorkerGroups, "groups" | "found" | "sampled">): string[] {
  const words =
    found === 0
      ? "No groups: every worker counts alone."
      : `${plural(found, "group", "groups")} with ${membersOf(groups)} of ${groups.length} workers.`;
  return sampled ? [words, "Groups were looked for in a sample of the labels."] : [words];
}

/** The labels whose pairs are compared, and those on which proposals are fitted: all, or of a sample of tasks. */
function samplesOf(data: CategoricalData, seed: number): [CategoricalData, CategoricalData] {
  const N = data.label.length;
  const sizes = labelsPerTask(data);
  const pairs = sizes.reduce((sum, d) => sum + (d * (d - 1)) / 2, 0);
  const answered = sizes.filter((d) => d > 0).length;
  const compared = Math.floor(N * Math.min(1, MOST_PAIRS / Math.max(1, pairs)));
  const fitted = Math.max(ENOUGH_LABELS, Math.ceil((ENOUGH_TASKS * N) / Math.max(1, answered)));
  return [sampleTasks(data, {}, compared, seed).data, sampleTasks(data, {}, fitted, seed).data];
}

function countGroups(groups: Int32Array): number {
  return groupSizes(groups).filter((size) => size > 1).length;
}

/** The number of workers who are not alone. */
function membersOf(groups: Int32Array): number {
  return groupSizes(groups).reduce((sum, size) => sum + (size > 1 ? size : 0), 0);
}

/** The clusters as groups of all workers: those who cannot be compared are alone. */
function spread(affinity: WorkerAffinity, count: number, seed: number, W: number): Int32Array {
  const groups = new Int32Array(W).fill(-1);
  const cluster = clusterWorkers(affinity, count, seed);
  affinity.workers.forEach((w, i) => {
    groups[w] = cluster[i];
  });
  return numberGroups(groups);
}

/** Groups, how well they explain the labels, and the answers they lead to. */
interface Proposal {
  readonly groups: Int32Array;
  /** Penalised log-likelihood, in nats. */
  readonly score: number;
  readonly posterior: Float64Array;
}

type FitGroups = (groups: Int32Array, start?: Float64Array) => Steps<Proposal>;

/** Fits groups to labels, from votes or from a posterior. */
function fitter(data: CategoricalData, L: number): FitGroups {
  const K = data.classes.length;
  const T = labelsPerTask(data).filter((n) => n > 0).length;
  return function* (groups, start) {
    const known = start ? { start } : {};
    const { trace, posterior } = yield* climbGroups(data, groups, settings, { known, L });
    const penalty = countGroups(groups) * 0.5 * K * (K - 1) * Math.log(T);
    return { groups, score: (trace.at(-1) ?? 0) - penalty, posterior };
  };
}

/** Log of the number of ways to choose the members of each group of two or more from all workers. */
function logChoices(groups: Int32Array): number {
  const W = groups.length;
  const together = groupSizes(groups).filter((n) => n > 1);
  return together.reduce(
    (sum, n) => sum + logGamma(W + 1) - logGamma(n + 1) - logGamma(W - n + 1),
    0,
  );
}

/**
 * Makes the members of a group workers of their own, if that gains: all such groups at once, or the one that gains most, and
 * of those that gain alike the one that leaves fewest members. A single group of most workers gives way to all others as the
 * group, if they explain as much.
 */
function* dissolve(first: Proposal, propose: FitGroups): Steps<Proposal> {
  let best = first;
  for (;;) {
    const sizes = groupSizes(best.groups);
    const without = (list: readonly number[]) =>
      numberGroups(best.groups.map((g) => (list.includes(g) ? -1 : g)));
    const gains: Proposal[] = [];
    const needless: number[] = [];
    for (let group = 0; group < sizes.length; group++) {
      if (sizes[group] < 2) continue;
      const proposal = yield* propose(without([group]), best.posterior);
      if (!(proposal.score > best.score)) continue;
      gains.push(proposal);
      needless.push(group);
    }
    if (gains.length === 0) break;
    const single = fewestMembers(gains);
    const together = gains.length > 1 ? yield* propose(without(needless), best.posterior) : single;
    best = together.score >= single.score ? together : single;
  }
  const largest = groupSizes(best.groups).findIndex((size) => 2 * size > best.groups.length);
  if (largest < 0 || countGroups(best.groups) > 1) return best;
  const others = yield* propose(numberGroups(best.groups.map((g) => (g === largest ? -1 : 0))));
  return fewestMembers([best, others]);
}

/** The proposal with fewest members of those that explain the labels about as well as the best. */
function fewestMembers(proposals: readonly Proposal[]): Proposal {
  const top = proposals.reduce((most, { score }) => Math.max(most, score), -Infinity);
  return proposals
    .filter(({ score }) => score > top - LEAST_GAIN)
    .reduce((a, b) => (membersOf(b.groups) < membersOf(a.groups) ? b : a));
}
