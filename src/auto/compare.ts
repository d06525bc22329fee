/** Many methods on the same labels, side by side: how well each predicts labels it did not see. */
import type { Aggregation, AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { blind } from "../belief/blind.ts";
import { cutFolds, predict, readOut, totalWeight } from "../belief/hold-out.ts";
import type { Known } from "../belief/known.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import type { Engine } from "../kernels/engine.ts";
import type { Steps } from "../method.ts";

/**
 * Mean log-probability of hidden labels, in nats: each fold is fitted without them and read out the
 * same way for every method (hold-out.ts).
 */
export function* heldOutScore(
  data: CategoricalData,
  method: AnyAggregator,
  options: object,
  known: Known,
  {
    folds = 5,
    seed = 0,
    engine,
  }: { folds?: number; seed?: number; engine?: Engine | undefined } = {},
): Steps<number> {
  let [sum, labels] = [0, 0];
  const K = data.classes.length;
  const models = (options as { readonly abstentions?: unknown }).abstentions === "model";
  const heard = models ? data : selectLabels(data, (i) => data.label[i] < K);
  const { data: nameless } = blind(heard, known);
  for (const [f, { shown, hidden }] of cutFolds(nameless, folds, seed).entries()) {
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
