/**
 * A computation as a graph of immutable nodes. Nothing is computed when it is built, only shapes are
 * checked; an executor runs it. An op is defined in one place: its shape rule, its gradient rule, what
 * it computes in double precision, and which ONNX nodes do the same.
 */
import type { Emitter } from "./emitter.ts";
import { type Shape, showShape } from "./shape.ts";

export type Element = "float" | "int";

/** What the double-precision interpreter works with; whole numbers are kept as doubles too. */
export interface Value {
  readonly shape: readonly number[];
  readonly data: Float64Array;
}

/** A node of a graph: an operation, its inputs, and the shape of its result. */
export interface Tensor<Attributes = unknown> {
  readonly op: Op<Attributes>;
  readonly inputs: readonly Tensor[];
  readonly attributes: Attributes;
  readonly shape: Shape;
  readonly type: Element;
}

export interface Op<Attributes> {
  readonly name: string;
  /** What the result holds; floats where absent. */
  readonly type?: Element;
  /** The shape of the result; refuses inputs that do not fit. */
  shape(inputs: readonly Tensor[], attributes: Attributes): Shape;
  /** The gradient of each input from that of the result; undefined where there is none. */
  gradient?(node: Tensor<Attributes>, upstream: Tensor): readonly (Tensor | undefined)[];
  evaluate(inputs: readonly Value[], attributes: Attributes): Value;
  /** Writes the ONNX nodes; returns the name of their result. */
  lower(emit: Emitter, inputs: readonly string[], node: Tensor<Attributes>): string;
}

/** Turns the definition of an op into the function that builds its nodes. */
export function defineOp<Attributes>(
  op: Op<Attributes>,
): (inputs: readonly Tensor[], attributes: Attributes) => Tensor {
  return (inputs, attributes) => {
    const shape = op.shape(inputs, attributes);
    return { op: op as Op<unknown>, inputs, attributes, shape, type: op.type ?? "float" };
  };
}

interface InputAttributes {
  readonly name: string;
  readonly shape: Shape;
}

const leaf = (type: Element): Op<InputAttributes> => ({
  name: "input",
  type,
  shape: (_, { shape }) => shape,
  evaluate: () => {
    throw new Error("An input is fed, not computed.");
  },
  lower: (_emit, _inputs, { attributes }) => attributes.name,
});
const floatInput = leaf("float");
const intInput = leaf("int");
const makeFloatInput = defineOp(floatInput);
const makeIntInput = defineOp(intInput);

/** What is fed by name on every run: data, weights, masks. */
export function input(name: string, shape: Shape, type: Element = "float"): Tensor {
  return (type === "int" ? makeIntInput : makeFloatInput)([], { name, shape });
}

/** The name of an input node; undefined for every other node. */
export function inputName(node: Tensor): string | undefined {
  const isInput = node.op === (floatInput as Op<unknown>) || node.op === (intInput as Op<unknown>);
  return isInput ? (node.attributes as InputAttributes).name : undefined;
}

interface ConstantAttributes {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

const makeConstant = defineOp<ConstantAttributes>({
  name: "constant",
  shape: (_, { shape }) => shape,
  gradient: () => [],
  evaluate: (_, { shape, values }) => ({ shape, data: values }),
  lower: (emit, _, { attributes }) => emit.floats(attributes.values, attributes.shape),
});

/** A number, or numbers of a shape, written into the graph. */
export function constant(
  values: number | ArrayLike<number>,
  shape: readonly number[] = [],
): Tensor {
  const data = typeof values === "number" ? Float64Array.of(values) : Float64Array.from(values);
  return makeConstant([], { shape, values: data });
}

/** Every node that the given ones need, inputs before those that use them. */
export function sortGraph(outputs: readonly Tensor[]): readonly Tensor[] {
  const sorted: Tensor[] = [];
  const seen = new Set<Tensor>();
  // A stack of its own: unrolled graphs are deeper than the call stack allows.
  const stack = outputs.map((node) => ({ node, next: 0 })).reverse();
  while (stack.length > 0) {
    const top = stack[stack.length - 1];
    if (seen.has(top.node)) {
      stack.pop();
    } else if (top.next < top.node.inputs.length) {
      stack.push({ node: top.node.inputs[top.next++], next: 0 });
    } else {
      seen.add(top.node);
      sorted.push(top.node);
      stack.pop();
    }
  }
  return sorted;
}

/** A node in words, for messages. */
export const describe = (node: Tensor): string =>
  `${inputName(node) ?? node.op.name} ${showShape(node.shape)}`;
