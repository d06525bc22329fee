/** Everything to build networks and losses of one's own from. */
export { gradient } from "./gradient.ts";
export { constant, input, type Tensor } from "./graph.ts";
export * from "./layers/layers.ts";
export * as starts from "./layers/starts.ts";
export { toOnnx } from "./onnx.ts";
export * as ops from "./ops/index.ts";
export { createScope, type Module, type Scope } from "./scope.ts";
export { createTrainer, type Objective, type Trainer, type TrainerOptions } from "./train.ts";
