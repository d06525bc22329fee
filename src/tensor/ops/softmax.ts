/** Softmax and its logarithm along the last axis. */
import { defineOp, type Tensor, type Value } from "../graph.ts";
import { multiply, subtract } from "./arithmetic.ts";
import { sum } from "./broadcast.ts";
import { exp } from "./elementwise.ts";

function rows(x: Value, turn: (row: Float64Array, max: number, total: number) => void): Value {
  const width = x.shape[x.shape.length - 1];
  const data = x.data.slice();
  for (let at = 0; at < data.length; at += width) {
    const row = data.subarray(at, at + width);
    let max = -Infinity;
    for (const element of row) max = Math.max(max, element);
    let total = 0;
    for (const element of row) total += Math.exp(element - max);
    turn(row, max, total);
  }
  return { shape: x.shape, data };
}

const makeSoftmax = defineOp<null>({
  name: "softmax",
  shape: ([x]) => x.shape,
  gradient: (y, g) => [multiply(y, subtract(g, sum(multiply(g, y), [-1], true)))],
  evaluate: ([x]) =>
    rows(x, (row, max, total) => {
      for (let i = 0; i < row.length; i++) row[i] = Math.exp(row[i] - max) / total;
    }),
  lower: (emit, [x]) => emit.node("Softmax", [x], { axis: -1 }),
});

/** Softmax over the last axis. */
export const softmax = (x: Tensor): Tensor => makeSoftmax([x], null);

const makeLogSoftmax = defineOp<null>({
  name: "logSoftmax",
  shape: ([x]) => x.shape,
  gradient: (y, g) => [subtract(g, multiply(exp(y), sum(g, [-1], true)))],
  evaluate: ([x]) =>
    rows(x, (row, max, total) => {
      const shift = max + Math.log(total);
      for (let i = 0; i < row.length; i++) row[i] -= shift;
    }),
  lower: (emit, [x]) => emit.node("LogSoftmax", [x], { axis: -1 }),
});

/** Logarithm of softmax over the last axis. */
export const logSoftmax = (x: Tensor): Tensor => makeLogSoftmax([x], null);
