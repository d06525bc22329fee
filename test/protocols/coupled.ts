/**
 * Experiments for the methods that pass a classifier's predictions through something of the worker's, on
 * simulated crowds. Everything that decides a number is here as data; each function runs one cell from
 * one seed: of the crowd, the features and the training.
 */
import { expect } from "vitest";
import { fromRows } from "../../src/data/from-rows.ts";
import { accuracy } from "../../src/evaluate/accuracy.ts";
import { confusionRecovery } from "../../src/evaluate/confusion-recovery.ts";
import { ccem } from "../../src/learn/ccem.ts";
import type { AnyLearner, Learning } from "../../src/learn/learner.ts";
import { createRandom } from "../../src/math/random.ts";
import { detected } from "../../src/reproduce/crowds.ts";
import { withFeatures } from "../../src/simulate/features.ts";
import { instanceDependentCrowd } from "../../src/simulate/instance-dependent.ts";
import { regularCrowd } from "../../src/simulate/regular.ts";
import { scatteredCrowd } from "../../src/simulate/scattered.ts";
import type { Simulation } from "../../src/simulate/simulation.ts";
import type { Executor } from "../../src/tensor/executor.ts";
import { featureCrowd } from "../feature-crowd.ts";

export interface Outcome {
  readonly result: Learning;
  /** Accuracy of the classifier on tasks not seen, where there are some. */
  readonly learning: number;
  /** Accuracy of the belief about the labelled tasks. */
  readonly inference: number;
}

/** Trains a method, known or not by its type, on a simulated crowd. */
export async function learnOn(
  executor: Executor,
  method: unknown,
  { data, features, test }: Simulation,
  options: object,
): Promise<Outcome> {
  if (!features) throw new Error("The simulation has no features.");
  const own = { calibrate: false, ...options };
  const result = await (method as AnyLearner)(data, features, own, { executor });
  const unseen = test?.features && {
    ...test.data,
    posterior: await result.predictor.predict(test.features),
  };
  return {
    result,
    learning: unseen ? accuracy(unseen).split : Number.NaN,
    inference: accuracy({ ...data, posterior: result.posterior }).split,
  };
}

/** Without weight on its penalty a method is the coupled cross-entropy, to the bit. */
export async function expectCoupled(executor: Executor, method: unknown): Promise<void> {
  const { data, features } = featureCrowd(2);
  const rates = { rate: 0.01, crowdRate: 0.01, schedule: "constant", decay: 0 } as const;
  const options = { ...rates, epochs: 5, batch: 16, hidden: "4" };
  const unweighted = { ...options, lambda: 0 };
  const one = await (method as AnyLearner)(data, features, unweighted, { executor });
  const other = await ccem(data, features, options, { executor });
  expect(one.posterior).toEqual(other.posterior);
  expect(one.confusion).toEqual(other.confusion);
}

/** The determinant of a table of three rows. */
export function determinant([[a, b, c], [d, e, g], [h, i, j]]: readonly (readonly number[])[]) {
  return a * (e * j - g * i) - b * (d * j - g * h) + c * (d * i - e * h);
}

const small = { hidden: "32", dropout: 0 };

/**
 * Crowds of which theory says that confusions can be told or not: the mean squared error of the confusions
 * under the best renaming of the classes. 10000 tasks, or 2000 in batches of 64.
 */
export async function scatteredCase(
  executor: Executor,
  method: unknown,
  crowd: Parameters<typeof scatteredCrowd>[0],
  options: object,
  seed: number,
): Promise<Outcome & { readonly error: number; readonly simulation: Simulation }> {
  const simulation = scatteredCrowd({ tasks: 10000, testTasks: 2000, ...crowd, seed });
  const outcome = await learnOn(executor, method, simulation, { ...small, ...options, seed });
  const { confusion: truth = new Float64Array(), data } = simulation;
  const { confusion = new Float64Array() } = outcome.result;
  const K = data.classes.length;
  const { rootMeanSquare } = confusionRecovery(confusion, truth, { classes: K, given: K });
  return { ...outcome, error: rootMeanSquare ** 2, simulation };
}

/** Figure 7 of Kim et al. (2022): one-coin workers with skills from Dir(3, 1), full batches, 200 steps. */
export function sparseCase(
  executor: Executor,
  method: unknown,
  options: object,
  seed: number,
): Promise<Outcome> {
  const crowd = regularCrowd({ a: 3, b: 1, testTasks: 1000, seed });
  const simulation = withFeatures(crowd, { separation: 2, dimensions: 10, seed });
  const training = {
    hidden: "16",
    dropout: 0,
    batch: 1000,
    epochs: 200,
    rate: 0.01,
    crowdRate: 0.01,
  };
  return learnOn(executor, method, simulation, { ...training, ...options, seed });
}

/** Tasks of which some are outliers; how well those are found. */
export async function outlierCase(
  executor: Executor,
  method: unknown,
  crowd: Parameters<typeof instanceDependentCrowd>[0],
  options: object,
  seed: number,
): Promise<Outcome & { readonly share: number; readonly area: number }> {
  const simulation = instanceDependentCrowd({ testTasks: 2000, ...crowd, seed });
  const outcome = await learnOn(executor, method, simulation, { ...small, ...options, seed });
  const { outlierScores: scores } = outcome.result;
  const none = { share: Number.NaN, area: Number.NaN };
  const flags = simulation.outliers ?? new Uint8Array();
  return { ...outcome, ...(scores ? detected(scores, flags) : none) };
}

/**
 * Half of all errors are the same for everybody, class k called planted[k]; the other half are each
 * worker's own. Every worker labels four tasks of ten.
 */
export function sharedErrorsCrowd(
  { tasks = 3000, testTasks = 2000, workers = 10, classes = 4, errors = 0.4 },
  seed: number,
): Simulation & { readonly planted: readonly number[] } {
  const random = createRandom(seed).split("shared errors");
  const other = (k: number) => (k + 1 + Math.floor(random.next() * (classes - 1))) % classes;
  const slips = () => Array.from({ length: classes }, (_, k) => other(k));
  const planted = slips();
  const own = Array.from({ length: workers }, slips);
  const names = Array.from({ length: classes }, (_, k) => `c${k}`);
  const draw = (count: number) => {
    const gold: [string, string][] = [];
    const rows = Array.from({ length: count }, (_, t) => {
      const k = Math.floor(random.next() * classes);
      gold.push([`t${t}`, names[k]]);
      return own.flatMap((habits, w) => {
        const [given, right, kind] = [random.next(), random.next(), random.next()];
        if (given >= 0.4 && w !== t % workers) return [];
        const l = right >= errors ? k : kind < 0.5 ? planted[k] : habits[k];
        return [{ task: `t${t}`, worker: `w${w}`, label: names[l] }];
      });
    });
    return fromRows(rows.flat(), { classes: names, gold });
  };
  const simulation: Simulation = {
    data: draw(tasks),
    test: { data: draw(testTasks) },
    prior: new Float64Array(classes).fill(1 / classes),
    roles: own.map(() => "shares errors"),
  };
  return { ...withFeatures(simulation, { separation: 3, dimensions: 10, seed }), planted };
}
