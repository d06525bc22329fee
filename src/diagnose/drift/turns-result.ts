/** What `numericDrift` and `pairwiseDrift` return: plain data, one entry per worker, times as in the data. */

/** What may turn: the size of errors and their mean, or how often a judge follows the others and chooses left. */
export type TurnMeasure = "noise" | "bias" | "agreement" | "side";

/** A number with its 95 % interval. */
export interface TurnEstimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** One measure of a worker before and after one place among the answers. */
export interface Turn {
  readonly measure: TurnMeasure;
  /** Time of the first answer after the turn. */
  readonly at: number;
  /** Number of the worker's answers before the turn, and its interval. */
  readonly answer: number;
  readonly low: number;
  readonly high: number;
  /** The interval of the time. */
  readonly earliest: number;
  readonly latest: number;
  readonly before: number;
  readonly after: number;
  /** How often shuffled answers turn as clearly. */
  readonly p: number;
  /** The same, corrected for all workers and measures by Holm's method. */
  readonly corrected: number;
}

/** A stretch of a worker's answers, with every measure in it. */
export interface TurnSpan {
  /** Time of the first and of the last answer of the stretch. */
  readonly from: number;
  readonly to: number;
  readonly answers: number;
  readonly measures: Readonly<Partial<Record<TurnMeasure, TurnEstimate>>>;
}

/** A reason to look at how a worker's answers went: `few-answers`, a measure, or `task-drift`. */
export type TurnFlag = "few-answers" | "task-drift" | TurnMeasure;

/** How one worker's answers went over time. */
export interface WorkerTurns {
  readonly worker: string;
  /** Number of answers with a time. */
  readonly answers: number;
  /** Number of these that the other workers can judge. */
  readonly judged: number;
  readonly curve: readonly TurnSpan[];
  /** Turns that chance does not explain. */
  readonly turns: readonly Turn[];
  /** True if the worker's own answers turned, not the tasks. */
  readonly drift: boolean;
  readonly flags: readonly TurnFlag[];
  /** One sentence for each flag, in the same order, with the numbers behind it. */
  readonly reasons: readonly string[];
}

/** A date at which one measure turned alike for many workers, so that the tasks are the likely cause. */
export interface CommonTurn {
  readonly measure: TurnMeasure;
  readonly at: number;
  readonly direction: "fall" | "rise";
  readonly workers: readonly string[];
  /** Number of workers who were active before and after the date. */
  readonly active: number;
}

/** How the answers of all workers went over time. */
export interface Turns {
  /** The measures that were looked at. */
  readonly measures: readonly TurnMeasure[];
  /** In the order of data.workers. */
  readonly workers: readonly WorkerTurns[];
  readonly taskDrift: readonly CommonTurn[];
  /** Number of tests for which p-values are corrected. */
  readonly tests: number;
  readonly notes: readonly string[];
}
