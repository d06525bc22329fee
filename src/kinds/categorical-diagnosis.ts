/** What labels and their answers say about themselves: for a terminal, for programs, as a report and as tables. */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { summarise } from "../data/summary.ts";
import type { Scale } from "../diagnose/agreement.ts";
import { driftSteps } from "../diagnose/drift/drift.ts";
import { fatigue } from "../diagnose/drift/fatigue.ts";
import { type Fairness, fairnessSteps } from "../diagnose/fairness/fairness.ts";
import { diagnoseSteps } from "../diagnose/index.ts";
import { standInForAll } from "../diagnose/refit.ts";
import { skillIntervalSteps } from "../diagnose/skill-intervals.ts";
import { worstFirst } from "../diagnose/standing.ts";
import type { GoldCheck } from "../diagnose/verdict.ts";
import type { Metrics } from "../evaluate/index.ts";
import { createEngine } from "../kernels/engine.ts";
import type { Steps } from "../method.ts";
import { dependenceLines, diagnosisDocument } from "../report/dependence-text.ts";
import {
  type DiagnosisInput,
  diagnosisFiles,
  diagnosisReport,
} from "../report/diagnosis-report.ts";
import {
  agreementLines,
  checkLines,
  judgedWorkers,
  summaryLines,
  workerLines,
} from "../report/diagnosis-text.ts";
import { driftLines } from "../report/drift-text.ts";
import { fairnessLines } from "../report/fairness-text.ts";
import { verdictLines } from "../report/verdict-text.ts";
import { GIVEN } from "./given-answers.ts";
import type { Diagnosed, DiagnoseSettings } from "./kind.ts";

/** What the scores against gold are to a diagnosis. */
export interface DiagnosisScores {
  readonly check?: GoldCheck | undefined;
  readonly metrics?: Metrics | undefined;
  readonly majorityVote?: number | undefined;
}

/** Diagnoses labels and a result; of data without labels, only answers are judged. */
export function* diagnoseLabels(
  data: CategoricalData,
  result: Aggregation,
  settings: DiagnoseSettings,
  gold: DiagnosisScores,
): Steps<Diagnosed> {
  const { seed, scale = "nominal", scores, time } = settings;
  const over = time ? yield* overTime(data, result, seed) : undefined;
  const fairness = yield* compareGroups(data, result, scale, seed);
  const { metrics, majorityVote } = gold;
  const card = settings.given ? GIVEN : undefined;
  const input = { data, result, card, metrics, majorityVote, over, fairness, notes: [] };
  const document = {
    ...over,
    ...(fairness && { fairness }),
    ...(scores && { metrics: scores.document }),
  };
  const lines = {
    scores: scores ? [scores.line, ""] : [],
    over: over ? driftLines(over.drift, over.fatigue) : [],
    fairness: fairness ? fairnessLines(fairness) : [],
  };
  if (data.label.length === 0)
    return diagnosed(input, document, [...lines.scores, ...lines.fairness]);
  const crowd = yield* diagnoseCrowd(data, result, settings, gold.check);
  return diagnosed({ ...input, ...crowd.input }, { ...crowd.document, ...document }, [
    ...crowd.verdict,
    ...lines.scores,
    ...crowd.workers,
    ...lines.over,
    ...lines.fairness,
    ...crowd.checks,
  ]);
}

/** Diagnoses agreement, workers, dependence and identifiability: what labels are needed for. */
function* diagnoseCrowd(
  data: CategoricalData,
  result: Aggregation,
  { seed, scale = "nominal", workers: most, engine, given }: DiagnoseSettings,
  gold: GoldCheck | undefined,
) {
  const fitted = standInForAll(data, result, engine ?? createEngine());
  const intervals = yield* skillIntervalSteps(data, result, { seed, fitted });
  const diagnosis = yield* diagnoseSteps(data, result, {
    seed,
    fitted,
    agreement: { scale: scale as Scale },
    gold,
    engine,
  });
  const workers = judgedWorkers(diagnosis, intervals);
  const summary = summarise(data);
  const { agreement, scoreIntervals, notes } = diagnosis;
  const { checks } = diagnosis.identifiability;
  const verdict = given ? undefined : diagnosis.verdict;
  return {
    input: {
      intervals,
      scores: diagnosis.workers,
      scoreIntervals,
      agreement,
      checks,
      verdict,
      dependence: diagnosis,
      notes,
    },
    document: {
      summary,
      ...diagnosisDocument(data, diagnosis),
      verdict,
      workers: worstFirst(workers).map((w) => workers[w]),
    },
    verdict: verdict ? [...verdictLines(verdict), ""] : [],
    workers: [
      ...summaryLines(data, summary),
      ...agreementLines(agreement, scale as Scale),
      ...workerLines(workers, most === 0 ? workers.length : most),
      ...dependenceLines(data, diagnosis),
    ],
    checks: [...checkLines(checks), ...notes.flatMap((note) => ["", note])],
  };
}

function diagnosed(input: DiagnosisInput, document: object, lines: readonly string[]): Diagnosed {
  return {
    document,
    lines,
    report: () => diagnosisReport(input),
    files: () => diagnosisFiles(input),
  };
}

/** How the skills of workers went over time. */
function* overTime(data: CategoricalData, result: Aggregation, seed: number) {
  return {
    drift: yield* driftSteps(data, result, { seed }),
    fatigue: fatigue(data, result, { seed }),
  };
}

/** Compares groups, if tasks or workers have attributes. */
function* compareGroups(
  data: CategoricalData,
  { consensus, posterior }: Aggregation,
  scale: string,
  seed: number,
): Steps<Fairness | undefined> {
  const { classes, gold, taskAttributes, workerAttributes } = data;
  if ((taskAttributes?.size ?? 0) + (workerAttributes?.size ?? 0) === 0) return undefined;
  const answers = { classes, consensus, posterior, gold };
  return yield* fairnessSteps(data, answers, { ratings: scale !== "nominal", seed });
}
