/**
 * EM for one confusion matrix per worker: what dawid-skene does from each of its starts, and the moment
 * methods from what they found.
 */

import { normaliseTable, type Shape } from "../belief/confusion-table.ts";
import type { Known } from "../belief/known.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { Expectation } from "../kernels/expectation.ts";
import type { Steps } from "../method.ts";
import { createClassPrior } from "./class-prior.ts";
import { type Climb, climb } from "./climb.ts";
import { createPseudo, estimatePooled, logDensity, sumWorkers } from "./confusion.ts";

export interface EmSettings {
  readonly smoothing: number;
  readonly shrinkage: number;
  readonly prior: "learn" | "uniform";
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** What a finished run leaves behind, copied out of the kernels' memory. */
export interface Snapshot {
  readonly posterior: Float64Array;
  readonly prior: Float64Array;
  readonly rates: Float64Array;
  readonly counts: Float64Array;
}

/** EM from one posterior to its end. */
export function* climbFrom(
  start: Float64Array,
  data: CategoricalData,
  options: EmSettings,
  { known, L }: { readonly known: Known; readonly L: number },
  model: Expectation,
  shape: Shape,
): Steps<Climb & Snapshot> {
  const prior = createClassPrior(data, known, options.prior);
  const { smoothing, shrinkage } = options;
  const K = shape.classes;
  const pooled = new Float64Array(K * L);
  const pseudo = createPseudo(options, pooled, known.history, { K, L });
  model.startFrom(start);
  const climbed = yield* climb(
    {
      maximise() {
        prior.update(model.totals);
        if (shrinkage > 0) {
          estimatePooled(sumWorkers(model.counts, shape), smoothing, { K, L }, pooled);
        }
        normaliseTable(model.counts, pseudo, shape, model.rates);
      },
      infer() {
        const penalty = logDensity(model.rates, pseudo, shape) + prior.logDensity();
        return model.infer(prior.factor) + penalty;
      },
      change: model.change,
    },
    options,
  );
  return {
    ...climbed,
    posterior: model.posterior.slice(),
    prior: prior.shares,
    rates: model.rates.slice(),
    counts: model.counts.slice(),
  };
}
