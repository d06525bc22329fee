/**
 * An ONNX classifier as a module of ours, so that it can be run by any executor and differentiated: the
 * ops that our own models use, and those of ordinary networks exported by other tools.
 */
import { CrowdError } from "../error.ts";
import type { OnnxNode } from "./emitter.ts";
import { constant, type Tensor } from "./graph.ts";
import type { OnnxModel } from "./onnx-reader.ts";
import { add, divide, multiply, subtract } from "./ops/arithmetic.ts";
import { sum } from "./ops/broadcast.ts";
import { convolve } from "./ops/convolution.ts";
import { absolute, exp, log, relu, sigmoid, softplus, sqrt, tanh } from "./ops/elementwise.ts";
import { concat, transpose } from "./ops/layout.ts";
import { matmul } from "./ops/matmul.ts";
import { maxPool } from "./ops/pooling.ts";
import { mean } from "./ops/reduce.ts";
import { reshape } from "./ops/reshape.ts";
import { logSoftmax, softmax } from "./ops/softmax.ts";
import { createScope, type Module } from "./scope.ts";
import { countOf, type Shape, type Size } from "./shape.ts";

export interface ImportedClassifier {
  readonly module: Module;
  /** Of a row of features. */
  readonly shape: readonly number[];
  readonly classes: readonly string[];
}

/** Outputs that are taken before any other: what our own models call theirs. */
const OWN = ["logits", "values", "scores"];

/** A classifier: one input [batch, …], an output `logits`, or one of probabilities; or a network that predicts numbers. */
export function importClassifier(model: OnnxModel, file = "The model"): ImportedClassifier {
  const bad = (what: string) => new CrowdError("bad-data", `${file}: ${what}`);
  if (model.inputs.length !== 1)
    throw bad(`it has ${model.inputs.length} inputs; one was expected.`);
  const [{ name: input, shape: given }] = model.inputs;
  const shape = given.slice(1).map(Number);
  if (given.length < 2 || !shape.every((size) => Number.isInteger(size) && size > 0)) {
    throw bad(`its input has the shape [${given.join(", ")}]; [batch, sizes…] was expected.`);
  }
  const names = model.outputs.map(({ name }) => name);
  const output = OWN.find((name) => names.includes(name)) ?? names[0];
  if (output === undefined) throw bad("it has no output.");
  const module: Module = (x) => {
    const values = new Map<string, Tensor>([[input, x]]);
    for (const node of model.nodes) {
      const make = makers[node.type];
      if (!make || node.domain !== "") {
        throw new CrowdError("not-supported", `${file}: the op ${node.type} is not supported.`);
      }
      values.set(node.outputs[0], make(createContext(model, node, values, file)));
    }
    const result = values.get(output);
    if (!result) throw bad(`nothing computes its output "${output}".`);
    // Probabilities are as good: their logarithms are logits.
    return OWN.includes(output) || !isSoftmax(model, output) ? result : log(result);
  };
  return { module, shape, classes: classesOf(model, module, shape) };
}

const isSoftmax = ({ nodes }: OnnxModel, output: string): boolean =>
  nodes.some(({ type, outputs }) => type === "Softmax" && outputs[0] === output);

/** The names in the metadata, else numbers. */
function classesOf(model: OnnxModel, module: Module, shape: readonly number[]): string[] {
  const probe = module(zeros(shape), createScope(false));
  const width = Number(probe.shape[1]);
  try {
    const names: unknown = JSON.parse(model.metadata.get("classes") ?? "");
    if (Array.isArray(names) && names.length === width) return names.map(String);
  } catch {
    // Not ours: numbers will do.
  }
  return Array.from({ length: width }, (_, k) => String(k));
}

const zeros = (shape: readonly number[]) =>
  constant(new Float64Array(countOf(shape)), [1, ...shape]);

interface Context {
  readonly node: OnnxNode;
  /** An input, computed or constant. */
  tensor(at: number): Tensor;
  optional(at: number): Tensor | undefined;
  /** An input that must be constant: axes, sizes. */
  ints(at: number): readonly number[] | undefined;
  int(name: string, usual: number): number;
  list(name: string): readonly number[] | undefined;
  refuse(what: string): CrowdError;
}

function createContext(
  { constants }: OnnxModel,
  node: OnnxNode,
  values: ReadonlyMap<string, Tensor>,
  file: string,
): Context {
  const refuse = (what: string) =>
    new CrowdError("not-supported", `${file}: ${node.type} ${what} is not supported.`);
  const optional = (at: number): Tensor | undefined => {
    const name = node.inputs[at];
    if (name === undefined || name === "") return undefined;
    const held = constants.get(name);
    return values.get(name) ?? (held && constant(held.values, held.shape));
  };
  return {
    node,
    optional,
    refuse,
    tensor: (at) => {
      const found = optional(at);
      if (!found) throw refuse(`without its input ${at + 1}`);
      return found;
    },
    ints: (at) => {
      const name = node.inputs[at];
      if (name === undefined || name === "") return undefined;
      const held = constants.get(name);
      if (!held) throw refuse("with sizes that are computed");
      return [...held.values];
    },
    int: (name, usual) => {
      const value = node.attributes[name];
      return typeof value === "number" ? value : usual;
    },
    list: (name) => {
      const value = node.attributes[name];
      return Array.isArray(value) ? (value as readonly number[]) : undefined;
    },
  };
}

type Maker = (context: Context) => Tensor;

const unary =
  (op: (x: Tensor) => Tensor): Maker =>
  ({ tensor }) =>
    op(tensor(0));
const binary =
  (op: (a: Tensor, b: Tensor) => Tensor): Maker =>
  ({ tensor }) =>
    op(tensor(0), tensor(1));

/** Along the last axis only. */
const onLastAxis =
  (op: (x: Tensor) => Tensor): Maker =>
  ({ tensor, int, refuse }) => {
    const x = tensor(0);
    const axis = int("axis", -1);
    if (axis !== -1 && axis !== x.shape.length - 1) throw refuse(`along axis ${axis}`);
    return op(x);
  };

const reduction =
  (op: (x: Tensor, axes: readonly number[], keep: boolean) => Tensor): Maker =>
  ({ tensor, ints, list, int }) => {
    const x = tensor(0);
    const axes = ints(1) ?? list("axes") ?? x.shape.map((_, axis) => axis);
    return op(x, axes, int("keepdims", 1) === 1);
  };

const makers: Readonly<Record<string, Maker>> = {
  Identity: ({ tensor }) => tensor(0),
  Dropout: ({ tensor }) => tensor(0),
  Relu: unary(relu),
  Sigmoid: unary(sigmoid),
  Tanh: unary(tanh),
  Softplus: unary(softplus),
  Exp: unary(exp),
  Log: unary(log),
  Sqrt: unary(sqrt),
  Abs: unary(absolute),
  Add: binary(add),
  Sub: binary(subtract),
  Mul: binary(multiply),
  Div: binary(divide),
  MatMul: binary((a, b) => matmul(a, b)),
  Softmax: onLastAxis(softmax),
  LogSoftmax: onLastAxis(logSoftmax),
  ReduceMean: reduction(mean),
  ReduceSum: reduction(sum),
  GlobalAveragePool: ({ tensor }) => mean(tensor(0), [2, 3], true),
  Concat: ({ node, tensor, int }) =>
    concat(
      node.inputs.map((_, at) => tensor(at)),
      int("axis", 0),
    ),
  Transpose: ({ tensor, list }) => {
    const x = tensor(0);
    return transpose(x, list("perm") ?? x.shape.map((_, axis) => axis).reverse());
  },
  Gemm: ({ tensor, optional, int }) => {
    const product = matmul(tensor(0), tensor(1), {
      left: int("transA", 0) === 1,
      right: int("transB", 0) === 1,
    });
    const scaled = scale(product, int("alpha", 1));
    const offset = optional(2);
    return offset ? add(scaled, scale(offset, int("beta", 1))) : scaled;
  },
  Flatten: ({ tensor, int, refuse }) => {
    const x = tensor(0);
    if (int("axis", 1) !== 1) throw refuse("at another axis than 1");
    return reshape(x, [x.shape[0], rest(x.shape.slice(1))]);
  },
  Reshape: ({ tensor, ints, refuse }) => {
    const x = tensor(0);
    const wanted = ints(1) ?? [];
    const sizes: Size[] = wanted.map((size, axis) => (size === 0 ? x.shape[axis] : size));
    const open = sizes.indexOf(-1);
    if (open >= 0)
      sizes[open] = remaining(
        x.shape,
        sizes.filter((_, axis) => axis !== open),
      );
    if (sizes.some((size) => typeof size === "number" && !(size > 0)))
      throw refuse(`to [${wanted}]`);
    return reshape(x, sizes);
  },
  Unsqueeze: ({ tensor, ints, list }) => {
    const x = tensor(0);
    const axes = ints(1) ?? list("axes") ?? [];
    const rank = x.shape.length + axes.length;
    const places = axes.map((axis) => (axis < 0 ? axis + rank : axis));
    const left = [...x.shape];
    return reshape(
      x,
      Array.from({ length: rank }, (_, axis) => (places.includes(axis) ? 1 : (left.shift() ?? 1))),
    );
  },
  Squeeze: ({ tensor, ints, list }) => {
    const x = tensor(0);
    const axes = (ints(1) ?? list("axes") ?? []).map((axis) =>
      axis < 0 ? axis + x.shape.length : axis,
    );
    return reshape(
      x,
      x.shape.filter((_, axis) => !axes.includes(axis)),
    );
  },
  Conv: ({ tensor, optional, list, int, refuse }) => {
    const [weight, pads] = [tensor(1), list("pads") ?? [0, 0, 0, 0]];
    const strides = list("strides") ?? [1, 1];
    const plain =
      new Set(pads).size === 1 &&
      new Set(strides).size === 1 &&
      (list("dilations") ?? [1]).every((step) => step === 1) &&
      int("group", 1) === 1;
    if (!plain) throw refuse("with groups, dilation or uneven steps and edges");
    const bias =
      optional(2) ?? constant(new Float64Array(Number(weight.shape[0])), [Number(weight.shape[0])]);
    return convolve(tensor(0), weight, bias, { stride: strides[0], padding: pads[0] });
  },
  MaxPool: ({ tensor, list, refuse }) => {
    const size = list("kernel_shape") ?? [];
    const strides = list("strides") ?? [1, 1];
    const plain =
      new Set([...size, ...strides]).size === 1 && (list("pads") ?? []).every((pad) => pad === 0);
    if (!plain) throw refuse("with windows that overlap or edges");
    return maxPool(tensor(0), size[0]);
  },
  BatchNormalization: ({ tensor, node }) => {
    const x = tensor(0);
    const wide = [1, Number(x.shape[1]), ...x.shape.slice(2).map(() => 1)];
    const [gain, shift, centre, spread] = [1, 2, 3, 4].map((at) => reshape(tensor(at), wide));
    const epsilon = node.attributes["epsilon"];
    const slope = divide(gain, sqrt(add(spread, typeof epsilon === "number" ? epsilon : 1e-5)));
    return add(multiply(subtract(x, centre), slope), shift);
  },
};

const scale = (x: Tensor, by: number): Tensor => (by === 1 ? x : multiply(x, by));

const rest = (sizes: Shape): number =>
  sizes.reduce<number>((product, size) => product * Number(size), 1);

/** What -1 stands for: the size known only at run time, or what is left of the others. */
function remaining(from: Shape, others: Shape): Size {
  const named = from.filter((size) => typeof size === "string" && !others.includes(size));
  if (named.length > 0) return named[0];
  const known = (sizes: Shape) => rest(sizes.filter((size) => typeof size === "number"));
  return known(from) / known(others);
}
