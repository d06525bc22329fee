/** What makes the steps of a training: a run of the executor for each, or for many. */
import type { Buffers, Executor, Table } from "./executor.ts";
import type { Tensor } from "./graph.ts";
import type { createMasks } from "./masks.ts";
import type { Optimiser, Share } from "./optim/optimiser.ts";
import type { Parameter } from "./scope.ts";
import type { Statistics } from "./statistics.ts";
import type { Objective, Step } from "./train.ts";

export interface Closable {
  dispose(): Promise<void>;
}

export interface Stepper {
  /** How many steps one run makes at the most. */
  readonly atOnce: number;
  /** Makes steps after so many that are done. */
  run(done: number, feeds: readonly Buffers[], shares: readonly Share[]): Promise<readonly Step[]>;
}

/** What steps are made of. */
export interface StepParts {
  readonly executor: Executor;
  readonly objective: Objective;
  readonly parameters: readonly (Parameter & { readonly node: Tensor })[];
  readonly optimiser: Optimiser;
  readonly statistics: Statistics;
  readonly weights: ReadonlyMap<string, Float32Array>;
  readonly tables: Readonly<Record<string, Table>>;
  readonly drawMasks: ReturnType<typeof createMasks>;
  /** Takes what is compiled, to be closed at the end. */
  readonly programs: Closable[];
}
