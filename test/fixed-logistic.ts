/**
 * A network that says what it is told to, for tests in which nothing is to be learnt: softmax regression
 * from weights of a seed, without a head whose weights per method could set to 0. Train it at rate 0.
 */
import { flatten, identity } from "../src/tensor/layers/layers.ts";
import { gaussian } from "../src/tensor/layers/starts.ts";
import type { Model } from "../src/tensor/models.ts";
import { matmul } from "../src/tensor/ops/matmul.ts";

export const fixedLogistic =
  (size: number): Model =>
  (_, classes) => ({
    trunk: (x, scope) => {
      const rows = flatten(x, scope);
      return matmul(
        rows,
        scope.parameter("weight", [Number(rows.shape[1]), classes], gaussian(size)),
      );
    },
    head: identity,
  });
