/**
 * Whether answers treat groups of tasks alike: gaps between the groups' rates, with intervals and what chance would give.
 *
 *   parity             P(ŷ = k | a) − P(ŷ = k | b)                          needs no gold
 *   equal opportunity  P(ŷ = k | z = k, a) − P(ŷ = k | z = k, b)
 *   equalised odds     the larger of that and the gap of P(ŷ = k | z ≠ k)
 *   error gap          P(ŷ ≠ z | a) − P(ŷ ≠ z | b)
 *
 * a is the group with the highest rate and b that with the lowest, so a gap is never below 0. With more than two classes,
 * each class is compared with the rest and the largest gap is reported. Rates are smoothed, (x + ½)/(n + 1); groups in
 * which a rate rests on fewer than 20 tasks are left out of it.
 *
 * A largest gap is above 0 even if groups are treated alike. `chance` is the 95 % point of the same gap after groups were
 * shuffled among tasks; of rates given gold, among tasks of the same gold class.
 *
 * Differs from the usual definitions: true-positive rates of every class count in equalised odds if there are more than
 * two. Newcombe's interval serves the chosen pair of groups as well, where a jackknife would have width 0 for rates of 0 or 1.
 *
 * Hardt, Price & Srebro (2016), NeurIPS. https://arxiv.org/abs/1610.02413
 * Newcombe (1998), Statistics in Medicine 17(8), 873–890.
 */

import type { Interval } from "../../evaluate/accuracy.ts";
import { wilsonInterval } from "../../math/incomplete.ts";
import { createRandom } from "../../math/random.ts";
import { type Grouping, groupingOf } from "./attributes.ts";
import {
  jackknifeDifference,
  jackknifeRatio,
  newcombeInterval,
  smoothed,
} from "./difference-of-shares.ts";
import {
  comparedClasses,
  type JudgedAnswers,
  membersOf,
  type RateKind,
  type RateTable,
  shareOf,
  tabulate,
  type Votes,
  votesOf,
} from "./rate-table.ts";
import { beside, type Comparison, chanceGaps, widest } from "./widest-gap.ts";

/** Comparisons of `answerFairness`. */
export interface AnswerFairnessOptions {
  /** The class that is compared with the rest. Default: the last of two; of more, each in turn. */
  readonly positive?: string | undefined;
  /** True to add up probabilities instead of chosen classes. Default: false. */
  readonly soft?: boolean | undefined;
  /** Minimum number of tasks behind a rate. Default: 20. */
  readonly leastTasks?: number | undefined;
  /** Number of times that groups are shuffled; 0 leaves `chance` out. Default: 200. */
  readonly shuffles?: number | undefined;
  /** Level of intervals. Default: .95. */
  readonly level?: number | undefined;
  /** Random seed of the shuffles. Default: 0. */
  readonly seed?: number | undefined;
}

/** A gap between two groups of tasks. */
export interface FairnessGap extends Interval {
  readonly estimated: true;
  /** The groups with the highest and with the lowest rate. */
  readonly groups: readonly [highest: string, lowest: string];
  /** The class whose rates differ most; absent for errors. */
  readonly class?: string;
  /** Which rate differs. */
  readonly rate: RateKind;
  /** Both rates, smoothed. */
  readonly rates: readonly [highest: number, lowest: number];
  /** The lower rate as a share of the higher, with its interval; of 1, groups are treated alike. */
  readonly ratio: Interval;
  /** The gap that 95 % of shuffled groups stay below; absent without shuffles. */
  readonly chance?: number;
  /** Share of shuffled groups with a gap at least as large, the true groups counted as one of them. */
  readonly p?: number;
  /** p corrected for all comparisons of a run; given by `fairness`. */
  readonly corrected?: number;
}

/** Why there is no gap. */
export interface NoGap {
  readonly estimated: false;
  readonly reason: string;
}

/** What is known of one group of tasks. Rates that rest on too few tasks are absent. */
export interface TaskGroup {
  readonly name: string;
  readonly tasks: number;
  /** Tasks with gold. */
  readonly scored: number;
  readonly accuracy?: Interval;
  /** Smoothed rates of each class that is compared. */
  readonly rates: readonly {
    readonly class: string;
    readonly positive?: number;
    /** Interval of `positive`. */
    readonly low?: number;
    readonly high?: number;
    readonly truePositive?: number;
    readonly falsePositive?: number;
  }[];
}

/** Gaps of answers between groups of tasks. */
export interface AnswerFairness {
  readonly groups: readonly TaskGroup[];
  readonly parity: FairnessGap | NoGap;
  readonly equalOpportunity: FairnessGap | NoGap;
  readonly equalisedOdds: FairnessGap | NoGap;
  readonly errorGap: FairnessGap | NoGap;
  readonly notes: readonly string[];
}

/** Compares answers between groups of tasks: `groups[task]` by name, "" if unknown. O(shuffles · T). */
export function answerFairness(
  answers: JudgedAnswers,
  groups: readonly string[],
  options: AnswerFairnessOptions = {},
): AnswerFairness {
  const { soft = false, leastTasks: least = 20, level = 0.95 } = options;
  const votes = votesOf(answers, soft);
  const grouping = groupingOf("task", groups, votes.tasks);
  const setting: Comparison = {
    least,
    level,
    classes: comparedClasses(answers.classes, options.positive),
    name: (k) => answers.classes.at(k),
  };
  return judgeVotes(votes, grouping, setting, options);
}

/** Measures all gaps of votes between groups, of which there may be one or none. */
export function judgeVotes(
  votes: Votes,
  grouping: Grouping,
  setting: Comparison,
  { shuffles = 200, seed = 0 }: AnswerFairnessOptions,
): AnswerFairness {
  const table = tabulate(votes, grouping.of, grouping.names.length);
  const hasGold = votes.gold.some((k, t) => k >= 0 && grouping.of[t] >= 0);
  const measure = (kinds: readonly RateKind[], strata: (gold: number) => number) => {
    if (kinds[0] !== "positive" && !hasGold) {
      return noGap("No task has gold: without it only parity can be measured.");
    }
    const gap = gapOf(votes, grouping, table, kinds, setting);
    if (!gap.estimated || shuffles === 0) return gap;
    const random = createRandom(seed).split(kinds.join());
    const drawn = chanceGaps(votes, grouping, kinds, setting, strata, shuffles, random);
    return { ...gap, ...beside(gap.value, drawn) };
  };
  const byGold = (gold: number) => gold;
  return {
    groups: grouping.names.map((name, g) => describeGroup(table, g, name, setting, votes.counted)),
    parity: measure(["positive"], () => 0),
    equalOpportunity: measure(["true-positive"], byGold),
    equalisedOdds: measure(["true-positive", "false-positive"], byGold),
    errorGap: measure(["error"], (gold) => Math.min(0, gold)),
    notes: notesOn(table, grouping, setting),
  };
}

/** Describes the largest gap, with intervals for its two groups. */
function gapOf(
  votes: Votes,
  { names, of }: Grouping,
  table: RateTable,
  kinds: readonly RateKind[],
  setting: Comparison,
): FairnessGap | NoGap {
  const found = widest(table, kinds, setting);
  if (!found) {
    return noGap(
      `Not estimated: fewer than two groups have ${setting.least} tasks that count for it.`,
    );
  }
  const { value, kind, k, high, low } = found;
  const [first, second] = [high, low].map((g) => membersOf(votes, of, kind, k, g));
  const shares = [high, low].map((g) => shareOf(table, kind, k, g));
  const interval = votes.counted
    ? newcombeInterval(shares[0], shares[1], setting.level)
    : jackknifeDifference(first, second, setting.level);
  return {
    estimated: true,
    value,
    low: interval.low,
    high: interval.high,
    rate: kind,
    groups: [names[high], names[low]],
    ...(k >= 0 && { class: setting.name(k) }),
    rates: [smoothed(shares[0]), smoothed(shares[1])],
    ratio: jackknifeRatio(second, first, setting.level),
  };
}

export const noGap = (reason: string): NoGap => ({ estimated: false, reason });

function describeGroup(
  table: RateTable,
  g: number,
  name: string,
  { classes, least, level, name: nameOf }: Comparison,
  counted: boolean,
): TaskGroup {
  const rate = (kind: RateKind, k: number) => {
    const share = shareOf(table, kind, k, g);
    return share.tasks < least ? undefined : smoothed(share);
  };
  const errors = shareOf(table, "error", -1, g);
  const right = { sum: errors.weight - errors.sum, weight: errors.weight };
  const wilson = wilsonInterval(right.sum, right.weight, level);
  return {
    name,
    tasks: shareOf(table, "positive", 0, g).tasks,
    scored: errors.tasks,
    // Of weights and probabilities Wilson's interval is a little too wide.
    ...(errors.tasks >= least && {
      accuracy: { value: counted ? right.sum / right.weight : smoothed(right), ...wilson },
    }),
    rates: classes.map((k) => {
      const [positive, truePositive, falsePositive] = (
        ["positive", "true-positive", "false-positive"] as const
      ).map((kind) => rate(kind, k));
      const { sum, weight } = shareOf(table, "positive", k, g);
      return {
        class: nameOf(k),
        ...(positive !== undefined && { positive, ...wilsonInterval(sum, weight, level) }),
        ...(truePositive !== undefined && { truePositive }),
        ...(falsePositive !== undefined && { falsePositive }),
      };
    }),
  };
}

function notesOn(table: RateTable, { names, of }: Grouping, { least }: Comparison): string[] {
  const small = names.filter((_, g) => shareOf(table, "positive", 0, g).tasks < least);
  const unknown = of.reduce((sum, g) => sum + (g < 0 ? 1 : 0), 0);
  return [
    ...(small.length > 0
      ? [
          `Not estimated, fewer than ${least} tasks: ${small.map((name) => `"${name}"`).join(", ")}.`,
        ]
      : []),
    ...(unknown > 0 ? [`Tasks without a group, left out: ${unknown}.`] : []),
  ];
}
