/**
 * What chance alone adds to the scores of a worker: the mean over all orders of the worker's labels, in closed form.
 */
import { nullMoments, secondMoments } from "./dependence.ts";
import type { OthersBelief } from "./leave-one-out.ts";

/** What the scores of `all` labels like these would be on average if they came in any other order. */
export function chanceScores({ label, belief }: OthersBelief, all: number, K: number, L: number) {
  const n = label.length;
  // Both fall as one over the number of labels.
  const size = n > 0 ? n / all : 0;
  const moments = secondMoments(belief, K, n);
  const classes = new Float64Array(K);
  const labels = new Float64Array(L);
  for (const l of label) labels[l]++;
  for (let at = 0; at < belief.length; at++) classes[at % K] += belief[at];
  let spread = 0;
  for (const count of labels) spread += n > 1 ? (count * (1 - count / n)) / (n - 1) : 0;
  let distance = 0;
  for (let k = 0; k < K; k++) {
    for (let j = 0; j < k; j++) {
      // A class the worker never met has no row of its own to be unequal by chance.
      if (classes[k] < 1e-6 || classes[j] < 1e-6) continue;
      distance +=
        moments[k * K + k] / classes[k] ** 2 +
        moments[j * K + j] / classes[j] ** 2 -
        (2 * moments[k * K + j]) / (classes[k] * classes[j]);
    }
  }
  return {
    informativeness: K > 1 ? (size * distance * spread) / (K * (K - 1)) : 0,
    // 2 n I is nearly Pearson's statistic.
    information: n > 0 ? (size * nullMoments(moments, classes, labels, n).mean) / (2 * n) : 0,
  };
}

/** At most so many of the labels at from..to of the index by worker, with the posterior of their tasks. */
export function ownBelief(
  posterior: Float64Array,
  task: Int32Array,
  label: Int32Array,
  from: number,
  to: number,
  K: number,
  L: number,
  most: number,
  belief: Float64Array,
): OthersBelief {
  const step = Math.max(1, Math.ceil((to - from) / most));
  const said: number[] = [];
  for (let i = from; i < to; i += step) {
    if (label[i] >= L) continue;
    for (let k = 0; k < K; k++) belief[said.length * K + k] = posterior[task[i] * K + k];
    said.push(label[i]);
  }
  return { label: Int32Array.from(said), belief: belief.subarray(0, said.length * K) };
}
