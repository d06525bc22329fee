/**
 * What a method for ordered classes is: a belief about the level of each task, and the decision that fits the
 * order.
 *
 * The median, the smallest level with at least half of the probability at or below it, has the least
 * expected absolute error; the mode is right most often; the rounded mean has the least squared error among levels.
 */
import type { Known } from "../../belief/known.ts";
import type { tieOptions } from "../../belief/ties.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { asLabels, type OrdinalData } from "../../data/ordinal.ts";
import type { Engine } from "../../kernels/engine.ts";
import {
  drain,
  type MethodCard,
  type OptionTable,
  type Steps,
  settle,
  type Values,
} from "../../method.ts";
import {
  type Aggregation,
  type Aggregator,
  type AnyAggregator,
  aggregator,
  type CategoricalCard,
  type Context,
  type Fit,
} from "../categorical/aggregator.ts";

/** What every method for ordered classes returns. */
export type OrdinalResult<Own extends Fit = Fit> = Omit<Aggregation<Own>, "kind"> & {
  readonly kind: "ordinal";
  /** Expected distance of each answer from the true level, in levels, under the model; NaN without an answer. */
  readonly expectedError: Float64Array;
  /** 95 % interval of the level of each task; -1 without an answer. */
  readonly low: Int32Array;
  readonly high: Int32Array;
};

export const decisionOption = {
  decision: {
    default: "median",
    choices: ["median", "mode", "mean"],
    help: "Answer: the median level (least absolute error), the most probable one, or the rounded mean.",
  },
} as const;

/** How a level is decided from probabilities. */
export type Decision = (typeof decisionOption.decision.choices)[number];

/** A method for ordered classes: call it for the result, or walk its `steps` for progress. */
export interface OrdinalAggregator<Options extends OptionTable = OptionTable, Own extends Fit = Fit>
  extends Omit<MethodCard<Options>, "kind"> {
  readonly kind: "ordinal";
  /** True where the posterior is a probability under a model, not a share of votes. */
  readonly probabilistic: boolean;
  (data: OrdinalData, options?: Partial<Values<Options>>, known?: Known): OrdinalResult<Own>;
  steps(
    data: OrdinalData,
    options?: Partial<Values<Options>>,
    known?: Known,
    engine?: Engine,
  ): Steps<OrdinalResult<Own>>;
}

/** Makes a method for ordered classes of its iterations over labels. */
export function leveller<const Options extends OptionTable, Own extends Fit>(
  card: Omit<CategoricalCard<Options>, "kind">,
  iterate: (
    data: CategoricalData,
    options: Values<Options & typeof tieOptions>,
    context: Context,
  ) => Steps<Own>,
): OrdinalAggregator<Options & typeof tieOptions & typeof decisionOption, Own> {
  return onLevels(aggregator(card, iterate));
}

/** Makes a method for ordered classes of one for labels: the belief is the same, the decision knows the order. */
export function onLevels<Options extends OptionTable, Own extends Fit>(
  method: Aggregator<Options, Own> | AnyAggregator,
): OrdinalAggregator<Options & typeof decisionOption, Own> {
  const { live: _, ...card } = method as AnyAggregator;
  const options = { ...decisionOption, ...card.options };
  function* steps(
    data: OrdinalData,
    chosen: Readonly<Record<string, unknown>> = {},
    known: Known = {},
    engine?: Engine,
  ): Steps<OrdinalResult> {
    const { decision, ...rest } = settle(card.id, options, chosen) as Record<string, unknown>;
    const labels = asLabels(data);
    const result = yield* (method as AnyAggregator).steps(labels, rest, known, engine);
    return decided(result, decision as Decision);
  }
  const call = (data: OrdinalData, chosen?: object, known?: Known) =>
    drain(steps(data, chosen as Readonly<Record<string, unknown>>, known));
  return Object.assign(call, card, { kind: "ordinal", options, steps }) as never;
}

/** Decides levels in place of classes. */
function decided(result: Aggregation, decision: Decision): OrdinalResult {
  const { posterior, classes, tasks } = result;
  const [T, K] = [tasks.length, classes.length];
  const consensus = result.consensus.slice();
  const confidence = result.confidence.slice();
  const [low, high] = [new Int32Array(T).fill(-1), new Int32Array(T).fill(-1)];
  const expectedError = new Float64Array(T).fill(Number.NaN);
  for (let t = 0; t < T; t++) {
    const answered = result.support[t] > 0 || consensus[t] >= 0;
    if (!answered) continue;
    const row = posterior.subarray(t * K, (t + 1) * K);
    const level = decision === "mode" ? consensus[t] : decide(row, decision);
    if (level !== consensus[t]) confidence[t] = row[level];
    consensus[t] = level;
    low[t] = quantileLevel(row, 0.025);
    high[t] = quantileLevel(row, 0.975);
    if (level >= 0) expectedError[t] = row.reduce((sum, p, c) => sum + p * Math.abs(c - level), 0);
  }
  return {
    ...result,
    kind: "ordinal",
    options: { decision, ...result.options },
    consensus,
    confidence,
    expectedError,
    low,
    high,
  };
}

/** Returns the level that a row of probabilities decides on. */
function decide(row: Float64Array, decision: "median" | "mean"): number {
  if (decision === "median") return quantileLevel(row, 0.5);
  return Math.floor(row.reduce((sum, p, c) => sum + p * c, 0) + 0.5);
}

/** Returns the smallest level with at least this much probability at or below it. */
export function quantileLevel(row: ArrayLike<number>, share: number): number {
  let sum = 0;
  for (let c = 0; c < row.length - 1; c++) {
    sum += row[c];
    if (sum >= share - 1e-12) return c;
  }
  return row.length - 1;
}
