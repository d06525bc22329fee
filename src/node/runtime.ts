/** Finds what runs networks here: ONNX Runtime's native build, else its WASM build; on the CPU or a graphics card. */
import { CrowdError } from "../error.ts";
import { type Device, deviceTitles, whereItPays } from "../tensor/device.ts";
import type { Executor } from "../tensor/executor.ts";
import { createRuntimeExecutor, type OnnxRuntime, tryDevice } from "../tensor/onnx-runtime.ts";
import { checkCuda, missingForCuda } from "./cuda.ts";

/** How the packages are loaded, in the order in which they are looked for. */
const packages = {
  "onnxruntime-node": async () => (await import("onnxruntime-node")) as unknown as OnnxRuntime,
  "onnxruntime-web": async () => {
    const runtime = await import("onnxruntime-web");
    // Threads of the WASM build would have to be started from files; one is what Node can do at once.
    runtime.env.wasm.numThreads = 1;
    return runtime as unknown as OnnxRuntime;
  },
};

type Package = keyof typeof packages;

/** Which ONNX runtime to load, its number of threads, and what computes. */
export interface RuntimeChoice {
  /** Only this one; by default the first that is installed. */
  readonly name?: Package | undefined;
  readonly threads?: number | undefined;
  /**
   * What computes. `"auto"`, the default, is the CPU, and CUDA where it works for networks that gain by it.
   * With `"cuda"` and `"webgpu"` an error says what is missing: neither falls back to the CPU.
   */
  readonly device?: "auto" | Device | undefined;
  /** Told the name of what runs: at once, or with the first network where that decides. */
  readonly onEngine?: ((name: string) => void) | undefined;
}

/** Loads a runtime; where none is installed, or a device is missing, the error says what to do. */
export async function openRuntime({
  name: only,
  threads = 1,
  device = "auto",
  onEngine = () => {},
}: RuntimeChoice = {}): Promise<Executor> {
  const { name, runtime } = await loadFirst(candidates(only, device));
  const native = name === "onnxruntime-node";
  const on = (device: Device) =>
    createRuntimeExecutor(runtime, {
      name,
      threads,
      // Of WebGPU it is not known.
      inPlace: native && device !== "webgpu",
      device,
    });
  if (device === "cuda") await checkCuda(runtime);
  if (device === "webgpu") await tryDevice(runtime, device);
  if (device === "auto" && native && (await missingForCuda()) === undefined) {
    const works = () =>
      tryDevice(runtime, "cuda").then(
        () => true,
        () => false,
      );
    return whereItPays({ cpu: on("cpu"), card: on("cuda"), works, onEngine });
  }
  const executor = on(device === "auto" ? "cpu" : device);
  onEngine(executor.name);
  return executor;
}

/** The packages that may run a network: graphics cards are used through the native build. */
function candidates(
  only: Package | undefined,
  device: "auto" | Device,
): readonly [Package, ...Package[]] {
  if (device === "auto" || device === "cpu") {
    return only ? [only] : ["onnxruntime-node", "onnxruntime-web"];
  }
  if (only === "onnxruntime-web") {
    throw new CrowdError(
      "bad-option",
      `Node has ${deviceTitles[device]} through onnxruntime-node, not through ${only}.`,
    );
  }
  return ["onnxruntime-node"];
}

async function loadFirst(
  names: readonly [Package, ...Package[]],
): Promise<{ readonly name: Package; readonly runtime: OnnxRuntime }> {
  const causes: unknown[] = [];
  for (const name of names) {
    try {
      return { name, runtime: await packages[name]() };
    } catch (cause) {
      causes.push(cause);
    }
  }
  const [first, second] = names;
  throw new CrowdError(
    "not-supported",
    `${second ? "ONNX Runtime" : first} is not installed here. Type: npm install ${first}` +
      (second ? ` (or ${second}, which is slower and needs no native code)` : ""),
    { cause: causes[0] },
  );
}
