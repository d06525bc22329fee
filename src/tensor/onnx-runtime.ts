/**
 * Runs graphs on ONNX Runtime, native or WASM: both have the same interface, so that the module is
 * given, never loaded here.
 */
import { CrowdError, hint, plural } from "../error.ts";
import { maxOf } from "../math/lists.ts";
import { type Device, deviceTitles } from "./device.ts";
import type { Buffers, Executor, Numbers, Program, Steps, StepsProgram } from "./executor.ts";
import { input, inputName, sortGraph, type Tensor } from "./graph.ts";
import { feedShape } from "./interpreter.ts";
import { toOnnx } from "./onnx.ts";
import { type LoopInput, type LoopModel, STEPS, startsOf, toLoop } from "./onnx-loop.ts";
import { convolve } from "./ops/convolution.ts";
import { shortageOf, showBytes } from "./out-of-memory.ts";
import { badShape, countOf, type Shape, showShape } from "./shape.ts";

/** What is used of `onnxruntime-node` or `onnxruntime-web`. */
export interface OnnxRuntime {
  readonly Tensor: new (
    type: "float32" | "int32",
    data: Float32Array | Int32Array,
    shape: readonly number[],
  ) => OnnxTensor;
  readonly InferenceSession: {
    create(model: Uint8Array, options?: object): Promise<OnnxSession>;
  };
}

interface OnnxTensor {
  readonly data: unknown;
}

interface OnnxSession {
  run(feeds: object, fetches?: object): Promise<Readonly<Record<string, OnnxTensor>>>;
  release(): Promise<void>;
}

/** How ONNX Runtime is used. */
export interface RuntimeOptions {
  /** In words for people. */
  readonly name: string;
  /** Threads within one op; more than one pays for convolutions only. */
  readonly threads?: number;
  /** Whether results are written into buffers that are handed in, as the native build does. */
  readonly inPlace?: boolean;
  /**
   * What computes; the CPU by default. `"webgpu"` needs the module `onnxruntime-web/webgpu`. Ops that a
   * device does not have run on the CPU; where the device itself is missing, `compile` throws.
   */
  readonly device?: Device;
  /**
   * Whether graphs are written for a graphics card: many steps of a training in one run, so that weights stay on the
   * device, and fewer, larger nodes. By default on CUDA. On the CPU it gains nothing; WebGPU has no loops.
   */
  readonly card?: boolean;
}

/** Creates an executor from an ONNX Runtime module. */
export function createRuntimeExecutor(
  runtime: OnnxRuntime,
  { name, threads = 1, inPlace = false, device = "cpu", card = device === "cuda" }: RuntimeOptions,
): Executor {
  const settings = {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    // What "all" adds is another layout of images, which does not pay where weights change.
    graphOptimizationLevel: "extended",
    logSeverityLevel: 3,
  };
  return {
    name: device === "cpu" ? name : `${name} on ${deviceTitles[device]}`,
    async compile(outputs) {
      const session = await openSession(runtime, device, toOnnx(outputs, { card }), settings);
      return createProgram(runtime, session, outputs, { inPlace, device });
    },
    ...(card && {
      async compileSteps(steps: Steps) {
        const model = toLoop(steps);
        const options = { ...settings, externalData: model.files };
        const session = await openSession(runtime, device, model.bytes, options);
        return createStepsProgram(runtime, session, steps, model, device);
      },
    }),
  };
}

/** Opens a session; one on a device never falls back to the CPU in silence. */
async function openSession(
  runtime: OnnxRuntime,
  device: Device,
  model: Uint8Array,
  options: object,
): Promise<OnnxSession> {
  if (device === "cpu") return runtime.InferenceSession.create(model, options);
  const executionProviders = [providers[device]];
  try {
    return await runtime.InferenceSession.create(model, { ...options, executionProviders });
  } catch (cause) {
    throw unusable(device, cause);
  }
}

/** Says why a device does not run a network, and what it needs. */
function unusable(device: Exclude<Device, "cpu">, cause: unknown): CrowdError {
  const text = cause instanceof Error ? cause.message : String(cause);
  const [line] = text.trim().split("\n");
  // The native build puts file, line and the broken condition first.
  const reason = line.replace(/^\S+\.cc:\d+ .* was false\. /, "").replace(/\.?$/, ".");
  return new CrowdError(
    "not-supported",
    `ONNX Runtime cannot run the network on ${deviceTitles[device]}: ${reason} ${needs[device]} Or use ${hint("device", "cpu")}.`,
    { cause },
  );
}

/**
 * How ONNX Runtime is asked for a device, and for nothing else: of several, its packages leave out those that
 * do not start and go on with the rest. Single ops that a device lacks go to the CPU all the same.
 */
const providers = {
  cuda: "cuda",
  // In the other layout, which is its own choice, the gradients of convolutions come out with wrong shapes.
  webgpu: { name: "webgpu", preferredLayout: "NCHW" },
} as const;

/** What devices need, for people. */
const needs: Readonly<Record<Exclude<Device, "cpu">, string>> = {
  cuda: "CUDA needs onnxruntime-node on Linux x64, an NVIDIA card, CUDA 13 and cuDNN 9.",
  webgpu:
    "WebGPU needs onnxruntime-web/webgpu in a browser that has an adapter, or onnxruntime-node with the driver of a graphics card.",
};

/** Computes one small convolution on a device and nowhere else; throws what ONNX Runtime says if that fails. */
export async function tryDevice(
  runtime: OnnxRuntime,
  device: Exclude<Device, "cpu">,
): Promise<void> {
  const one = [1, 1, 1, 1];
  const y = convolve(input("x", one), input("weight", one), input("bias", [1]));
  const session = await openSession(runtime, device, toOnnx({ y }), {
    extra: { session: { disable_cpu_ep_fallback: "1" } },
    logSeverityLevel: 4,
  });
  const feed = (value: number, shape: readonly number[]) =>
    new runtime.Tensor("float32", Float32Array.of(value), shape);
  try {
    const feeds = { x: feed(2, one), weight: feed(3, one), bias: feed(1, [1]) };
    const [value] = (await session.run(feeds))["y"].data as Float32Array;
    if (value !== 7) throw new Error(`2 · 3 + 1 came out as ${value}`);
  } catch (cause) {
    throw unusable(device, cause);
  } finally {
    await session.release();
  }
}

function createProgram(
  runtime: OnnxRuntime,
  session: OnnxSession,
  outputs: Readonly<Record<string, Tensor>>,
  { inPlace, device }: { readonly inPlace: boolean; readonly device: Device },
): Program {
  const inputs = sortGraph(Object.values(outputs)).flatMap((node) => {
    const name = inputName(node);
    return name === undefined ? [] : [{ name, shape: node.shape, type: node.type }];
  });
  const wrap = createWrapper(runtime);
  return {
    async run(feeds, into = {}) {
      const sizes = new Map<string, number>();
      const fed: Record<string, OnnxTensor> = {};
      for (const { name, shape, type } of inputs) {
        const data = feeds[name];
        if (!data) throw badShape(`The input "${name}" was not fed.`);
        const fits = type === "int" ? data instanceof Int32Array : data instanceof Float32Array;
        if (!fits)
          throw badShape(
            `The input "${name}" wants ${type === "int" ? "Int32Array" : "Float32Array"}.`,
          );
        fed[name] = wrap(data as Float32Array, feedShape(name, shape, data.length, sizes));
      }
      const fetches: Record<string, OnnxTensor | null> = {};
      for (const [name, { shape }] of Object.entries(outputs)) {
        const given = inPlace ? into[name] : undefined;
        fetches[name] = given ? wrap(given as Float32Array, filled(shape, sizes)) : null;
      }
      const results = await session.run(fed, fetches).catch((cause) => {
        throw withoutMemory(cause, device, sizes) ?? cause;
      });
      const data: Record<string, Numbers> = {};
      for (const name of Object.keys(outputs)) {
        const result = results[name].data as Float32Array;
        const given = into[name];
        if (given && !inPlace) given.set(result);
        data[name] = given ?? result;
      }
      return data;
    },
    dispose: () => session.release(),
  };
}

function createStepsProgram(
  runtime: OnnxRuntime,
  session: OnnxSession,
  { carried, outputs }: Steps,
  { inputs, varying }: LoopModel,
  device: Device,
): StepsProgram {
  const tensor = (type: "float32" | "int32", data: Float32Array | Int32Array, shape: Shape) =>
    new runtime.Tensor(type, data, shape as readonly number[]);
  return {
    async run(feeds, memory) {
      const joined = joinFeeds(feeds, inputs, varying);
      const fed: Record<string, OnnxTensor> = {
        [`${STEPS} as fed`]: tensor("int32", Int32Array.of(feeds.length), []),
      };
      for (const [size, starts] of joined.starts) {
        fed[`${startsOf(size)} as fed`] = tensor("int32", starts, [starts.length]);
      }
      for (const { name, type, data, shape } of joined.inputs) {
        fed[name] = tensor(type === "int" ? "int32" : "float32", data, shape);
      }
      for (const name of Object.keys(carried)) {
        fed[`first ${name}`] = tensor("float32", memory[name], [memory[name].length]);
      }
      const results = await session.run(fed).catch((cause) => {
        throw withoutMemory(cause, device, joined.sizes) ?? cause;
      });
      const data = (name: string) => results[`last ${name}`].data as Float32Array;
      for (const name of Object.keys(carried)) memory[name].set(data(name));
      return Object.fromEntries(Object.keys(outputs).map((name) => [name, data(name)]));
    },
    dispose: () => session.release(),
  };
}

/** What all steps are fed, joined as the model takes it. */
function joinFeeds(
  feeds: readonly Buffers[],
  inputs: readonly LoopInput[],
  varying: readonly string[],
) {
  const sizes = new Map<string, number>();
  const starts = new Map(varying.map((size) => [size, new Int32Array(feeds.length + 1)]));
  const joined = inputs.map(({ name, type, shape, varies }) => {
    const parts = feeds.map((each) => {
      const data = each[name];
      if (!data) throw badShape(`The input "${name}" was not fed.`);
      return data;
    });
    const total = parts.reduce((sum, part) => sum + part.length, 0);
    const data = type === "int" ? new Int32Array(total) : new Float32Array(total);
    let at = 0;
    for (const part of parts) {
      data.set(part, at);
      at += part.length;
    }
    const inner = countOf(shape.slice(1) as readonly number[]);
    const own = varies === undefined ? countOf(shape as readonly number[]) : undefined;
    const bounds = varies === undefined ? undefined : starts.get(varies);
    parts.forEach((part, step) => {
      if (own !== undefined && part.length !== own) throw unlike(name, shape, part.length);
      const rows = part.length / inner;
      if (bounds) bounds[step + 1] = bounds[step] + rows;
      if (varies !== undefined) sizes.set(varies, Math.max(rows, sizes.get(varies) ?? 0));
    });
    const whole =
      varies === undefined ? [feeds.length, ...shape] : [total / inner, ...shape.slice(1)];
    return { name, type, data, shape: whole };
  });
  return { inputs: joined, starts, sizes };
}

const unlike = (name: string, shape: Shape, length: number) =>
  badShape(`The input "${name}" of shape ${showShape(shape)} was fed ${length} numbers.`);

/** Says that there was no memory for so many rows; undefined if something else went wrong. */
function withoutMemory(
  cause: unknown,
  device: Device,
  sizes: ReadonlyMap<string, number>,
): CrowdError | undefined {
  const shortage = shortageOf(cause);
  if (!shortage) return undefined;
  const rows = sizes.get("batch") ?? maxOf(sizes.values(), 1);
  const { requested, available } = shortage;
  const asked = requested === undefined ? "" : ` ${showBytes(requested)} were asked for`;
  const had = available === undefined ? "" : `, ${showBytes(available)} were left`;
  const numbers = asked && `${asked}${had}.`;
  const fewer =
    device === "cpu"
      ? "fewer rows at once or a smaller network"
      : `fewer rows at once, a smaller network, or ${hint("device", "cpu")}`;
  return new CrowdError(
    "too-large",
    `There is not enough memory on ${deviceTitles[device]} for ${plural(rows, "row")} at once.${numbers} ` +
      `Use ${fewer}.`,
    { cause },
  );
}

const filled = (shape: Shape, sizes: ReadonlyMap<string, number>): readonly number[] =>
  shape.map((size) => (typeof size === "number" ? size : (sizes.get(size) ?? 0)));

/** Tensors over buffers; those of weights are made once and used again. */
function createWrapper(runtime: OnnxRuntime) {
  const known = new WeakMap<Numbers, { readonly shape: string; readonly tensor: OnnxTensor }>();
  return (data: Float32Array | Int32Array, shape: readonly number[]): OnnxTensor => {
    const key = shape.join();
    const before = known.get(data);
    if (before?.shape === key) return before.tensor;
    const type = data instanceof Int32Array ? "int32" : "float32";
    const tensor = new runtime.Tensor(type, data, shape);
    known.set(data, { shape: key, tensor });
    return tensor;
  };
}
