import { beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../math/random.ts";
import type { Buffers, Executor } from "./executor.ts";
import { input } from "./graph.ts";
import {
  batchNorm,
  convolution,
  dense,
  dropout,
  flatten,
  maxPool,
  relu,
  sequence,
} from "./layers/layers.ts";
import { createRuntimeExecutor, type OnnxRuntime } from "./onnx-runtime.ts";
import { add, multiply, negate } from "./ops/arithmetic.ts";
import { gather } from "./ops/gather.ts";
import { mean } from "./ops/reduce.ts";
import { logSoftmax } from "./ops/softmax.ts";
import type { OptimiserOptions } from "./optim/optimiser.ts";
import type { Module, Scope } from "./scope.ts";
import { createTrainer, type Trainer } from "./train.ts";

const K = 3;
const SHAPE = [2, 6, 6];
const WIDTH = 72;
const ROWS = 40;
const random = createRandom(5);
const features = Float32Array.from({ length: ROWS * WIDTH }, () => random.next() - 0.5);
const table = {
  shape: [ROWS, ...SHAPE],
  read(rows: ArrayLike<number>, into: Float32Array) {
    for (let i = 0; i < rows.length; i++) {
      into.set(features.subarray(rows[i] * WIDTH, (rows[i] + 1) * WIDTH), i * WIDTH);
    }
  },
};

const network = sequence(
  convolution(4, { padding: 1 }),
  batchNorm(),
  maxPool(2),
  relu,
  flatten,
  dense(8),
  relu,
  dropout(0.3),
  dense(K),
);

/** A loss over labels, of which each task of a batch has as many as it has: their size varies. */
const lossOf = (module: Module) => (scope: Scope) => {
  const x = input("x", ["batch", ...SHAPE]);
  const target = input("target", ["labels", K]);
  const bias = scope.parameter("bias", [K], () => new Float32Array(K), { group: "crowd" });
  const f = add(gather(module(x, scope), input("task", ["labels"], "int")), bias);
  return { loss: negate(mean(multiply(target, logSoftmax(f)))) };
};
const build = lossOf(network);

/** Rows of the batch of a step; every fifth batch is smaller. */
function batch(step: number): Buffers {
  const own = createRandom(3).split(step);
  const size = step % 5 === 4 ? 5 : 8;
  const rows = Int32Array.from({ length: size }, () => Math.floor(own.next() * ROWS));
  const counts = Array.from(rows, () => 1 + Math.floor(own.next() * 3));
  const task = Int32Array.from(counts.flatMap((count, row) => new Array<number>(count).fill(row)));
  const target = new Float32Array(task.length * K);
  task.forEach((row, i) => {
    target[i * K + (features[rows[row] * WIDTH] > 0 ? 1 : 2)] = 1;
  });
  return { x: rows, task, target };
}

const STEPS = 20;
const share = (step: number) => ({ network: 1 - step / 40, crowd: 0.5 });

let executors: readonly Executor[];
beforeAll(async () => {
  const runtime = (await import("onnxruntime-node")) as unknown as OnnxRuntime;
  executors = [false, true].map((card) =>
    createRuntimeExecutor(runtime, { name: "onnxruntime-node", inPlace: true, card }),
  );
});

const open = (executor: Executor, optimiser: OptimiserOptions, of: typeof build = build) =>
  createTrainer({ executor, random: createRandom(1), optimiser, build: of, tables: { x: table } });

/** Feeds as the trainer wants them. */
const fed = (trainer: Trainer, feeds: Buffers): Buffers => {
  if (trainer.byRows("x")) return feeds;
  const x = new Float32Array(feeds["x"].length * WIDTH);
  table.read(feeds["x"], x);
  return { ...feeds, x };
};

async function train(trainer: Trainer, from: number, to: number, atOnce: number) {
  const losses: number[] = [];
  for (let step = from; step < to; step += atOnce) {
    const which = Array.from({ length: Math.min(atOnce, to - step) }, (_, i) => step + i);
    const feeds = which.map((each) => fed(trainer, batch(each)));
    const steps = await trainer.steps(feeds, which.map(share));
    losses.push(...steps.map(({ loss }) => loss));
  }
  return losses;
}

const close = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  expect(a.length).toBe(b.length);
  for (let i = 0; i < a.length; i++) expect(Math.abs(a[i] - b[i])).toBeLessThan(2e-5);
};

const optimisers: Readonly<Record<string, OptimiserOptions>> = {
  adam: { groups: { network: { rate: 0.01 } } },
  "adam, decay and a group of its own": {
    groups: { network: { rate: 0.01, decay: 0.1 }, crowd: { rate: 0.1 } },
  },
  "adam, decoupled decay": { decoupled: true, groups: { network: { rate: 0.01, decay: 0.5 } } },
  "adam, clipped": { clip: 0.05, groups: { network: { rate: 0.01 } } },
  "sgd with momentum": {
    kind: "sgd",
    momentum: 0.9,
    groups: { network: { rate: 0.1, decay: 0.1 } },
  },
};

describe("many steps in one run", () => {
  it.each(Object.entries(optimisers))("are those made one by one: %s", async (_, optimiser) => {
    const [one, many] = await Promise.all(executors.map((each) => open(each, optimiser)));
    expect([one.atOnce, many.atOnce > 1, many.byRows("x")]).toEqual([1, true, true]);
    const losses = await train(one, 0, STEPS, 1);
    close(await train(many, 0, STEPS, 7), losses);
    expect([...many.weights.keys()]).toEqual([...one.weights.keys()]);
    for (const [name, values] of one.weights) {
      // A bias before batch normalisation has gradient 0: Adam makes steps of rounding errors, which the mean follows.
      if (!["0/bias", "1/mean"].includes(name)) close(many.weights.get(name) ?? [], values);
    }
    expect(Math.abs(losses[0] - losses[STEPS - 1])).toBeGreaterThan(0.01);
    await one.dispose();
    await many.dispose();
  });

  it("move a parameter of many numbers on its own", async () => {
    const of = lossOf(sequence(flatten, dense(1000), relu, dense(K)));
    const optimiser = optimisers["sgd with momentum"];
    const [one, many] = await Promise.all(executors.map((each) => open(each, optimiser, of)));
    close(await train(many, 0, STEPS, 7), await train(one, 0, STEPS, 1));
    for (const [name, values] of one.weights) close(many.weights.get(name) ?? [], values);
    await one.dispose();
    await many.dispose();
  });

  it("go on from a saved state to the same bits", async () => {
    const optimiser = optimisers["adam"];
    const [whole, first, second] = [
      await open(executors[1], optimiser),
      await open(executors[1], optimiser),
      await open(executors[1], optimiser),
    ];
    await train(whole, 0, 16, 8);
    await train(first, 0, 8, 8);
    second.load(first.save());
    await train(second, 8, 16, 8);
    expect(new Map(second.weights)).toEqual(new Map(whole.weights));
    for (const trainer of [whole, first, second]) await trainer.dispose();
  });

  it("go one by one if somebody has to look in between", async () => {
    const extra = (scope: Scope) => {
      const objective = build(scope);
      return { ...objective, outputs: { twice: multiply(objective.loss, 2) } };
    };
    const trainer = await createTrainer({
      executor: executors[1],
      random: createRandom(1),
      optimiser: optimisers["adam"],
      build: extra,
      tables: { x: table },
    });
    expect([trainer.atOnce, trainer.byRows("x")]).toEqual([1, false]);
    const { loss, outputs } = await trainer.step(fed(trainer, batch(0)));
    expect(outputs["twice"][0]).toBeCloseTo(2 * loss, 5);
    await trainer.dispose();
  });
});
