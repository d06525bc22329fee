/** Mean, largest element and log-sum-exp over axes. */
import { defineOp, type Tensor } from "../graph.ts";
import { axisOf } from "../shape.ts";
import { atLeast, divide, multiply } from "./arithmetic.ts";
import { expand, reducedShape, reduceValue, sizeOf, sum, unreduced } from "./broadcast.ts";
import { softmax } from "./softmax.ts";

/** Mean over some axes, all by default. */
export function mean(x: Tensor, axes?: readonly number[], keep = false): Tensor {
  const which = axes ?? x.shape.map((_, axis) => axis);
  const sizes = which.map((axis) => x.shape[axisOf(x.shape, axis, "mean")]);
  const known = sizes.every((size) => typeof size === "number");
  const count = known ? sizes.reduce<number>((n, size) => n * Number(size), 1) : sizeOf(x, which);
  return divide(sum(x, axes, keep), count);
}

const lastAxis = (x: Tensor) => ({ axes: [x.shape.length - 1], keep: false });

const makeLargest = defineOp<null>({
  name: "largest",
  shape: ([x]) => reducedShape(x.shape, lastAxis(x)),
  // Where several are the largest they share the gradient, as in the limit of log-sum-exp.
  gradient: (node, upstream) => {
    const [x] = node.inputs;
    const mask = atLeast(x, unreduced(node, x.shape, lastAxis(x)));
    const share = divide(mask, sum(mask, [-1], true));
    return [multiply(share, expand(unreduced(upstream, x.shape, lastAxis(x)), x))];
  },
  evaluate: ([x]) =>
    reduceValue(x, { axes: [x.shape.length - 1], keep: false }, -Infinity, Math.max),
  lower: (emit, [x]) => emit.node("ReduceMax", [x, emit.ints([-1])], { keepdims: 0 }),
});

/** The largest element along the last axis. */
export function largest(x: Tensor): Tensor {
  axisOf(x.shape, -1, "largest");
  return makeLargest([x], null);
}

const makeLogSumExp = defineOp<null>({
  name: "logSumExp",
  shape: ([x]) => reducedShape(x.shape, lastAxis(x)),
  gradient: ({ inputs: [x] }, upstream) => [
    multiply(softmax(x), unreduced(upstream, x.shape, lastAxis(x))),
  ],
  evaluate: ([x]) => {
    const axes = { axes: [x.shape.length - 1], keep: false };
    const top = reduceValue(x, axes, -Infinity, Math.max);
    const width = x.shape[x.shape.length - 1];
    const data = top.data.map((max, row) => {
      let total = 0;
      for (let i = 0; i < width; i++) total += Math.exp(x.data[row * width + i] - max);
      return max + Math.log(total);
    });
    return { shape: top.shape, data };
  },
  lower: (emit, [x]) => emit.node("ReduceLogSumExp", [x, emit.ints([-1])], { keepdims: 0 }),
});

/** log sum exp along the last axis. */
export function logSumExp(x: Tensor): Tensor {
  axisOf(x.shape, -1, "logSumExp");
  return makeLogSumExp([x], null);
}
