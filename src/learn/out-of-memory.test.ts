/** Trainings on a runtime that has memory for a few rows only. */
import * as ort from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { CrowdError } from "../error.ts";
import { openRuntime } from "../node/runtime.ts";
import { createRuntimeExecutor, type OnnxRuntime } from "../tensor/onnx-runtime.ts";
import { ccem } from "./ccem.ts";

const BYTES_PER_ROW = 1_000_000;

/** ONNX Runtime that fails as it does on a card with memory for so many rows. */
function tight(rows: number, text: (requested: number, available: number) => string) {
  const counts: number[] = [];
  const runtime = {
    Tensor: ort.Tensor,
    InferenceSession: {
      async create(model: Uint8Array, options: object) {
        const session = await ort.InferenceSession.create(model, options);
        return {
          async run(feeds: Record<string, ort.Tensor>, fetches: Record<string, null>) {
            const [count] = feeds["features"].dims;
            counts.push(count);
            if (count <= rows) return session.run(feeds, fetches);
            throw new Error(
              `Non-zero status code. ${text(count * BYTES_PER_ROW, rows * BYTES_PER_ROW)}`,
            );
          },
          release: () => session.release(),
        };
      },
    },
  } as unknown as OnnxRuntime;
  return { executor: createRuntimeExecutor(runtime, { name: "tight", inPlace: true }), counts };
}

const arena = (requested: number, available: number) =>
  `BFCArena::AllocateRawInternal Available memory of ${available} is smaller than requested bytes of ${requested}`;
const unknown = (requested: number) =>
  `BFCArena::AllocateRawInternal Failed to allocate memory for requested buffer of size ${requested}`;
const bare = () => "CUDA failure 2: out of memory ; GPU=0 ; hostname=host ; expr=cudaMalloc";

const { data, features } = featureCrowd(3, { tasks: 300, dimensions: 4 });
const options = { epochs: 1, hidden: "4" };

describe("too little memory", () => {
  it.each([
    ["what was left", arena, 128, 25, 16],
    ["what was asked for", unknown, 128, 25, 64],
    ["nothing", bare, 128, 25, 64],
    ["nothing of two", bare, 2, 1, 1],
  ])("for a batch says which one to try, knowing %s", async (_, text, batch, rows, fitting) => {
    const { executor } = tight(rows, text);
    const error = await ccem(data, features, { ...options, batch }, { executor }).catch((e) => e);
    expect(error).toBeInstanceOf(CrowdError);
    expect(error.code).toBe("too-large");
    expect(error.hints).toContainEqual({ option: "batch", value: fitting });
    expect(error.message).toMatch(
      `There is not enough memory on the CPU for ${batch} rows at once.`,
    );
    expect(error.message).toMatch(
      new RegExp(`A batch of ${batch} did not fit: try batch: ${fitting}\\.$`),
    );
  });

  it("for one row says so, and proposes no batch", async () => {
    const { executor } = tight(0, bare);
    const error = await ccem(data, features, { ...options, batch: 1 }, { executor }).catch(
      (e) => e,
    );
    expect(error.message).toMatch(/for 1 row at once\..* smaller network\.$/);
    expect(error.hints).toEqual([]);
  });

  it("for predictions takes fewer rows at once, and gives the same", async () => {
    const roomy = await openRuntime({ name: "onnxruntime-node", device: "cpu" });
    const { executor, counts } = tight(100, bare);
    const settings = { ...options, batch: 50 };
    const [there, here] = [
      await ccem(data, features, settings, { executor }),
      await ccem(data, features, settings, { executor: roomy }),
    ];
    counts.length = 0;
    const predicted = await there.predictor.predict(features);
    expect(counts).toEqual([256, 128, 64, 64, 64, 64, 44]);
    expect(predicted).toEqual(await here.predictor.predict(features));
  });

  it("leaves other errors of a step as they are", async () => {
    const { executor } = tight(10, () => "CUDA failure 700: an illegal memory access");
    const error = await ccem(data, features, options, { executor }).catch((e) => e);
    expect(error).not.toBeInstanceOf(CrowdError);
    expect(error.message).toBe("Non-zero status code. CUDA failure 700: an illegal memory access");
  });
});
