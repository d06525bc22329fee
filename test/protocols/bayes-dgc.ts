/**
 * The experiment of the BayesDGC paper on Gaussian features in place of images: nine workers who label
 * everything, of whose labels a share is kept.
 *
 * Everything that decides a number is here as data; `runShare` runs one point of its curves.
 */
import { dawidSkene } from "../../src/aggregate/categorical/dawid-skene.ts";
import { ibcc } from "../../src/aggregate/categorical/ibcc.ts";
import { majorityVote } from "../../src/aggregate/categorical/majority-vote.ts";
import { accuracy } from "../../src/evaluate/accuracy.ts";
import { bayesDgc } from "../../src/learn/bayes-dgc.ts";
import { createRandom } from "../../src/math/random.ts";
import { withFeatures } from "../../src/simulate/features.ts";
import { thin } from "../../src/simulate/thin.ts";
import { twoCoinCrowd } from "../../src/simulate/two-coin.ts";
import type { Executor } from "../../src/tensor/executor.ts";

/** Sensitivity and specificity from Beta(150, 50): nearly all between .7 and .8. */
const workers = { workers: 9, labelsPerTask: 0, a: 150, b: 50 };

export interface Setting {
  readonly tasks: number;
  /** Share of the second class. */
  readonly positive: number;
  /** Accuracy of the best classifier for classes of equal shares. */
  readonly bayesAccuracy: number;
  readonly dimensions: number;
}

export const setting: Setting = {
  ...{ tasks: 700, positive: 0.5, bayesAccuracy: 0.9, dimensions: 10 },
};

/** Shares of the labels that are kept. */
export const shares = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] as const;

export type MethodName = "majority-vote" | "dawid-skene" | "bayes-gc" | "bayes-dgc";

/** Accuracy on all tasks, ties shared, and on those that have labels left; of the classifier on others. */
export interface Score {
  readonly all: number;
  readonly labelled: number;
  readonly learning?: number;
}

/** Every method, on a share of the labels of one crowd. */
export async function runShare(
  executor: Executor,
  share: number,
  seed: number,
  { tasks, positive, bayesAccuracy, dimensions }: Setting = setting,
  options: object = {},
): Promise<Record<MethodName, Score>> {
  const crowd = twoCoinCrowd({ ...workers, tasks, testTasks: 1000, positive, seed });
  const { features, test, ...whole } = withFeatures(crowd, { bayesAccuracy, dimensions, seed });
  if (!test?.features) throw new Error("The simulation has no tasks to test on.");
  const data = thin(whole.data, share, createRandom(seed).split("thin"));
  const seen = new Set(data.task);
  const known = data.gold.map((k, t) => (seen.has(t) ? k : -1));
  const score = (posterior: Float64Array): Score => ({
    all: accuracy({ ...data, posterior }).split,
    labelled: accuracy({ ...data, posterior, gold: known }).split,
  });
  const deep = await bayesDgc(data, features, { ...options, seed }, { executor });
  const f = await deep.classifier.predict(test.features);
  return {
    "majority-vote": score(majorityVote(data).posterior),
    "dawid-skene": score(dawidSkene(data).posterior),
    "bayes-gc": score(ibcc(data, ibcc.presets?.["bayes-gc"].options).posterior),
    "bayes-dgc": {
      ...score(deep.posterior),
      learning: accuracy({ ...test.data, posterior: f }).split,
    },
  };
}
