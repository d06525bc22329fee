/** The tasks to test on apart from the others, and given names and features in their places. */

import type { Features } from "../data/features.ts";
import { type Names, namesOf } from "../data/names.ts";
import { sliceFeatures } from "./rows.ts";
import type { Drawn, LabelledTasks, Simulation } from "./simulation.ts";
import type { GivenTasks, Tasks, TasksWithTruth } from "./tasks.ts";

export function part(
  drawn: Drawn,
  { train, test, classes }: Tasks,
  given?: GivenTasks,
): Simulation {
  const { data, features, prior, difficulty, outliers, ...workers } = drawn;
  const renamed = { ...data, classes: classes ?? data.classes };
  const names = givenNames(given) ?? namesOf([...data.tasks].slice(0, train));
  const testNames =
    givenNames(given?.test) ?? namesOf(Array.from({ length: test }, (_, t) => `test${t}`));
  return {
    ...piece(renamed, features, 0, names, given?.features),
    ...workers,
    prior: given ? shares(given.truth, prior.length) : prior,
    ...(difficulty && { difficulty: difficulty.slice(0, train) }),
    ...(outliers && { outliers: outliers.slice(0, train) }),
    ...(test > 0 && { test: piece(renamed, features, train, testNames, given?.test?.features) }),
  };
}

/** The names of given tasks, or those of their features. */
function givenNames(given: TasksWithTruth | undefined): Names | undefined {
  const names = given?.tasks ?? given?.features?.tasks;
  return names && namesOf(names);
}

/** As many tasks as there are names, beginning with task `from`; labels are in the order of tasks. */
function piece(
  data: Drawn["data"],
  drawn: Features | undefined,
  from: number,
  tasks: Names,
  given: Features | undefined,
): LabelledTasks {
  const to = from + tasks.length;
  const first = labelsBefore(data.task, from);
  const last = labelsBefore(data.task, to);
  const features = given
    ? sliceFeatures(given, 0, tasks)
    : drawn && sliceFeatures(drawn, from, tasks);
  return {
    data: {
      ...data,
      tasks,
      task: data.task.slice(first, last).map((t) => t - from),
      worker: data.worker.slice(first, last),
      label: data.label.slice(first, last),
      ...(data.time && { time: data.time.slice(first, last) }),
      gold: data.gold.slice(from, to),
    },
    ...(features && { features }),
  };
}

/** How many labels are of tasks before this one. */
function labelsBefore(task: Int32Array, t: number): number {
  const found = task.findIndex((other) => other >= t);
  return found < 0 ? task.length : found;
}

/** The share of each class. */
export function shares(truth: Int32Array, K: number): Float64Array {
  const counts = new Float64Array(K);
  for (let t = 0; t < truth.length; t++) counts[truth[t]]++;
  return counts.map((count) => count / truth.length);
}
