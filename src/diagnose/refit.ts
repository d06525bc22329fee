/** Fits a result again on a part of its labels: what intervals by leaving out groups of tasks rest on. */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { confusionVector } from "../aggregate/categorical/em/confusion-vector.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { oneCoin } from "../aggregate/categorical/em/one-coin.ts";
import type { Known } from "../belief/known.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { labelsPerWorker } from "../data/crowd-data.ts";
import { namesOf } from "../data/names.ts";
import type { Engine } from "../kernels/engine.ts";
import { drain } from "../method.ts";

/** Refitted with their own options; the rest with a Dawid–Skene model from their posterior. */
export const refitted = [dawidSkene, oneCoin, confusionVector];

/**
 * The data with one worker in place of all who have no label in it: whatever is fitted, they are all
 * alike, and there may be a million of them. `all` gives each worker their number again.
 */
export function withoutSilent(data: CategoricalData): {
  readonly data: CategoricalData;
  readonly all: (values: Float64Array) => Float64Array;
} {
  const counts = labelsPerWorker(data);
  const W = counts.length;
  const kept: number[] = [];
  const place = new Int32Array(W);
  for (let w = 0, silent = -1; w < W; w++) {
    const known = counts[w] === 0 && silent >= 0;
    place[w] = known ? silent : kept.push(w) - 1;
    if (counts[w] === 0) silent = place[w];
  }
  if (kept.length === W) return { data, all: (values) => values };
  const { workerAttributes: _, ...rest } = data;
  return {
    data: {
      ...rest,
      workers: namesOf(kept.map((w) => data.workers.at(w))),
      worker: data.worker.map((w) => place[w]),
    },
    all(values) {
      const each = new Float64Array(W);
      for (let w = 0; w < W; w++) each[w] = values[place[w]];
      return each;
    },
  };
}

/** Fits at most `maxIterations` iterations on these labels, starting from the result's posterior. */
export function refit(
  result: Aggregation,
  data: CategoricalData,
  known: Known,
  engine: Engine,
  maxIterations = 10,
): Aggregation {
  const own = refitted.find(({ id }) => id === result.method);
  if (!own) return standIn(result, data, known, engine, maxIterations);
  // A result for ordered classes has options beside those of the method for labels.
  const { starts: _, ...options } = Object.fromEntries(
    Object.entries(result.options).filter(([name]) => name in own.options),
  );
  const limits = {
    ...options,
    maxIterations,
    ...(own === oneCoin && { comparePriors: false }),
  };
  return drain(own.steps(data, limits, known, engine));
}

/** Iterations of the model that stands in for a method. */
export const STANDING_IN = 50;

/** The Dawid–Skene model, shrunk towards the crowd, that stands in for a method. */
export function standIn(
  { given, classes }: Aggregation,
  data: CategoricalData,
  known: Known,
  engine: Engine,
  maxIterations = STANDING_IN,
): Aggregation {
  const abstentions = given > classes.length ? "model" : "drop";
  return drain(dawidSkene.steps(data, { shrinkage: 4, abstentions, maxIterations }, known, engine));
}

/** More labels than this are judged on a sample of whole tasks. */
export const MANY_LABELS = 100_000;

/** Labels up to which the centre of intervals is fitted on all of them. */
const MOST_CENTRED = 2_000_000;

/** The model that stands in for a method, on all labels; undefined if there are at most `few`, or too many. */
export function standInForAll(
  data: CategoricalData,
  result: Aggregation,
  engine: Engine,
  few = MANY_LABELS,
): Aggregation | undefined {
  if (data.label.length <= few || data.label.length > MOST_CENTRED) return undefined;
  return standIn(result, data, { start: result.posterior }, engine);
}
