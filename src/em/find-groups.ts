/**
 * Finds groups of workers who err together, or that there are none.
 *
 * Clusters of `belief/worker-groups.ts` are proposed for 2, 3, … groups, and each proposal is fitted by the
 * model of two levels (`group-em.ts`). A proposal gains
 *
 *   gain = log-likelihood − log-likelihood of independent workers − ½ · K(K − 1) · log T for each group
 *
 * over independent workers, on T tasks (Schwarz 1978). Of the proposal with the largest gain, groups are
 * dissolved as long as that raises the gain. What is left is found; if nothing gains, every worker is alone.
 *
 * Independent workers are a special case of the model, so the gain of needless groups is chance alone.
 */
import { blind } from "../belief/blind.ts";
import type { Known } from "../belief/known.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
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
import { drain, type Steps } from "../method.ts";
import { climbGroups } from "./group-em.ts";

/** Groups of workers who err together. */
export interface WorkerGroups {
  /** The group of each worker, from 0; a worker alone has a number of their own. */
  readonly groups: Int32Array;
  /** Number of groups of two workers or more; 0 if every worker is alone. */
  readonly found: number;
  /** How much the groups raise the penalised log-likelihood over independent workers, in nats; 0 without groups. */
  readonly gain: number;
  /** The gain of each number of clusters that was tried, before groups were dissolved. */
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

/** Labels on which proposals are fitted at most. */
const MOST_LABELS = 200_000;

/** Pairs of labels that are compared at most. */
const MOST_PAIRS = 5_000_000;

const settings = {
  smoothing: 0.01,
  shrinkage: 0,
  prior: "learn",
  maxIterations: 50,
  tolerance: 1e-6,
} as const;

/** Finds groups, or makes as many as `clusters` asks for. Names of workers must stand for what they said. */
export function* searchGroups(
  data: CategoricalData,
  { seed, clusters, mostClusters }: GroupSearch,
  L: number,
): Steps<WorkerGroups> {
  const W = data.workers.length;
  const K = data.classes.length;
  const sample = sampleTasks(data, {}, labelsToUse(data), seed).data;
  const affinity = workerAffinity(sample, seed);
  const n = affinity.workers.length;
  const base = {
    eigenvalues: affinity.eigenvalues.slice(0, mostClusters + 1),
    sampled: affinity.cut || sample !== data,
  };
  const alone = Int32Array.from({ length: W }, (_, w) => w);
  const independent = { ...base, groups: alone, found: 0, gain: 0, tried: [] };
  if (clusters > 0) {
    const groups = clusters >= W ? alone : spread(affinity, clusters, seed, W);
    return { ...independent, groups, found: countGroups(groups) };
  }
  if (n < 3 || K < 2) return independent;
  const score = scorer(sample, L);
  const reference = yield* score(alone);
  const tried: { clusters: number; gain: number; groups: Int32Array }[] = [];
  for (let J = 2; J <= Math.min(mostClusters, n - 1); J++) {
    const groups = spread(affinity, J, seed, W);
    tried.push({ clusters: J, gain: (yield* score(groups)) - reference, groups });
  }
  if (tried.length === 0) return independent;
  const first = tried.reduce((a, b) => (b.gain > a.gain ? b : a));
  const best = yield* dissolve(first, reference, score);
  const gains = tried.map(({ clusters, gain }) => ({ clusters, gain }));
  if (!(best.gain > 0)) return { ...independent, tried: gains };
  const { groups, gain } = best;
  return { ...base, groups, gain, found: countGroups(groups), tried: gains };
}

/**
 * Finds groups of workers who err together, from labels alone. Abstentions are left out. `clusters` asks for a number
 * of groups instead; `mostClusters` (12) is the largest number tried.
 */
export function findGroups(
  given: CategoricalData,
  { seed = 0, clusters = 0, mostClusters = MOST_CLUSTERS }: Partial<GroupSearch> = {},
): WorkerGroups {
  const K = given.classes.length;
  const data = hasAbstentions(given) ? selectLabels(given, (i) => given.label[i] < K) : given;
  return drain(searchGroups(blind(data, {}).data, { seed, clusters, mostClusters }, K));
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
  const members = groupSizes(groups).reduce((sum, size) => sum + (size > 1 ? size : 0), 0);
  const words =
    found === 0
      ? "No groups: every worker counts alone."
      : `${plural(found, "group", "groups")} with ${members} of ${groups.length} workers.`;
  return sampled ? [words, "Groups were looked for in a sample of the labels."] : [words];
}

/** How many labels keep both labels and pairs of labels within bounds. */
function labelsToUse(data: CategoricalData): number {
  const N = data.label.length;
  const pairs = labelsPerTask(data).reduce((sum, d) => sum + (d * (d - 1)) / 2, 0);
  return Math.min(MOST_LABELS, Math.floor(N * Math.min(1, MOST_PAIRS / Math.max(1, pairs))));
}

function countGroups(groups: Int32Array): number {
  return groupSizes(groups).filter((size) => size > 1).length;
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

type Score = (groups: Int32Array) => Steps<number>;

/** Penalised log-likelihood of groups, in nats. */
function scorer(data: CategoricalData, L: number): Score {
  const K = data.classes.length;
  const T = labelsPerTask(data).filter((n) => n > 0).length;
  const known: Known = {};
  return function* (groups) {
    const { trace } = yield* climbGroups(data, groups, settings, { known, L });
    return (trace.at(-1) ?? 0) - countGroups(groups) * 0.5 * K * (K - 1) * Math.log(T);
  };
}

/** Makes the members of a group workers of their own, one group after another, while that gains. */
function* dissolve(
  first: { readonly groups: Int32Array; readonly gain: number },
  reference: number,
  score: Score,
): Steps<{ groups: Int32Array; gain: number }> {
  let best = { groups: first.groups, gain: first.gain };
  for (;;) {
    const sizes = groupSizes(best.groups);
    let next = best;
    for (let group = 0; group < sizes.length; group++) {
      if (sizes[group] < 2) continue;
      const groups = numberGroups(best.groups.map((g) => (g === group ? -1 : g)));
      const gain = (yield* score(groups)) - reference;
      if (gain > next.gain) next = { groups, gain };
    }
    if (next === best) return best;
    best = next;
  }
}
