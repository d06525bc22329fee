import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runtimes } from "../../test/runtimes.ts";
import { createRandom } from "../math/random.ts";
import type { Executor, Numbers } from "./executor.ts";
import { gradient } from "./gradient.ts";
import { input, type Tensor } from "./graph.ts";
import { interpreter } from "./interpreter.ts";
import {
  batchNorm,
  convolution,
  dense,
  flatten,
  maxPool,
  relu,
  sequence,
} from "./layers/layers.ts";
import { given } from "./layers/starts.ts";
import { multiply, negate } from "./ops/arithmetic.ts";
import { batchMean, batchNormalise, batchVariance } from "./ops/batch-normalise.ts";
import { sum } from "./ops/broadcast.ts";
import { convolve } from "./ops/convolution.ts";
import { sigmoid, softplus } from "./ops/elementwise.ts";
import { logDet } from "./ops/linear-algebra.ts";
import { affine, matmul } from "./ops/matmul.ts";
import { maxPool as maxPoolOp } from "./ops/pooling.ts";
import { logSumExp, mean } from "./ops/reduce.ts";
import { reshape } from "./ops/reshape.ts";
import { logSoftmax, softmax } from "./ops/softmax.ts";
import type { Scope } from "./scope.ts";
import { createTrainer } from "./train.ts";

interface Stored {
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

/** Made by test/fixtures/pytorch.py. */
const stored = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../test/fixtures/pytorch.json"), "utf8"),
) as {
  readonly ops: readonly {
    readonly name: string;
    readonly inputs: Readonly<Record<string, Stored>>;
    readonly weights: readonly number[];
    readonly result: readonly number[];
    readonly gradients: Readonly<Record<string, readonly number[]>>;
  }[];
  readonly trainings: readonly {
    readonly name: string;
    readonly decay: number;
    readonly decoupled: boolean;
    readonly x: readonly number[];
    readonly target: readonly number[];
    readonly start: Readonly<Record<string, Stored>>;
    readonly losses: readonly number[];
  }[];
};

const ours: Readonly<Record<string, (inputs: Readonly<Record<string, Tensor>>) => Tensor>> = {
  convolve: ({ x, w, b }) => convolve(x, w, b),
  "convolve padded": ({ x, w, b }) => convolve(x, w, b, { padding: 1 }),
  "convolve strided": ({ x, w, b }) => convolve(x, w, b, { padding: 1, stride: 2 }),
  maxPool: ({ x }) => maxPoolOp(x, 2),
  affine: ({ x, w, b }) => affine(x, w, b),
  logSoftmax: ({ x }) => logSoftmax(x),
  softmax: ({ x }) => softmax(x),
  logSumExp: ({ x }) => logSumExp(x),
  softplus: ({ x }) => softplus(x),
  sigmoid: ({ x }) => sigmoid(x),
  batchNormalise: ({ x, scale, shift }) => {
    const mean = batchMean(x);
    const variance = batchVariance(x, mean);
    const wide = (each: Tensor) => reshape(each, [1, 3, 1, 1]);
    return batchNormalise({ x, scale: wide(scale), shift: wide(shift), mean, variance }, 1e-5);
  },
  logDet: ({ x }) => logDet(matmul(x, x, { left: true })),
};

const executors: readonly (readonly [Executor, number])[] = [
  [interpreter, 1e-9],
  ...(await runtimes()).map((executor) => [executor, 5e-6] as const),
];

describe.each(executors.map(([executor, error]) => [executor.name, executor, error] as const))(
  "%s against PyTorch",
  (_, executor, error) => {
    const numbers = (values: readonly number[]): Numbers =>
      executor === interpreter ? Float64Array.from(values) : Float32Array.from(values);
    const close = (found: Numbers, wanted: readonly number[], what: string) => {
      const scale = wanted.reduce((top, x) => Math.max(top, Math.abs(x)), 1);
      expect(found.length, what).toBe(wanted.length);
      wanted.forEach((x, i) => {
        expect(Math.abs(found[i] - x) / scale, `${what} ${i}`).toBeLessThan(error);
      });
    };

    it.each(stored.ops)("$name", async ({ name, inputs, weights, result, gradients }) => {
      const nodes = Object.fromEntries(
        Object.entries(inputs).map(([key, { shape }]) => [key, input(key, shape)]),
      );
      const value = ours[name](nodes);
      const total = sum(multiply(value, input("weights", value.shape)));
      const parts = gradient(total, Object.values(nodes));
      const keys = Object.keys(nodes);
      const program = await executor.compile({
        value,
        ...Object.fromEntries(keys.map((key, i) => [`g ${key}`, parts[i]])),
      });
      const found = await program.run({
        weights: numbers(weights),
        ...Object.fromEntries(keys.map((key) => [key, numbers(inputs[key].data)])),
      });
      await program.dispose();
      close(found["value"], result, "result");
      for (const key of keys) close(found[`g ${key}`], gradients[key], key);
    });

    it.each(stored.trainings)("twelve steps of $name", async (training) => {
      const { decay, decoupled, x, target, start, losses } = training;
      const net = sequence(convolution(3), batchNorm(), maxPool(2), relu, flatten, dense(4));
      const trainer = await createTrainer({
        executor,
        random: createRandom(1),
        optimiser: { decoupled, groups: { network: { rate: 0.01, decay } } },
        build: (scope) => {
          const logits = net(input("x", ["batch", 1, 6, 6]), from(start, scope));
          const wanted = input("target", ["batch", 4]);
          return { loss: negate(mean(sum(multiply(wanted, logSoftmax(logits)), [1]))) };
        },
      });
      const feeds = { x: Float32Array.from(x), target: Float32Array.from(target) };
      for (const wanted of losses) {
        const { loss } = await trainer.step(feeds);
        // Weights are kept in single precision, whatever runs the graph.
        expect(Math.abs(loss - wanted)).toBeLessThan(2e-5);
      }
      await trainer.dispose();
    });
  },
);

/** A scope in which parameters start at PyTorch's; a dense layer of theirs is [outputs, inputs]. */
function from(start: Readonly<Record<string, Stored>>, scope: Scope, path = ""): Scope {
  const names: Readonly<Record<string, string>> = { scale: "weight", shift: "bias" };
  return {
    ...scope,
    parameter: (name, shape, _, options) => {
      const { data, shape: theirs } = start[`${path}.${names[name] ?? name}`.slice(1)];
      const turned = theirs.length === 2 ? transposed(data, theirs) : data;
      return scope.parameter(name, shape, given(turned), options);
    },
    child: (name) => from(start, scope.child(name), `${path}.${name}`),
  };
}

const transposed = (data: readonly number[], [rows, columns]: readonly number[]) =>
  data.map((_, i) => data[(i % rows) * columns + Math.floor(i / rows)]);
