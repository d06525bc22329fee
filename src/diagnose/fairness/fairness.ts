/**
 * All comparisons between groups that data with attributes allow, with p-values corrected for all of them.
 *
 *   for each attribute of tasks     the answers between groups; each worker against the others; what one confusion
 *                                   matrix per worker and group changes
 *   for each attribute of workers   groups of workers on the same tasks: answers or ratings, and errors if there is gold
 *
 * Answers, workers and groups of workers are three questions. Within each, p-values are corrected by Holm's method; all
 * are then multiplied by the number of questions asked (Bonferroni). The probability of any false finding in the run is
 * at most the level, and hundreds of workers do not drown the comparison of the answers, whose p comes from shuffles and
 * cannot be smaller than one in their number.
 */

import type { CategoricalData } from "../../data/categorical.ts";
import type { Attributes } from "../../data/crowd-data.ts";
import type { NumericData } from "../../data/numeric.ts";
import { plural } from "../../error.ts";
import { drain, type Steps, staged } from "../../method.ts";
import {
  type AnswerFairness,
  answerFairness,
  type FairnessGap,
  type NoGap,
} from "./answer-fairness.ts";
import { fairDawidSkeneSteps } from "./fair-dawid-skene.ts";
import { holm } from "./holm.ts";
import type { JudgedAnswers } from "./rate-table.ts";
import { type RelativeGap, type WorkerFairness, workerFairness } from "./worker-fairness.ts";
import { hasGold, type WorkerGroupGaps, workerGroupGaps } from "./worker-group-gaps.ts";

/** Settings of `fairness`. */
export interface FairnessOptions {
  /** True if classes are ratings, whose names are compared as numbers if they are numbers. Default: false. */
  readonly ratings?: boolean | undefined;
  /** Random seed of the shuffles. Default: 0. */
  readonly seed?: number | undefined;
}

/** Names of the measures of `answerFairness`. */
export const measures = ["parity", "equalOpportunity", "equalisedOdds", "errorGap"] as const;

/** How groups of tasks are treated, by one attribute. */
export interface TaskFairness {
  readonly attribute: string;
  readonly answers: AnswerFairness;
  /** One entry per worker. */
  readonly workers: readonly WorkerFairness[];
  /** The parity gap of Dawid–Skene with one confusion matrix per worker and group; absent if it was not fitted. */
  readonly adjusted?: FairnessGap | NoGap;
}

/** How groups of workers differ on the same tasks, by one attribute. */
export interface WorkerGroupFairness extends Omit<WorkerGroupGaps, "correction"> {
  readonly attribute: string;
  /**
   * What is compared: how often classes are given, ratings as numbers, errors against gold, agreement with the others; of
   * comparisons how far judges follow the order of the others, and the scores of items.
   */
  readonly measure: "answers" | "ratings" | "errors" | "agreement" | "order" | "scores";
}

/** All comparisons between groups. */
export interface Fairness {
  readonly tasks: readonly TaskFairness[];
  readonly workers: readonly WorkerGroupFairness[];
  /** Number of comparisons for which p-values are corrected. */
  readonly comparisons: number;
  readonly notes: readonly string[];
}

/** Compares groups of tasks and of workers by all attributes of the data; `answers` are of the same tasks. */
export function fairness(
  data: CategoricalData,
  answers: JudgedAnswers,
  options: FairnessOptions = {},
): Fairness {
  return drain(fairnessSteps(data, answers, options));
}

/** The same, step by step. */
export function* fairnessSteps(
  data: CategoricalData,
  answers: JudgedAnswers,
  options: FairnessOptions = {},
): Steps<Fairness> {
  const notes: string[] = [];
  const attributes = groupedAttributes(data.taskAttributes, notes);
  const missing = answers.consensus?.filter((k) => k < 0).length ?? 0;
  if (missing > 0 && attributes.length > 0) {
    notes.push(`${plural(missing, "task")} without an answer left out of the groups.`);
  }
  const tasks: TaskFairness[] = [];
  for (const [attribute, values] of attributes) {
    yield { iteration: tasks.length, objective: 0, stage: `comparing groups by ${attribute}` };
    tasks.push(yield* taskFairness(data, answers, attribute, values, options, notes));
  }
  return withCorrection(tasks, workerGroupFairness(data, options, notes), notes);
}

/** The attributes with two groups or more; the others are noted. */
export function groupedAttributes(
  attributes: Attributes | undefined,
  notes: string[],
): [string, readonly string[]][] {
  return [...(attributes ?? [])].filter(([name, values]) => {
    const groups = new Set(values.filter((value) => value !== "")).size;
    if (groups < 2) notes.push(`The attribute "${name}" has fewer than two groups.`);
    return groups >= 2;
  });
}

/** Work of the shuffles, tasks times shuffles, and how many there are at least and at most. */
const SHUFFLED = 4e7;
const SHUFFLES = [200, 2000] as const;

/** Matrices of workers and groups with more cells than this are not fitted. */
const MOST_CELLS = 5e7;

function* taskFairness(
  data: CategoricalData,
  answers: JudgedAnswers,
  attribute: string,
  values: readonly string[],
  { seed = 0 }: FairnessOptions,
  notes: string[],
): Steps<TaskFairness> {
  const answered = values.map((value, t) => ((answers.consensus?.[t] ?? 0) < 0 ? "" : value));
  const [least, most] = SHUFFLES;
  const shuffles = Math.round(Math.min(most, Math.max(least, SHUFFLED / values.length)));
  const found = answerFairness(answers, answered, { seed, shuffles });
  for (const note of found.notes) notes.push(`${attribute}: ${note}`);
  if (data.label.length === 0) return { attribute, answers: found, workers: [] };
  const workers = workerFairness(data, values);
  const cells = data.workers.length * (found.groups.length + 1) * data.classes.length ** 2;
  if (cells > MOST_CELLS) {
    notes.push(`${attribute}: one confusion matrix per worker and group would not fit in memory.`);
    return { attribute, answers: found, workers };
  }
  const { consensus } = yield* staged(
    fairDawidSkeneSteps(data, values),
    `fitting one matrix per worker and ${attribute}`,
  );
  const fair = { classes: data.classes, consensus, gold: data.gold };
  const { parity } = answerFairness(fair, values, { shuffles: 0 });
  return { attribute, answers: found, workers, adjusted: parity };
}

/** Compares groups of workers by each attribute: answers, and errors if there is gold. */
export function workerGroupFairness(
  data: CategoricalData | NumericData,
  { ratings = false }: FairnessOptions,
  notes: string[],
): WorkerGroupFairness[] {
  const numeric = data.kind === "numeric";
  const numbers = ratings && !numeric && [...data.classes].every(isNumber);
  if (ratings && !numeric && !numbers && (data.workerAttributes?.size ?? 0) > 0) {
    notes.push(
      "Not all classes are numbers, so that groups of workers are compared class by class.",
    );
  }
  return groupedAttributes(data.workerAttributes, notes).flatMap(([attribute]) =>
    (hasGold(data) ? (["answers", "errors"] as const) : (["answers"] as const)).map((measure) => {
      const found = workerGroupGaps(data, [attribute], { measure, numbers });
      const what = measure === "answers" && (numeric || numbers) ? "ratings" : measure;
      return {
        attribute,
        measure: what,
        groups: found.groups,
        gaps: found.gaps,
        notes: found.notes,
      };
    }),
  );
}

const isNumber = (name: string) => name.trim() !== "" && Number.isFinite(Number(name));

/** Corrects p-values within each question, and for the number of questions. */
export function withCorrection(
  tasks: readonly TaskFairness[],
  workers: readonly WorkerGroupFairness[],
  notes: readonly string[],
): Fairness {
  const gaps = tasks.flatMap(({ answers }) => measures.map((name) => answers[name]));
  const questions = [
    gaps.filter((gap) => gap.estimated && gap.p !== undefined),
    tasks.flatMap((each) => each.workers.map(({ relative }) => relative)).filter(isEstimated),
    workers.flatMap((each) => each.gaps),
  ].filter((question) => question.length > 0);
  const corrected = new Map<object, number>();
  for (const question of questions) {
    const p = holm(question.map((gap) => (gap as { readonly p?: number }).p ?? 1));
    for (const [at, gap] of question.entries()) {
      corrected.set(gap, Math.min(1, questions.length * p[at]));
    }
  }
  const of = <Gap extends object>(gap: Gap): Gap => {
    const p = corrected.get(gap);
    return p === undefined ? gap : { ...gap, corrected: p };
  };
  return {
    tasks: tasks.map((each) => ({
      ...each,
      answers: {
        ...each.answers,
        ...Object.fromEntries(measures.map((name) => [name, of(each.answers[name])])),
      },
      workers: each.workers.map((worker) => ({ ...worker, relative: of(worker.relative) })),
    })),
    workers: workers.map((each) => ({ ...each, gaps: each.gaps.map(of) })),
    comparisons: questions.reduce((sum, { length }) => sum + length, 0),
    notes,
  };
}

function isEstimated(gap: RelativeGap | NoGap): gap is RelativeGap {
  return gap.estimated;
}
