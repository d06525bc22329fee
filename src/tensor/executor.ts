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

/** What runs graphs: ONNX Runtime or the interpreter. */
export interface Executor {
  /** What runs, in words for people. */
  readonly name: string;
  compile(outputs: Readonly<Record<string, Tensor>>): Promise<Program>;
}
