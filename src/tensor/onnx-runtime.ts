/**
 * Runs graphs on ONNX Runtime, native or WASM: both have the same interface, so that the module is
 * given, never loaded here.
 */
import type { Executor, Numbers, Program } from "./executor.ts";
import { inputName, sortGraph, type Tensor } from "./graph.ts";
import { feedShape } from "./interpreter.ts";
import { toOnnx } from "./onnx.ts";
import { badShape, type Shape } from "./shape.ts";

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
}

/** Creates an executor from an ONNX Runtime module. */
export function createRuntimeExecutor(
  runtime: OnnxRuntime,
  { name, threads = 1, inPlace = false }: RuntimeOptions,
): Executor {
  return {
    name,
    async compile(outputs) {
      const session = await runtime.InferenceSession.create(toOnnx(outputs), {
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        executionMode: "sequential",
        // What "all" adds is another layout of images, which does not pay where weights change.
        graphOptimizationLevel: "extended",
        logSeverityLevel: 3,
      });
      return createProgram(runtime, session, outputs, inPlace);
    },
  };
}

function createProgram(
  runtime: OnnxRuntime,
  session: OnnxSession,
  outputs: Readonly<Record<string, Tensor>>,
  inPlace: boolean,
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
      const results = await session.run(fed, fetches);
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
