/**
 * The counts behind every rate of a group: how many tasks of each gold class got each class.
 *
 *   sums[(group · (K + 1) + gold) · K + class]    weight of the tasks that got the class; gold K where it is not known
 *
 * All rates of all groups are sums over rows of this table, so shuffled groups cost one pass over the tasks.
 */
import type { Names } from "../../data/names.ts";
import { CrowdError } from "../../error.ts";
import type { Member, Share } from "./difference-of-shares.ts";

/** Answers to be compared between groups of tasks: those of a method, a classifier or a person. */
export interface JudgedAnswers {
  readonly classes: Names;
  /** The class chosen for each task, or -1 for none. Default: the most probable class. */
  readonly consensus?: Int32Array | undefined;
  /** P(class) as posterior[task * K + class]. */
  readonly posterior?: Float64Array | undefined;
  /** Known class of each task, or -1. Without gold only parity is measured. */
  readonly gold?: Int32Array | undefined;
  /** How many tasks each task counts for. */
  readonly weight?: Float64Array | undefined;
}

/** A rate of one class: how often it is given, given rightly, given wrongly; or any wrong answer. */
export type RateKind = "positive" | "true-positive" | "false-positive" | "error";

/** Returns the numbers of the classes that are compared with the rest. */
export function comparedClasses(classes: Names, positive: string | undefined): number[] {
  const K = classes.length;
  if (positive === undefined) return K === 2 ? [1] : Array.from({ length: K }, (_, k) => k);
  const k = classes.indexOf(positive);
  if (k >= 0) return [k];
  throw new CrowdError(
    "bad-option",
    `There is no class "${positive}". The classes are: ${[...classes].join(", ")}.`,
  );
}

/** What the tasks got, as one part from 0 to 1 per class. */
export interface Votes {
  readonly K: number;
  readonly tasks: number;
  readonly gold: Int32Array;
  readonly weight: Float64Array;
  /** True if each task counts once and has one class or none. */
  readonly counted: boolean;
  /** The part of the task that got the class. */
  part(task: number, k: number): number;
  /** The only class that a task got, -1 for none; absent for probabilities. */
  readonly chosen?: Int32Array;
}

/** Checks answers and brings them into the form that rates are counted from; weights have mean 1. */
export function votesOf(answers: JudgedAnswers, soft: boolean): Votes {
  const { classes, posterior, consensus, weight } = answers;
  const K = classes.length;
  const tasks = consensus?.length ?? (posterior ? posterior.length / K : 0);
  const gold = answers.gold ?? new Int32Array(tasks).fill(-1);
  if (soft ? !posterior : !posterior && !consensus) {
    throw new CrowdError(
      "bad-data",
      `There is no ${soft ? "posterior" : "consensus and no posterior"} to compare between groups. Give what a method returned.`,
    );
  }
  const lengths = { gold: gold.length, weight: weight?.length ?? tasks };
  for (const [name, length] of Object.entries({
    ...lengths,
    posterior: posterior ? posterior.length / K : tasks,
  })) {
    if (length === tasks) continue;
    throw new CrowdError("bad-shape", `There are ${tasks} answers, but ${name} is of ${length}.`);
  }
  const total = weight?.reduce((sum, each) => sum + each, 0) ?? tasks;
  if (weight?.some((each) => !(each >= 0)) || !(total > 0)) {
    throw new CrowdError(
      "bad-data",
      tasks === 0 ? "There are no tasks." : "Weights of tasks must be 0 or more, and some above 0.",
    );
  }
  const shared = {
    K,
    tasks,
    gold,
    weight: weight?.map((each) => (each * tasks) / total) ?? new Float64Array(tasks).fill(1),
  };
  if (soft && posterior) {
    return { ...shared, counted: false, part: (t, k) => posterior[t * K + k] };
  }
  const chosen = consensus ?? mostProbable(posterior ?? new Float64Array(0), K);
  const part = (t: number, k: number) => (chosen[t] === k ? 1 : 0);
  return { ...shared, counted: !weight, part, chosen };
}

function mostProbable(posterior: Float64Array, K: number): Int32Array {
  return Int32Array.from({ length: posterior.length / K }, (_, t) => {
    let best = 0;
    for (let k = 1; k < K; k++) if (posterior[t * K + k] > posterior[t * K + best]) best = k;
    return best;
  });
}

/** Sums by group, gold class and class. */
export interface RateTable {
  readonly K: number;
  readonly groups: number;
  readonly sums: Float64Array;
  /** Weight and number of tasks by group and gold class: [group * (K + 1) + gold]. */
  readonly weights: Float64Array;
  readonly counts: Float64Array;
}

/** Counts the tasks of each group; those of group -1 are left out. O(T), with probabilities O(T K). */
export function tabulate(votes: Votes, group: Int32Array, groups: number): RateTable {
  const { K, tasks, gold, weight, chosen } = votes;
  const rows = groups * (K + 1);
  const table = {
    K,
    groups,
    sums: new Float64Array(rows * K),
    weights: new Float64Array(rows),
    counts: new Float64Array(rows),
  };
  for (let t = 0; t < tasks; t++) {
    if (group[t] < 0) continue;
    const row = group[t] * (K + 1) + (gold[t] >= 0 ? gold[t] : K);
    table.weights[row] += weight[t];
    table.counts[row]++;
    if (!chosen)
      for (let k = 0; k < K; k++) table.sums[row * K + k] += weight[t] * votes.part(t, k);
    else if (chosen[t] >= 0) table.sums[row * K + chosen[t]] += weight[t];
  }
  return table;
}

/** True if tasks with this gold (K where it is not known) count for the rate. */
function counts(kind: RateKind, gold: number, k: number, K: number): boolean {
  if (kind === "positive") return true;
  if (kind === "true-positive") return gold === k;
  return gold < K && (kind === "error" || gold !== k);
}

/** Returns the share behind a rate of a group, and the number of tasks it rests on. */
export function shareOf(
  { K, sums, weights, counts: numbers }: RateTable,
  kind: RateKind,
  k: number,
  group: number,
): Share & { readonly tasks: number } {
  let [sum, weight, tasks] = [0, 0, 0];
  for (let gold = 0; gold <= K; gold++) {
    if (!counts(kind, gold, k, K)) continue;
    const row = group * (K + 1) + gold;
    weight += weights[row];
    tasks += numbers[row];
    sum += kind === "error" ? weights[row] - sums[row * K + gold] : sums[row * K + k];
  }
  return { sum: Math.min(weight, Math.max(0, sum)), weight, tasks };
}

/** Returns the tasks behind a rate of a group one by one, for the jackknife. */
export function membersOf(
  votes: Votes,
  group: Int32Array,
  kind: RateKind,
  k: number,
  wanted: number,
): Member[] {
  const { K, tasks, gold, weight } = votes;
  const members: Member[] = [];
  for (let t = 0; t < tasks; t++) {
    if (group[t] !== wanted) continue;
    if (!counts(kind, gold[t] >= 0 ? gold[t] : K, k, K)) continue;
    const part = kind === "error" ? 1 - votes.part(t, gold[t]) : votes.part(t, k);
    members.push({ weight: weight[t], part });
  }
  return members;
}
