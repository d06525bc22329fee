/**
 * A live model: labels come, go and are corrected one at a time, and beliefs follow at once.
 *
 * It stands on the result of a count-based method. Every label costs the labels of its task and the
 * statistics of their workers, not the data: incremental EM replaces the task's share of the
 * sufficient statistics (live-steps.ts). Other tasks are looked at again by `sweep`, and `refit` fits
 * all that remains as the method itself would.
 */
import type { Aggregation, AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { aggregators } from "../aggregate/categorical/index.ts";
import { checkSameData } from "../aggregate/categorical/same-data.ts";
import { checkKnown, type Known } from "../belief/known.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { Name } from "../data/rows.ts";
import { settle, type Values } from "../method.ts";
import { chooseMethod, type LiveResult } from "./choose-method.ts";
import {
  answersOf,
  beliefOf,
  confusionOf,
  type LiveAnswer,
  type LiveBelief,
  type LiveSkill,
  type LiveVote,
  skillsOf,
  votesOf,
} from "./live-answers.ts";
import { createReader, type LiveLabel } from "./live-label.ts";
import { createState, dataOf, knownOf, taskNumber, withTaskPriors } from "./live-state.ts";
import {
  applyLabel,
  objectiveOf,
  setGoldClass,
  setPriorOf,
  sweepTasks,
  withdrawLabel,
} from "./live-steps.ts";

/** Options of live models, for the build to document. @public */
export const optionTable = {
  step: {
    default: "incremental",
    choices: ["incremental", "stochastic"],
    help: "How statistics follow a label: exact sums, or running means that forget.",
  },
  exponent: {
    default: 0.6,
    min: 0.5,
    max: 1,
    help: "Size of a stochastic step: a worker's number of labels to the power of minus this.",
  },
  clock: {
    default: "worker",
    choices: ["worker", "all"],
    help: "Labels that a stochastic step counts: those of the worker, or all, which forgets workers who are seldom heard.",
  },
} as const;

/** How a live model follows new labels. */
export interface OnlineOptions extends Partial<Values<typeof optionTable>> {
  /** Methods by which the result may have been made; default: all aggregators. */
  readonly methods?: readonly AnyAggregator[];
}

/** A live model of a crowd. Tasks, workers and classes are named as in the data. */
export interface OnlineModel {
  /** The method that the model stands for; for a result of `auto` the heaviest candidate that can be live. */
  readonly method: string;
  /** All options of that method. */
  readonly options: Aggregation["options"];
  /**
   * Adds a label and updates what is believed of its task and worker. New tasks and workers may appear
   * at any time. Several labels by one worker for one task all count.
   */
  apply(label: LiveLabel): void;
  /**
   * Takes the latest such label away. If it was the last to change its task, the model is as if the
   * label had never come. The names of task and worker stay.
   */
  withdraw(label: Pick<LiveLabel, "task" | "worker" | "label">): void;
  /** Replaces the latest label of this worker for this task; it counts as having come now. */
  correct(label: LiveLabel): void;
  /** Fixes the class of a task, or forgets it (undefined). The task may be new. */
  setGold(task: Name, gold: Name | boolean | undefined): void;
  /**
   * Sets what is believed of a task before its labels, in place of the class prior: P(class) in the order of the classes,
   * such as the prediction of a classifier. The task may be new. Other tasks keep the class prior of the moment.
   */
  setTaskPrior(task: Name, prior: ArrayLike<number>): void;
  /** Tells whether the task has had a label, gold or a prior of its own. */
  has(task: Name): boolean;
  /** Returns what is believed of a task, as of the last time that it was looked at. */
  posterior(task: Name): LiveBelief;
  /** Returns the labels of a task that the model hears, latest first. */
  votes(task: Name): LiveVote[];
  /** Yields the most probable class of every task; ties go by the method's rule. */
  answers(): Iterable<LiveAnswer>;
  /** Returns P(right label) and the number of labels of every worker. */
  skills(): LiveSkill[];
  /**
   * Returns P(label | class) of a worker as rows[class * L + label]; of a worker without labels, what the model expects of
   * a new one.
   */
  confusion(worker: Name): Float64Array;
  /**
   * Looks at all tasks once with the current parameters and returns the largest change of a
   * probability. Repeated until nothing changes it ends at a fixed point of the batch method. O(labels).
   */
  sweep(): number;
  /** Returns what sweeps climb, in nats; at a fixed point the objective of the batch method. O(statistics). */
  objective(): number;
  /** Fits what remains exactly as the method does, goes on from there, and returns the result. */
  refit(): Aggregation;
  /** Returns the labels that remain, in order of arrival; tasks and workers by first appearance. */
  data(): CategoricalData;
  /** Returns what is known now: `method(data(), options, known())` is what `refit` computes. */
  known(): Known;
}

/**
 * Returns a live model of labels and the result that a method gave for them. `known` is what the
 * method was given; gold, priors, evidence and history stay in force, `start` is forgotten.
 *
 * Throws `not-supported` if the method keeps no counts that could be updated.
 */
export function online(
  data: CategoricalData,
  result: LiveResult,
  known: Known = {},
  { methods = aggregators, ...chosen }: OnlineOptions = {},
): OnlineModel {
  const { step, exponent, clock } = settle("online", optionTable, chosen);
  checkSameData("online", data, result);
  const { method, options, make, fitted } = chooseMethod(data, result, known, methods);
  checkKnown(`online, ${method.id}`, data, fitted.given, known);
  const settings = {
    make,
    abstains: options["abstentions"] === "model",
    exponent: step === "stochastic" ? exponent : undefined,
    clock,
  };
  let state = createState(data, fitted.posterior, known, settings);
  const read = createReader(() => state);
  return {
    method: method.id,
    options,
    apply: (label) => applyLabel(state, read.newLabel(label)),
    withdraw: (label) => withdrawLabel(state, read.place(label)),
    correct(label) {
      const place = read.latestPlace(label);
      const corrected = read.newLabel(label);
      withdrawLabel(state, place);
      applyLabel(state, corrected);
    },
    setGold(task, gold) {
      const [t, k] = read.gold(task, gold);
      setGoldClass(state, t, k);
    },
    setTaskPrior(task, prior) {
      const [name, shares] = read.prior(task, prior);
      if (!state.known.taskPrior) state = withTaskPriors(state, settings);
      setPriorOf(state, taskNumber(state, name), shares);
    },
    has: (task) => read.has(task),
    votes: (task) => votesOf(state, read.task(task)),
    posterior: (task) => beliefOf(state, read.task(task)),
    answers: () => answersOf(state, options, method.probabilistic),
    skills: () => skillsOf(state),
    confusion: (worker) => confusionOf(state, read.worker(worker)),
    sweep: () => sweepTasks(state),
    objective: () => objectiveOf(state),
    refit() {
      const [remaining, stillKnown] = [dataOf(state), knownOf(state)];
      const refitted = method(remaining, options, stillKnown);
      state = createState(remaining, refitted.posterior, stillKnown, settings);
      return refitted;
    },
    data: () => dataOf(state),
    known: () => knownOf(state),
  };
}
