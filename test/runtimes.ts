/**
 * The executors of this machine besides the interpreter: native ONNX Runtime, the same with graphs as they are written
 * for a graphics card, and its WASM build.
 */
import * as native from "onnxruntime-node";
import { openRuntime } from "../src/node/runtime.ts";
import type { Executor } from "../src/tensor/executor.ts";
import { createRuntimeExecutor, type OnnxRuntime } from "../src/tensor/onnx-runtime.ts";

export const runtimes = async (): Promise<Executor[]> => [
  await openRuntime({ name: "onnxruntime-node" }),
  createRuntimeExecutor(native as unknown as OnnxRuntime, {
    name: "onnxruntime-node, as on a card",
    card: true,
  }),
  await openRuntime({ name: "onnxruntime-web" }),
];
