/** Pieces of losses that several methods share. */
import type { Tensor } from "../tensor/graph.ts";
import { add, multiply, negate } from "../tensor/ops/arithmetic.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { gather } from "../tensor/ops/gather.ts";
import { transpose } from "../tensor/ops/layout.ts";
import { matmul } from "../tensor/ops/matmul.ts";
import { logSumExp, mean } from "../tensor/ops/reduce.ts";
import { reshape } from "../tensor/ops/reshape.ts";
import { logSoftmax } from "../tensor/ops/softmax.ts";
import type { Io } from "./network.ts";

/** -mean over the batch of sum_k target[k] log f[k]. */
export const crossEntropy = (target: Tensor, logits: Tensor): Tensor =>
  negate(mean(sum(multiply(target, logSoftmax(logits)), [1])));

/**
 * The part of a table [workers, classes, labels] that belongs to each label of the batch: for label
 * `y` of worker `u` the column table[u][·][y], as [labels, classes].
 */
export function columnsOf(table: Tensor, { classes, workers, cell }: Io): Tensor {
  const byCell = reshape(transpose(table, [0, 2, 1]), [workers * classes, classes]);
  return gather(byCell, cell);
}

/** Each row of [labels, n] times the matrix of its own label, [labels, n, m]. */
export function throughOwn(rows: Tensor, matrices: Tensor): Tensor {
  const [labels, n, m] = matrices.shape;
  return reshape(matmul(reshape(rows, [labels, 1, n]), matrices), [labels, m]);
}

/**
 * The coupled cross-entropy: -mean over the labels of log sum_k f[k] theta[u][k][y], from logarithms
 * of both.
 */
export function coupledCrossEntropy(io: Io, logTheta: Tensor): Tensor {
  const logF = gather(logSoftmax(io.logits), io.task);
  return negate(mean(logSumExp(add(logF, columnsOf(logTheta, io)))));
}
