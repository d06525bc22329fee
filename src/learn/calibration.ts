/**
 * How sure a classifier may be: its logits are divided by a temperature, chosen on what it was not trained on.
 *
 *   f_T[k] ∝ f[k]^(1 / T)
 *   gold         Σ log f_T[gold] is made large
 *   held-out     Σ over the labels of log Σ_k f_T[k] · confusion[worker][k][label]; T ≥ 1
 *
 * Confusions are counted from the method's own beliefs on the tasks it was trained on. Labels cannot tell a classifier that
 * is not sure enough from workers who err alike, so that they never make it surer. Beforehand log T is normal with
 * deviation 1. The order of the classes stays the same.
 *
 * Guo, Pleiss, Sun & Weinberger (2017), ICML 70, 1321–1330. https://proceedings.mlr.press/v70/guo17a.html
 */
import { tempered } from "../belief/temper.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { countLabels, countsToConfusion } from "./evidence.ts";

/** Labels, or rows with gold, below which nothing is changed. */
const FEW = 30;

/** Temperatures that are tried; below 1 only by gold. */
const TEMPERATURES = Array.from({ length: 97 }, (_, j) => 0.25 * 48 ** (j / 96));

/** The temperature at which known classes are most probable. */
export function temperatureByGold(f: Float64Array, gold: ArrayLike<number>): number {
  const K = f.length / gold.length;
  const known = Array.from(gold, (k, row) => ({ k, row })).filter(({ k }) => k >= 0);
  if (known.length < FEW) return 1;
  return best(TEMPERATURES, f, K, (q) =>
    known.reduce((sum, { k, row }) => sum + Math.log(Math.max(q[row * K + k], 1e-300)), 0),
  );
}

/** The temperature at which labels of held-out tasks are most probable; `f` has a row for each task of `rows`. */
export function temperatureByLabels(
  f: Float64Array,
  heldOut: CategoricalData,
  rows: Int32Array,
  confusion: Float64Array,
): number {
  const K = heldOut.classes.length;
  if (heldOut.label.length < FEW) return 1;
  const place = new Int32Array(heldOut.tasks.length);
  rows.forEach((t, row) => {
    place[t] = row;
  });
  return best(
    TEMPERATURES.filter((T) => T >= 1),
    f,
    K,
    (q) => {
      let total = 0;
      heldOut.label.forEach((l, i) => {
        let p = 0;
        const from = place[heldOut.task[i]] * K;
        const cell = heldOut.worker[i] * K * K + l;
        for (let k = 0; k < K; k++) p += q[from + k] * confusion[cell + k * K];
        total += Math.log(Math.max(p, 1e-12));
      });
      return total;
    },
  );
}

/** Confusions counted from beliefs; a worker with few labels is taken for the crowd's average. */
export function countedConfusion(data: CategoricalData, q: ArrayLike<number>): Float64Array {
  const K = data.classes.length;
  const confusion = new Float64Array(data.workers.length * K * K);
  countLabels(data, q, confusion);
  const pooled = new Float64Array(K * K);
  for (let at = 0; at < confusion.length; at++) pooled[at % (K * K)] += confusion[at];
  countsToConfusion(pooled, K, 1);
  for (let at = 0; at < confusion.length; at++) confusion[at] += 2 * pooled[at % (K * K)];
  countsToConfusion(confusion, K, 0);
  return confusion;
}

function best(
  temperatures: readonly number[],
  f: Float64Array,
  K: number,
  score: (q: Float64Array) => number,
): number {
  let [chosen, most] = [1, score(f)];
  for (const T of temperatures) {
    const value = score(tempered(f, K, T)) - Math.log(T) ** 2 / 2;
    if (value > most) [chosen, most] = [T, value];
  }
  return chosen;
}
