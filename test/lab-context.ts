import type { ExperimentContext } from "../src/reproduce/experiment.ts";
import type { Executor } from "../src/tensor/executor.ts";

/** What an experiment runs in, without public sets. */
export function labContext(executor: Executor): ExperimentContext {
  const none = async () => undefined;
  return { executor, seeds: 1, quick: false, set: none, labels: none };
}
