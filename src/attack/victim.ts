/** A model seen by an attacker: what it predicts, and how its loss changes with what it sees. */
import type { Names } from "../data/names.ts";
import type { Executor } from "../tensor/executor.ts";
import { gradient } from "../tensor/gradient.ts";
import { input, type Tensor } from "../tensor/graph.ts";
import { maximum, multiply, negate, subtract } from "../tensor/ops/arithmetic.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { largest } from "../tensor/ops/reduce.ts";
import { logSoftmax, softmax } from "../tensor/ops/softmax.ts";
import { createScope, type Module } from "../tensor/scope.ts";

/** Any model with input gradients. */
export interface GradientModel {
  readonly classes: Names;
  /** Of a row of features. */
  readonly shape: readonly number[];
  /** From features [batch, …shape] to logits [batch, classes]. */
  readonly module: Module;
  readonly weights: ReadonlyMap<string, Float32Array>;
}

/**
 * What an attacker makes large: the cross-entropy of the true class, or minus the lead that the true
 * class has over the next, of probabilities or of logits.
 */
export type AttackLoss = "cross-entropy" | "margin" | "logit-margin";

/** The gradient of the loss for each row of x; `target` is a distribution over classes per row. */
export type InputGradient = (x: Float32Array, target: Float32Array) => Promise<Float32Array>;

export interface Victim {
  predict(x: Float32Array): Promise<Float32Array>;
  readonly gradientOf: InputGradient;
  dispose(): Promise<void>;
}

export async function createVictim(
  executor: Executor,
  { module, weights, shape, classes }: GradientModel,
  loss: AttackLoss = "cross-entropy",
): Promise<Victim> {
  const x = input("features", ["batch", ...shape]);
  const target = input("target", ["batch", classes.length]);
  const logits = module(x, createScope(false));
  const [slope] = gradient(sum(losses[loss](logits, target)), [x]);
  const gradients = await executor.compile({ slope });
  const predictions = await executor.compile({ probabilities: softmax(logits) });
  const fixed = Object.fromEntries(weights);
  return {
    async predict(features) {
      const results = await predictions.run({ ...fixed, features });
      return results["probabilities"] as Float32Array;
    },
    async gradientOf(features, wanted) {
      const results = await gradients.run({ ...fixed, features, target: wanted });
      return Float32Array.from(results["slope"]);
    },
    async dispose() {
      await gradients.dispose();
      await predictions.dispose();
    },
  };
}

/** One number per row, which the attacker makes large. */
export const losses: Readonly<Record<AttackLoss, (logits: Tensor, target: Tensor) => Tensor>> = {
  "cross-entropy": (logits, target) => negate(sum(multiply(target, logSoftmax(logits)), [1])),
  margin: (logits, target) => lead(softmax(logits), target, 2),
  "logit-margin": (logits, target) => lead(logits, target, 1e4),
};

/** -max(0, true score - largest other score); `far` takes the true class out of the others. */
function lead(scores: Tensor, target: Tensor, far: number): Tensor {
  const own = sum(multiply(scores, target), [1]);
  const other = largest(subtract(scores, multiply(target, far)));
  return negate(maximum(subtract(own, other), 0));
}
