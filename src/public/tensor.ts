/** `consilience/tensor`: networks and losses of one's own, and what runs them. */
export type { Device } from "../tensor/device.ts";
export type { Executor, Program } from "../tensor/executor.ts";
export { gradient } from "../tensor/gradient.ts";
export { constant, input, type Tensor } from "../tensor/graph.ts";
export { interpreter } from "../tensor/interpreter.ts";
export * from "../tensor/layers/layers.ts";
/** How parameters are drawn at first. */
export * as starts from "../tensor/layers/starts.ts";
export { type Model, models, type Network } from "../tensor/models.ts";
export { toOnnx } from "../tensor/onnx.ts";
export {
  createRuntimeExecutor,
  type OnnxRuntime,
  type RuntimeOptions,
} from "../tensor/onnx-runtime.ts";
/** Operations on tensors. */
export * as ops from "../tensor/ops/index.ts";
export { createScope, type Module, type Scope } from "../tensor/scope.ts";
export {
  createTrainer,
  type Objective,
  type Trainer,
  type TrainerOptions,
} from "../tensor/train.ts";
