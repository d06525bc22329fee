/** What comes out of a scenario: labels with known truth, and what they were drawn from. */
import type { CategoricalData } from "../data/categorical.ts";
import type { Features } from "../data/features.ts";

/** Tasks that were labelled, and what they look like. */
export interface LabelledTasks {
  /** The labels; gold is the truth of every task. */
  readonly data: CategoricalData;
  /** What the tasks look like: a row for each, in the order of data.tasks. */
  readonly features?: Features;
}

/** A simulated crowd: labels with known truth, and what they were drawn from. */
export interface Simulation extends LabelledTasks {
  /** P(class); the shares of the classes where the tasks were given. */
  readonly prior: Float64Array;
  /**
   * P(label | class, worker), where a worker's labels depend on nothing else, outliers apart:
   * confusion[(worker * K + class) * K + label].
   */
  readonly confusion?: Float64Array;
  /** What each worker is: "expert", "spammer", "copies w3", … */
  readonly roles: readonly string[];
  /** How hard each task is, where tasks differ. */
  readonly difficulty?: Float64Array;
  /** 1 for each task whose labels follow its features and not the confusions, else 0. */
  readonly outliers?: Uint8Array;
  /** Further tasks, labelled by the same workers. */
  readonly test?: LabelledTasks;
}

/** A simulation as it is drawn, with the tasks to test on still behind the others. */
export type Drawn = Omit<Simulation, "test">;
