/**
 * Batch normalisation: y = (x - mean) · inverse · scale + shift, inverse = 1 / sqrt(variance + epsilon), with mean and
 * variance of each channel over the batch.
 *
 * Its gradient for x goes through mean and variance of the batch as well, in one formula: with
 * z = centred · inverse, dx = scale · inverse · (g - mean(g) - z · mean(g · z)). Differentiating the
 * parts one by one gives the same numbers in twice as many passes over the images.
 *
 * What passes over whole images takes most of the time. The CPU makes many light passes; a card has nodes that do
 * several of them at once, although they were made for other things.
 */
import type { Emitter } from "../emitter.ts";
import { defineOp, type Tensor, type Value } from "../graph.ts";
import { badShape, countOf, type Shape, showShape } from "../shape.ts";
import { add, divide, multiply, negate, subtract } from "./arithmetic.ts";
import {
  expand,
  reducedShape,
  reduceSum,
  reduceValue,
  sizeOf,
  sum,
  writeSize,
} from "./broadcast.ts";
import { sqrt } from "./elementwise.ts";
import { reshape } from "./reshape.ts";

interface Channels {
  /** All axes but that of the channels. */
  readonly axes: readonly number[];
}

/** All axes but the second, that of the channels. */
function channelsOf({ shape }: Tensor): Channels {
  if (shape.length < 2 || typeof shape[1] === "string") {
    throw badShape(`batch normalisation: wants [batch, channels, …], not ${showShape(shape)}.`);
  }
  return { axes: shape.flatMap((_, axis) => (axis === 1 ? [] : [axis])) };
}

const wideShape = ([{ shape }]: readonly { readonly shape: Shape }[], { axes }: Channels): Shape =>
  reducedShape(shape, { axes, keep: true });

const totalOf = (x: Value, { axes }: Channels): Value =>
  reduceValue(x, { axes, keep: true }, 0, (total, element) => total + element);

/** Each element of images, computed with the number of its channel. */
function byChannel(x: Value, compute: (element: number, i: number, c: number) => number): Value {
  const pixels = countOf(x.shape.slice(2));
  const channels = x.shape[1];
  const data = x.data.map((element, i) => compute(element, i, Math.floor(i / pixels) % channels));
  return { shape: x.shape, data };
}

const countIn = (x: Value): number => x.data.length / x.shape[1];

const makeMean = defineOp<Channels>({
  name: "batchMean",
  shape: wideShape,
  gradient: ({ inputs: [x], attributes: { axes } }, g) => [expand(divide(g, sizeOf(x, axes)), x)],
  evaluate: ([x], attributes) => {
    const { shape, data } = totalOf(x, attributes);
    return { shape, data: data.map((total) => total / countIn(x)) };
  },
  lower: (emit, [x], { inputs: [{ shape }], attributes: { axes } }) => {
    if (onCard(emit, shape)) return wide(emit, momentsOnCard(emit, x, shape)[0], shape);
    const total = reduceSum(emit, x, shape, { axes, keep: true });
    return emit.node("Div", [total, writeSize(emit, x, axes)]);
  },
});

/** Inputs: x, mean. */
const makeVariance = defineOp<Channels>({
  name: "batchVariance",
  shape: wideShape,
  // Moving the mean changes nothing: deviations from it sum to 0.
  gradient: ({ inputs: [x, mean], attributes: { axes } }, g) => [
    multiply(subtract(x, mean), multiply(divide(g, sizeOf(x, axes)), 2)),
    undefined,
  ],
  evaluate: ([x, mean], attributes) => {
    const squares = byChannel(x, (element, _, c) => (element - mean.data[c]) ** 2);
    const { shape, data } = totalOf(squares, attributes);
    return { shape, data: data.map((total) => total / countIn(x)) };
  },
  lower: (emit, [x, mean], { inputs: [{ shape }], attributes: { axes } }) => {
    if (onCard(emit, shape)) return wide(emit, momentsOnCard(emit, x, shape)[1], shape);
    const centred = emit.node("Sub", [x, mean]);
    // Half the time of ReduceSumSquare.
    const squares = emit.node("Mul", [centred, centred]);
    const total = reduceSum(emit, squares, shape, { axes, keep: true });
    return emit.node("Div", [total, writeSize(emit, x, axes)]);
  },
});

interface Normalisation extends Channels {
  readonly epsilon: number;
}

/** Inputs: x, scale, shift, mean, variance; all but x [1, channels, 1, …]. */
const makeNormalised = defineOp<Normalisation>({
  name: "batchNormalise",
  shape: ([x]) => x.shape,
  gradient: ({ inputs: [x, scale, shift, mean, variance], attributes: { axes, epsilon } }, g) => {
    const inverse = divide(1, sqrt(add(variance, epsilon)));
    const count = sizeOf(x, axes);
    const total = sum(g, axes, true);
    const along = makeAlong([g, x, mean, inverse, total], { axes });
    const slope = multiply(scale, inverse);
    const onCentred = negate(multiply(multiply(slope, inverse), divide(along, count)));
    const offset = negate(multiply(slope, divide(total, count)));
    const dx = makeSlopes([g, x, mean, slope, onCentred, offset], null);
    return [dx, reshape(along, scale.shape), reshape(total, shift.shape), undefined, undefined];
  },
  evaluate: ([x, scale, shift, mean, variance], { epsilon }) =>
    byChannel(x, (element, _, c) => {
      const inverse = 1 / Math.sqrt(variance.data[c] + epsilon);
      return (element - mean.data[c]) * inverse * scale.data[c] + shift.data[c];
    }),
  lower: (emit, [x, scale, shift, mean, variance], { inputs: [{ shape }], attributes }) => {
    const epsilon = attributes.epsilon;
    if (onCard(emit, shape)) {
      const parts = [scale, shift, mean, variance].map((part) => narrow(emit, part));
      return emit.node("BatchNormalization", [x, ...parts], { epsilon: { float: epsilon } });
    }
    const deviation = emit.node("Sqrt", [emit.node("Add", [variance, emit.floats([epsilon], [])])]);
    const inverse = emit.node("Div", [emit.floats([1], []), deviation]);
    const centred = emit.node("Sub", [x, mean]);
    return emit.node("Add", [
      emit.node("Mul", [centred, emit.node("Mul", [scale, inverse])]),
      shift,
    ]);
  },
});

/** The sum of g · (x - mean) · inverse. Inputs: these four, and the sum of g. */
const makeAlong = defineOp<Channels>({
  name: "batchAlong",
  shape: wideShape,
  evaluate: ([g, x, mean, inverse], attributes) => {
    const { shape, data } = totalOf(
      byChannel(x, (element, i, c) => g.data[i] * (element - mean.data[c])),
      attributes,
    );
    return { shape, data: data.map((total, c) => total * inverse.data[c]) };
  },
  lower: (emit, [g, x, mean, inverse, total], { inputs: [{ shape }], attributes: { axes } }) => {
    const keep = { axes, keep: true };
    if (!onCard(emit, shape)) {
      const products = emit.node("Mul", [g, emit.node("Sub", [x, mean])]);
      return emit.node("Mul", [reduceSum(emit, products, shape, keep), inverse]);
    }
    const raw = reduceSum(emit, emit.node("Mul", [g, x]), shape, keep);
    return emit.node("Mul", [emit.node("Sub", [raw, emit.node("Mul", [mean, total])]), inverse]);
  },
});

/** g · slope + (x - mean) · onCentred + offset. */
const makeSlopes = defineOp<null>({
  name: "batchSlopes",
  shape: ([, x]) => x.shape,
  evaluate: ([g, x, mean, slope, onCentred, offset]) =>
    byChannel(
      x,
      (element, i, c) =>
        g.data[i] * slope.data[c] + (element - mean.data[c]) * onCentred.data[c] + offset.data[c],
    ),
  lower: (emit, [g, x, mean, slope, onCentred, offset], { inputs: [, { shape }] }) => {
    const ownPart = emit.node("Mul", [g, slope]);
    if (!onCard(emit, shape)) {
      const centredPart = emit.node("Mul", [emit.node("Sub", [x, mean]), onCentred]);
      return emit.node("Add", [emit.node("Add", [ownPart, centredPart]), offset]);
    }
    const parts = [onCentred, offset, mean].map((part) => narrow(emit, part));
    // With a variance of 1 it is a product and a sum; an epsilon of 0 it may refuse.
    const variance = filled(emit, Number(shape[1]), 1 - LEAST);
    const attributes = { epsilon: { float: LEAST } };
    return emit.node("Add", [
      ownPart,
      emit.node("BatchNormalization", [x, ...parts, variance], attributes),
    ]);
  },
});

/** Whether the nodes for a card fit: they are for images. */
const onCard = (emit: Emitter, shape: Shape): boolean => emit.card && shape.length === 4;

/** [channels] of [1, channels, 1, …]. */
const narrow = (emit: Emitter, part: string): string =>
  emit.once(`narrow ${part}`, () => [emit.node("Reshape", [part, emit.ints([-1])])])[0];

/** [1, channels, 1, …] of [channels]. */
function wide(emit: Emitter, part: string, shape: Shape): string {
  const name = emit.node("Reshape", [
    part,
    emit.ints(shape.map((_, axis) => (axis === 1 ? -1 : 1))),
  ]);
  emit.once(`narrow ${name}`, () => [part]);
  return name;
}

const filled = (emit: Emitter, count: number, value: number): string =>
  emit.once(`${count} × ${value}`, () => [emit.floats(new Float32Array(count).fill(value))])[0];

const LEAST = 1e-5;

/** Mean and variance of each channel, from those of each image, which come out of a layer normalisation. */
function momentsOnCard(emit: Emitter, x: string, shape: Shape): readonly string[] {
  return emit.once(`moments of ${x}`, () => {
    const [, channels, height, width] = shape.map(Number);
    const images = emit.node("Reshape", [x, emit.ints([-1, height * width])]);
    const [, mean, inverse] = emit.nodes(
      "LayerNormalization",
      [images, filled(emit, height * width, 1)],
      3,
      { axis: 1, epsilon: { float: 1e-12 } },
    );
    const means = emit.node("Reshape", [mean, emit.ints([-1, channels])]);
    const inverses = emit.node("Reshape", [inverse, emit.ints([-1, channels])]);
    const within = emit.node("Reciprocal", [emit.node("Mul", [inverses, inverses])]);
    const average = (values: string) =>
      emit.node("ReduceMean", [values, emit.ints([0])], { keepdims: 0 });
    const all = average(means);
    const apart = emit.node("Sub", [means, all]);
    const variance = average(emit.node("Add", [within, emit.node("Mul", [apart, apart])]));
    return [all, variance];
  });
}

/** The mean of each channel, [1, channels, 1, …]. */
export const batchMean = (x: Tensor): Tensor => makeMean([x], channelsOf(x));

/** The variance of each channel around its mean, not corrected for the size of the batch. */
export const batchVariance = (x: Tensor, mean: Tensor): Tensor =>
  makeVariance([x, mean], channelsOf(x));

/** (x - mean) / sqrt(variance + epsilon) · scale + shift, with the gradient of x through mean and variance. */
export const batchNormalise = (
  parts: Readonly<Record<"x" | "scale" | "shift" | "mean" | "variance", Tensor>>,
  epsilon: number,
): Tensor => {
  const { x, scale, shift, mean, variance } = parts;
  return makeNormalised([x, scale, shift, mean, variance], { ...channelsOf(x), epsilon });
};
