/**
 * The classes of tasks in a chain, drawn one after the other given all others.
 *
 *   P(z[t] = k | rest) ∝ (alpha[k] + n[k]) · what the labels of the task say of class k
 *
 * with n the tasks of each class without the task itself.
 */

import { categorical } from "../../../math/distributions.ts";
import { logMultivariateBeta } from "../../../math/gamma.ts";
import { normalizeLog } from "../../../math/log-sum-exp.ts";
import type { Random } from "../../../math/random.ts";
import type { ChainClasses, ChainTasks } from "./chain-tasks.ts";

/** Draws the first class of each task from the shares at the start. */
export function drawFirst({ K, starts }: ChainTasks, z: Int32Array, random: Random): void {
  for (let t = 0; t < z.length; t++) {
    z[t] = categorical(random, starts.subarray(t * K, (t + 1) * K));
  }
}

/** Writes the log of the prior of each class of task t to `logs`, given the classes of the others. */
export function logPriors(
  { K, learnt, fixed, base, counted }: ChainTasks,
  { tasksOf, logs }: ChainClasses,
  t: number,
): void {
  for (let k = 0; k < K; k++) {
    const shares = learnt ? (counted[t] ? tasksOf[k] : 1) : fixed[k];
    logs[k] = Math.log(base ? shares * base[t * K + k] : shares);
  }
}

/** Draws per class of task t by `logs`, and keeps the probabilities it was drawn by. */
export function drawClass(
  { z, conditional, logs, shares }: ChainClasses,
  t: number,
  random: Random,
): void {
  const K = logs.length;
  for (let k = 0; k < K; k++) shares[k] = logs[k];
  normalizeLog(shares, 0, K);
  for (let k = 0; k < K; k++) conditional[t * K + k] = shares[k];
  z[t] = categorical(random, shares);
}

/** Returns log p(classes), the prior integrated out. */
export function logClassDensity(
  { T, K, learnt, fixed, alpha, base }: ChainTasks,
  { z, tasksOf }: ChainClasses,
): number {
  let log = learnt ? logMultivariateBeta(tasksOf) - logMultivariateBeta(alpha) : 0;
  for (let t = 0; t < T; t++) {
    if (base) log += Math.log(base[t * K + z[t]]);
    if (!learnt) log += Math.log(fixed[z[t]]);
  }
  return log;
}
