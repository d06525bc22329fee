/**
 * What a simulated crowd labels: tasks of its own making, or tasks that are there already.
 *
 * Tasks to test on come after the others in everything that a scenario draws, so the labels of the
 * others do not depend on how many there are.
 */

import { type Features, rowSize } from "../data/features.ts";
import { type Names, namesOf } from "../data/names.ts";
import { CrowdError, plural } from "../error.ts";
import type { OptionTable } from "../method.ts";

/** Tasks whose class is known. */
export interface TasksWithTruth {
  /** The class of each. */
  readonly truth: Int32Array;
  /** What they look like, one row for each, in the same order and under their names. */
  readonly features?: Features | undefined;
  /** Their names; default: those of the features, else t0, t1, … */
  readonly tasks?: Names | readonly string[] | undefined;
}

/** Tasks for a crowd to label in place of its own. */
export interface GivenTasks extends TasksWithTruth {
  /** Names of the classes, all of them. */
  readonly classes?: Names | readonly string[] | undefined;
  /** Tasks to test on, labelled by the same workers. */
  readonly test?: TasksWithTruth | undefined;
}

/** What a scenario has to label; those to test on come last. */
export interface Tasks {
  /** The id of the scenario, for messages. */
  readonly of: string;
  readonly train: number;
  readonly test: number;
  /** The class of each, where it is given. */
  readonly truth?: Int32Array;
  readonly classes?: Names | undefined;
  /** Their rows, those to test on in a part of their own, where they are given. */
  readonly features?: readonly Features[];
}

/** The given tasks as one list; refuses what does not belong together. */
export function joinGiven(of: string, given: GivenTasks): Tasks {
  const { test, classes } = given;
  const parts = test ? [given, test] : [given];
  const K = classes?.length ?? Number.POSITIVE_INFINITY;
  for (const part of parts) check(of, part, K);
  const features = parts.flatMap((part) => part.features ?? []);
  const [first, second = first] = features;
  if (features.length > 0 && features.length < parts.length) {
    throw bad(of, "features are given of a part of the tasks. Give them of all, tested on or not.");
  }
  if (features.length > 0 && rowSize(first) !== rowSize(second)) {
    throw bad(
      of,
      `a task has ${rowSize(first)} features, but one to test on has ${rowSize(second)}.`,
    );
  }
  return {
    of,
    classes: classes && namesOf(classes),
    train: given.truth.length,
    test: test?.truth.length ?? 0,
    truth: Int32Array.from(parts.flatMap(({ truth }) => [...truth])),
    ...(features.length > 0 && { features }),
  };
}

function check(of: string, { truth, tasks, features }: TasksWithTruth, K: number): void {
  const wrong = truth.findIndex((k) => k < 0 || k >= K);
  if (truth.length === 0) throw bad(of, "there are no tasks among those given.");
  if (wrong >= 0) {
    throw bad(of, `the given task ${wrong} is of class ${truth[wrong]}, which there is not.`);
  }
  for (const [what, names] of [
    ["names", tasks],
    ["rows of features", features?.tasks],
  ] as const) {
    if (names && names.length !== truth.length) {
      throw bad(of, `there are ${truth.length} given tasks, but ${names.length} ${what}.`);
    }
  }
}

/** The options that given tasks decide; refuses others. */
export function decidedOptions(
  { of, train, test, truth = new Int32Array(), classes }: Tasks,
  options: OptionTable,
  chosen: Readonly<Record<string, unknown>>,
): Record<string, number> {
  const decided: Record<string, number> = { tasks: train, testTasks: test };
  if ("classes" in options && (classes || chosen["classes"] === undefined)) {
    decided["classes"] = classes?.length ?? Math.max(2, largest(truth) + 1);
  }
  for (const [name, value] of Object.entries(decided)) {
    const other = chosen[name] ?? value;
    if (other === value) continue;
    throw new CrowdError(
      "bad-option",
      `${of}: ${name} is ${value} with the given tasks, not ${String(other)}. Leave the option out.`,
    );
  }
  return decided;
}

/** The given truth, where there is one; refuses one that a crowd for K classes cannot label. */
export function givenTruth({ of, truth, classes }: Tasks, K: number): Int32Array | undefined {
  if (!truth) return undefined;
  const found = classes?.length ?? largest(truth) + 1;
  if (found === K || (found < K && !classes)) return truth;
  throw new CrowdError(
    "bad-option",
    `${of}: the given tasks have ${plural(found, "class", "classes")}, but this crowd needs ${K}.`,
  );
}

function largest(truth: Int32Array): number {
  return truth.reduce((most, k) => Math.max(most, k), 0);
}

function bad(of: string, what: string): CrowdError {
  return new CrowdError("bad-data", `${of}: ${what}`);
}
