/** A trained network: predicts classes from features, and is written as ONNX. */

import { type Features, rowSize } from "../data/features.ts";
import type { Names } from "../data/names.ts";
import type { FeatureStatistics } from "../data/standardise.ts";
import type { Executor } from "../tensor/executor.ts";
import { constant, input, type Tensor } from "../tensor/graph.ts";
import { toOnnx } from "../tensor/onnx.ts";
import { multiply, subtract } from "../tensor/ops/arithmetic.ts";
import { softmax } from "../tensor/ops/softmax.ts";
import { createScope, type Module } from "../tensor/scope.ts";

/** A trained network from features to classes. */
export interface Classifier {
  readonly classes: Names;
  /** Of a row of features. */
  readonly shape: readonly number[];
  /** From raw features [batch, …shape] to logits [batch, classes]. */
  readonly module: Module;
  readonly weights: ReadonlyMap<string, Float32Array>;
  /** Mean and deviation by which features are standardised inside, where they are. */
  readonly statistics?: FeatureStatistics;
  /** P(class) of each row, as probabilities[row * K + class]; all rows by default. */
  predict(features: Features, rows?: ArrayLike<number>): Promise<Float64Array>;
  /** The bytes of a model with input `features` and outputs `logits` and `probabilities`. */
  toOnnx(): Uint8Array;
}

/** Rows of features predicted at once. */
const ROWS_AT_ONCE = 256;

export function createClassifier(
  executor: Executor,
  parts: Pick<Classifier, "classes" | "shape" | "module" | "weights" | "statistics">,
): Classifier {
  const { classes, shape, module, weights, statistics } = parts;
  const graph = () => {
    const logits = module(input("features", ["batch", ...shape]), createScope(false));
    return { logits, probabilities: softmax(logits) };
  };
  return {
    ...parts,
    async predict(features, rows) {
      const program = await executor.compile({ probabilities: graph().probabilities });
      try {
        const fixed = Object.fromEntries(weights);
        return await inChunks(features, rows, classes.length, async (x) => {
          const results = await program.run({ ...fixed, features: x });
          return results["probabilities"] as Float32Array;
        });
      } finally {
        await program.dispose();
      }
    },
    toOnnx: () =>
      toOnnx(graph(), {
        weights,
        metadata: {
          classes: JSON.stringify(classes),
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

/** Runs rows of features through something that gives `width` numbers per row, a chunk at a time. */
export async function inChunks(
  features: Features,
  rows: ArrayLike<number> | undefined,
  width: number,
  run: (x: Float32Array) => Promise<ArrayLike<number>>,
): Promise<Float64Array> {
  const N = rows?.length ?? features.tasks.length;
  const size = rowSize(features);
  const results = new Float64Array(N * width);
  for (let start = 0; start < N; start += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, N - start);
    const chunk = Int32Array.from({ length: count }, (_, i) => rows?.[start + i] ?? start + i);
    const x = new Float32Array(count * size);
    features.read(chunk, x);
    results.set(await run(x), start * width);
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
