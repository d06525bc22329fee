/** The tables that every result is written as, with workers' names replaced where that is asked for. */

import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { SkillIntervals } from "../diagnose/skill-intervals.ts";
import { isSuspect } from "../diagnose/standing.ts";
import { scoreWorkers, type WorkerScore } from "../diagnose/worker-scores.ts";
import { anonymousNames } from "./anonymous.ts";
import type { Content } from "./content.ts";
import {
  confusionCsv,
  posteriorCsv,
  reviewCsv,
  reviewTasks,
  truthCsv,
  workersCsv,
} from "./csv-files.ts";
import { count } from "./text.ts";

export interface Answers<Result extends Aggregation> {
  /** With the names that may be shown. */
  readonly data: CategoricalData;
  readonly result: Result;
  /** One per worker, by the names that may be shown. */
  readonly scores: readonly (WorkerScore & { readonly worker: string })[];
  readonly intervals: SkillIntervals | undefined;
  /** Tasks worth another look, least certain first. */
  readonly review: readonly number[];
  readonly files: ReadonlyMap<string, Content>;
}

export function answerFiles<Result extends Aggregation>(
  data: CategoricalData,
  result: Result,
  {
    anonymous,
    seed,
    intervals,
  }: {
    readonly anonymous: boolean;
    readonly seed: number;
    readonly intervals: SkillIntervals | undefined;
  },
): Answers<Result> {
  const names = anonymous ? anonymousNames(data.workers) : data.workers;
  const byName = scoreWorkers(data, result, { seed });
  const scores = anonymous ? byName.map((score, w) => ({ ...score, worker: names.at(w) })) : byName;
  const shown = anonymous ? { ...data, workers: names } : data;
  const named = anonymous ? { ...result, workers: names } : result;
  const review = reviewTasks(result);
  return {
    data: shown,
    result: named,
    scores,
    intervals,
    review,
    files: new Map<string, Content>([
      ["review.csv", reviewCsv(shown, named, review)],
      ["truth.csv", truthCsv(result)],
      ["posterior.csv", posteriorCsv(result)],
      ["workers.csv", workersCsv(named, intervals, scores)],
      ["confusion.csv", confusionCsv(named)],
    ]),
  };
}

/** Counts the tasks and workers that deserve attention. */
export function worthALook({
  review,
  scores,
}: Pick<Answers<Aggregation>, "review" | "scores">): readonly string[] {
  const flagged = scores.filter(isSuspect).length;
  return [
    `${count(review.length, "task")} worth another look.`,
    ...(flagged > 0 ? [`${count(flagged, "worker")} flagged; see workers.csv.`] : []),
  ];
}
