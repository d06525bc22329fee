/**
 * EM for one confusion matrix a worker: what dawid-skene does from each of its starts, and the moment
 * methods from what they found.
 */

import { normaliseTable, type Shape } from "../belief/confusion-table.ts";
import type { Known } from "../belief/known.ts";
import type { CrowdDataset } from "../data/dataset.ts";
import type { Expectation } from "../kernels/expectation.ts";
import type { Steps } from "../method.ts";
import { createClassPrior } from "./class-prior.ts";
import { type Climb, climb } from "./climb.ts";

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
  data: CrowdDataset,
  options: EmSettings,
  { known, L }: { readonly known: Known; readonly L: number },
  model: Expectation,
  shape: Shape,
): Steps<Climb & Snapshot> {
  const prior = createClassPrior(data, known, options.prior);
  const { smoothing, shrinkage } = options;
  const { history } = known;
  const K = shape.classes;
  let pooled: Float64Array = new Float64Array(K * L);
  const pseudo = (w: number, k: number, l: number) =>
    smoothing + shrinkage * pooled[k * L + l] + (history ? history[(w * K + k) * L + l] : 0);
  model.startFrom(start);
  const climbed = yield* climb(
    {
      maximise() {
        prior.update(model.totals);
        if (shrinkage > 0) pooled = pooledConfusion(model.counts, smoothing, shape);
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

/** The crowd's confusion, pooled[class * L + label]: all workers' counts together. */
function pooledConfusion(
  counts: Float64Array,
  smoothing: number,
  { workers: W, classes: K, given: L }: Shape,
): Float64Array {
  const pooled = new Float64Array(K * L);
  for (let w = 0; w < W; w++) {
    for (let l = 0; l < L; l++) {
      for (let k = 0; k < K; k++) pooled[k * L + l] += counts[(w * L + l) * K + k];
    }
  }
  for (let k = 0; k < K; k++) {
    let total = 0;
    for (let l = 0; l < L; l++) total += pooled[k * L + l] + smoothing;
    for (let l = 0; l < L; l++) {
      pooled[k * L + l] = total > 0 ? (pooled[k * L + l] + smoothing) / total : 1 / L;
    }
  }
  return pooled;
}

/** Log density of the Dirichlet that the pseudo-labels stand for, without its constant. */
export function logDensity(
  rates: Float64Array,
  pseudo: (w: number, k: number, l: number) => number,
  { workers: W, classes: K, given: L }: Shape,
): number {
  let sum = 0;
  for (let w = 0; w < W; w++) {
    for (let l = 0; l < L; l++) {
      for (let k = 0; k < K; k++) {
        const count = pseudo(w, k, l);
        if (count > 0) sum += count * Math.log(rates[(w * L + l) * K + k]);
      }
    }
  }
  return sum;
}
