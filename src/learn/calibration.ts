/**
 * How sure a classifier may be: its logits are divided by a temperature, chosen on what it was not trained on.
 *
 *   f_T[k] ∝ f[k]^(1 / T)
 *   gold         Σ log f_T[gold] is made large
 *   held-out     first Σ over the tasks of log Σ_k f_T[k] · Π over the labels of confusion[worker][k][label],
 *                then Σ_k g[k] log f_T[k], g = c f_T + (1 - c) (1 - f_T) / (K - 1) at the T found first
 *
 * Confusions are counted from what labels alone say of the tasks trained on. The method's own beliefs would not do: the
 * network has seen those labels, agrees with them better than with new ones, and would be taken for too sure. Where the labels
 * show that workers err alike, they seem to confirm each other and the classifier that learnt from them: c is what may be
 * believed of answers about which the labels taken for independent leave no doubt; else c is 1. Beforehand log T is normal with
 * deviation 1. The order of the classes stays the same.
 *
 * Guo, Pleiss, Sun & Weinberger (2017), ICML 70, 1321–1330. https://proceedings.mlr.press/v70/guo17a.html
 */
import { auto } from "../auto/auto.ts";
import { tempered } from "../belief/temper.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { countLabels, countsToConfusion } from "./evidence.ts";

/** Labels, or rows with gold, below which nothing is changed. */
const FEW = 30;

/** Temperatures that are tried. */
const TEMPERATURES = Array.from({ length: 129 }, (_, j) => 0.1 * 120 ** (j / 128));

/** From here on labels leave no doubt, if workers err independently. */
const NO_DOUBT = 0.999;

/** The temperature at which known classes are most probable. */
export function temperatureByGold(f: Float64Array, gold: ArrayLike<number>): number {
  const K = f.length / gold.length;
  const known = Array.from(gold, (k, row) => ({ k, row })).filter(({ k }) => k >= 0);
  if (known.length < FEW) return 1;
  return best(f, K, (q) => known.reduce((sum, { k, row }) => sum + Math.log(q[row * K + k]), 0));
}

/** What labels alone say of a crowd. */
export interface LabelBelief {
  /** P(label | class, worker) as confusion[(worker * K + class) * K + label]. */
  readonly confusion: Float64Array;
  /** What may be believed of an answer about which labels leave no doubt. */
  readonly certainty: number;
}

/** The temperature that labels of held-out tasks ask for; `f` has a row for each task of `rows`. */
export function temperatureByLabels(
  f: Float64Array,
  heldOut: CategoricalData,
  rows: Int32Array,
  belief: LabelBelief,
): number {
  const { certainty } = belief;
  const K = heldOut.classes.length;
  if (heldOut.label.length < FEW) return 1;
  const evidence = evidenceOf(heldOut, rows, belief);
  const independent = best(f, K, (q) => {
    const joint = q.map((p, at) => Math.log(p) + evidence[at]);
    let total = 0;
    for (let from = 0; from < joint.length; from += K) total += normalizeLog(joint, from, from + K);
    return total;
  });
  if (certainty === 1) return independent;
  const wanted = tempered(f, K, independent).map(
    (p) => certainty * p + ((1 - certainty) * (1 - p)) / (K - 1),
  );
  return best(f, K, (q) => q.reduce((sum, p, at) => sum + wanted[at] * Math.log(p), 0));
}

/** log P(labels | class) of held-out tasks, as evidence[row * K + class]. */
export function evidenceOf(
  heldOut: CategoricalData,
  rows: Int32Array,
  { confusion }: LabelBelief,
): Float64Array {
  const { task, worker, label } = heldOut;
  const K = heldOut.classes.length;
  const place = new Int32Array(heldOut.tasks.length);
  rows.forEach((t, row) => {
    place[t] = row;
  });
  const evidence = new Float64Array(rows.length * K);
  label.forEach((l, i) => {
    const to = place[task[i]] * K;
    const cell = worker[i] * K * K + l;
    for (let k = 0; k < K; k++) evidence[to + k] += Math.log(confusion[cell + k * K]);
  });
  return evidence;
}

/** What labels alone say, by `auto` without features. */
export function believeLabels(data: CategoricalData, seed: number): LabelBelief {
  const { posterior, temperature, sharedErrors } = auto(data, { effort: "fast", seed });
  // What auto assumes beyond what the labels show is for answers alone.
  const alike = sharedErrors.correlation > 2 * sharedErrors.deviation;
  const K = data.classes.length;
  const sharp = tempered(posterior, K, 1 / temperature);
  let [answers, believed] = [0, 0];
  sharp.forEach((p, at) => {
    if (p < NO_DOUBT) return;
    answers++;
    believed += posterior[at];
  });
  return {
    confusion: countedConfusion(data, posterior),
    certainty: !alike || answers < FEW ? 1 : believed / answers,
  };
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

function best(f: Float64Array, K: number, score: (q: Float64Array) => number): number {
  // In single precision what is very unlikely comes out as nothing.
  const positive = f.map((p) => Math.max(p, 1e-9));
  let [chosen, most] = [1, score(positive)];
  for (const T of TEMPERATURES) {
    const value = score(tempered(positive, K, T)) - Math.log(T) ** 2 / 2;
    if (value > most) [chosen, most] = [T, value];
  }
  return chosen;
}
