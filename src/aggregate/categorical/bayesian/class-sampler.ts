/**
 * One chain of the model of iBCC: the class of every task is drawn in turn, prior and confusions
 * integrated out.
 *
 *   P(z[t] = k | rest) ∝ (classCount + n[k]) · product over its labels of (beta[k, l] + m[w, k, l]) / sum over l
 *
 * with n and m the counts of tasks and labels without the task itself.
 */

import { type Entries, entriesOf, logRising } from "../../../belief/gibbs.ts";
import type { NameOrder } from "../../../belief/name-order.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { priorTable } from "../../../em/ibcc.ts";
import { beta as betaDraw, dirichlet } from "../../../math/distributions.ts";
import { logMultivariateBeta } from "../../../math/gamma.ts";
import type { Random } from "../../../math/random.ts";
import { drawClass, drawFirst, logClassDensity, logPriors } from "./chain-draws.ts";
import { type ChainClasses, type ChainTasks, createClasses, createTasks } from "./chain-tasks.ts";
import type { CountSettings } from "./count-settings.ts";

/** As many factors above 1e-10 cannot underflow. */
const BLOCK = 16;

/** Another source of evidence about classes in a chain, with a state of its own. */
export interface Voice {
  /** Draws its state given the classes of all tasks. */
  draw(z: Int32Array): void;
  /** Adds the log of what it says of each class of a task. */
  speak(t: number, logs: Float64Array): void;
  /** Returns the log density of its state, and of what it says of these classes. */
  logDensity(z: Int32Array): number;
  /** Notes its state, which is kept. */
  keep(): void;
}

/** Where chains start, in shares of classes of all tasks, and which other evidence they use. */
export interface ChainParts {
  /** Chains whose R-hat is above this have not met. */
  readonly mixed: number;
  shares(data: CategoricalData): Float64Array;
  voice?(entries: Entries, sorted: NameOrder): (random: Random) => Voice;
}

/** What all chains share. */
export interface ClassModel {
  readonly W: number;
  readonly K: number;
  readonly L: number;
  readonly entries: Entries;
  readonly tasks: ChainTasks;
  /** Prior counts of labels, as beta[(worker * L + label) * K + class]. */
  readonly beta: Float64Array;
  readonly voiceOf: ((random: Random) => Voice) | undefined;
  /** P(class), if it is the same for all tasks and fixed. */
  readonly shares: Float64Array | undefined;
}

/** Collects what all chains share. */
export function createClassModel(
  sorted: NameOrder,
  options: CountSettings,
  { K, L }: { readonly K: number; readonly L: number },
  parts: ChainParts,
): ClassModel {
  const { data, known } = sorted;
  const W = data.workers.length;
  const entries = entriesOf(data);
  const voiceOf = parts.voice?.(entries, sorted);
  const beta = priorTable({ workers: W, classes: K, given: L }, options, known.history);
  const tasks = createTasks(data, known, options, parts.shares(data));
  const shares = tasks.learnt || known.taskPrior ? undefined : tasks.fixed;
  return { W, K, L, entries, tasks, beta, voiceOf, shares };
}

/** Where a chain is. */
export interface ClassChain extends ChainClasses {
  readonly model: ClassModel;
  readonly random: Random;
  readonly voice: Voice | undefined;
  /** Labels with the prior's, as counts[(worker * L + label) * K + class]. */
  readonly counts: Float64Array;
  /** Their sums over labels, as totals[worker * K + class]. */
  readonly totals: Float64Array;
  readonly product: Float64Array;
  /** log p(labels, classes). */
  objective: number;
}

/** Starts a chain: all tasks get a class drawn from the shares at the start. */
export function startChain(model: ClassModel, random: Random): ClassChain {
  const { W, K, L, tasks, beta } = model;
  const chain: ClassChain = {
    ...createClasses(tasks),
    model,
    random,
    voice: model.voiceOf?.(random),
    counts: beta.slice(),
    totals: new Float64Array(W * K),
    product: new Float64Array(K),
    objective: 0,
  };
  for (let at = 0; at < beta.length; at++)
    chain.totals[Math.floor(at / (L * K)) * K + (at % K)] += beta[at];
  drawFirst(tasks, chain.z, random);
  for (let t = 0; t < tasks.T; t++) move(chain, t, chain.z[t], 1);
  chain.objective = logJoint(chain);
  return chain;
}

/** Draws the class of every task once; returns log p(labels, classes), with what the voice says. */
export function sweepClasses(chain: ClassChain): number {
  const { random, voice, z, logs } = chain;
  voice?.draw(z);
  for (let t = 0; t < z.length; t++) {
    move(chain, t, z[t], -1);
    weigh(chain, t);
    voice?.speak(t, logs);
    const last = logs[z[t]];
    drawClass(chain, t, random);
    // Where it started may have been impossible, and then says nothing of the change.
    if (last > -Infinity) chain.objective += logs[z[t]] - last;
    move(chain, t, z[t], 1);
  }
  if (voice) return logJoint(chain) + voice.logDensity(z);
  if (!Number.isFinite(chain.objective)) chain.objective = logJoint(chain);
  return chain.objective;
}

/** Adds the labels of task t to the counts of class k, or takes them away. */
function move(chain: ClassChain, t: number, k: number, sign: number): void {
  const { model, tasksOf, counts, totals } = chain;
  const { K, L, tasks } = model;
  const { start, worker, label, count } = model.entries;
  if (tasks.counted[t]) tasksOf[k] += sign;
  const end = start[t + 1];
  for (let e = start[t]; e < end; e++) {
    const w = worker[e];
    const change = sign * count[e];
    counts[(w * L + label[e]) * K + k] += change;
    totals[w * K + k] += change;
  }
}

/** Writes the log of P(class | all other tasks) of task t to `logs`, but for a constant. */
function weigh(chain: ClassChain, t: number): void {
  const { model, counts, totals, logs, product } = chain;
  const { K, L } = model;
  const { start, worker, label, count, before } = model.entries;
  logPriors(model.tasks, chain, t);
  product.fill(1);
  const end = start[t + 1];
  for (let e = start[t], room = BLOCK; e < end; e++, room--) {
    const row = worker[e] * K;
    const cell = row * L + label[e] * K;
    const n = count[e];
    const earlier = before[e];
    if (n === 1) {
      for (let k = 0; k < K; k++) product[k] *= counts[cell + k] / (totals[row + k] + earlier);
    } else {
      for (let k = 0; k < K; k++) {
        logs[k] += logRising(counts[cell + k], n);
        logs[k] -= logRising(totals[row + k] + earlier, n);
      }
    }
    if (room > 1 && e + 1 < end) continue;
    for (let k = 0; k < K; k++) logs[k] += Math.log(product[k]);
    product.fill(1);
    room = BLOCK + 1;
  }
}

/** Returns log p(labels, classes), parameters integrated out. */
function logJoint(chain: ClassChain): number {
  const { W, K, L, tasks, beta } = chain.model;
  let log = logClassDensity(tasks, chain);
  const row = new Float64Array(L);
  const prior = new Float64Array(L);
  for (let at = 0; at < W * K; at++) {
    const from = Math.floor(at / K) * L * K + (at % K);
    for (let l = 0; l < L; l++) {
      row[l] = chain.counts[from + l * K];
      prior[l] = beta[from + l * K];
    }
    log += logMultivariateBeta(row) - logMultivariateBeta(prior);
  }
  return log;
}

/** Returns the mean of each confusion given the classes, as rates[(worker * L + label) * K + class]. */
export function ratesOf({ model: { K, L }, counts, totals }: ClassChain): Float64Array {
  return counts.map((n, at) => n / totals[Math.floor(at / (L * K)) * K + (at % K)]);
}

/** Draws each worker's skill given the classes. */
export function drawSkills(
  { model, tasksOf, counts, totals }: ClassChain,
  stream: Random,
  take: (w: number, skill: number) => void,
): void {
  const { W, K, L } = model;
  const shares = model.shares ?? dirichlet(stream, tasksOf);
  for (let w = 0; w < W; w++) {
    let skill = 0;
    for (let k = 0; k < K; k++) {
      const right = counts[(w * L + k) * K + k];
      const wrong = totals[w * K + k] - right;
      skill += shares[k] * (L > 1 ? betaDraw(stream, right, wrong) : 1);
    }
    take(w, skill);
  }
}

/** Returns the mean over the labels of how often a class is called by its name. */
export function diagonalMass({ model: { W, K, L }, counts, totals }: ClassChain): number {
  let [right, all] = [0, 0];
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      right += counts[(w * L + k) * K + k];
      all += totals[w * K + k];
    }
  }
  return all > 0 ? right / all : 1;
}
