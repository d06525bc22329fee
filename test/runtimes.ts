/** The executors of this machine besides the interpreter: native ONNX Runtime and its WASM build. */
import { openRuntime } from "../src/node/runtime.ts";
import type { Executor } from "../src/tensor/executor.ts";

export const runtimes = (): Promise<Executor[]> =>
  Promise.all(
    (["onnxruntime-node", "onnxruntime-web"] as const).map((name) => openRuntime({ name })),
  );
