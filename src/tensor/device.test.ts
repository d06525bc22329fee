import { describe, expect, it } from "vitest";
import { CrowdError } from "../error.ts";
import { paysOnCard, WEIGHTS_THAT_PAY, whereItPays } from "./device.ts";
import type { Executor } from "./executor.ts";
import { constant, input, type Tensor } from "./graph.ts";
import { interpreter } from "./interpreter.ts";
import { models } from "./models.ts";
import { createRuntimeExecutor, type OnnxRuntime, tryDevice } from "./onnx-runtime.ts";
import { matmul } from "./ops/matmul.ts";
import { createScope } from "./scope.ts";

/** The prediction of a network, as a learner would compile it. */
function graphOf(model: keyof typeof models, shape: readonly number[], hidden: number) {
  const { trunk, head } = models[model](shape, 8, { hidden: [hidden], dropout: 0 });
  const scope = createScope(false);
  const features = trunk(input("features", ["batch", ...shape]), scope.child("trunk"));
  return { logits: head(features, scope.child("head")) };
}

describe("a graphics card", () => {
  it("pays for convolutions and for many weights, not for a small network", () => {
    expect(paysOnCard(graphOf("mlp", [512], 128))).toBe(false);
    expect(paysOnCard(graphOf("logistic", [4096], 128))).toBe(false);
    expect(paysOnCard(graphOf("mlp", [8192], 128))).toBe(true);
    expect(paysOnCard(graphOf("cnn4", [1, 28, 28], 128))).toBe(true);
    expect(paysOnCard(graphOf("resnet-small", [3, 16, 16], 128))).toBe(true);
  });

  it("is judged by weights, fed or constant, not by the size of a batch", () => {
    const half = WEIGHTS_THAT_PAY / 2;
    const product = (weight: Tensor) => ({ y: matmul(input("x", ["batch", half]), weight) });
    expect(paysOnCard(product(input("weight", [half, 1])))).toBe(false);
    expect(paysOnCard(product(input("weight", [half, 2])))).toBe(true);
    expect(paysOnCard(product(constant(new Float64Array(2 * half), [half, 2])))).toBe(true);
  });
});

describe("each network where it pays", () => {
  const small = graphOf("mlp", [4], 2);
  const large = graphOf("cnn4", [1, 8, 8], 2);

  function places(working: boolean) {
    const log: string[] = [];
    const place = (name: string): Executor => ({
      name,
      compile: async (outputs) => {
        log.push(`compiled on ${name}`);
        return interpreter.compile(outputs);
      },
    });
    const executor = whereItPays({
      cpu: place("cpu"),
      card: place("card"),
      works: async () => {
        log.push("tried");
        return working;
      },
      onEngine: (name) => log.push(`told ${name}`),
    });
    return { log, executor };
  }

  it("tries the card once, when a network would gain, and is named after it from then on", async () => {
    const { log, executor } = places(true);
    expect(executor.name).toBe("cpu");
    for (const graph of [small, small, large, large, small]) await executor.compile(graph);
    expect(log).toEqual([
      "told cpu",
      "compiled on cpu",
      "compiled on cpu",
      "tried",
      "told card",
      "compiled on card",
      "compiled on card",
      "compiled on cpu",
    ]);
    expect(executor.name).toBe("card");
  });

  it("is the CPU if the card does not work", async () => {
    const { log, executor } = places(false);
    for (const graph of [large, large]) await executor.compile(graph);
    expect(log).toEqual(["tried", "told cpu", "compiled on cpu", "compiled on cpu"]);
    expect(executor.name).toBe("cpu");
  });
});

/** An ONNX Runtime that notes what it is asked for. */
function fakeRuntime({ onCreate, onRun }: { onCreate?: () => void; onRun?: () => object } = {}) {
  const created: Record<string, unknown>[] = [];
  const runtime = {
    Tensor: class {
      readonly data: unknown;
      constructor(_type: string, data: unknown) {
        this.data = data;
      }
    },
    InferenceSession: {
      async create(_model: Uint8Array, options: Record<string, unknown>) {
        created.push(options);
        onCreate?.();
        return { run: async () => onRun?.() ?? {}, release: async () => {} };
      },
    },
  } as unknown as OnnxRuntime;
  return { runtime, created };
}

const failing = (message: string) => () => {
  throw new Error(message);
};

describe("a session on a device", () => {
  const graph = { y: matmul(input("x", ["batch", 2]), input("weight", [2, 2])) };
  const name = "onnxruntime";

  it("asks for the device and for nothing else; on the CPU for nothing at all", async () => {
    const { runtime, created } = fakeRuntime();
    await createRuntimeExecutor(runtime, { name }).compile(graph);
    await createRuntimeExecutor(runtime, { name, device: "cpu" }).compile(graph);
    await createRuntimeExecutor(runtime, { name, device: "cuda" }).compile(graph);
    await createRuntimeExecutor(runtime, { name, device: "webgpu" }).compile(graph);
    const asked = created.map(({ executionProviders }) => executionProviders);
    expect(asked).toEqual([
      undefined,
      undefined,
      ["cuda"],
      [{ name: "webgpu", preferredLayout: "NCHW" }],
    ]);
    const { executionProviders: _, ...cuda } = created[2];
    expect(cuda).toEqual(created[0]);
  });

  it("is named after it", () => {
    const { runtime } = fakeRuntime();
    const named = (["cpu", "cuda", "webgpu"] as const).map(
      (device) => createRuntimeExecutor(runtime, { name, device }).name,
    );
    expect(named).toEqual([name, `${name} on CUDA`, `${name} on WebGPU`]);
  });

  it("says what is missing where the device does not start", async () => {
    const { runtime, created } = fakeRuntime({
      onCreate: failing("/src/a.cc:13 Start()::<x>() a == b was false. no backend.\nat 7"),
    });
    const executor = createRuntimeExecutor(runtime, { name, device: "webgpu" });
    const error = await executor.compile(graph).catch((error) => error);
    expect(error).toBeInstanceOf(CrowdError);
    expect(error).toMatchObject({ code: "not-supported" });
    expect(error.message).toMatch(/on WebGPU: no backend\. WebGPU needs .*device: "cpu"/);
    expect(created).toHaveLength(1);
  });

  it("is tried with a convolution that must not fall to the CPU, and whose result counts", async () => {
    const answer = (value: number) => () => ({ y: { data: Float32Array.of(value) } });
    const right = fakeRuntime({ onRun: answer(7) });
    await tryDevice(right.runtime, "cuda");
    expect(right.created[0]).toMatchObject({
      executionProviders: ["cuda"],
      extra: { session: { disable_cpu_ep_fallback: "1" } },
    });
    const wrong = fakeRuntime({ onRun: answer(6) });
    await expect(tryDevice(wrong.runtime, "cuda")).rejects.toThrow(
      /on CUDA: 2 · 3 \+ 1 came out as 6\. CUDA needs/,
    );
  });
});

describe("too little memory", () => {
  const message =
    "Non-zero status code returned while running Mul node. Name:'Mul_8' Status Message: bfc_arena.cc:376 " +
    "Available memory of 300000000 is smaller than requested bytes of 1000000000";

  /** Runs rows of two numbers on a runtime that has no memory. */
  async function run(device: "cpu" | "cuda", rows: number, text: string): Promise<unknown> {
    const { runtime } = fakeRuntime({ onRun: failing(text) });
    const executor = createRuntimeExecutor(runtime, { name: "onnxruntime", device });
    const y = matmul(input("x", ["batch", 2]), input("weight", [2, 2]));
    const program = await executor.compile({ y });
    const feeds = { x: new Float32Array(2 * rows), weight: new Float32Array(4) };
    return program.run(feeds).catch((error) => error);
  }

  it("says on what, for how many rows, how much was asked for and left, and what helps", async () => {
    const error = (await run("cuda", 128, message)) as CrowdError;
    expect(error).toBeInstanceOf(CrowdError);
    expect(error.code).toBe("too-large");
    expect(error.message).toBe(
      "There is not enough memory on CUDA for 128 rows at once. 1 GB were asked for, 300 MB were left. " +
        'Use fewer rows at once, a smaller network, or device: "cpu".',
    );
    expect((error.cause as Error).message).toBe(message);
  });

  it("does not send to the CPU who is there, and passes other errors on as they are", async () => {
    expect(String(await run("cpu", 1, "std::bad_alloc"))).toMatch(
      /on the CPU for 1 row at once\. Use fewer rows at once or a smaller network\.$/,
    );
    expect(await run("cuda", 8, "CUDA failure 700: an illegal memory access")).toEqual(
      new Error("CUDA failure 700: an illegal memory access"),
    );
  });
});
