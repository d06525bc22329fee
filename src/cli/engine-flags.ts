/** Flags of what runs a network. */
import { availableParallelism } from "node:os";
import { CrowdError } from "../error.ts";
import { type EngineName, engines } from "../node/learn-job.ts";
import type { FlagTable, Given } from "./command.ts";

/** Engines by what they run on. */
const devices = new Map<string, EngineName>([
  ["cpu", "onnxruntime-node"],
  ["wasm", "onnxruntime-web"],
]);

/** The engine, and its threads. */
export const engineFlags: FlagTable = {
  engine: {
    type: "text",
    value: engines.join("|"),
    default: "auto",
    help: "What runs the network; auto: the first that is installed.",
  },
  device: {
    type: "text",
    value: [...devices.keys()].join("|"),
    help: "The engine by what it runs on, in place of --engine.",
  },
  threads: {
    type: "number",
    value: "N",
    help: "Threads of the engine; default: 1, for networks of images one per core.",
  },
};

/** Returns the engine that the flags name. */
export function engineOf(given: Given): EngineName {
  const device = given.text("device");
  if (device !== undefined) {
    const found = devices.get(device);
    if (found && !given.named.has("engine")) return found;
    throw new CrowdError(
      "usage",
      found
        ? "--device and --engine both choose the engine. Use one of them."
        : `--device is ${[...devices.keys()].join(" or ")}, not "${device}".`,
    );
  }
  const text = given.text("engine") ?? "auto";
  const engine = engines.find((name) => name === text);
  if (!engine)
    throw new CrowdError("usage", `--engine is one of ${engines.join(", ")}, not "${text}".`);
  return engine;
}

/** Returns the usual number of threads: small networks lose time by being shared between several. */
export function usualThreads(options: Readonly<Record<string, unknown>>): number {
  const model = String(options["model"] ?? "mlp");
  return model === "mlp" || model === "logistic" ? 1 : availableParallelism();
}
