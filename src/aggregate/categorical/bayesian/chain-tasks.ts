/**
 * What chains that draw the class of every task share: prior counts, and what is known of single tasks.
 *
 *   prior ~ Dirichlet(alpha),  z[t] ~ Categorical(prior)     the prior integrated out, or fixed
 */

import { skillOf, transpose } from "../../../belief/confusion-table.ts";
import { countsInPrior, type Means } from "../../../belief/gibbs.ts";
import { type Known, startingPosterior, taskBase } from "../../../belief/known.ts";
import type { NameOrder } from "../../../belief/name-order.ts";
import { sumOverTasks } from "../../../belief/task-priors.ts";
import { expectedLabels } from "../../../belief/worker-beliefs.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { createClassPrior } from "../../../em/class-prior.ts";
import type { Context } from "../aggregator.ts";
import type { CountSettings } from "./count-settings.ts";

/** What is fixed about the tasks of all chains. */
export interface ChainTasks {
  readonly T: number;
  readonly K: number;
  /** True if the prior is drawn with the rest, and then integrated out. */
  readonly learnt: boolean;
  /** P(class) otherwise. */
  readonly fixed: Float64Array;
  /** Prior count of tasks of each class. */
  readonly alpha: Float64Array;
  /** What multiplies the likelihood of each task, as base[task * K + class]. */
  readonly base: Float64Array | undefined;
  /** Shares from which the first class of each task is drawn, as starts[task * K + class]. */
  readonly starts: Float64Array;
  /** False for tasks that say nothing of how common classes are. */
  readonly counted: readonly boolean[];
}

/** The classes of all tasks in one chain. */
export interface ChainClasses {
  /** The class of each task. */
  readonly z: Int32Array;
  /** Tasks of each class, with the prior's. */
  readonly tasksOf: Float64Array;
  /** P(class | all else) of each task when it was last drawn, as conditional[task * K + class]. */
  readonly conditional: Float64Array;
  /** Room for the log of P(class | all else) of one task, but for a constant, and for the probabilities. */
  readonly logs: Float64Array;
  readonly shares: Float64Array;
}

/** Returns the prior count of tasks of each class. */
function priorTasks({ priorCounts }: Known, classCount: number, K: number): Float64Array {
  return new Float64Array(K).map((_, k) => classCount + (priorCounts?.[k] ?? 0));
}

/** Collects what is fixed about the tasks; chains start from the given vote shares. */
export function createTasks(
  data: CategoricalData,
  known: Known,
  { classCount, prior }: CountSettings,
  shares: Float64Array,
): ChainTasks {
  const K = data.classes.length;
  return {
    T: data.tasks.length,
    K,
    learnt: prior === "learn" && !known.prior && !known.taskPrior,
    fixed: createClassPrior(data, known, prior).factor,
    alpha: priorTasks(known, classCount, K),
    base: taskBase(data, known),
    starts: startingPosterior(data, known, shares),
    counted: Array.from(data.tasks, (_, t) => countsInPrior(known, t)),
  };
}

/** Makes room for the classes of one chain; no task is counted yet. */
export function createClasses({ T, K, alpha }: ChainTasks): ChainClasses {
  return {
    z: new Int32Array(T),
    tasksOf: alpha.slice(),
    conditional: new Float64Array(T * K),
    logs: new Float64Array(K),
    shares: new Float64Array(K),
  };
}

/** Returns what all chains say of tasks and workers on average, in the order of the data set. */
export function readChains(
  data: CategoricalData,
  {
    known,
    restore,
    averageAlike,
  }: Pick<Context, "known" | "averageAlike"> & Pick<NameOrder, "restore">,
  { classCount, prior }: CountSettings,
  means: { readonly posterior: Means; readonly confusion: Means },
  L: number,
) {
  const K = data.classes.length;
  const shape = { workers: data.workers.length, classes: K, given: L };
  const { mean, standardError } = means.posterior.finish();
  const posterior = restore.posterior(mean);
  averageAlike(posterior);
  const confusion = restore.confusion(transpose(means.confusion.finish().mean, shape));
  const priorCounts = priorTasks(known, classCount, K);
  const classes = createClassPrior(data, { ...known, priorCounts }, prior);
  classes.update(sumOverTasks(posterior, K));
  return {
    posterior,
    standardError: restore.posterior(standardError),
    prior: classes.shares,
    confusion,
    exposure: expectedLabels(data, posterior, K),
    skill: skillOf(confusion, classes.shares, shape),
  };
}
