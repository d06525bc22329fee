import { describe, expect, it } from "vitest";
import { runtimes } from "../../test/runtimes.ts";
import { createRandom } from "../math/random.ts";
import type { Executor } from "./executor.ts";
import { input } from "./graph.ts";
import { interpreter } from "./interpreter.ts";
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
import { multiply, negate } from "./ops/arithmetic.ts";
import { sum } from "./ops/broadcast.ts";
import { mean } from "./ops/reduce.ts";
import { logSoftmax, softmax } from "./ops/softmax.ts";
import type { Module } from "./scope.ts";
import { createTrainer, type TrainerOptions } from "./train.ts";

const K = 3;
const network = sequence(dense(8), relu, dropout(0.3), dense(K));

/** Softmax regression of `network` on given targets. */
const crossEntropy =
  (net: Module, shape: readonly number[]): TrainerOptions["build"] =>
  (scope) => {
    const x = input("x", ["batch", ...shape]);
    const target = input("target", ["batch", K]);
    return { loss: negate(mean(sum(multiply(target, logSoftmax(net(x, scope))), [1]))) };
  };

function batch(step: number, size = 16) {
  const random = createRandom(3).split(step);
  const x = new Float32Array(size * 4);
  const target = new Float32Array(size * K);
  for (let i = 0; i < size; i++) {
    const k = Math.floor(random.next() * K);
    target[i * K + k] = 1;
    for (let j = 0; j < 4; j++) x[i * 4 + j] = (j === k ? 2 : 0) + random.next() - 0.5;
  }
  return { x, target };
}

const open = (executor: Executor, more: Partial<TrainerOptions> = {}) =>
  createTrainer({
    executor,
    random: createRandom(1),
    optimiser: { groups: { network: { rate: 0.02, decay: 1e-3 } } },
    build: crossEntropy(network, [4]),
    ...more,
  });

describe.each([interpreter, ...(await runtimes())])("training on $name", (executor) => {
  it("learns", async () => {
    const trainer = await open(executor);
    const losses: number[] = [];
    for (let step = 0; step < 150; step++) losses.push((await trainer.step(batch(step))).loss);
    expect(losses[0]).toBeGreaterThan(0.7);
    expect(losses.slice(-20).reduce((a, b) => a + b) / 20).toBeLessThan(0.15);
    const use = await trainer.evaluator((scope) => ({
      probabilities: softmax(network(input("x", ["batch", 4]), scope)),
    }));
    const { x, target } = batch(999, 60);
    const { probabilities } = await use({ x });
    let right = 0;
    for (let i = 0; i < 60; i++) {
      const row = probabilities.subarray(i * K, (i + 1) * K);
      right += target[i * K + row.indexOf(Math.max(...row))];
    }
    expect(right).toBeGreaterThan(57);
    await trainer.dispose();
  });

  it("makes the same steps as the interpreter", async () => {
    const [a, b] = [await open(executor), await open(interpreter)];
    for (let step = 0; step < 50; step++) {
      const [one, other] = [await a.step(batch(step)), await b.step(batch(step))];
      expect(Math.abs(one.loss - other.loss)).toBeLessThan(1e-4);
    }
    await a.dispose();
  });

  it("goes on from a saved state to the same bits", async () => {
    const whole = await open(executor);
    for (let step = 0; step < 12; step++) await whole.step(batch(step));
    const first = await open(executor);
    for (let step = 0; step < 5; step++) await first.step(batch(step));
    const second = await open(executor);
    second.load(first.save());
    for (let step = 5; step < 12; step++) await second.step(batch(step));
    for (const [name, values] of whole.weights) expect(second.weights.get(name)).toEqual(values);
    for (const trainer of [whole, first, second]) await trainer.dispose();
  });

  it("normalises batches, and remembers their statistics for use", async () => {
    const images: Module = sequence(
      convolution(4),
      batchNorm(),
      maxPool(2),
      relu,
      flatten,
      dense(K),
    );
    const still = { groups: { network: { rate: 0 } } };
    const trainer = await open(executor, {
      build: crossEntropy(images, [1, 6, 6]),
      optimiser: still,
    });
    const random = createRandom(5);
    const x = Float32Array.from({ length: 8 * 36 }, () => 3 + random.next());
    const target = Float32Array.from({ length: 8 * K }, (_, i) => (i % K === 0 ? 1 : 0));
    for (let step = 0; step < 60; step++) await trainer.step({ x, target });
    const convolved = await trainer.evaluator((scope) => ({
      y: convolution(4)(input("x", ["batch", 1, 6, 6]), scope.child("0")),
    }));
    const { y } = await convolved({ x });
    for (let channel = 0; channel < 4; channel++) {
      const values = Array.from(y).filter((_, i) => Math.floor(i / 16) % 4 === channel);
      const mean = values.reduce((a, b) => a + b) / values.length;
      const remembered = trainer.weights.get("1/mean") as Float32Array;
      expect(remembered[channel]).toBeCloseTo(mean, 2);
    }
    await trainer.dispose();
  });
});

it("groups have rates of their own, and gradients are shortened", async () => {
  const build: TrainerOptions["build"] = (scope) => {
    const slow = scope.parameter("slow", [2], () => Float32Array.of(1, 1), { group: "crowd" });
    const fast = scope.parameter("fast", [2], () => Float32Array.of(1, 1));
    return { loss: sum(multiply(multiply(slow, fast), 30)) };
  };
  const optimiser = {
    kind: "sgd",
    clip: 1,
    groups: { network: { rate: 0.1 }, crowd: { rate: 0.01 } },
  } as const;
  const trainer = await open(interpreter, { build, optimiser });
  await trainer.step({});
  // Four gradients of 30 have length 60; shortened to 1, each is 1/2.
  expect(trainer.weights.get("fast")?.[0]).toBeCloseTo(1 - 0.05, 6);
  expect(trainer.weights.get("slow")?.[0]).toBeCloseTo(1 - 0.005, 6);
});

it("weight decay spares what asks for it", async () => {
  const build: TrainerOptions["build"] = (scope) => {
    const kept = scope.parameter("kept", [1], () => Float32Array.of(1), { decay: false });
    const decayed = scope.parameter("decayed", [1], () => Float32Array.of(1));
    return { loss: sum(multiply(multiply(kept, decayed), 0)) };
  };
  for (const decoupled of [true, false]) {
    const optimiser = {
      kind: "sgd",
      decoupled,
      groups: { network: { rate: 0.1, decay: 0.5 } },
    } as const;
    const trainer = await open(interpreter, { build, optimiser });
    await trainer.step({});
    expect(trainer.weights.get("kept")?.[0]).toBe(1);
    expect(trainer.weights.get("decayed")?.[0]).toBeCloseTo(0.95, 6);
  }
});
