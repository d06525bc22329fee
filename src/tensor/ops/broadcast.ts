/** Stretching to a larger shape, and its gradient: summing back. */
import type { Emitter } from "../emitter.ts";
import { defineOp, type Tensor, type Value } from "../graph.ts";
import { axisOf, badShape, broadcastShapes, countOf, type Shape, sameShape } from "../shape.ts";
import { reshape } from "./reshape.ts";

/** For each element of a broadcast shape, where it is found in a tensor of a smaller shape. */
export function broadcastIndex(from: readonly number[], to: readonly number[]): Int32Array {
  const index = new Int32Array(countOf(to));
  const strides = new Array<number>(to.length).fill(0);
  for (let axis = from.length - 1, stride = 1; axis >= 0; axis--) {
    if (from[axis] !== 1) strides[axis + to.length - from.length] = stride;
    stride *= from[axis];
  }
  const at = new Array<number>(to.length).fill(0);
  for (let i = 0, position = 0; i < index.length; i++) {
    index[i] = position;
    for (let axis = to.length - 1; axis >= 0; axis--) {
      position += strides[axis];
      if (++at[axis] < to[axis]) break;
      position -= strides[axis] * to[axis];
      at[axis] = 0;
    }
  }
  return index;
}

const makeExpand = defineOp<null>({
  name: "expand",
  shape: ([x, like]) => {
    const shape = broadcastShapes(x.shape, like.shape, "expand");
    if (!sameShape(shape, like.shape)) throw badShape(`expand: cannot shrink to ${like.shape}.`);
    return shape;
  },
  gradient: ({ inputs: [x] }, upstream) => [sumTo(upstream, x.shape), undefined],
  evaluate: ([x, like]) => {
    const index = broadcastIndex(x.shape, like.shape);
    return { shape: like.shape, data: Float64Array.from(index, (at) => x.data[at]) };
  },
  lower: (emit, [x, like]) => emit.node("Expand", [x, emit.node("Shape", [like])]),
});

/** Stretched to the shape of another tensor. */
export const expand = (x: Tensor, like: Tensor): Tensor =>
  sameShape(x.shape, like.shape) ? x : makeExpand([x, like], null);

interface Axes {
  readonly axes: readonly number[];
  readonly keep: boolean;
}

/** The shape after reducing some axes. */
export function reducedShape(shape: Shape, { axes, keep }: Axes): Shape {
  return keep
    ? shape.map((size, axis) => (axes.includes(axis) ? 1 : size))
    : shape.filter((_, axis) => !axes.includes(axis));
}

/** Folds all elements that fall together when axes are reduced. */
export function reduceValue(
  x: Value,
  attributes: Axes,
  start: number,
  fold: (sum: number, element: number) => number,
): Value {
  const kept = reducedShape(x.shape, { ...attributes, keep: true }) as readonly number[];
  const index = broadcastIndex(kept, x.shape);
  const data = new Float64Array(countOf(kept)).fill(start);
  for (let i = 0; i < index.length; i++) data[index[i]] = fold(data[index[i]], x.data[i]);
  return { shape: reducedShape(x.shape, attributes) as readonly number[], data };
}

/** A tensor whose reduced axes were dropped, with size 1 in their place. */
export const unreduced = (x: Tensor, like: Shape, { axes }: Axes): Tensor =>
  reshape(x, reducedShape(like, { axes, keep: true }));

const makeSum = defineOp<Axes>({
  name: "sum",
  shape: ([x], attributes) => reducedShape(x.shape, attributes),
  gradient: ({ inputs: [x], attributes }, upstream) => [
    expand(unreduced(upstream, x.shape, attributes), x),
  ],
  evaluate: ([x], attributes) => reduceValue(x, attributes, 0, (sum, element) => sum + element),
  lower: (emit, [x], { inputs, attributes }) => reduceSum(emit, x, inputs[0].shape, attributes),
});

/**
 * Writes a sum. On a card, axes that do not lie side by side are summed one group after the other: in one go it is
 * eight times slower, measured over pixels and batch of 128 × 16 × 64 × 64 numbers.
 */
export function reduceSum(emit: Emitter, x: string, shape: Shape, { axes, keep }: Axes): string {
  const sum = (from: string, over: readonly number[]) =>
    emit.node("ReduceSum", [from, emit.ints(over)], { keepdims: keep ? 1 : 0 });
  let start = shape.length;
  while (axes.includes(start - 1)) start--;
  const [front, back] = [axes.filter((axis) => axis < start), axes.filter((axis) => axis >= start)];
  if (!emit.card || front.length === 0 || back.length === 0) return sum(x, axes);
  return sum(sum(x, back), front);
}

/** Sum over some axes, all by default. */
export function sum(x: Tensor, axes?: readonly number[], keep = false): Tensor {
  const which = (axes ?? x.shape.map((_, axis) => axis)).map((axis) =>
    axisOf(x.shape, axis, "sum"),
  );
  return which.length === 0 ? x : makeSum([x], { axes: which, keep });
}

/** Summed over whatever was stretched from `shape`: the gradient of broadcasting. */
export function sumTo(x: Tensor, shape: Shape): Tensor {
  if (sameShape(x.shape, shape)) return x;
  const extra = x.shape.length - shape.length;
  const axes = x.shape.flatMap((size, axis) =>
    axis < extra || (shape[axis - extra] === 1 && size !== 1) ? [axis] : [],
  );
  return reshape(sum(x, axes, true), shape);
}

const makeSizeOf = defineOp<{ readonly axes: readonly number[] }>({
  name: "sizeOf",
  shape: () => [],
  gradient: () => [undefined],
  evaluate: ([x], { axes }) => ({
    shape: [],
    data: Float64Array.of(countOf(axes.map((axis) => x.shape[axis]))),
  }),
  lower: (emit, [x], { attributes: { axes } }) => writeSize(emit, x, axes),
});

/** Writes how many elements some axes hold together. */
export function writeSize(emit: Emitter, x: string, axes: readonly number[]): string {
  const sizes = emit.node("Gather", [emit.node("Shape", [x]), emit.ints(axes)]);
  const product = emit.node("ReduceProd", [sizes], { keepdims: 0 });
  return emit.node("Cast", [product], { to: 1 });
}

/** How many elements some axes hold together, as a number. */
export const sizeOf = (x: Tensor, axes: readonly number[]): Tensor =>
  makeSizeOf([x], { axes: axes.map((axis) => axisOf(x.shape, axis, "sizeOf")) });
