/**
 * The library's first page: from data to answers and workers by name, without index arithmetic.
 *
 *   const data = fromRows(rows);
 *   const result = aggregate(data);
 *   for (const { task, label, confidence } of answers(data, result)) …
 */
import type { Aggregation, AnyAggregator } from "./aggregate/categorical/aggregator.ts";
import type { MultiLabelKnown, MultiLabelResult } from "./aggregate/multi-label/labeller.ts";
import type { NumericKnown, NumericResult } from "./aggregate/numeric/estimator.ts";
import type {
  decisionOption,
  OrdinalAggregator,
  OrdinalResult,
} from "./aggregate/ordinal/levels.ts";
import type { PairwiseKnown, PairwiseResult } from "./aggregate/pairwise/ranker.ts";
import type { CrowdResult } from "./aggregate/result.ts";
import type { SequenceKnown, SequenceResult } from "./aggregate/sequence/tagger.ts";
import type { SimilarityKnown, SimilarityResult } from "./aggregate/similarity/clusterer.ts";
import {
  categoricalMethods,
  multiLabelMethods,
  numericMethods,
  ordinalMethods,
  pairwiseMethods,
  sequenceMethods,
  similarityMethods,
} from "./auto/index.ts";
import type { Known } from "./belief/known.ts";
import type { CategoricalData } from "./data/categorical.ts";
import type { CrowdData } from "./data/crowd-data.ts";
import type { MultiLabelData } from "./data/multi-label.ts";
import type { NumericData } from "./data/numeric.ts";
import type { OrdinalData } from "./data/ordinal.ts";
import type { PairwiseData } from "./data/pairwise.ts";
import type { SequenceData } from "./data/sequence.ts";
import type { SimilarityData } from "./data/similarity.ts";
import type { WorkerFlag } from "./diagnose/judgement.ts";
import type { Standing } from "./diagnose/standing.ts";
import { CrowdError } from "./error.ts";
import { methodNamed } from "./jobs/choose-method.ts";
import type { KindMethod } from "./kinds/kind.ts";
import { kindOf } from "./kinds.ts";
import { drain, type OptionTable, type Values } from "./method.ts";

/** Every method of every kind by id: `methods["dawid-skene"]`; `methods.auto` is the one for labels. */
export const methods = {
  ...ordinalMethods,
  ...numericMethods,
  ...pairwiseMethods,
  ...sequenceMethods,
  ...similarityMethods,
  ...multiLabelMethods,
  ...categoricalMethods,
} as const;

/** The methods for labels by id: the keys are what `aggregate` takes as `method`. */
export type CategoricalMethods = typeof categoricalMethods;
/** The methods for ordered classes by id: their own, and those for labels, whose beliefs are decided by the order. */
export type OrdinalMethods = typeof ordinalMethods & {
  readonly [Id in Exclude<keyof CategoricalMethods, "auto">]: CategoricalMethods[Id] extends {
    readonly options: infer Options extends OptionTable;
  }
    ? OrdinalAggregator<Options & typeof decisionOption>
    : never;
};
/** The methods for numbers by id. */
export type NumericMethods = typeof numericMethods;
/** The methods for comparisons by id. */
export type PairwiseMethods = typeof pairwiseMethods;
/** The methods for sequences by id. */
export type SequenceMethods = typeof sequenceMethods;
/** The methods for several labels per task by id. */
export type MultiLabelMethods = typeof multiLabelMethods;
/** The methods for similarities by id. */
export type SimilarityMethods = typeof similarityMethods;

/** The options that a method takes, all of them optional. */
export type OptionsOf<Method> = Method extends {
  readonly options: infer Options extends OptionTable;
}
  ? Partial<Values<Options>>
  : never;

/** What a method returns. */
export type ResultOf<Method> = Method extends (...args: never) => infer Result ? Result : never;

/** Which method runs, with which options, and what it is told beforehand. */
export interface AggregateOptions<Methods, Id extends keyof Methods, KnownFacts> {
  /** Id of the method; default: `auto`. */
  readonly method?: Id | undefined;
  /** Options of the method; those left out have their defaults. */
  readonly options?: OptionsOf<Methods[Id]> | undefined;
  /** What is known beyond the data: gold, priors, workers' history. */
  readonly known?: KnownFacts | undefined;
}

/** The same with a method of your own, made by `defineMethod`. */
export interface OwnMethod<Method, KnownFacts> {
  readonly method: Method;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  readonly known?: KnownFacts | undefined;
}

/** Finds one class per task from labels. */
export function aggregate<Id extends keyof CategoricalMethods = "auto">(
  data: CategoricalData,
  request?: AggregateOptions<CategoricalMethods, Id, Known>,
): ResultOf<CategoricalMethods[Id]>;
/** Finds one level per task from labels with ordered classes. */
export function aggregate<Id extends keyof OrdinalMethods = "auto">(
  data: OrdinalData,
  request?: AggregateOptions<OrdinalMethods, Id, Known>,
): ResultOf<OrdinalMethods[Id]>;
/** Finds one value per task from numbers. */
export function aggregate<Id extends keyof NumericMethods = "auto">(
  data: NumericData,
  request?: AggregateOptions<NumericMethods, Id, NumericKnown>,
): ResultOf<NumericMethods[Id]>;
/** Finds one score per item from comparisons. */
export function aggregate<Id extends keyof PairwiseMethods = "auto">(
  data: PairwiseData,
  request?: AggregateOptions<PairwiseMethods, Id, PairwiseKnown>,
): ResultOf<PairwiseMethods[Id]>;
/** Finds one tag per position, and spans, from sequences of tags. */
export function aggregate<Id extends keyof SequenceMethods = "auto">(
  data: SequenceData,
  request?: AggregateOptions<SequenceMethods, Id, SequenceKnown>,
): ResultOf<SequenceMethods[Id]>;
/** Finds one set of labels per task, where workers chose several. */
export function aggregate<Id extends keyof MultiLabelMethods = "auto">(
  data: MultiLabelData,
  request?: AggregateOptions<MultiLabelMethods, Id, MultiLabelKnown>,
): ResultOf<MultiLabelMethods[Id]>;
/** Finds one cluster per item from answers about whether two items are the same. */
export function aggregate<Id extends keyof SimilarityMethods = "auto">(
  data: SimilarityData,
  request?: AggregateOptions<SimilarityMethods, Id, SimilarityKnown>,
): ResultOf<SimilarityMethods[Id]>;
/** Runs a method of your own on labels. */
export function aggregate(
  data: CategoricalData,
  request: OwnMethod<AnyAggregator, Known>,
): Aggregation;
export function aggregate(
  data: CrowdData,
  {
    method: named,
    options = {},
    known = {},
  }: {
    readonly method?: string | KindMethod | undefined;
    readonly options?: object | undefined;
    readonly known?: object | undefined;
  } = {},
): CrowdResult {
  checkData("aggregate", data);
  const kind = kindOf(data);
  const { method, options: preset } =
    typeof named === "string" || named === undefined
      ? methodNamed(named ?? kind.defaultMethod, kind)
      : { method: named, options: {} };
  return drain(method.steps(data, { ...preset, ...options }, known));
}

/** The answer to one task. */
export interface Answer {
  readonly task: string;
  /** The most probable class; null where the rule for ties gives none. */
  readonly label: string | null;
  /** Probability of that class under the method. */
  readonly confidence: number;
}

/** The level of one task. */
export interface LevelAnswer extends Answer {
  /** 95 % interval of the level, by name; null where there is no answer. */
  readonly low: string | null;
  readonly high: string | null;
  /** Expected distance from the true level, in levels, under the method; null where there is no answer. */
  readonly expectedError: number | null;
}

/** The value of one task. */
export interface ValueAnswer {
  readonly task: string;
  /** Null where the task has no answers. */
  readonly value: number | null;
  /** Standard error; null where it cannot be told. */
  readonly sd: number | null;
  /** 95 % interval; null where it cannot be told. */
  readonly low: number | null;
  readonly high: number | null;
}

/** The score of one item. */
export interface ItemAnswer {
  readonly item: string;
  readonly score: number;
  /** 95 % interval; null where it cannot be told. */
  readonly low: number | null;
  readonly high: number | null;
  /** Place within the component; 1 is the best. */
  readonly rank: number;
  /** Connected part of the comparisons, from 1; scores compare only within it. */
  readonly component: number;
}

/** The tag of one position of a task. */
export interface TagAnswer {
  readonly task: string;
  readonly position: number;
  /** What stands there, where it is known. */
  readonly token?: string;
  readonly label: string;
  /** Probability of the tag under the method. */
  readonly confidence: number;
}

/** The set of labels of one task. */
export interface SetAnswer {
  readonly task: string;
  /** The labels that belong to the task; none where the list is empty. */
  readonly labels: readonly string[];
  /** Probability that the set is exactly right, under the method. */
  readonly probability: number;
}

/** The cluster of one item. */
export interface ClusterAnswer {
  readonly item: string;
  /** Number of the cluster, from 1, the largest first. */
  readonly cluster: number;
  /** Probability of the cluster under the method; null where the method has none. */
  readonly confidence: number | null;
  /** Connected part of the answers, from 1; no cluster reaches across parts. */
  readonly component: number;
  /** Number of answers about the item. */
  readonly support: number;
}

/** Lists the answers by name: one row per task. */
export function answers(data: CategoricalData, result: Aggregation): Iterable<Answer>;
/** Lists the levels by name: one row per task. */
export function answers(data: OrdinalData, result: OrdinalResult): Iterable<LevelAnswer>;
/** Lists the values by name: one row per task. */
export function answers(data: NumericData, result: NumericResult): Iterable<ValueAnswer>;
/** Lists the scores by name: one row per item, best first. */
export function answers(data: PairwiseData, result: PairwiseResult): Iterable<ItemAnswer>;
/** Lists the tags by name: one row per position. */
export function answers(data: SequenceData, result: SequenceResult): Iterable<TagAnswer>;
/** Lists the sets of labels by name: one row per task. */
export function answers(data: MultiLabelData, result: MultiLabelResult): Iterable<SetAnswer>;
/** Lists the clusters by name: one row per item. */
export function answers(data: SimilarityData, result: SimilarityResult): Iterable<ClusterAnswer>;
export function answers(data: CrowdData, result: CrowdResult): Iterable<object> {
  checkPair("answers", data, result);
  return kindOf(data).answers(data, result);
}

/** What is known of one worker who labelled. */
export interface WorkerSummary {
  readonly worker: string;
  readonly labels: number;
  /** Probability that a label is right. */
  readonly skill: number;
  /** 95 % interval of the skill; null where it cannot be told. */
  readonly low: number | null;
  readonly high: number | null;
  /** How the labels stand against guessing: worse, guessing, better or unknown. */
  readonly standing: Standing;
  /** Reasons to look at the worker's labels. */
  readonly flags: readonly WorkerFlag[];
}

/** What is known of one worker who gave numbers. */
export interface ValueWorker {
  readonly worker: string;
  readonly answers: number;
  /** Mean of the worker's answers less the values; null without answers. */
  readonly bias: number | null;
  /** Root mean square of the worker's answers less the values; null without answers. */
  readonly error: number | null;
  /** How the answers stand against guessing: worse, guessing, better or unknown. */
  readonly standing: Standing;
}

/** What is known of one worker who compared. */
export interface ComparisonWorker {
  readonly worker: string;
  readonly comparisons: number;
  /** Share of decided comparisons that follow the scores; null without any. */
  readonly skill: number | null;
  /** 95 % interval of the skill. */
  readonly low: number;
  readonly high: number;
  /** How the comparisons stand against guessing: worse, guessing, better or unknown. */
  readonly standing: Standing;
}

/** What is known of one worker who gave tags. */
export interface TagWorker {
  readonly worker: string;
  /** Number of tags. */
  readonly answers: number;
  /** Share of the worker's tags that are those of the result; null without any. */
  readonly accuracy: number | null;
  /** 95 % interval of that share. */
  readonly low: number;
  readonly high: number;
  /** F1 of the worker's spans against those of the result; null without spans. */
  readonly spanF1: number | null;
  /** How the tags stand against guessing: worse, guessing, better or unknown. */
  readonly standing: Standing;
}

/** What is known of one worker who chose sets of labels. */
export interface SetWorker {
  readonly worker: string;
  readonly answers: number;
  /** Mean overlap of the worker's sets with those of the result, from 0 to 1; null without answers. */
  readonly skill: number | null;
  /** 95 % interval of the overlap. */
  readonly low: number;
  readonly high: number;
  /** Probability that the worker chooses a label that belongs to the task. */
  readonly sensitivity: number;
  /** Probability that the worker leaves out a label that does not. */
  readonly specificity: number;
  /** Sensitivity + specificity - 1: 0 for guessing, 1 for a perfect worker. */
  readonly informativeness: number;
  /** How the sets stand against guessing: worse, guessing, better or unknown. */
  readonly standing: Standing;
}

/** What is known of one worker who said which items are the same. */
export interface PairWorker {
  readonly worker: string;
  readonly answers: number;
  /** Probability of a right answer on pairs that are as often alike as not; null without answers. */
  readonly skill: number | null;
  /** 95 % interval of the skill. */
  readonly low: number;
  readonly high: number;
  /** Probability that the worker says "same" of items in one cluster, and of items in two. */
  readonly sameWithin: number;
  readonly sameAcross: number;
  /** How the answers stand against guessing: worse, guessing, better or unknown. */
  readonly standing: Standing;
}

/** Lists the workers by name, with skill, interval and flags. */
export function workers(data: CategoricalData, result: Aggregation): Iterable<WorkerSummary>;
/** Lists the workers by name, with skill, interval and flags. */
export function workers(data: OrdinalData, result: OrdinalResult): Iterable<WorkerSummary>;
/** Lists the workers by name, with bias and typical error. */
export function workers(data: NumericData, result: NumericResult): Iterable<ValueWorker>;
/** Lists the workers by name, with how often they follow the scores. */
export function workers(data: PairwiseData, result: PairwiseResult): Iterable<ComparisonWorker>;
/** Lists the workers by name, with accuracy and span F1. */
export function workers(data: SequenceData, result: SequenceResult): Iterable<TagWorker>;
/** Lists the workers by name, with overlap, sensitivity and specificity. */
export function workers(data: MultiLabelData, result: MultiLabelResult): Iterable<SetWorker>;
/** Lists the workers by name, with skill and both rates of saying "same". */
export function workers(data: SimilarityData, result: SimilarityResult): Iterable<PairWorker>;
export function workers(data: CrowdData, result: CrowdResult): Iterable<object> {
  checkPair("workers", data, result);
  return kindOf(data).workers(data, result);
}

/** Refuses what is no data: rows, or nothing. */
function checkData(name: string, data: unknown): void {
  if (Array.isArray(data)) {
    throw new CrowdError(
      "bad-data",
      `${name} takes data, but got a list. Make data of rows first: ${name}(fromRows(rows)).`,
    );
  }
  const { kind } = (data ?? {}) as { readonly kind?: unknown };
  if (typeof kind !== "string") {
    const keys = typeof data === "object" && data !== null ? Object.keys(data).join(", ") : "";
    const found = keys === "" ? String(data) : `an object with the keys ${keys}`;
    throw new CrowdError(
      "bad-data",
      `${name} takes data such as fromRows makes, but got ${found}.`,
    );
  }
}

/** Refuses a result of other data, as far as their sizes tell. */
function checkPair(name: string, data: CrowdData, result: CrowdResult): void {
  checkData(name, data);
  checkData(name, result);
  if (data.kind !== result.kind || data.workers.length !== result.workers.length) {
    throw new CrowdError(
      "bad-data",
      `${name}: the result is of other data: ${result.kind} answers of ${result.workers.length} workers, ` +
        `but the data are ${data.kind} answers of ${data.workers.length} workers.`,
    );
  }
}
