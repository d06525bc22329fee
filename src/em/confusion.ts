/**
 * M step of one confusion matrix per worker (Dawid–Skene): expected counts to rates.
 *
 *   rate[w, k, l] ∝ count[w, k, l] + smoothing + shrinkage · pooled[k, l] + history[w, k, l]
 *
 * Counts and rates are laid out as [(worker * L + label) * K + class], the order of the kernels.
 * `pooled` is the confusion of all workers together, which `shrinkage` pulls each worker towards.
 */
import { normaliseTable, type Shape, skillOf, transpose } from "../belief/confusion-table.ts";
import { FLOOR } from "../belief/shares.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { createClassPrior, expectClasses, openTask } from "./class-prior.ts";
import type { LiveContext, LiveModel } from "./live.ts";

export interface ConfusionSettings {
  /** Pseudo-labels in every cell. */
  readonly smoothing: number;
  /** Pseudo-labels per row, spread like the pooled confusion. */
  readonly shrinkage: number;
}

export const smoothingOption = {
  smoothing: {
    default: 0.01,
    min: 0,
    unit: "labels",
    help: "Pseudo-count added to every cell of the confusion matrices.",
  },
} as const;

/** Returns how many pseudo-labels worker `w` has in the cell of class `k` and label `l`. */
export type Pseudo = (w: number, k: number, l: number) => number;

/** Returns the pseudo-labels of all cells; `pooled[class * L + label]` may change between reads. */
export function createPseudo(
  { smoothing, shrinkage }: ConfusionSettings,
  pooled: Float64Array,
  history: Float64Array | undefined,
  { K, L }: { readonly K: number; readonly L: number },
): Pseudo {
  if (shrinkage === 0 && !history) return () => smoothing;
  // A worker who came after the history was given has none.
  return (w, k, l) =>
    smoothing + shrinkage * pooled[k * L + l] + (history ? (history[(w * K + k) * L + l] ?? 0) : 0);
}

/** Returns the counts of all workers together, sums[label * K + class]. */
export function sumWorkers(
  counts: Float64Array,
  { workers: W, classes: K, given: L }: Shape,
): Float64Array {
  const sums = new Float64Array(L * K);
  for (let w = 0; w < W; w++) {
    for (let cell = 0; cell < L * K; cell++) sums[cell] += counts[w * L * K + cell];
  }
  return sums;
}

/** Writes the confusion of the whole crowd, pooled[class * L + label], from sums[label * K + class]. */
export function estimatePooled(
  sums: Float64Array,
  smoothing: number,
  { K, L }: { readonly K: number; readonly L: number },
  pooled: Float64Array,
): void {
  for (let k = 0; k < K; k++) {
    let total = 0;
    for (let l = 0; l < L; l++) total += sums[l * K + k] + smoothing;
    for (let l = 0; l < L; l++) {
      pooled[k * L + l] = total > 0 ? (sums[l * K + k] + smoothing) / total : 1 / L;
    }
  }
}

/**
 * Writes P(label | class) of worker `w`, whose counts start at `from`, for one label and every class to
 * into[class]: one column of what `normaliseTable` writes for all labels of all workers.
 */
export function estimateLabelRates(
  counts: Float64Array,
  from: number,
  pseudo: Pseudo,
  w: number,
  label: number,
  { K, L }: { readonly K: number; readonly L: number },
  into: Float64Array,
): void {
  for (let k = 0; k < K; k++) {
    let total = 0;
    for (let l = 0; l < L; l++) {
      const count = Math.max(FLOOR, counts[from + l * K + k] + pseudo(w, k, l));
      total += count;
      if (l === label) into[k] = count;
    }
    into[k] /= total;
  }
}

/** Returns the log density of the Dirichlet that the pseudo-labels stand for, without its constant. */
export function logDensity(
  rates: Float64Array,
  pseudo: Pseudo,
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

/** Returns the expected log-likelihood of the labels: Σ counts · log rates, over all rates. */
export function expectLabels(counts: Float64Array, rates: Float64Array): number {
  let sum = 0;
  for (let cell = 0; cell < rates.length; cell++) {
    if (counts[cell] > 0) sum += counts[cell] * Math.log(rates[cell]);
  }
  return sum;
}

/** Returns the model in the form that live inference keeps up to date. */
export function liveConfusion(
  options: ConfusionSettings & { readonly prior: "learn" | "uniform" },
  { K, L, room, known }: LiveContext,
): LiveModel {
  const sizes = { K, L };
  const cells = room * K;
  const prior = createClassPrior({ classes: { length: K } }, known, options.prior);
  const pooled = new Float64Array(K * L);
  const pseudo = createPseudo(options, pooled, known.history, sizes);
  const said = new Float64Array(K);
  const shapeOf = (W: number): Shape => ({ workers: W, classes: K, given: L });
  const ratesOf = (counts: Float64Array, W: number): Float64Array => {
    const rates = new Float64Array(W * L * K);
    normaliseTable(counts, pseudo, shapeOf(W), rates);
    return rates;
  };
  return {
    cells,
    width: K,
    pools: options.shrinkage > 0,
    prior: prior.shares,
    mass: (_label, weight) => weight,
    unit: (label, belief, at, into) => copyBelief(belief, at, into, label * K),
    learn(totals) {
      prior.update(totals.tasks);
      if (options.shrinkage > 0) estimatePooled(totals.pooled, options.smoothing, sizes, pooled);
    },
    open: (base, at, scores) => openTask(prior.factor, base, at, scores),
    hear(counts, w, label, weight, scores) {
      estimateLabelRates(counts, w * cells, pseudo, w, label, sizes, said);
      for (let k = 0; k < K; k++) scores[k] += weight * Math.log(said[k]);
    },
    close: (scores) => {
      normalizeLog(scores, 0, K);
    },
    skills(counts, W) {
      const shape = shapeOf(W);
      const rates = ratesOf(packed(counts, W, cells, L * K), W);
      return skillOf(transpose(rates, shape), prior.shares, shape);
    },
    objective(statistics, W, totals) {
      const counts = packed(statistics, W, cells, L * K);
      const rates = ratesOf(counts, W);
      return (
        expectLabels(counts, rates) +
        logDensity(rates, pseudo, shapeOf(W)) +
        expectClasses(totals.tasks, prior.factor) +
        prior.logDensity()
      );
    },
  };
}

/** Returns the first `used` of every `cells` numbers, worker by worker. */
export function packed(
  statistics: Float64Array,
  W: number,
  cells: number,
  used: number,
): Float64Array {
  if (used === cells) return statistics;
  const table = new Float64Array(W * used);
  for (let w = 0; w < W; w++) {
    table.set(statistics.subarray(w * cells, w * cells + used), w * used);
  }
  return table;
}

/** Writes a belief to the front of `into` and returns `cell`: a label adds it to a row of K counts. */
export function copyBelief(
  belief: Float64Array,
  at: number,
  into: Float64Array,
  cell: number,
): number {
  for (let k = 0; k < into.length; k++) into[k] = belief[at + k];
  return cell;
}
