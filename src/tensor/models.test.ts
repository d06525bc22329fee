import { describe, expect, it } from "vitest";
import { runtimes } from "../../test/runtimes.ts";
import { createRandom } from "../math/random.ts";
import { openRuntime } from "../node/runtime.ts";
import type { Executor } from "./executor.ts";
import { input } from "./graph.ts";
import { interpreter } from "./interpreter.ts";
import { models } from "./models.ts";
import { multiply, negate } from "./ops/arithmetic.ts";
import { sum } from "./ops/broadcast.ts";
import { mean } from "./ops/reduce.ts";
import { logSoftmax } from "./ops/softmax.ts";
import { createTrainer } from "./train.ts";

const [K, N] = [3, 6];
const options = { hidden: [5], dropout: 0.3 };
const names = Object.keys(models) as (keyof typeof models)[];

/** Losses of steps on one batch of striped images: class k has its stripe in row k. */
async function losses(
  executor: Executor,
  name: keyof typeof models,
  shape: readonly number[],
  steps: number,
) {
  const random = createRandom(2);
  const size = shape.reduce((product, side) => product * side, 1);
  const row = shape[shape.length - 1];
  const x = Float32Array.from({ length: N * size }, (_, i) => {
    const stripe = Math.floor((i % size) / row) === Math.floor(i / size) % K;
    return (stripe ? 2 : 0) + 0.3 * random.next();
  });
  const target = Float32Array.from({ length: N * K }, (_, i) =>
    Math.floor(i / K) % K === i % K ? 1 : 0,
  );
  const net = models[name](shape, K, options);
  const trainer = await createTrainer({
    executor,
    random: createRandom(1),
    optimiser: { groups: { network: { rate: 0.005 } } },
    build: (scope) => {
      const logits = net.head(
        net.trunk(input("x", ["batch", ...shape]), scope.child("trunk")),
        scope.child("head"),
      );
      return {
        loss: negate(mean(sum(multiply(input("target", ["batch", K]), logSoftmax(logits)), [1]))),
      };
    },
  });
  const found: number[] = [];
  for (let step = 0; step < steps; step++) found.push((await trainer.step({ x, target })).loss);
  await trainer.dispose();
  return found;
}

describe.each(await runtimes())("on $name", (executor) => {
  it.each(names)("%s takes the interpreter's steps", async (name) => {
    const shape = name === "logistic" || name === "mlp" ? [12] : [1, 8, 8];
    const [found, wanted] = [
      await losses(executor, name, shape, 3),
      await losses(interpreter, name, shape, 3),
    ];
    wanted.forEach((loss, step) => {
      expect(Math.abs(found[step] - loss), `step ${step}`).toBeLessThan(2e-3 * Math.max(1, loss));
    });
    expect(Math.abs(found[0] - wanted[0])).toBeLessThan(1e-4);
  });

  it.each(names)("%s learns its batch", async (name) => {
    const found = await losses(executor, name, [1, 8, 8], 80);
    expect(found[0]).toBeGreaterThan(0.8);
    expect(found.slice(-5).reduce((a, b) => a + b) / 5).toBeLessThan(0.4);
  });
});

it.each(names)("%s takes the same steps on two threads, but for the last bits", async (name) => {
  const shape = name === "logistic" || name === "mlp" ? [300] : [1, 8, 8];
  const [one, two] = [
    await losses(await openRuntime(), name, shape, 3),
    await losses(await openRuntime({ threads: 2 }), name, shape, 3),
  ];
  one.forEach((loss, step) => {
    expect(Math.abs(two[step] - loss), `step ${step}`).toBeLessThan(1e-4);
  });
});

it("networks for images say what they see where they get vectors", () => {
  for (const name of ["cnn4", "resnet-small", "vgg-small"] as const) {
    expect(() => models[name]([12], K, options)).toThrow(`${name} sees images`);
  }
  expect(models.cnn4([3, 28, 28], K, options).notes).toEqual([
    "cnn4 needs 46 pixels per side; these have 28, so its convolutions keep the size.",
  ]);
  expect(models.cnn4([3, 46, 46], K, options).notes).toEqual([]);
});
