/** Finds out whether CUDA works here, and names what is missing. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { CrowdError, hint } from "../error.ts";
import { type OnnxRuntime, tryDevice } from "../tensor/onnx-runtime.ts";

/** What ONNX Runtime loads when a session asks for CUDA. */
const LIBRARIES = ["libonnxruntime_providers_cuda.so", "libonnxruntime_providers_shared.so"];

/** Where the native build of ONNX Runtime lies, and its version. */
export interface NativeBuild {
  readonly folder: string;
  readonly version: string;
}

/** Finds the native build for this system in the package `onnxruntime-node`; undefined where it lies elsewhere. */
export function nativeBuild(): NativeBuild | undefined {
  try {
    const path = createRequire(import.meta.url).resolve("onnxruntime-node/package.json");
    const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
    const bin = join(dirname(path), "bin");
    // A folder per version of Node's native interface; a package has one.
    const [api] = readdirSync(bin);
    return { folder: join(bin, api, process.platform, process.arch), version };
  } catch {
    return undefined;
  }
}

/** Throws an error that says what is missing unless CUDA computes here. */
export async function checkCuda(runtime: OnnxRuntime): Promise<void> {
  const missing = await missingForCuda();
  if (missing !== undefined) {
    throw new CrowdError("not-supported", `CUDA cannot be used here: ${missing} Or use ${cpu}.`);
  }
  await tryDevice(runtime, "cuda");
}

const cpu = hint("device", "cpu");

/**
 * Says which files or libraries are missing, and how to get them; undefined if none is. Looks without
 * asking ONNX Runtime, which writes to standard error when a library does not load.
 */
export async function missingForCuda(
  build: NativeBuild | undefined = nativeBuild(),
): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return `onnxruntime-node has CUDA on Linux x64 only, this is ${process.platform} ${process.arch}.`;
  }
  if (!build) return "the files of onnxruntime-node are not where they should be.";
  const { folder, version } = build;
  const absent = LIBRARIES.filter((name) => !existsSync(join(folder, name)));
  if (absent.length > 0) {
    return (
      `${absent.join(" and ")} ${absent.length > 1 ? "are" : "is"} missing in ${folder}. ` +
      "The install script of onnxruntime-node downloads them: npm rebuild onnxruntime-node. " +
      `Where install scripts are off, copy both files there from onnxruntime-gpu ${version} of PyPI ` +
      "(pip download; onnxruntime/capi in the wheel). CUDA 13, cuDNN 9 and NVIDIA's driver are needed too."
    );
  }
  const unloaded = await notFound(join(folder, LIBRARIES[0]));
  if (unloaded.length === 0) return undefined;
  return (
    `the system does not find ${unloaded.join(", ")}. Install ${whatBrings(unloaded)}, ` +
    "or add the folders that hold them to LD_LIBRARY_PATH."
  );
}

/** Names what to install for libraries that are not found; libcuda comes with the driver. */
function whatBrings(libraries: readonly string[]): string {
  const driver = libraries.some((name) => name.startsWith("libcuda.so"));
  const toolkit = libraries.some((name) => !name.startsWith("libcuda.so"));
  return [
    ...(toolkit ? ["CUDA 13 with cuDNN 9"] : []),
    ...(driver ? ["NVIDIA's driver"] : []),
  ].join(" and ");
}

/** Libraries that the loader does not find for a shared library; none if the system cannot tell. */
async function notFound(library: string): Promise<string[]> {
  try {
    const { stdout } = await promisify(execFile)("ldd", [library], { timeout: 10_000 });
    return [...stdout.matchAll(/^\s*(\S+) => not found$/gm)].map(([, name]) => name);
  } catch {
    // Without ldd the session that is opened next finds out.
    return [];
  }
}
