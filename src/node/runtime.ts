/** Finds what runs networks here: ONNX Runtime's native build, else its WASM build. */
import { CrowdError } from "../error.ts";
import type { Executor } from "../tensor/executor.ts";
import { createRuntimeExecutor, type OnnxRuntime } from "../tensor/onnx-runtime.ts";

const packages = ["onnxruntime-node", "onnxruntime-web"] as const;

/** Which ONNX runtime to load, and its number of threads. */
export interface RuntimeChoice {
  /** Only this one; by default the first that is installed. */
  readonly name?: (typeof packages)[number] | undefined;
  readonly threads?: number | undefined;
}

/** Loads a runtime; where none is installed the error says what to type. */
export async function openRuntime({ name, threads = 1 }: RuntimeChoice = {}): Promise<Executor> {
  const causes: unknown[] = [];
  for (const candidate of name ? [name] : packages) {
    try {
      return await load(candidate, threads);
    } catch (cause) {
      causes.push(cause);
    }
  }
  throw new CrowdError(
    "not-supported",
    `${name ?? "ONNX Runtime"} is not installed here. Type: npm install ${name ?? "onnxruntime-node"}` +
      (name ? "" : " (or onnxruntime-web, which is slower and needs no native code)"),
    { cause: causes[0] },
  );
}

async function load(name: (typeof packages)[number], threads: number): Promise<Executor> {
  if (name === "onnxruntime-node") {
    const runtime = (await import("onnxruntime-node")) as unknown as OnnxRuntime;
    return createRuntimeExecutor(runtime, { name, threads, inPlace: true });
  }
  const runtime = await import("onnxruntime-web");
  // Threads of the WASM build would have to be started from files; one is what Node can do at once.
  runtime.env.wasm.numThreads = 1;
  return createRuntimeExecutor(runtime as unknown as OnnxRuntime, { name });
}
