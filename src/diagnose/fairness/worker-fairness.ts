/**
 * Whether each worker treats groups of tasks alike.
 *
 * Without gold, relative to the other workers on the same tasks: for worker w, class k and task t
 *
 *   d[t]  = share of w's labels of t that are k − share of the others' labels of t that are k
 *   gap   = mean of d over tasks of group a − mean of d over tasks of group b
 *
 * Tasks are the sample: labels of one task are averaged first, so their dependence does no harm. The interval is
 * Welch's. Hard tasks and common classes of a group cancel out, but a bias that all workers share does as well: the gap
 * says who differs from the crowd, not who is right.
 *
 * With gold, the rates of each worker's labels as in `answerFairness`. Of several classes or groups the largest gap is
 * reported, its p-value multiplied by the number of comparisons (Bonferroni); p-values of workers are corrected by Holm.
 */
import { byWorker, type CategoricalData } from "../../data/categorical.ts";
import { studentCdf } from "../../math/incomplete.ts";
import { mean, variance } from "../../math/statistics.ts";
import {
  type AnswerFairness,
  type FairnessGap,
  judgeVotes,
  type NoGap,
  noGap,
} from "./answer-fairness.ts";
import { type Grouping, groupingOf } from "./attributes.ts";
import { halfWidth, welch } from "./difference-of-shares.ts";
import { holm } from "./holm.ts";
import { comparedClasses, votesOf } from "./rate-table.ts";
import type { Comparison } from "./widest-gap.ts";

/** Settings of `workerFairness`. */
export interface WorkerFairnessOptions {
  /** The class that is compared with the rest. Default: the last of two; of more, each in turn. */
  readonly positive?: string | undefined;
  /** Minimum number of tasks per worker and group. Default: 20. */
  readonly leastTasks?: number | undefined;
  /** Level of intervals. Default: .95. */
  readonly level?: number | undefined;
}

/** How much more often than others a worker gives a class in one group of tasks than in another. */
export interface RelativeGap extends Pick<FairnessGap, "estimated" | "value" | "low" | "high"> {
  readonly groups: readonly [highest: string, lowest: string];
  readonly class: string;
  /** Mean difference from the other workers in both groups. */
  readonly means: readonly [highest: number, lowest: number];
  /** Two-sided p-value, multiplied by the number of classes and pairs of groups that were compared. */
  readonly p: number;
  /** The same, corrected for the number of workers by Holm's method. */
  readonly corrected: number;
}

/** What is known of one worker's bias between groups of tasks. */
export interface WorkerFairness {
  readonly worker: number;
  readonly name: string;
  readonly labels: number;
  /** Relative to the other workers on the same tasks; needs no gold. */
  readonly relative: RelativeGap | NoGap;
  /** Rates against gold; absent if no task of the worker has gold. */
  readonly gold?: Pick<
    AnswerFairness,
    "parity" | "equalOpportunity" | "equalisedOdds" | "errorGap" | "groups"
  >;
}

/** Measures the bias of each worker between groups of tasks: `groups[task]` by name. O(N K). */
export function workerFairness(
  data: CategoricalData,
  groups: readonly string[],
  options: WorkerFairnessOptions = {},
): WorkerFairness[] {
  const grouping = groupingOf("task", groups, data.tasks.length);
  const setting: Comparison = {
    least: options.leastTasks ?? 20,
    level: options.level ?? 0.95,
    classes: comparedClasses(data.classes, options.positive),
    name: (k) => data.classes.at(k),
  };
  const crowd = countLabels(data);
  const all = Array.from({ length: data.workers.length }, (_, worker) => ({
    worker,
    name: data.workers.at(worker),
    labels: byWorker(data).start[worker + 1] - byWorker(data).start[worker],
    relative: relativeGap(data, crowd, worker, grouping, setting),
    ...againstGold(data, worker, grouping, setting),
  }));
  const judged = all.filter(({ relative }) => relative.estimated);
  const corrected = holm(judged.map(({ relative }) => (relative as RelativeGap).p));
  judged.forEach((each, at) => {
    each.relative = { ...(each.relative as RelativeGap), corrected: corrected[at] };
  });
  return all;
}

/** Finds the largest difference between groups of a worker's mean difference from others. */
function relativeGap(
  data: CategoricalData,
  crowd: CrowdCounts,
  worker: number,
  { names, of }: Grouping,
  { classes, least, level, name }: Comparison,
): RelativeGap | NoGap {
  let best: RelativeGap | undefined;
  let comparisons = 0;
  for (const k of classes) {
    const differences = names.map((): number[] => []);
    for (const [t, d] of pairedDifferences(data, crowd, worker, k)) {
      if (of[t] >= 0) differences[of[t]].push(d);
    }
    const parts = differences
      .map((list, g) => ({ g, list }))
      .filter(({ list }) => list.length >= least)
      .map(({ g, list }) => ({
        g,
        mean: mean(list),
        size: list.length,
        variance: variance(list) / list.length,
      }))
      .sort((a, b) => b.mean - a.mean || a.g - b.g);
    if (parts.length < 2) continue;
    comparisons += (parts.length * (parts.length - 1)) / 2;
    const [high, low] = [parts[0], parts[parts.length - 1]];
    const value = high.mean - low.mean;
    if (best && value <= best.value) continue;
    const { error, freedom } = welch([high, low]);
    const half = halfWidth([high, low], level);
    const p = error > 0 ? 2 * studentCdf(-value / error, freedom) : value > 0 ? 0 : 1;
    best = {
      estimated: true,
      value,
      low: value - half,
      high: value + half,
      groups: [names[high.g], names[low.g]],
      class: name(k),
      means: [high.mean, low.mean],
      p,
      corrected: p,
    };
  }
  if (!best) {
    return noGap(
      `Not estimated: fewer than two groups have ${least} tasks that others labelled too.`,
    );
  }
  const p = Math.min(1, comparisons * best.p);
  return { ...best, p, corrected: p };
}

/** Yields each task of a worker that others labelled too, with the difference in the share of class k. */
function* pairedDifferences(
  data: CategoricalData,
  crowd: CrowdCounts,
  worker: number,
  k: number,
): Generator<readonly [task: number, difference: number]> {
  const K = data.classes.length;
  const { start, other, label } = byWorker(data);
  const own = new Map<number, { given: number; all: number }>();
  for (let i = start[worker]; i < start[worker + 1]; i++) {
    if (label[i] >= K) continue;
    const mine = own.get(other[i]) ?? { given: 0, all: 0 };
    mine.all++;
    if (label[i] === k) mine.given++;
    own.set(other[i], mine);
  }
  for (const [t, { given, all }] of own) {
    const others = crowd.all[t] - all;
    if (others > 0) yield [t, given / all - (crowd.given[t * K + k] - given) / others] as const;
  }
}

/** Labels of each task: given[task * K + class], and all of them. */
interface CrowdCounts {
  readonly given: Int32Array;
  readonly all: Int32Array;
}

function countLabels({ task, label, tasks, classes }: CategoricalData): CrowdCounts {
  const K = classes.length;
  const [given, all] = [new Int32Array(tasks.length * K), new Int32Array(tasks.length)];
  for (let i = 0; i < label.length; i++) {
    if (label[i] >= K) continue;
    given[task[i] * K + label[i]]++;
    all[task[i]]++;
  }
  return { given, all };
}

/** Compares a worker's labels with gold, group by group. */
function againstGold(
  data: CategoricalData,
  worker: number,
  { names, of }: Grouping,
  setting: Comparison,
): Pick<WorkerFairness, "gold"> {
  const K = data.classes.length;
  const { start, other, label } = byWorker(data);
  const rows: number[] = [];
  for (let i = start[worker]; i < start[worker + 1]; i++) {
    if (label[i] < K && data.gold[other[i]] >= 0) rows.push(i);
  }
  if (rows.length === 0) return {};
  const votes = votesOf(
    {
      classes: data.classes,
      consensus: Int32Array.from(rows, (i) => label[i]),
      gold: Int32Array.from(rows, (i) => data.gold[other[i]]),
    },
    false,
  );
  const grouping = { names, of: Int32Array.from(rows, (i) => of[other[i]]) };
  const { parity, equalOpportunity, equalisedOdds, errorGap, groups } = judgeVotes(
    votes,
    grouping,
    setting,
    { shuffles: 0 },
  );
  return { gold: { parity, equalOpportunity, equalisedOdds, errorGap, groups } };
}
