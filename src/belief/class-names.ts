/**
 * Which found class is which. A likelihood, and every moment, stays the same when the true classes
 * change places for all workers at once, so a fit that did not start from votes has to name its classes.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { assign } from "../math/assignment.ts";
import type { Shape } from "./confusion-table.ts";

export const anchorOption = {
  anchor: {
    default: "crowd",
    choices: ["crowd", "experts"],
    help: "Workers who name the classes: all, or the most informative ones. Gold overrides both.",
  },
} as const;

export interface Evidence {
  /** P(class), in the order found. */
  readonly prior: Float64Array;
  /** How much each worker counts, say by number of labels. */
  readonly labels: ArrayLike<number>;
  readonly anchor: "crowd" | "experts";
  readonly data: CategoricalData;
  readonly gold?: Int32Array | undefined;
}

/**
 * The found class that each class is: place[class]. It makes as many labels as possible right, or
 * the labels on tasks with gold as probable as possible where there are any.
 */
export function nameClasses(confusion: Float64Array, evidence: Evidence, shape: Shape): Int32Array {
  const K = shape.classes;
  const gain = evidence.gold?.some((k) => k >= 0)
    ? goldGain(confusion, evidence.data, evidence.gold, shape)
    : labelGain(confusion, evidence, shape);
  return assign(
    gain.map((value) => -value),
    K,
  );
}

/** Expected number of labels `class` on tasks of the found class: gain[class * K + found]. */
function labelGain(
  confusion: Float64Array,
  { prior, labels, anchor }: Evidence,
  { workers: W, classes: K, given: L }: Shape,
): Float64Array {
  const gain = new Float64Array(K * K);
  for (let w = 0; w < W; w++) {
    const table = confusion.subarray(w * K * L, (w + 1) * K * L);
    const weight = labels[w] * (anchor === "experts" ? information(table, prior, L) ** 2 : 1);
    for (let found = 0; found < K; found++) {
      for (let k = 0; k < K; k++) {
        gain[k * K + found] += weight * prior[found] * table[found * L + k];
      }
    }
  }
  return gain;
}

/** What a label tells of the class, in nats. */
function information(table: Float64Array, prior: Float64Array, L: number): number {
  const marginal = new Float64Array(L);
  for (let at = 0; at < table.length; at++)
    marginal[at % L] += prior[Math.floor(at / L)] * table[at];
  let sum = 0;
  for (let at = 0; at < table.length; at++) {
    if (table[at] > 0 && prior[Math.floor(at / L)] > 0) {
      sum += prior[Math.floor(at / L)] * table[at] * Math.log(table[at] / marginal[at % L]);
    }
  }
  return sum;
}

/** Log-probability of the labels on tasks with that gold under the found class. */
function goldGain(
  confusion: Float64Array,
  { task, worker, label, weight }: CategoricalData,
  gold: Int32Array,
  { classes: K, given: L }: Shape,
): Float64Array {
  const gain = new Float64Array(K * K);
  for (let i = 0; i < label.length; i++) {
    const k = gold[task[i]];
    if (k < 0) continue;
    for (let found = 0; found < K; found++) {
      const rate = Math.max(1e-3, confusion[(worker[i] * K + found) * L + label[i]]);
      gain[k * K + found] += (weight ? weight[i] : 1) * Math.log(rate);
    }
  }
  return gain;
}

/** The confusions with class k where the found class place[k] was. */
export function renamed(
  confusion: Float64Array,
  place: Int32Array,
  { workers: W, classes: K, given: L }: Shape,
): Float64Array {
  const moved = new Float64Array(confusion.length);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      const from = (w * K + place[k]) * L;
      moved.set(confusion.subarray(from, from + L), (w * K + k) * L);
    }
  }
  return moved;
}
