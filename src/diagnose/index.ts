/** All that can be said of a crowd and a result without gold, as plain data. */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { drain, type Steps } from "../method.ts";
import { type Agreement, type AgreementOptions, agreement } from "./agreement.ts";
import { type BoxPlots, boxPlots } from "./box-plots.ts";
import { type Explanation, explain } from "./explain.ts";
import {
  type Identifiability,
  type IdentifiabilityOptions,
  identifiability,
} from "./identifiability.ts";
import type { SkillIntervals } from "./skill-intervals.ts";
import { type ScoreOptions, scoreWorkers, type WorkerScore } from "./worker-scores.ts";

/** Settings of each part of a diagnosis. */
export interface DiagnoseOptions {
  /** Random seed, unless a part has a seed of its own. */
  readonly seed?: number | undefined;
  readonly agreement?: AgreementOptions | undefined;
  readonly workers?: ScoreOptions | undefined;
  readonly identifiability?: IdentifiabilityOptions | undefined;
  /** Intervals of the skills, where they were found already. */
  readonly skillIntervals?: SkillIntervals | undefined;
  /** Tasks to explain, by number. */
  readonly explain?: readonly number[] | undefined;
}

/** What labels and a result say about themselves, without gold. */
export interface Diagnosis {
  readonly method: string;
  readonly agreement: Agreement;
  /** One per worker, in the order of the workers. */
  readonly workers: readonly WorkerScore[];
  readonly identifiability: Identifiability;
  readonly boxPlots: BoxPlots;
  readonly skillIntervals?: SkillIntervals;
  readonly explanations?: readonly Explanation[];
}

/** Checks agreement, workers and identifiability of a result, without gold. */
export function diagnose(
  data: CategoricalData,
  result: Aggregation,
  options: DiagnoseOptions = {},
): Diagnosis {
  return drain(diagnoseSteps(data, result, options));
}

export function* diagnoseSteps(
  data: CategoricalData,
  result: Aggregation,
  options: DiagnoseOptions = {},
): Steps<Diagnosis> {
  const { seed = 0, skillIntervals } = options;
  yield { iteration: 1, objective: 0, stage: "measuring agreement" };
  const agreed = agreement(data, { seed, ...options.agreement });
  yield { iteration: 2, objective: 0, stage: "scoring workers" };
  const workers = scoreWorkers(data, result, { seed, ...options.workers });
  yield { iteration: 3, objective: 0, stage: "checking identifiability" };
  const identified = identifiability(data, result, { seed, ...options.identifiability });
  return {
    method: result.method,
    agreement: agreed,
    workers,
    identifiability: identified,
    boxPlots: boxPlots(data, result),
    ...(skillIntervals && { skillIntervals }),
    ...(options.explain && {
      explanations: options.explain.map((task) => explain(data, result, task)),
    }),
  };
}
