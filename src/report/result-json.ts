/** A result as one JSON document, for programs: what was run on what, and how it went. */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { CrowdDataset } from "../data/dataset.ts";
import { fingerprint } from "../data/fingerprint.ts";
import type { Metrics } from "../evaluate/index.ts";
import type { EpochRecord } from "../learn/checkpoint.ts";
import { version } from "../version.ts";
import { rounded, truthRows } from "./csv-files.ts";

/** The version of the schema in docs/schema; it changes when a field goes or changes its meaning. */
export const SCHEMA = 1;

export interface ResultDocument {
  readonly schema: number;
  readonly tool: { readonly name: "consilience"; readonly version: string };
  /** What was typed after the name of the command, for --rerun. */
  readonly command: readonly string[];
  readonly method: string;
  readonly options: Readonly<Record<string, number | string | boolean>>;
  readonly dataset: {
    readonly files: readonly string[];
    readonly fingerprint: string;
    readonly labels: number;
    readonly tasks: number;
    readonly workers: number;
    readonly classes: readonly string[];
    readonly gold: number;
  };
  readonly objective: readonly number[];
  readonly iterations: number;
  readonly converged: boolean;
  readonly prior: readonly number[];
  readonly notes: readonly string[];
  readonly portfolio?: readonly Weighed[];
  readonly metrics?: MetricsDocument;
  /** Of a learner: what ran it, each epoch, and scores of the classifier on a test set. */
  readonly learning?: LearningDocument;
  readonly answers?: readonly { task: string; label: string | null; confidence: number }[];
  /** Seconds of each part; the only thing here that differs between equal runs. */
  readonly timings: Readonly<Record<string, number>>;
}

export interface LearningDocument {
  readonly engine: string;
  readonly history: readonly (readonly EpochRecord[])[];
  readonly test?: MetricsDocument;
  /** The same from features and labels together. */
  readonly testWithLabels?: MetricsDocument;
}

/** What auto says of a candidate, as far as numbers go. */
interface Weighed {
  readonly heldOut: number;
  readonly weight: number;
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

export function resultDocument(
  result: Aggregation,
  data: CrowdDataset,
  more: {
    readonly files: readonly string[];
    readonly command: readonly string[];
    readonly metrics?: MetricsDocument | undefined;
    readonly timings: Readonly<Record<string, number>>;
    readonly learning?: LearningDocument | undefined;
    readonly answers?: boolean;
  },
): ResultDocument {
  const { portfolio } = result as { readonly portfolio?: readonly Weighed[] };
  return {
    schema: SCHEMA,
    tool: { name: "consilience", version },
    command: more.command,
    method: result.method,
    options: result.options,
    dataset: {
      files: more.files,
      fingerprint: fingerprint(data),
      labels: data.label.length,
      tasks: data.tasks.length,
      workers: data.workers.length,
      classes: [...data.classes],
      gold: data.gold.reduce((sum, k) => sum + (k >= 0 ? 1 : 0), 0),
    },
    objective: Array.from(result.trace, rounded),
    iterations: result.iterations,
    converged: result.converged,
    prior: Array.from(result.prior, rounded),
    notes: [...data.notes, ...result.notes],
    ...(portfolio && {
      portfolio: portfolio.map((candidate) => ({
        ...candidate,
        heldOut: rounded(candidate.heldOut),
        weight: rounded(candidate.weight),
      })),
    }),
    ...(more.metrics && { metrics: more.metrics }),
    ...(more.learning && {
      learning: {
        ...more.learning,
        history: more.learning.history.map((run) =>
          run.map(({ epoch, loss, validation }) => ({
            epoch,
            loss: rounded(loss),
            ...(validation !== undefined && { validation: rounded(validation) }),
          })),
        ),
      },
    }),
    ...(more.answers && {
      answers: Array.from(truthRows(result), ([task, label, confidence]) => ({
        task,
        confidence,
        label: label === "" ? null : label,
      })),
    }),
    timings: more.timings,
  };
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
