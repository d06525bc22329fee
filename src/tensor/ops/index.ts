/** All ops. */
export * from "./arithmetic.ts";
export { batchMean, batchNormalise, batchVariance } from "./batch-normalise.ts";
export { expand, sizeOf, sum, sumTo } from "./broadcast.ts";
export { convolve } from "./convolution.ts";
export * from "./elementwise.ts";
export * from "./gather.ts";
export * from "./layout.ts";
export * from "./linear-algebra.ts";
export { affine, matmul } from "./matmul.ts";
export { maxPool } from "./pooling.ts";
export { largest, logSumExp, mean } from "./reduce.ts";
export { reshape } from "./reshape.ts";
export { logSoftmax, softmax } from "./softmax.ts";
