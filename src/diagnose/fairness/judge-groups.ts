/**
 * Whether groups of judges compare items differently: how far they follow the common order, and which items they rank differently.
 *
 *   agreement   mean over answers of (X − E) · sign(lead), by a fit that never saw the judge: how much more often than
 *               expected the judge follows the others. The sample are judges (within-tasks.ts, with all comparisons as one task)
 *   scores      for each item, its Bradley–Terry score by the group less its score by all other judges, each fitted by itself
 *
 * Scores are about the items that both sides compare, if these hang together on both. Their standard errors take judges for the
 * sample; degrees of freedom are Welch's. Groups of fewer than 10 judges are not estimated.
 */
import { answerChances } from "../../aggregate/pairwise/answering.ts";
import { bradleyTerry } from "../../aggregate/pairwise/bradley-terry.ts";
import { componentsOf, type PairwiseData, selectComparisons } from "../../data/pairwise.ts";
import { studentCdf } from "../../math/incomplete.ts";
import { leadOf, withoutEach } from "../fit-of-others.ts";
import {
  againstOf,
  agreementGroups,
  LEAST_WORKERS,
  LEVEL,
  sideOf,
  sidesOf,
} from "./agreement-groups.ts";
import { type Grouping, groupingOf, workerAttribute } from "./attributes.ts";
import { halfWidth, welch } from "./difference-of-shares.ts";
import type { WorkerGroupFairness } from "./fairness.ts";
import type { WorkerGroupGap } from "./worker-group-gaps.ts";

/** Compares groups of judges by each attribute: agreement with the others, and the scores of items. */
export function judgeGroups(data: PairwiseData, notes: string[]): WorkerGroupFairness[] {
  const answers = {
    task: new Int32Array(data.label.length),
    tasks: 1,
    worker: data.worker,
    value: agreements(data),
  };
  return agreementGroups(data, answers, notes).flatMap((agreeing) => {
    const { attribute } = agreeing;
    const grouping = groupingOf("worker", workerAttribute(data, attribute), data.workers.length);
    const gaps = sidesOf(grouping).flatMap((g) => scoreGaps(data, grouping, attribute, g));
    return [
      { ...agreeing, measure: "order" as const },
      { ...agreeing, measure: "scores" as const, gaps },
    ];
  });
}

/** How much more than expected each answer follows the others; NaN if they do not tell. */
function agreements(data: PairwiseData): Float64Array {
  const found = new Float64Array(data.label.length).fill(Number.NaN);
  const rows = Array.from(data.workers, (): number[] => []);
  data.worker.forEach((w, i) => {
    rows[w].push(i);
  });
  const judges = [...rows.keys()].filter((w) => rows[w].length > 0);
  withoutEach(data, judges, (judge, fit) => {
    for (const i of rows[judge]) {
      const lead = leadOf(data, fit, i);
      if (Number.isNaN(lead) || lead === 0) continue;
      const [win, , tie] = answerChances(fit, data.left[i], data.right[i], judge);
      found[i] = ([1, 0, 0.5][data.label[i]] - win - tie / 2) * Math.sign(lead);
    }
  });
  return found;
}

/** The difference of each item's score between a group and all other judges. */
function scoreGaps(
  data: PairwiseData,
  grouping: Grouping,
  attribute: string,
  g: number,
): WorkerGroupGap[] {
  const sides = commonComparisons(data, sideOf(grouping, g));
  if (!sides) return [];
  const judges = sides.map((part) => new Set(part.worker).size) as [number, number];
  if (Math.min(judges[0], judges[1]) < LEAST_WORKERS) return [];
  const [own, others] = sides.map((part) => bradleyTerry(part, { errors: "judges" }));
  return Array.from(own.score.keys())
    .filter((item) => own.support[item] > 0)
    .map((item): WorkerGroupGap => {
      const value = own.score[item] - others.score[item];
      const parts = [own, others].map((fit, at) => ({
        variance: fit.sd[item] ** 2,
        size: judges[at],
      }));
      const { error, freedom } = welch(parts);
      const half = halfWidth(parts, LEVEL);
      const p = error > 0 ? 2 * studentCdf(-Math.abs(value) / error, freedom) : 1;
      return {
        attribute,
        group: grouping.names[g],
        against: againstOf(grouping),
        class: data.items.at(item),
        value,
        low: value - half,
        high: value + half,
        p,
        corrected: p,
        workers: judges,
      };
    });
}

/** The comparisons of both sides about items that both compare; undefined if these do not hang together on either side. */
function commonComparisons(
  data: PairwiseData,
  side: Int8Array,
): readonly [PairwiseData, PairwiseData] | undefined {
  let kept = Array.from(data.items, (_, item) => item);
  for (;;) {
    const known = new Set(kept);
    const parts = [1, 0].map((wanted) =>
      selectComparisons(
        data,
        Int32Array.from(data.label.keys()).filter(
          (i) =>
            side[data.worker[i]] === wanted && known.has(data.left[i]) && known.has(data.right[i]),
        ),
      ),
    );
    const seen = parts.map(({ left, right }) => new Set([...left, ...right]));
    const both = kept.filter((item) => seen.every((items) => items.has(item)));
    if (both.length < 2) return undefined;
    if (both.length === kept.length) {
      const whole = parts.every((part) => {
        const { ofItem } = componentsOf(part);
        return both.every((item) => ofItem[item] === ofItem[both[0]]);
      });
      return whole ? [parts[0], parts[1]] : undefined;
    }
    kept = both;
  }
}
