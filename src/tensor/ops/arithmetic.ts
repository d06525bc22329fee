/** Two tensors, element by element; shapes are broadcast. */
import { constant, defineOp, type Op, type Tensor } from "../graph.ts";
import { broadcastShapes } from "../shape.ts";
import { broadcastIndex, sumTo } from "./broadcast.ts";

type Operand = Tensor | number;

const asTensor = (x: Operand): Tensor => (typeof x === "number" ? constant(x) : x);

function binary(
  name: string,
  compute: (a: number, b: number) => number,
  lower: Op<null>["lower"],
  gradient: (g: Tensor, a: Tensor, b: Tensor, y: Tensor) => readonly [Tensor, Tensor] | undefined,
): (a: Operand, b: Operand) => Tensor {
  const make = defineOp<null>({
    name,
    shape: ([a, b]) => broadcastShapes(a.shape, b.shape, name),
    gradient: (node, upstream) => {
      const [a, b] = node.inputs;
      const [left, right] = gradient(upstream, a, b, node) ?? [];
      return [left && sumTo(left, a.shape), right && sumTo(right, b.shape)];
    },
    evaluate: ([a, b]) => {
      const shape = broadcastShapes(a.shape, b.shape, name) as readonly number[];
      const left = broadcastIndex(a.shape, shape);
      const right = broadcastIndex(b.shape, shape);
      const data = Float64Array.from(left, (at, i) => compute(a.data[at], b.data[right[i]]));
      return { shape, data };
    },
    lower,
  });
  return (a, b) => make([asTensor(a), asTensor(b)], null);
}

const plain =
  (type: string): Op<null>["lower"] =>
  (emit, inputs) =>
    emit.node(type, inputs);

/** A comparison as 1 and 0. */
const compared =
  (type: string): Op<null>["lower"] =>
  (emit, inputs) =>
    emit.node("Cast", [emit.node(type, inputs)], { to: 1 });

/** a + b, with broadcasting. */
export const add = binary(
  "add",
  (a, b) => a + b,
  plain("Add"),
  (g) => [g, g],
);

/** a − b, with broadcasting. */
export const subtract = binary(
  "subtract",
  (a, b) => a - b,
  plain("Sub"),
  (g) => [g, multiply(g, -1)],
);

/** a · b, element by element, with broadcasting. */
export const multiply = binary(
  "multiply",
  (a, b) => a * b,
  plain("Mul"),
  (g, a, b) => [multiply(g, b), multiply(g, a)],
);

/** a / b, with broadcasting. */
export const divide = binary(
  "divide",
  (a, b) => a / b,
  plain("Div"),
  (g, _, b, y) => [divide(g, b), multiply(divide(multiply(g, y), b), -1)],
);

/** 1 where a >= b, else 0; a mask has no gradient. */
export const atLeast = binary(
  "atLeast",
  (a, b) => (a >= b ? 1 : 0),
  compared("GreaterOrEqual"),
  () => undefined,
);

/** The larger of two; where they are equal the gradient goes to the first. */
export const maximum = binary("maximum", Math.max, plain("Max"), (g, a, b) => [
  multiply(g, atLeast(a, b)),
  multiply(g, subtract(1, atLeast(a, b))),
]);

/** The smaller of two; where they are equal the gradient goes to the first. */
export const minimum = binary("minimum", Math.min, plain("Min"), (g, a, b) => [
  multiply(g, atLeast(b, a)),
  multiply(g, subtract(1, atLeast(b, a))),
]);

/** Kept within bounds; outside of them there is no gradient. */
export const clip = (x: Tensor, low: number, high: number): Tensor =>
  minimum(maximum(x, low), high);

/** −x. */
export const negate = (x: Tensor): Tensor => multiply(x, -1);
