/** Many methods on the same labels, side by side: how well each predicts labels it did not see. */
import type { Aggregation, AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import type { Known } from "../belief/known.ts";
import type { CrowdDataset } from "../data/dataset.ts";
import type { Engine } from "../kernels/engine.ts";
import type { Steps } from "../method.ts";
import { cutFolds, predict, readOut, totalWeight } from "./hold-out.ts";

/** Methods with a table of K² numbers a worker. */
const tabled = [
  "dawid-skene",
  "confusion-vector",
  "ibcc",
  "fast-dawid-skene",
  "ibcc-gibbs",
  "crowd-svm",
  "worker-clusters",
  "cbcc",
  "nonparametric-clusters",
  "spectral-dawid-skene",
  "multi-spa",
  "cnmf",
  "sym-nmf",
  "coupled-cpd",
];

/** Why a method cannot run on these labels, or undefined. */
export function inapplicable(
  method: AnyAggregator,
  data: CrowdDataset,
  known: Known,
): string | undefined {
  const { needs } = method;
  if (needs === "gold" && !known.gold) return "needs gold to fit with (--use-gold)";
  if (needs === "weights" && !known.weights) return "needs a weight for each worker (--weights)";
  if (needs === "confusion" && !known.confusion) return "needs the true confusions (--confusion)";
  if (needs === "predictions" && !known.predictions) {
    return "needs a classifier's predictions (--predictions)";
  }
  const cells = data.workers.length * data.classes.length ** 2;
  const full = tabled.includes(method.id);
  if (full && cells > 2e8) {
    return `needs ${((cells * 16) / 1e9).toFixed(1)} GB for the workers' confusions`;
  }
  const [W, T, K] = [data.workers.length + 1, data.tasks.length, data.classes.length];
  // An iteration of the table method takes about as many steps, three times over.
  const steps = W * T * K * Math.min(T, W * K);
  if (method.id === "pg-tac" && steps > 3e8) {
    return `would take ${(3e-9 * steps).toFixed(0)} billion steps an iteration`;
  }
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
