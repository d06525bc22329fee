/** A result as one JSON document, for programs: what was run on what, and how it went. */
import type { CrowdResult } from "../aggregate/result.ts";
import type { Changes } from "../diagnose/since.ts";
import type { Verdict } from "../diagnose/verdict.ts";
import type { Metrics } from "../evaluate/index.ts";
import type { EpochRecord } from "../learn/checkpoint.ts";
import { version } from "../version.ts";
import { rounded } from "./csv-files.ts";

/** The version of the schema in docs/schema; it changes when a field goes or changes its meaning. */
const SCHEMA = 2;

export interface ResultDocument {
  readonly schema: number;
  readonly tool: { readonly name: "consilience"; readonly version: string };
  /** The kind of answers. */
  readonly kind: string;
  /** Whether to rely on the answers, why, and what to do next. */
  readonly verdict?: VerdictDocument;
  /** What was typed after the name of the command, for --rerun. */
  readonly command: readonly string[];
  readonly method: string;
  readonly options: Readonly<Record<string, number | string | boolean>>;
  readonly dataset: DatasetDocument & { readonly files: readonly string[] };
  readonly objective: readonly number[];
  readonly iterations: number;
  readonly converged: boolean;
  readonly notes: readonly string[];
  /** Scores against gold; what they are depends on the kind. */
  readonly metrics?: object;
  /** What changed since the run that --since names. */
  readonly since?: Changes;
  /** Of a learner: what ran it, each epoch, and scores of the classifier on a test set. */
  readonly learning?: LearningDocument;
  /** One row per task or item, with --json and without --out. */
  readonly answers?: readonly object[];
  /** Seconds of each part; the only thing here that differs between equal runs. */
  readonly timings: Readonly<Record<string, number>>;
}

type VerdictDocument = Pick<Verdict, "level" | "reasons" | "next">;

/** What the document says of the data; kinds add classes or items. */
export interface DatasetDocument {
  readonly fingerprint: string;
  readonly labels: number;
  readonly tasks: number;
  readonly workers: number;
  readonly gold: number;
}

interface LearningDocument {
  readonly engine: string;
  readonly history: readonly (readonly EpochRecord[])[];
  /** Scores on a test set; what they are depends on the kind. */
  readonly test?: object;
  /** The same from features and labels together. */
  readonly testWithLabels?: MetricsDocument;
  /** What a method without features scores on the same gold, for answers that are no classes. */
  readonly baseline?: object;
}

export interface MetricsDocument {
  readonly tasks: number;
  readonly ties: number;
  readonly accuracy: { readonly value: number; readonly low: number; readonly high: number };
  readonly accuracySplit: number;
  readonly accuracyFirst: number;
  readonly accuracyLast: number;
  readonly balancedAccuracy: number;
  readonly macroF1: number;
  readonly auc?: number;
  readonly logLoss: number;
  readonly brier: number;
  readonly ece: { readonly value: number; readonly low: number; readonly high: number };
  readonly classes: readonly {
    class: string;
    gold: number;
    answered: number;
    precision: number;
    recall: number;
    f1: number;
  }[];
  /** Majority vote on the same tasks, ties shared. */
  readonly majorityVote?: number;
  /** Where gold was also used to fit: over how many parts of it this was cross-validated. */
  readonly folds?: number;
}

/** What the document holds besides result and data. */
export interface MoreDocument {
  readonly files: readonly string[];
  readonly command: readonly string[];
  readonly timings: Readonly<Record<string, number>>;
  /** Fields of the kind. */
  readonly own?: object | undefined;
  readonly notes?: readonly string[] | undefined;
  readonly metrics?: object | undefined;
  readonly verdict?: VerdictDocument | undefined;
  readonly since?: Changes | undefined;
  readonly learning?: LearningDocument | undefined;
  readonly answers?: readonly object[] | undefined;
}

/** Makes the document of a result of any kind. */
export function resultDocument(
  result: Omit<CrowdResult, "workers" | "workload">,
  dataset: DatasetDocument,
  { files, command, timings, own, notes, metrics, verdict, since, learning, answers }: MoreDocument,
): ResultDocument {
  return {
    schema: SCHEMA,
    tool: { name: "consilience", version },
    kind: result.kind,
    command,
    method: result.method,
    options: writable(result.options),
    dataset: { files, ...dataset },
    objective: Array.from(result.trace, rounded),
    iterations: result.iterations,
    converged: result.converged,
    ...(verdict && {
      verdict: { level: verdict.level, reasons: verdict.reasons, next: verdict.next },
    }),
    ...own,
    notes: notes ?? result.notes,
    ...(metrics && { metrics }),
    ...(since && { since }),
    ...(learning && { learning: { ...learning, history: learning.history.map(roundedRun) } }),
    ...(answers && { answers }),
    timings,
  };
}

function roundedRun(epochs: readonly EpochRecord[]): EpochRecord[] {
  return epochs.map(({ epoch, loss, validation }) => ({
    epoch,
    loss: rounded(loss),
    ...(validation !== undefined && { validation: rounded(validation) }),
  }));
}

export function metricsDocument(
  metrics: Metrics,
  more: { majorityVote?: number; folds?: number } = {},
): MetricsDocument {
  const { accuracy, calibration, perClass } = metrics;
  const interval = ({ value, low, high }: { value: number; low: number; high: number }) => ({
    value: rounded(value),
    low: rounded(low),
    high: rounded(high),
  });
  return {
    tasks: accuracy.tasks,
    ties: accuracy.ties,
    accuracy: interval(accuracy.chosen),
    accuracySplit: rounded(accuracy.split),
    accuracyFirst: rounded(accuracy.first),
    accuracyLast: rounded(accuracy.last),
    balancedAccuracy: rounded(perClass.balancedAccuracy),
    macroF1: rounded(perClass.macroF1),
    ...(metrics.auc !== undefined && { auc: rounded(metrics.auc) }),
    logLoss: rounded(metrics.logLoss),
    brier: rounded(metrics.brier),
    ece: interval(calibration.ece),
    classes: perClass.classes.map((score) => ({
      ...score,
      precision: rounded(score.precision),
      recall: rounded(score.recall),
      f1: rounded(score.f1),
    })),
    ...(more.majorityVote !== undefined && { majorityVote: rounded(more.majorityVote) }),
    ...(more.folds !== undefined && { folds: more.folds }),
  };
}

/** Options as JSON can hold them: an infinite number is written as text. */
function writable(options: ResultDocument["options"]): ResultDocument["options"] {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
    ]),
  );
}
