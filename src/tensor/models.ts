/**
 * Networks that can be named. A network is a trunk, which makes features of what it sees, and a head,
 * which makes one number per class of them; methods may put heads of their own on the trunk.
 */
import {
  averagePool,
  batchNorm,
  convolution,
  dense,
  dropout,
  flatten,
  identity,
  maxPool,
  relu,
  residual,
  sequence,
} from "./layers/layers.ts";
import type { Module } from "./scope.ts";
import { badShape, showShape } from "./shape.ts";

/** A network in two parts: a trunk from inputs to features, and a head from features to logits. */
export interface Network {
  readonly trunk: Module;
  readonly head: Module;
  /** What was done to make it fit, for people. */
  readonly notes?: readonly string[];
}

interface ModelOptions {
  /** Sizes of the hidden layers of `mlp`. */
  readonly hidden: readonly number[];
  /** Share of hidden units dropped in training. */
  readonly dropout: number;
}

/** Makes a network for rows of a shape and a number of classes. */
export type Model = (shape: readonly number[], classes: number, options: ModelOptions) => Network;

export const logistic: Model = (_, classes) => ({ trunk: flatten, head: dense(classes) });

const mlp: Model = (_, classes, options) => ({
  trunk: sequence(
    flatten,
    ...options.hidden.flatMap((units) => [dense(units), relu, dropout(options.dropout)]),
  ),
  head: dense(classes),
});

/**
 * The four-layer network of Kim et al. (AISTATS 2022), appendix F.1: 3 × 3 convolutions with 32, 32, 64
 * and 64 filters, each pooled by 2, batch normalisation after the first, then 128 hidden units. The
 * largest of a window is taken before the ReLU, which is the same and less work.
 */
const cnn4: Model = (shape, classes, options) => {
  const side = imageSide(shape, "cnn4");
  const padded = side < 46;
  const layers: Module[] = [];
  [32, 32, 64, 64].forEach((filters, i) => {
    layers.push(convolution(filters, { padding: padded ? 1 : 0 }));
    if (i === 0) layers.push(batchNorm());
    if (!padded || side >> i >= 2) layers.push(maxPool(2));
    layers.push(relu);
  });
  return {
    trunk: sequence(...layers, flatten, dense(128), relu, dropout(options.dropout)),
    head: dense(classes),
    notes: padded
      ? [`cnn4 needs 46 pixels per side; these have ${side}, so its convolutions keep the size.`]
      : [],
  };
};

/** Blocks of two convolutions with 32, 64 and 128 filters, after VGG (Simonyan and Zisserman, 2015). */
const vggSmall: Model = (shape, classes, options) => {
  const side = imageSide(shape, "vgg-small");
  const blocks = [32, 64, 128].flatMap((filters, i) => [
    convolution(filters, { padding: 1 }),
    batchNorm(),
    relu,
    convolution(filters, { padding: 1 }),
    batchNorm(),
    ...(side >> i >= 2 ? [maxPool(2)] : []),
    relu,
  ]);
  return {
    trunk: sequence(...blocks, flatten, dense(256), relu, dropout(options.dropout)),
    head: dense(classes),
  };
};

/** Three stages of residual blocks with 16, 32 and 64 filters, after He et al., CVPR 2016. */
const resnetSmall: Model = (shape, classes) => {
  imageSide(shape, "resnet-small");
  const block = (filters: number, stride: number, widens: boolean): Module =>
    sequence(
      residual(
        sequence(
          convolution(filters, { stride, padding: 1 }),
          batchNorm(),
          relu,
          convolution(filters, { padding: 1 }),
          batchNorm(),
        ),
        widens ? sequence(convolution(filters, { size: 1, stride }), batchNorm()) : identity,
      ),
      relu,
    );
  const stages = [16, 32, 64].flatMap((filters, i) => [
    block(filters, i === 0 ? 1 : 2, i > 0),
    block(filters, 1, false),
  ]);
  return {
    trunk: sequence(convolution(16, { padding: 1 }), batchNorm(), relu, ...stages, averagePool),
    head: dense(classes),
  };
};

/** The shorter side of images of a shape [channels, height, width]. */
function imageSide(shape: readonly number[], who: string): number {
  if (shape.length !== 3) {
    throw badShape(
      `${who} sees images [channels, height, width], not rows of shape ${showShape(shape)}; use mlp or logistic.`,
    );
  }
  return Math.min(shape[1], shape[2]);
}

/** The networks that learners choose from, by id. */
export const models = {
  logistic,
  mlp,
  cnn4,
  "resnet-small": resnetSmall,
  "vgg-small": vggSmall,
} as const;
