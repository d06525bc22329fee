import { describe, expect, it } from "vitest";
import { pack, unpack } from "../io/container.ts";
import { loadCheckpoint, saveCheckpoint } from "./checkpoint.ts";

const MAGIC = "CONSILIENCE CHECKPOINT 1\n";
const state = {
  identity: "method and data",
  runs: [
    {
      history: [{ epoch: 1, loss: 0.5 }],
      kept: { weights: Float64Array.of(1, 2) },
      best: {
        epoch: 1,
        score: 0.5,
        trainer: { steps: 4, arrays: [Float32Array.of(1)] },
        kept: { weights: Float64Array.of(3, 4) },
      },
    },
  ],
  trainers: [{ steps: 9, arrays: [Float32Array.of(1, 2, 3)] }],
  parts: [{ identity: "another", runs: [], trainers: [], parts: [] }],
};

/** The checkpoint with one of its fields changed, by a path such as `runs.0.best.epoch`. */
function changed(path: string, value: unknown): Uint8Array {
  const { fields, arrays } = unpack(MAGIC, saveCheckpoint(state), "x");
  const copy = structuredClone(fields) as Record<string, unknown>;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const owner = keys.reduce((at, key) => at[key] as Record<string, unknown>, copy);
  owner[last] = value;
  return pack(MAGIC, { fields: copy, arrays });
}

describe("loadCheckpoint", () => {
  it("gives back what was saved", () => {
    expect(loadCheckpoint(saveCheckpoint(state))).toEqual(state);
  });

  it.each<[string, unknown]>([
    ["identity", 7],
    ["runs", {}],
    ["runs.0", null],
    ["runs.0.history", "none"],
    ["runs.0.history.0", { epoch: "1", loss: 0.5 }],
    ["runs.0.history.0", { epoch: 1, loss: "x" }],
    ["runs.0.kept", ["weights", 3]],
    ["runs.0.kept", ["other"]],
    ["runs.0.best.epoch", -1],
    ["runs.0.best.score", "high"],
    ["runs.0.best.trainer", {}],
    ["trainers.0.steps", 1.5],
    ["trainers.0.arrays", 1e9],
    ["trainers.0.arrays", -1],
    ["trainers.0.arrays", "1"],
  ])("refuses a field that is not what it should be: %s = %j", (path, value) => {
    expect(() => loadCheckpoint(changed(path, value))).toThrow("This checkpoint cannot be read: ");
  });
});
