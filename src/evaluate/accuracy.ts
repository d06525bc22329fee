/** How often the answer is the gold one, under each rule for ties. */
import type { Names } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import { wilsonInterval } from "../math/incomplete.ts";

/** Beliefs and what is known of the truth, of the same tasks in the same order. */
export interface Scored {
  readonly classes: Names;
  /** P(class) as posterior[task * K + class]. */
  readonly posterior: Float64Array;
  /** Known class of each task, or -1; only known ones are scored. */
  readonly gold: Int32Array;
  /** The class chosen for each task, or -1 for none; default: the first most probable. */
  readonly consensus?: Int32Array | undefined;
  /** How sure each answer is, which calibration judges; default: its probability. */
  readonly confidence?: Float64Array | undefined;
}

/** An estimate with its 95 % interval. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Accuracy against gold, under several rules for ties. */
export interface Accuracy {
  /** Of the classes chosen, with a Wilson interval; a task without a choice counts as wrong. */
  readonly chosen: Interval;
  /** Ties shared: each of n tied classes earns 1/n. The convention of published tables. */
  readonly split: number;
  /** Ties to the lowest class, to the highest, and with tied tasks left out. */
  readonly first: number;
  readonly last: number;
  readonly decided: number;
  /** Scored tasks, and how many of them are tied. */
  readonly tasks: number;
  readonly ties: number;
}

/** Computes the share of right answers among tasks with gold. */
export function accuracy(scored: Scored): Accuracy {
  const K = scored.classes.length;
  const choices = scored.consensus ?? firstChoices(scored);
  const sums = { chosen: 0, split: 0, first: 0, last: 0, decided: 0 };
  let tasks = 0;
  let ties = 0;
  for (let t = 0; t < scored.gold.length; t++) {
    const gold = scored.gold[t];
    if (gold < 0) continue;
    tasks++;
    const tied = tiedClasses(scored.posterior, t * K, K);
    if (choices[t] === gold) sums.chosen++;
    if (tied[0] === gold) sums.first++;
    if (tied[tied.length - 1] === gold) sums.last++;
    if (tied.includes(gold)) sums.split += 1 / tied.length;
    if (tied.length > 1) ties++;
    else if (tied[0] === gold) sums.decided++;
  }
  if (tasks === 0) throw noGold();
  return {
    chosen: { value: sums.chosen / tasks, ...wilsonInterval(sums.chosen, tasks) },
    split: sums.split / tasks,
    first: sums.first / tasks,
    last: sums.last / tasks,
    decided: tasks > ties ? sums.decided / (tasks - ties) : 0,
    tasks,
    ties,
  };
}

/** Credit of each scored task: 1 where right, 1/n where one of n tied classes is. */
export function credits({ classes, posterior, gold }: Scored): Float64Array {
  const K = classes.length;
  const list: number[] = [];
  for (let t = 0; t < gold.length; t++) {
    if (gold[t] < 0) continue;
    const tied = tiedClasses(posterior, t * K, K);
    list.push(tied.includes(gold[t]) ? 1 / tied.length : 0);
  }
  return Float64Array.from(list);
}

/** The classes within 1e-12 of the most probable one. */
function tiedClasses(posterior: Float64Array, from: number, K: number): number[] {
  let max = -Infinity;
  for (let k = from; k < from + K; k++) if (posterior[k] > max) max = posterior[k];
  const slack = 1e-12 * Math.max(1, Math.abs(max));
  const tied: number[] = [];
  for (let k = 0; k < K; k++) if (max - posterior[from + k] <= slack) tied.push(k);
  return tied;
}

function firstChoices({ classes, posterior, gold }: Scored): Int32Array {
  return gold.map((_, t) => tiedClasses(posterior, t * classes.length, classes.length)[0]);
}

export function noGold(): CrowdError {
  return new CrowdError("bad-data", "No task has gold, so there is nothing to score against.");
}
