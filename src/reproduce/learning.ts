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

/**
 * What experiments train with where they set nothing: plain training, and what papers print. Defaults may follow what is
 * best on many crowds; experiments stay as they are.
 */
const plainly = {
  copies: "keep",
  calibrate: false,
  steps: 1200,
  rate: 1e-3,
  decay: 0,
  crowdRate: 0,
  patience: 0,
  schedule: "constant",
};
const coupled = { epochs: 150, batch: 512, crowdRate: 0.01, decay: 1e-4, schedule: "one-cycle" };
const published: Readonly<Record<string, Contestant["options"]>> = {
  "two-stage": { targets: "hard" },
  raykar: { lambda: 0.01, smoothing: 0.01 },
  aggnet: { smoothing: 1e-4 },
  "doctor-net": { weighted: false },
  ccem: coupled,
  "trace-regularised": { crowdRate: 0.01, lambda: 0.01 },
  "geo-crowd-net-f": { ...coupled, lambda: 0.01 },
  "geo-crowd-net-w": { ...coupled, epochs: 200 },
  "coin-net": { ...coupled, mu2: 0.01 },
  "deep-mf": { epochs: 200, batch: 100_000_000 },
  "deep-bp": { epochs: 200 },
  conal: { epochs: 100, rate: 0.01, batch: 1024 },
  "instance-trace": { decay: 2e-5 },
  "a-lfc": { epochs: 200, smoothing: 1e-5 },
};

export async function train(
  { executor }: ExperimentContext,
  { data, features, valid }: FeatureSet,
  { id, options }: Contestant,
  shared: object,
  seed: number,
): Promise<Learning> {
  const method = learnerOf(id);
  const plain = { ...plainly, ...published[id], ...shared, ...options, seed };
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
