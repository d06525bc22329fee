/**
 * What both kinds of belief propagation share: the labels worker by worker, and what a task believes.
 *
 * Messages live on labels. A label of weight x stands for x labels alike, each with the same message;
 * what a worker or a task hears of the others leaves one of them out (all of it where x is below 1).
 */
import { byWorker, type CategoricalData, selectLabels } from "../../../data/categorical.ts";
import { sortedWeights } from "../../../data/sorted-weights.ts";
import type { Random } from "../../../math/random.ts";

/** The labels of worker w stand at start[w]..start[w + 1]. */
export interface Edges {
  readonly start: Int32Array;
  readonly task: Int32Array;
  readonly label: Int32Array;
  readonly weight: Float64Array | undefined;
  /** Sum of the weights of each worker's labels. */
  readonly load: Float64Array;
  /** Most labels of a worker. */
  readonly longest: number;
}

/** How messages are made. */
export interface MessageSettings<Prior> {
  readonly prior: Prior;
  readonly history?: Float64Array | undefined;
  /** From 0 to below 1: how much of the last message, as a log, stays in the next. */
  readonly damping: number;
  /** How means are taken. */
  readonly integral: "quadrature" | "mc" | "poly";
  /** Nodes that are drawn for "mc", once or for each sweep. */
  readonly samples: number;
  readonly resample: "run" | "sweep";
  readonly random: Random;
}

/** What all workers tell the tasks. */
export interface Messages {
  /**
   * Hears belief[task * K + class], answers, and adds the logs of the answers to sums, laid out alike;
   * returns the largest change of a message.
   */
  pass(belief: Float64Array, sums: Float64Array): number;
  /** What the last pass adds to the log evidence: log Z of each worker less that of each label. */
  evidence(): number;
  /** Forgets all messages. */
  restart(): void;
  /** What the messages of now say of the workers. */
  workers(belief: Float64Array): Workers;
}

export interface Workers {
  /** Posterior mean, as confusion[(worker * K + class) * L + label]. */
  readonly confusion: Float64Array;
  /** How many nodes share the posterior of each: the inverse of the sum of their squared shares. */
  readonly effective: Float64Array;
}

/** The labels that say less than `given`, worker by worker. */
export function edgesOf(data: CategoricalData, given: number): Edges {
  const kept = data.label.every((l) => l < given)
    ? data
    : selectLabels(data, (i) => data.label[i] < given);
  const { start, other, label } = byWorker(kept);
  const W = kept.workers.length;
  const load = new Float64Array(W);
  let longest = 0;
  for (let w = 0; w < W; w++) {
    load[w] = start[w + 1] - start[w];
    longest = Math.max(longest, load[w]);
  }
  if (kept.weight) {
    load.fill(0);
    for (let i = 0; i < label.length; i++) load[kept.worker[i]] += kept.weight[i];
  }
  const weight = sortedWeights(kept, kept.worker, start);
  return { start, task: other, label, weight, load, longest };
}

/**
 * What each task believes under h and the summed logs of its messages, as belief[task * K + class]:
 * the most probable class has h, the others less; not normalised. Returns the sum of their log Z.
 */
export function believe(
  h: Float64Array,
  sums: Float64Array,
  K: number,
  belief: Float64Array,
): number {
  let logZ = 0;
  for (let from = 0; from < h.length; from += K) {
    let max = -Infinity;
    for (let k = from; k < from + K; k++) if (h[k] > 0 && sums[k] > max) max = sums[k];
    let total = 0;
    for (let k = from; k < from + K; k++) {
      belief[k] = h[k] > 0 ? h[k] * Math.exp(sums[k] - max) : 0;
      total += belief[k];
    }
    logZ += max + Math.log(total);
  }
  return logZ;
}

/** Nodes are left out whose log share is below the largest by this. */
export const FAR = 30;

/** Products of factors, each above 1e-13, become logs below this. */
export const TINY = 1e-200;

/** Where a sequence that rises and then falls is largest. */
export function peakOf(length: number, at: (s: number) => number): number {
  let [low, high] = [0, length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(middle) < at(middle + 1)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * How many nodes are good to 1e-8 for so many labels that say something, 16 or more: the error falls as
 * exp(-2·nodes² / labels). One of few numbers (16, 20, 24, 28, 32, 40, …), so that rules can be kept.
 */
export function nodesNeeded(telling: number): number {
  const least = Math.max(16, 3 * Math.sqrt(telling));
  const step = 2 ** (Math.floor(Math.log2(least)) - 2);
  return step * Math.ceil(least / step);
}
