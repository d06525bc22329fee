/** What a report is made from; all but labels and result may be missing. */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { Forecast } from "../assign/forecast.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { Summary } from "../data/summary.ts";
import type { Check } from "../diagnose/checks.ts";
import type { Dependence } from "../diagnose/index.ts";
import type { ScoreIntervals } from "../diagnose/score-intervals.ts";
import type { Changes } from "../diagnose/since.ts";
import type { SkillIntervals } from "../diagnose/skill-intervals.ts";
import type { Standing } from "../diagnose/standing.ts";
import type { Verdict } from "../diagnose/verdict.ts";
import type { Metrics } from "../evaluate/index.ts";
import type { Card } from "../method.ts";
import type { TaskContents } from "./task-content.ts";

/** What a report is made from. */
export interface ReportInput {
  readonly data: CategoricalData;
  readonly result: Aggregation;
  /** Scores against gold. */
  readonly metrics?: Metrics | undefined;
  /** Accuracy of a majority vote on the same gold, to compare with. */
  readonly majorityVote?: number | undefined;
  /** Over how many parts of the gold the scores were cross-validated, where gold was used to fit. */
  readonly folds?: number | undefined;
  readonly intervals?: SkillIntervals | undefined;
  /** Tasks worth another look by number, least certain first; default: found here. */
  readonly review?: readonly number[] | undefined;
  /** One per worker, in the order of `data.workers`. */
  readonly scores?: readonly ReportedWorker[] | undefined;
  readonly agreement?: ReportedAgreement | undefined;
  /** Intervals of informativeness and capacity. */
  readonly scoreIntervals?: ScoreIntervals | undefined;
  /** Workers who do not err independently. */
  readonly dependence?: Dependence | undefined;
  /** Whether the labels determine the answers, check by check. */
  readonly checks?: readonly Check[] | undefined;
  /** The fingerprint of the labels, where `data` has other names than they had. */
  readonly fingerprint?: string | undefined;
  /** What the tasks look like, by name: a text, an image as a data address, or an address. */
  readonly content?: TaskContents | undefined;
  /** What more labels would buy. */
  readonly forecast?: Forecast | undefined;
  /** Whether to rely on the answers. */
  readonly verdict?: Verdict | undefined;
  /** What changed since an earlier run. */
  readonly since?: Changes | undefined;
  readonly title?: string | undefined;
  /** What the method says of itself, where it is not one of ours for labels alone. */
  readonly card?: (Pick<Card, "id" | "title"> & Partial<Card>) | undefined;
}

/** The same with what sections share, found once. */
export interface Material extends ReportInput {
  readonly review: readonly number[];
  readonly summary: Summary;
}

/** What is shown of a worker's scores; those of diagnose/ fit. */
export interface ReportedWorker {
  /** 0 where labels do not depend on the truth, 1 where they tell it. */
  readonly informativeness?: number | null | undefined;
  /** The same without what chance would give; shown where there is one. */
  readonly informativenessCorrected?: number | null | undefined;
  /** What a label of this worker can tell of the truth, at best. */
  readonly capacityBits?: number | null | undefined;
  /** How the labels stand against guessing; default: as the flags say. */
  readonly standing?: Standing | undefined;
  readonly flags: readonly string[];
}

/** What is shown of the agreement between workers; that of diagnose/ fits. */
export interface ReportedAgreement {
  readonly krippendorff?: ReportedCoefficient | undefined;
  readonly fleiss?: ReportedCoefficient | undefined;
  readonly cohen?: ReportedCoefficient | undefined;
  readonly gwet?: ReportedCoefficient | undefined;
  readonly percent?: ReportedCoefficient | undefined;
  readonly pooled?: ReportedCoefficient | undefined;
}

interface ReportedCoefficient {
  readonly value: number;
  readonly low?: number | null | undefined;
  readonly high?: number | null | undefined;
  readonly se?: number | null | undefined;
  /** False where the data cannot say. */
  readonly defined?: boolean | undefined;
}
