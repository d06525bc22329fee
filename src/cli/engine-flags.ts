/** Flags of what runs a network. */
import { availableParallelism } from "node:os";
import { CrowdError } from "../error.ts";
import { type EngineChoice, type EngineName, engines } from "../node/learn-job.ts";
import type { FlagTable, Given } from "./command.ts";

/** What computes; `wasm` is the CPU by way of the WASM build. */
const devices = ["auto", "cpu", "cuda", "webgpu", "wasm"] as const;

/** The engine, what it computes on, and its threads. */
export const engineFlags: FlagTable = {
  engine: {
    type: "text",
    value: engines.join("|"),
    default: "auto",
    help: "What runs the network; auto: the first that is installed.",
  },
  device: {
    type: "text",
    value: devices.join("|"),
    default: "auto",
    help: "What computes; auto: CUDA for large networks where it works, else the CPU.",
  },
  threads: {
    type: "number",
    value: "N",
    help: "Threads of the engine; default: 1, for networks of images one per core.",
  },
};

/** Returns the engine and the device that the flags name. */
export function engineOf(given: Given): Pick<EngineChoice, "engine" | "device"> {
  const engine = oneOf("engine", given.text("engine") ?? "auto", engines);
  const device = oneOf("device", given.text("device") ?? "auto", devices);
  const only = enginesOf[device];
  if (engine !== "auto" && only && engine !== only) {
    throw new CrowdError("usage", `--device ${device} is --engine ${only}, not ${engine}.`);
  }
  return device === "wasm"
    ? { engine: "onnxruntime-web", device: "cpu" }
    : { engine: only ?? engine, device };
}

/** The only engines that have some devices. */
const enginesOf: Readonly<Partial<Record<(typeof devices)[number], EngineName>>> = {
  cuda: "onnxruntime-node",
  webgpu: "onnxruntime-node",
  wasm: "onnxruntime-web",
};

function oneOf<Name extends string>(flag: string, text: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === text);
  if (found) return found;
  throw new CrowdError("usage", `--${flag} is one of ${names.join(", ")}, not "${text}".`);
}

/** Returns the usual number of threads: small networks lose time by being shared between several. */
export function usualThreads(options: Readonly<Record<string, unknown>>): number {
  const model = String(options["model"] ?? "mlp");
  return model === "mlp" || model === "logistic" ? 1 : availableParallelism();
}
