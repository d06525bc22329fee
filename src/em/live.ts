/**
 * What live inference needs of a count-based method: its sufficient statistics, its M step and its
 * E step, one label at a time. A method that can be kept live has such a record on its card.
 *
 * The statistics of all workers stand in one array, `cells` numbers per worker; `online/` keeps them
 * up to date and hands them to the functions below.
 */
import type { Known } from "../belief/known.ts";

/** What a live model is made for: K classes, L things that a label can say, and what is known. */
export interface LiveContext {
  readonly K: number;
  readonly L: number;
  /** Things that a label can say for which statistics have room: L, or more if L may change. */
  readonly room: number;
  /** Workers beyond the end of `history` have none. */
  readonly known: Pick<Known, "prior" | "priorCounts" | "taskPrior" | "history">;
}

/** Sums over the whole crowd. */
export interface LiveTotals {
  /** Beliefs of all tasks by class; without gold if gold does not count towards the prior. */
  readonly tasks: Float64Array;
  /** Weights of all labels, by what they say. */
  readonly labels: Float64Array;
  /** Statistics of all workers together, if the model asks for them. */
  readonly pooled: Float64Array;
}

export interface LiveModel {
  /** Statistics per worker. */
  readonly cells: number;
  /** Neighbouring statistics that one label adds to. */
  readonly width: number;
  /** True if the M step needs the statistics of all workers together. */
  readonly pools: boolean;
  /** P(class), as of the last `learn`. */
  readonly prior: Float64Array;
  /** Returns how many labels per label counts for in the statistics; 0 if it is left out. */
  mass(label: number, weight: number): number;
  /**
   * Writes what a label of mass one adds to its worker's statistics if belief[at + class] is what is
   * believed of its task, to into[0..width), and returns the first cell that it adds to.
   */
  unit(label: number, belief: Float64Array, at: number, into: Float64Array): number;
  /** Makes the parameters that all tasks share: the class prior and what workers are shrunk to. */
  learn(totals: LiveTotals): void;
  /** Writes what is believed of a task before its labels; base[at + class] multiplies the prior. */
  open(base: Float64Array | undefined, at: number, scores: Float64Array): void;
  /** Adds what a label of worker `w` says to scores[class], under that worker's statistics. */
  hear(
    statistics: Float64Array,
    w: number,
    label: number,
    weight: number,
    scores: Float64Array,
  ): void;
  /** Turns scores into probabilities, in place. */
  close(scores: Float64Array): void;
  /** Returns P(right label) of each of W workers. */
  skills(statistics: Float64Array, W: number): Float64Array;
  /**
   * Returns the objective less what belongs to single tasks: the expected log-likelihood of labels and
   * classes under the statistics, and the log density (or divergence) of the parameters.
   */
  objective(statistics: Float64Array, W: number, totals: LiveTotals): number;
}
