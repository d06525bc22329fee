/** A trained network: predicts from features, and is written as ONNX. */
import { type Features, rowSize } from "../data/features.ts";
import type { FeatureStatistics } from "../data/standardise.ts";
import type { Executor } from "../tensor/executor.ts";
import { constant, input, type Tensor } from "../tensor/graph.ts";
import { toOnnx } from "../tensor/onnx.ts";
import { multiply, subtract } from "../tensor/ops/arithmetic.ts";
import { rowsThatFit, shortageOf } from "../tensor/out-of-memory.ts";
import { createScope, type Module } from "../tensor/scope.ts";

/** A trained network, whatever it predicts. */
export interface Predictor {
  /** Of a row of features. */
  readonly shape: readonly number[];
  /** From raw features [batch, …shape] to [batch, numbers]: logits of classes, values or scores. */
  readonly module: Module;
  readonly weights: ReadonlyMap<string, Float32Array>;
  /** Mean and deviation by which features are standardised inside, where they are. */
  readonly statistics?: FeatureStatistics;
  /** What it says of each row, one row after another; all rows by default. */
  predict(features: Features, rows?: ArrayLike<number>): Promise<Float64Array>;
  /** The bytes of a model with the input `features`. */
  toOnnx(): Uint8Array;
}

/** What a trained network is, without what runs it. */
export type PredictorParts = Pick<Predictor, "shape" | "module" | "weights" | "statistics">;

/** What is said of the numbers that a network gives. */
export interface Reading {
  /** The outputs of the ONNX file; the last one is what `predict` gives. */
  outputs(numbers: Tensor): Readonly<Record<string, Tensor>>;
  /** Numbers per row of that one. */
  readonly width: number;
  /** What the ONNX file says of itself besides its input. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Makes a predictor of a trained network. */
export function createPredictor(
  executor: Executor,
  parts: PredictorParts,
  { outputs, width, metadata }: Reading,
): Predictor {
  const { shape, module, weights, statistics } = parts;
  const graph = () => outputs(module(input("features", ["batch", ...shape]), createScope(false)));
  return {
    ...parts,
    async predict(features, rows) {
      const [name, said] = Object.entries(graph()).at(-1) as [string, Tensor];
      const program = await executor.compile({ [name]: said });
      try {
        const fixed = Object.fromEntries(weights);
        return await inChunks(features, rows, width, async (x) => {
          const results = await program.run({ ...fixed, features: x });
          return results[name] as Float32Array;
        });
      } finally {
        await program.dispose();
      }
    },
    toOnnx: () =>
      toOnnx(graph(), {
        weights,
        metadata: {
          ...metadata,
          input: "features",
          shape: JSON.stringify(shape),
          ...(statistics && {
            mean: JSON.stringify([...statistics.mean]),
            scale: JSON.stringify([...statistics.scale]),
          }),
        },
      }),
  };
}

/** Rows of features predicted at once. */
const ROWS_AT_ONCE = 256;

/**
 * Runs rows of features through something that gives `width` numbers per row, a chunk at a time; in smaller
 * chunks from where there was too little memory for one. Rows do not depend on each other.
 */
export async function inChunks(
  features: Features,
  rows: ArrayLike<number> | undefined,
  width: number,
  run: (x: Float32Array) => Promise<ArrayLike<number>>,
): Promise<Float64Array> {
  const N = rows?.length ?? features.tasks.length;
  const size = rowSize(features);
  const results = new Float64Array(N * width);
  let most = ROWS_AT_ONCE;
  for (let start = 0; start < N; ) {
    const count = Math.min(most, N - start);
    const chunk = Int32Array.from({ length: count }, (_, i) => rows?.[start + i] ?? start + i);
    const x = new Float32Array(count * size);
    features.read(chunk, x);
    try {
      results.set(await run(x), start * width);
      start += count;
    } catch (error) {
      const shortage = shortageOf(error);
      if (!shortage || count === 1) throw error;
      most = rowsThatFit(count, shortage);
    }
  }
  return results;
}

/** Features brought to mean 0 and deviation 1, as the first part of a network. */
export function standardiser(
  shape: readonly number[],
  statistics: FeatureStatistics | undefined,
): (x: Tensor) => Tensor {
  if (!statistics) return (x) => x;
  // One number per place of a vector, or a channel of an image.
  const wide = shape.length === 3 ? [shape[0], 1, 1] : [...shape];
  const mean = constant(statistics.mean, wide);
  const inverse = constant(
    statistics.scale.map((scale) => 1 / scale),
    wide,
  );
  return (x) => multiply(subtract(x, mean), inverse);
}
