/** The usual layers. Each is a function that makes a module; modules are put together with `sequence`. */
import { add, divide, multiply, subtract } from "../ops/arithmetic.ts";
import { batchMean, batchNormalise, batchVariance } from "../ops/batch-normalise.ts";
import { convolve } from "../ops/convolution.ts";
import { relu as reluOp, sqrt } from "../ops/elementwise.ts";
import { affine } from "../ops/matmul.ts";
import { maxPool as maxPoolOp } from "../ops/pooling.ts";
import { mean } from "../ops/reduce.ts";
import { reshape } from "../ops/reshape.ts";
import type { Module, ParameterOptions } from "../scope.ts";
import { badShape, type Shape, showShape } from "../shape.ts";
import { filled, glorot } from "./starts.ts";

/** One module after another. */
export const sequence =
  (...modules: readonly Module[]): Module =>
  (x, scope) =>
    modules.reduce((h, module, i) => module(h, scope.child(String(i))), x);

/** Returns its input unchanged. */
export const identity: Module = (x) => x;

/** x · weight + bias. */
export const dense =
  (units: number, options: ParameterOptions = {}): Module =>
  (x, scope) => {
    const [, inputs] = x.shape;
    if (x.shape.length !== 2 || typeof inputs !== "number") {
      throw badShape(
        `dense: wants rows of numbers, not ${showShape(x.shape)}; put flatten before it.`,
      );
    }
    const weight = scope.parameter("weight", [inputs, units], glorot, options);
    return affine(
      x,
      weight,
      scope.parameter("bias", [units], filled(0), { ...options, decay: false }),
    );
  };

/** Side of the kernel, step and zero padding of a convolution, in pixels. */
export interface ConvolutionOptions {
  readonly size?: number;
  readonly stride?: number;
  readonly padding?: number;
}

/** A convolution of images [batch, channels, height, width], with bias. */
export const convolution =
  (filters: number, { size = 3, stride = 1, padding = 0 }: ConvolutionOptions = {}): Module =>
  (x, scope) => {
    const weight = scope.parameter("weight", [filters, Number(x.shape[1]), size, size], glorot);
    const bias = scope.parameter("bias", [filters], filled(0), { decay: false });
    return convolve(x, weight, bias, { stride, padding });
  };

/** max(x, 0), element by element. */
export const relu: Module = (x) => reluOp(x);

/** The maximum of each square of `size` × `size` pixels. */
export const maxPool =
  (size: number): Module =>
  (x) =>
    maxPoolOp(x, size);

/** The mean over all pixels: [batch, channels, height, width] to [batch, channels]. */
export const averagePool: Module = (x) => mean(x, [2, 3]);

/** All numbers of a row in one axis. */
export const flatten: Module = (x) => {
  const [batch, ...rest] = x.shape;
  return reshape(x, [batch, rest.reduce<number>((product, size) => product * Number(size), 1)]);
};

/** In training, each number is dropped with probability `rate`, the others are scaled up. */
export const dropout =
  (rate: number): Module =>
  (x, scope) =>
    scope.training && rate > 0 ? multiply(x, scope.mask("mask", x.shape, 1 - rate)) : x;

/**
 * Batch normalisation: Ioffe and Szegedy, ICML 2015. Training uses the statistics of the batch, use
 * those remembered: running = (1 - momentum) · running + momentum · batch, as in PyTorch, except that
 * the batch variance is not corrected for its size.
 */
export const batchNorm =
  ({ momentum = 0.1, epsilon = 1e-5 } = {}): Module =>
  (x, scope) => {
    const channels = Number(x.shape[1]);
    const wide: Shape = x.shape.map((_, axis) => (axis === 1 ? channels : 1));
    const scale = reshape(scope.parameter("scale", [channels], filled(1), { decay: false }), wide);
    const shift = reshape(scope.parameter("shift", [channels], filled(0), { decay: false }), wide);
    const ofBatch = batchMean(x);
    const variance = batchVariance(x, ofBatch);
    const runningMean = scope.state("mean", [channels], 0, { batch: ofBatch, momentum });
    const runningVariance = scope.state("variance", [channels], 1, { batch: variance, momentum });
    if (scope.training) {
      return batchNormalise({ x, scale, shift, mean: ofBatch, variance }, epsilon);
    }
    const slope = divide(scale, sqrt(add(reshape(runningVariance, wide), epsilon)));
    return add(multiply(subtract(x, reshape(runningMean, wide)), slope), shift);
  };

/** x + inner(x); where the shapes differ, x goes through `shortcut` first. */
export const residual =
  (inner: Module, shortcut: Module = identity): Module =>
  (x, scope) =>
    add(shortcut(x, scope.child("shortcut")), inner(x, scope.child("inner")));
