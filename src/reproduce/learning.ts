/** Training and scoring as experiments do it. */
import { forecast } from "../learn/forecast.ts";
import { learnerList } from "../learn/index.ts";
import type { AnyLearner, Learning } from "../learn/learner.ts";
import type { Simulation } from "../simulate/scenario.ts";
import { type ExperimentContext, type FeatureSet, shareRight } from "./experiment.ts";

/** A learner under the name that a table gives it. */
export interface Contestant {
  readonly name: string;
  readonly id: string;
  readonly options?: Readonly<Record<string, string | number | boolean>>;
}

function learnerOf(id: string): AnyLearner {
  const found = learnerList.find((each) => each.id === id);
  if (!found) throw new Error(`There is no learner ${id}.`);
  return found;
}

/** The options that a learner has, of those given. */
function fitting(method: AnyLearner, options: object): object {
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => Object.hasOwn(method.options, name)),
  );
}

export async function train(
  { executor }: ExperimentContext,
  { data, features, valid }: FeatureSet,
  { id, options }: Contestant,
  shared: object,
  seed: number,
): Promise<Learning> {
  const method = learnerOf(id);
  // Papers train on all labels, and take probabilities as they are.
  const plain = { calibrate: false, ...shared, ...options, seed };
  return method(data, features, fitting(method, plain), {
    executor,
    valid,
  });
}

/** Accuracy of the classifier on the test tasks, and with their labels where it can use them. */
export async function testAccuracy(
  learning: Learning,
  { test }: FeatureSet,
  labels?: Simulation["data"],
): Promise<{ readonly alone: number; readonly withLabels?: number }> {
  if (!test) throw new Error("There is nothing to test on.");
  const f = await learning.predictor.predict(test.features);
  const { evidence, workers, classes, temperature } = learning;
  const alone = shareRight(f, test.gold);
  if (!evidence || !labels) return { alone };
  const { posterior } = forecast({ workers, classes, evidence, temperature }, f, labels);
  return { alone, withLabels: shareRight(posterior, test.gold) };
}

/** A simulated crowd with features, as a set. */
export function asSet(simulation: Simulation): FeatureSet {
  const { data, features, test } = simulation;
  if (!features) throw new Error("The simulation has no features.");
  return {
    data,
    features,
    ...(test?.features && { test: { features: test.features, gold: test.data.gold } }),
  };
}
