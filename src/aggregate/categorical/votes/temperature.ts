/**
 * The temperature of a classifier: how far its probabilities have to be flattened, or sharpened, to be as sure as the crowd is.
 *
 *   q[t, k]  ∝  f[t, k] ^ (1 / temperature)
 *
 * chosen for the least mean of -Σ share[t, k] · log q[t, k] over the tasks with labels: first among a few values, then among
 * some between the best of them and its neighbours. Networks are mostly too sure, and ActiveLab would then never ask again
 * about a task on which the network is wrong.
 *
 * Goh & Mueller (2023). https://arxiv.org/abs/2301.11856
 */

import { tempered } from "../../../belief/temper.ts";
import { voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { labelsPerTask } from "../../../data/crowd-data.ts";
import { minOf } from "../../../math/lists.ts";

const TEMPERATURES = [0.1, 0.2, 0.5, 0.8, 1, 2, 3, 5, 8];
/** Into how many steps the intervals beside the best of them are cut. */
const STEPS = 4;
/** No probability counts for less, so that a class that was ruled out costs much, but not infinitely much. */
const LEAST = 1e-30;

/** Returns the temperature at which predictions fit the shares of labels best; 1 without labels. */
export function bestTemperature(data: CategoricalData, f: Float64Array): number {
  const K = data.classes.length;
  const labels = labelsPerTask(data);
  if (K < 2 || !labels.some((n) => n > 0)) return 1;
  const shares = voteShares(data);
  const loss = (temperature: number) => {
    const q = tempered(f, K, temperature);
    let sum = 0;
    for (let at = 0; at < q.length; at++) {
      if (shares[at] > 0 && labels[Math.floor(at / K)] > 0) {
        sum -= shares[at] * Math.log(Math.max(LEAST, q[at]));
      }
    }
    return sum;
  };
  const rough = TEMPERATURES.indexOf(leastOf(TEMPERATURES, loss));
  const near = TEMPERATURES.slice(Math.max(0, rough - 1), rough + 2);
  const fine = near.slice(1).flatMap((end, i) => between(near[i], end));
  return leastOf([...fine, near[near.length - 1]], loss);
}

/** Evenly spaced from `start` on, without `end`. */
function between(start: number, end: number): number[] {
  return Array.from({ length: STEPS }, (_, step) => start + (step * (end - start)) / STEPS);
}

/** The first with the least value. */
function leastOf(candidates: readonly number[], value: (candidate: number) => number): number {
  const values = candidates.map(value);
  return candidates[values.indexOf(minOf(values))];
}
