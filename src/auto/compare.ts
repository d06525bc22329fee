/** Many methods on the same labels, side by side: how well each predicts labels it did not see. */
import type { Aggregation, AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import type { Known } from "../belief/known.ts";
import { sizeOf } from "../data/crowd-data.ts";
import type { CrowdDataset } from "../data/dataset.ts";
import type { Engine } from "../kernels/engine.ts";
import type { Steps } from "../method.ts";
import { cutFolds, predict, readOut, totalWeight } from "./hold-out.ts";

/** Bytes and billions of steps per iteration from which on a method is not tried. */
const MOST_BYTES = 3.2e9;
const MOST_STEPS = 3e8;

/** What each need is called, for people. */
const needed = {
  gold: "gold to fit with",
  weights: "a weight for each worker",
  confusion: "the true confusions",
  predictions: "a classifier's predictions",
} as const;

/** Says why a method cannot run on these labels, or undefined. */
export function inapplicable(
  method: AnyAggregator,
  data: CrowdDataset,
  known: Known,
): string | undefined {
  const { needs, memory, work } = method;
  if (needs && !known[needs]) return `needs ${needed[needs]}`;
  const size = sizeOf(data, data.classes.length);
  const bytes = memory?.(size) ?? 0;
  if (bytes > MOST_BYTES) return `needs ${(bytes / 1e9).toFixed(1)} GB of memory`;
  const steps = work?.(size) ?? 0;
  // An iteration takes about three times as many steps.
  if (steps > MOST_STEPS)
    return `would take ${(3e-9 * steps).toFixed(0)} billion steps an iteration`;
  return undefined;
}

/**
 * Mean log-probability of hidden labels, in nats: each fold is fitted without them and read out the
 * same way for every method (hold-out.ts).
 */
export function* heldOutScore(
  method: AnyAggregator,
  options: object,
  data: CrowdDataset,
  known: Known,
  {
    folds = 5,
    seed = 0,
    engine,
  }: { folds?: number; seed?: number; engine?: Engine | undefined } = {},
): Steps<number> {
  let [sum, labels] = [0, 0];
  for (const [f, { shown, hidden }] of cutFolds(data, folds, seed).entries()) {
    const steps = method.steps(shown, options, known, engine);
    let fitted: Aggregation | undefined;
    while (!fitted) {
      const step = steps.next();
      if (step.done) fitted = step.value;
      else yield { ...step.value, stage: `hiding labels, part ${f + 1} of ${folds}` };
    }
    const rates = readOut(shown, fitted.posterior, fitted.given);
    sum += predict(hidden, fitted.posterior, rates, fitted.given);
    labels += totalWeight(hidden);
  }
  return labels > 0 ? sum / labels : 0;
}

/** Share of tasks on which two results give the same answer. */
export function sameAnswers(a: Aggregation, b: Aggregation): number {
  const same = a.consensus.filter((k, t) => k === b.consensus[t]).length;
  return a.consensus.length > 0 ? same / a.consensus.length : 1;
}
