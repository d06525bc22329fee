/** What runs graphs. */
import type { Tensor } from "./graph.ts";

/** What is fed to a graph or comes out of it, by name. */
export type Numbers = Float32Array | Float64Array | Int32Array;
export type Buffers = Readonly<Record<string, Numbers>>;

/** A compiled graph. */
export interface Program {
  /** Runs once. Results are written into the buffers given for them; others come in new ones. */
  run(feeds: Buffers, into?: Buffers): Promise<Readonly<Record<string, Numbers>>>;
  /** Gives back what it holds; it must not be run again. */
  dispose(): Promise<void>;
}

/** Steps of which each takes what the one before computed. */
export interface Steps {
  /** What a step hands to the next, under the name of the input that takes it. */
  readonly carried: Readonly<Record<string, Tensor>>;
  /** Inputs that are computed from what is carried, by name. */
  readonly derived: ReadonlyMap<string, Tensor>;
  /** What else is wanted of each step: a number each. */
  readonly outputs: Readonly<Record<string, Tensor>>;
  /** Sizes that are the same in all steps, such as "batch". */
  readonly sizes: Readonly<Record<string, number>>;
  /** Inputs that are rows of a table, fed as numbers of rows; the tables stay where the steps are computed. */
  readonly tables: Readonly<Record<string, Table>>;
}

/** Rows of numbers, [rows, …]. */
export interface Table {
  readonly shape: readonly number[];
  /** Copies the given rows one after another into `into`. */
  read(rows: ArrayLike<number>, into: Float32Array): void;
}

/** Compiled steps. */
export interface StepsProgram {
  /**
   * Runs as many steps as there are feeds in one go, and leaves in `carried` what the last one computed. Returns the
   * outputs, each as a list with a number per step.
   */
  run(
    feeds: readonly Buffers[],
    carried: Readonly<Record<string, Float32Array>>,
  ): Promise<Readonly<Record<string, Numbers>>>;
  dispose(): Promise<void>;
}

/** What runs graphs: ONNX Runtime or the interpreter. */
export interface Executor {
  /** What runs, in words for people. */
  readonly name: string;
  compile(outputs: Readonly<Record<string, Tensor>>): Promise<Program>;
  /** Compiles many steps into one program; absent, or undefined, where that does not pay. */
  compileSteps?(steps: Steps): Promise<StepsProgram | undefined>;
}
