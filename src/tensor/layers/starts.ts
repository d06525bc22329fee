/** How parameters are drawn at first. */
import { normal } from "../../math/distributions.ts";
import type { Start } from "../scope.ts";
import { countOf } from "../shape.ts";

/** All numbers the same. */
export const filled =
  (value: number): Start =>
  (shape) =>
    new Float32Array(countOf(shape)).fill(value);

/** Numbers given. */
export const given =
  (values: ArrayLike<number>): Start =>
  () =>
    Float32Array.from(values);

/** Normal with mean 0. */
export const gaussian =
  (deviation: number): Start =>
  (shape, random) =>
    Float32Array.from({ length: countOf(shape) }, () => deviation * normal(random));

/**
 * Uniform within ± sqrt(6 / (inputs + outputs)): Glorot and Bengio, Understanding the difficulty of
 * training deep feedforward neural networks, AISTATS 2010. For [inputs, outputs] or, with kernels,
 * [filters, channels, rows, columns].
 */
export const glorot: Start = (shape, random) => {
  const [fanIn, fanOut] =
    shape.length === 4
      ? [countOf(shape.slice(1)), shape[0] * countOf(shape.slice(2))]
      : [shape[shape.length - 2], shape[shape.length - 1]];
  const bound = Math.sqrt(6 / (fanIn + fanOut));
  return Float32Array.from({ length: countOf(shape) }, () => bound * (2 * random.next() - 1));
};
