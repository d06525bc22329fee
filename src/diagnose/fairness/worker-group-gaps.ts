/**
 * Whether groups of workers answer the same tasks differently: by gender, age, site, or anything else that is known.
 *
 *   residual of a group    mean over its answers of: answer − mean answer of the other workers on the same task
 *   difference             between the group and all other workers, within tasks (see `within-tasks.ts`)
 *
 * Answers are numbers, or for labels 1 if a class was given and 0 otherwise; or errors against gold. Differences of
 * residuals are not reported, as they depend on who labels which tasks: of a true difference of .3 they show .30 if tasks
 * have random workers, .06 if nearly all tasks of a worker are labelled by the same group, and n/(n − 1) times too much
 * if n workers of each task are always the same mix. p-values are corrected by Holm's method over all comparisons of a
 * call.
 *
 * A difference is no error: without gold nobody knows which group is right, and of opinions both may be.
 *
 * Pei & Jurgens (2023), LAW-XVII, 252–265. https://doi.org/10.18653/v1/2023.law-1.25
 */
import type { CategoricalData } from "../../data/categorical.ts";
import type { NumericData } from "../../data/numeric.ts";
import { CrowdError } from "../../error.ts";
import { type Grouping, groupingOf, workerAttribute } from "./attributes.ts";
import { holm } from "./holm.ts";
import { comparedClasses } from "./rate-table.ts";
import { differenceWithinTasks, type GroupDifference } from "./within-tasks.ts";

/** Settings of `workerGroupGaps`. */
export interface WorkerGroupOptions {
  /** What is compared: answers, or their errors against gold (1 if wrong; of numbers the distance). Default: answers. */
  readonly measure?: "answers" | "errors" | undefined;
  /** True to read names of classes as numbers: ratings 1 to 5. Default: false. */
  readonly numbers?: boolean | undefined;
  /** The class that is compared with the rest. Default: the last of two; of more, each in turn. */
  readonly positive?: string | undefined;
  /** Minimum number of answers per group. Default: 20. */
  readonly leastLabels?: number | undefined;
  /** Minimum number of workers per group; below, intervals are too narrow. Default: 10. */
  readonly leastWorkers?: number | undefined;
  /** Level of intervals. Default: .95. */
  readonly level?: number | undefined;
}

/** One group of workers. */
export interface WorkerGroup {
  readonly attribute: string;
  readonly name: string;
  readonly workers: number;
  /** Answers on tasks that other workers answered too. */
  readonly labels: number;
  /** The class that was counted; absent for numbers and errors. */
  readonly class?: string;
  /** Mean difference between an answer and the mean of the other workers on the same task. */
  readonly residual: number;
}

/** The difference between a group of workers and the others, on the same tasks, with its interval over workers. */
export interface WorkerGroupGap extends GroupDifference {
  readonly attribute: string;
  readonly group: string;
  /** The other group if there are two, else `others`. */
  readonly against: string;
  /** The class that was counted, or the item whose score is compared. */
  readonly class?: string;
  /** p corrected by Holm's method for all comparisons of the call. */
  readonly corrected: number;
}

/** Differences between groups of workers. */
export interface WorkerGroupGaps {
  readonly groups: readonly WorkerGroup[];
  readonly gaps: readonly WorkerGroupGap[];
  readonly correction: "holm";
  readonly notes: readonly string[];
}

/** One number per answer, NaN if it does not count. */
interface Outcome {
  readonly class?: string;
  readonly value: Float64Array;
}

/** Compares groups of workers by each of the attributes. O(N) per group and class. */
export function workerGroupGaps(
  data: CategoricalData | NumericData,
  attributes: readonly string[],
  options: WorkerGroupOptions = {},
): WorkerGroupGaps {
  const { leastLabels = 20, leastWorkers = 10, level = 0.95 } = options;
  const groups: WorkerGroup[] = [];
  const gaps: Omit<WorkerGroupGap, "corrected">[] = [];
  const notes: string[] = [];
  const outcomes = outcomesOf(data, options);
  for (const attribute of attributes) {
    const column = workerAttribute(data, attribute);
    const grouping = groupingOf("worker", column, data.workers.length);
    const small = new Set<string>();
    for (const outcome of outcomes) {
      const described = residualsOf(data, outcome, grouping, attribute);
      for (const each of described) groups.push(each);
      const enough = described.map((each) => each.labels >= leastLabels);
      // Of two groups one difference says all.
      const two = grouping.names.length === 2;
      grouping.names.slice(0, two ? 1 : undefined).forEach((group, g) => {
        const judged = enough[g] && (!two || enough[1]);
        const sided = judged && answersOf(data, outcome, grouping, g);
        const found = sided && differenceWithinTasks(sided, leastWorkers, level);
        if (!found) small.add(two ? grouping.names.join('" and "') : group);
        else {
          const against = two ? grouping.names[1] : "others";
          const named = outcome.class === undefined ? {} : { class: outcome.class };
          gaps.push({ attribute, group, against, ...named, ...found });
        }
      });
    }
    if (small.size > 0) {
      notes.push(
        `Not estimated, fewer than ${leastWorkers} workers or ${leastLabels} answers on common tasks: ${attribute} ${[...small].map((name) => `"${name}"`).join(", ")}.`,
      );
    }
  }
  const corrected = holm(gaps.map(({ p }) => p));
  return {
    groups,
    gaps: gaps.map((gap, at) => ({ ...gap, corrected: corrected[at] })),
    correction: "holm",
    notes,
  };
}

/** Tells whether the truth of any task is known. */
export function hasGold(data: CategoricalData | NumericData): boolean {
  return data.gold.some((gold) => (data.kind === "numeric" ? !Number.isNaN(gold) : gold >= 0));
}

/** Returns what is compared: numbers, errors, or one indicator per class. */
function outcomesOf(
  data: CategoricalData | NumericData,
  { measure = "answers", numbers = false, positive }: WorkerGroupOptions,
): Outcome[] {
  if (measure === "errors" && !hasGold(data)) {
    throw new CrowdError(
      "bad-data",
      'No task has gold, so there are no errors to compare. Give gold, or set measure to "answers".',
    );
  }
  const errors = measure === "errors";
  const distance = (value: number, gold: number) => (errors ? Math.abs(value - gold) : value);
  if (data.kind === "numeric") {
    return [{ value: data.value.map((value, i) => distance(value, data.gold[data.task[i]])) }];
  }
  const K = data.classes.length;
  const { label, task, gold } = data;
  if (numbers) {
    const scale = [...data.classes].map(readNumber);
    const at = (k: number) => (k >= 0 && k < K ? scale[k] : Number.NaN);
    return [{ value: Float64Array.from(label, (k, i) => distance(at(k), at(gold[task[i]]))) }];
  }
  const given = (test: (k: number, t: number) => boolean) =>
    Float64Array.from(label, (k, i) => (k < K ? Number(test(k, task[i])) : Number.NaN));
  if (errors) {
    const value = given((k, t) => k !== gold[t]);
    return [{ value: value.map((each, i) => (gold[task[i]] >= 0 ? each : Number.NaN)) }];
  }
  return comparedClasses(data.classes, positive).map((wanted) => ({
    class: data.classes.at(wanted),
    value: given((k) => k === wanted),
  }));
}

function readNumber(name: string): number {
  const value = Number(name);
  if (name.trim() !== "" && Number.isFinite(value)) return value;
  throw new CrowdError(
    "bad-option",
    `The class "${name}" is not a number. Set numbers to false to compare classes one by one.`,
  );
}

/** Computes the mean residual of each group; repeated answers of a worker do not count as others. */
function residualsOf(
  { task, worker, tasks, weight }: CategoricalData | NumericData,
  outcome: Outcome,
  { names, of }: Grouping,
  attribute: string,
): WorkerGroup[] {
  const { value } = outcome;
  const [sums, totals] = [new Float64Array(tasks.length), new Float64Array(tasks.length)];
  const own = new Map<string, [sum: number, weight: number]>();
  const each = (visit: (i: number, count: number, key: string) => void) => {
    for (let i = 0; i < task.length; i++) {
      if (!Number.isNaN(value[i])) visit(i, weight ? weight[i] : 1, `${task[i]} ${worker[i]}`);
    }
  };
  each((i, count, key) => {
    sums[task[i]] += count * value[i];
    totals[task[i]] += count;
    const [sum, all] = own.get(key) ?? [0, 0];
    own.set(key, [sum + count * value[i], all + count]);
  });
  const found = names.map(() => ({ workers: new Set<number>(), labels: 0, sum: 0, weight: 0 }));
  each((i, count, key) => {
    const group = found[of[worker[i]]];
    const [sum, all] = own.get(key) ?? [0, 0];
    const others = totals[task[i]] - all;
    if (!group || !(others > 1e-12)) return;
    group.workers.add(worker[i]);
    group.labels++;
    group.weight += count;
    group.sum += count * (value[i] - (sums[task[i]] - sum) / others);
  });
  return found.map((group, g) => ({
    attribute,
    name: names[g],
    workers: group.workers.size,
    labels: group.labels,
    ...(outcome.class !== undefined && { class: outcome.class }),
    residual: group.weight > 0 ? group.sum / group.weight : 0,
  }));
}

/** Returns the answers that count, with group g on one side and all other known groups on the other. */
function answersOf(
  { task, worker, tasks, weight }: CategoricalData | NumericData,
  { value }: Outcome,
  { of }: Grouping,
  g: number,
) {
  const rows = Int32Array.from(value.keys()).filter((i) => !Number.isNaN(value[i]));
  return {
    task: rows.map((i) => task[i]),
    worker: rows.map((i) => worker[i]),
    value: Float64Array.from(rows, (i) => value[i]),
    ...(weight && { weight: Float64Array.from(rows, (i) => weight[i]) }),
    tasks: tasks.length,
    side: Int8Array.from(of, (group) => (group < 0 ? -1 : Number(group === g))),
  };
}
