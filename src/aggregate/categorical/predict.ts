/** What a fitted result says of new labels, by workers it knows and by workers it does not. */

import { FLOOR } from "../../belief/shares.ts";
import { decide, type Ties } from "../../belief/ties.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import type { Names } from "../../data/names.ts";
import { CrowdError } from "../../error.ts";
import { normalizeLog } from "../../math/log-sum-exp.ts";
import type { Aggregation } from "./aggregator.ts";

/** What a result says of new labels. */
export interface Prediction {
  /** As posterior[task * K + class], with the classes of the result. */
  readonly posterior: Float64Array;
  readonly consensus: Int32Array;
  readonly classes: Names;
  /** Workers the result had not seen; they are taken to be like the crowd. */
  readonly newWorkers: readonly string[];
}

/**
 * P(class | new labels) under the fitted prior and confusions; for methods that only vote, the
 * shares of votes under the fitted weights. Nothing is learnt.
 */
export function predict(data: CategoricalData, result: Aggregation): Prediction {
  const K = result.classes.length;
  const L = result.given;
  const labelOf = classesOf(result, data);
  const known = new Map(Array.from(result.workers, (name, w) => [name, w]));
  const workerOf = Int32Array.from(data.workers, (name) => known.get(name) ?? -1);
  const crowd = result.confusion && pooled(result.confusion, result.workload, K, L);
  const posterior = new Float64Array(data.tasks.length * K);
  const { confusion, weights } = result;
  if (confusion) {
    const logPrior = result.prior.map((p) => Math.log(Math.max(FLOOR, p)));
    for (let t = 0; t < data.tasks.length; t++) posterior.set(logPrior, t * K);
  }
  const usual = weights ? weights.reduce((sum, x) => sum + x, 0) / Math.max(1, weights.length) : 1;
  for (let i = 0; i < data.label.length; i++) {
    const l = labelOf[data.label[i]];
    if (l >= L) continue;
    const w = workerOf[data.worker[i]];
    const count = data.weight ? data.weight[i] : 1;
    const from = data.task[i] * K;
    if (confusion && crowd) {
      const table = w < 0 ? crowd : confusion.subarray(w * K * L, (w + 1) * K * L);
      for (let k = 0; k < K; k++) {
        posterior[from + k] += count * Math.log(Math.max(FLOOR, table[k * L + l]));
      }
    } else if (l < K) {
      posterior[from + l] += count * (weights && w >= 0 ? weights[w] : usual);
    }
  }
  for (let from = 0; from < posterior.length; from += K) {
    if (confusion) normalizeLog(posterior, from, from + K);
    else shares(posterior, from, K);
  }
  const { ties = "prior", seed = 0 } = result.options;
  const rule = { ties: ties as Ties, seed: seed as number };
  return {
    posterior,
    consensus: decide({ ...data, classes: result.classes }, posterior, result.prior, rule)
      .consensus,
    classes: result.classes,
    newWorkers: [...data.workers].filter((name) => !known.has(name)),
  };
}

/** For each label of the data its place among those of the result; abstentions stay abstentions. */
function classesOf(result: Aggregation, data: CategoricalData): Int32Array {
  const places = new Map(Array.from(result.classes, (name, k) => [name, k]));
  const unknown = [...data.classes].filter((name) => !places.has(name));
  if (unknown.length > 0) {
    throw new CrowdError(
      "bad-data",
      `The result has the classes ${[...result.classes].join(", ")}, but the new labels also have ` +
        `${unknown.slice(0, 5).join(", ")}. Fit again with all labels.`,
    );
  }
  return Int32Array.from(
    { length: data.classes.length + 1 },
    (_, k) => places.get(data.classes.at(k)) ?? result.classes.length,
  );
}

/** The crowd's confusion, pooled[class * L + label]: workers weighted by their labels. */
function pooled(confusion: Float64Array, workload: Int32Array, K: number, L: number): Float64Array {
  const sum = new Float64Array(K * L);
  let total = 0;
  workload.forEach((labels, w) => {
    total += labels;
    for (let cell = 0; cell < K * L; cell++) sum[cell] += labels * confusion[w * K * L + cell];
  });
  return total > 0 ? sum.map((x) => x / total) : sum.fill(1 / L);
}

/** Shares of (possibly negative) votes; equal where there are none. */
function shares(votes: Float64Array, from: number, K: number): void {
  let lowest = 0;
  for (let k = from; k < from + K; k++) lowest = Math.min(lowest, votes[k]);
  let total = 0;
  for (let k = from; k < from + K; k++) {
    votes[k] -= lowest;
    total += votes[k];
  }
  for (let k = from; k < from + K; k++) votes[k] = total > 0 ? votes[k] / total : 1 / K;
}
