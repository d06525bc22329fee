/** One tensor, element by element. */
import { defineOp, type Op, type Tensor } from "../graph.ts";
import { divide, multiply, subtract } from "./arithmetic.ts";

function unary(
  name: string,
  compute: (x: number) => number,
  lower: string | Op<null>["lower"],
  gradient: (g: Tensor, x: Tensor, y: Tensor) => Tensor | undefined,
): (x: Tensor) => Tensor {
  const make = defineOp<null>({
    name,
    shape: ([x]) => x.shape,
    gradient: (node, upstream) => [gradient(upstream, node.inputs[0], node)],
    evaluate: ([x]) => ({ shape: x.shape, data: x.data.map(compute) }),
    lower: typeof lower === "string" ? (emit, inputs) => emit.node(lower, inputs) : lower,
  });
  return (x) => make([x], null);
}

/** Exponential of each element. */
export const exp = unary("exp", Math.exp, "Exp", (g, _, y) => multiply(g, y));
/** Natural logarithm of each element. */
export const log = unary("log", Math.log, "Log", (g, x) => divide(g, x));
/** Square root of each element. */
export const sqrt = unary("sqrt", Math.sqrt, "Sqrt", (g, _, y) => divide(g, multiply(y, 2)));
/** Square of each element. */
export const square = (x: Tensor): Tensor => multiply(x, x);

/** Sign of each element: −1, 0 or 1. */
export const sign = unary("sign", Math.sign, "Sign", () => undefined);
/** Absolute value of each element. */
export const absolute = unary("absolute", Math.abs, "Abs", (g, x) => multiply(g, sign(x)));

/** Hyperbolic tangent of each element. */
export const tanh = unary("tanh", Math.tanh, "Tanh", (g, _, y) =>
  multiply(g, subtract(1, square(y))),
);

/** 1 / (1 + exp(−x)). */
export const sigmoid = unary(
  "sigmoid",
  (x) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x))),
  "Sigmoid",
  (g, _, y) => multiply(g, multiply(y, subtract(1, y))),
);

/** log(1 + exp(x)). */
export const softplus = unary(
  "softplus",
  (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))),
  "Softplus",
  (g, x) => multiply(g, sigmoid(x)),
);

// The result is never negative, so its sign is the mask; the gradient at 0 is 0.
/** max(x, 0). */
export const relu = unary(
  "relu",
  (x) => Math.max(x, 0),
  "Relu",
  (g, _, y) => multiply(g, sign(y)),
);

const makePower = defineOp<{ readonly exponent: number }>({
  name: "power",
  shape: ([x]) => x.shape,
  gradient: ({ inputs: [x], attributes: { exponent } }, upstream) => [
    multiply(upstream, multiply(power(x, exponent - 1), exponent)),
  ],
  evaluate: ([x], { exponent }) => ({ shape: x.shape, data: x.data.map((v) => v ** exponent) }),
  lower: (emit, [x], { attributes: { exponent } }) =>
    emit.node("Pow", [x, emit.floats([exponent], [])]),
});

/** x to a fixed power; x must be positive unless the power is whole. */
export const power = (x: Tensor, exponent: number): Tensor => makePower([x], { exponent });

/** The same numbers, through which no gradient flows. */
export const stopGradient = unary(
  "stopGradient",
  (x) => x,
  "Identity",
  () => undefined,
);
