import { describe, expect, it } from "vitest";
import { fromMatrix } from "../data/features.ts";
import { namesOf } from "../data/names.ts";
import { normal } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { openRuntime } from "../node/runtime.ts";
import { gradient } from "../tensor/gradient.ts";
import { input } from "../tensor/graph.ts";
import { interpret, interpreter } from "../tensor/interpreter.ts";
import { dense, relu, sequence } from "../tensor/layers/layers.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { createScope } from "../tensor/scope.ts";
import { countOf } from "../tensor/shape.ts";
import { cw } from "./cw.ts";
import { fgsm } from "./fgsm.ts";
import { attackList } from "./index.ts";
import { mim } from "./mim.ts";
import { type Perturbation, perturb } from "./perturb.ts";
import { pgd } from "./pgd.ts";
import { accuracyUnderAttack } from "./under-attack.ts";
import { createVictim, type GradientModel, losses } from "./victim.ts";

const [D, K, N] = [6, 3, 200];
const random = createRandom(5);

/** A network with weights drawn at random. */
function draw(module: GradientModel["module"], classes = K, seed = 1): GradientModel {
  const scope = createScope(false);
  module(input("x", ["batch", D]), scope);
  const stream = createRandom(seed);
  const weights = new Map(
    [...scope.requests.parameters.values()].map(({ name, shape }) => [
      name,
      Float32Array.from({ length: countOf(shape) }, () => normal(stream)),
    ]),
  );
  return {
    module,
    weights,
    shape: [D],
    classes: namesOf(Array.from({ length: classes }, (_, k) => `c${k}`)),
  };
}

const deep = draw(sequence(dense(16), relu, dense(K)));
const x = Float32Array.from({ length: N * D }, () => normal(random));
const settings = { epsilon: 0.3, norm: "inf", steps: 10, randomStart: false } as const;

/** The true classes as distributions: what the model itself says of the inputs untouched. */
async function ownTargets(model: GradientModel): Promise<Float32Array> {
  const classes = model.classes.length;
  const f = await (await createVictim(interpreter, model)).predict(x);
  const target = new Float32Array(N * classes);
  for (let i = 0; i < N; i++) {
    const row = f.subarray(i * classes, (i + 1) * classes);
    target[i * classes + row.indexOf(row.reduce((a, b) => Math.max(a, b)))] = 1;
  }
  return target;
}

const move = async (
  model: GradientModel,
  attack: (typeof attackList)[number],
  { unit, ...given }: Parameters<typeof attack.settle>[0] & { readonly unit?: Float64Array },
  target: Float32Array,
) => {
  const victim = await createVictim(interpreter, model, attack.loss);
  const how = { ...attack.settle(given), unit };
  return perturb(x, target, N, victim.gradientOf, how, createRandom(1));
};

/** The cross-entropy of each row. */
async function lossOf(
  model: GradientModel,
  moved: Float32Array,
  target: Float32Array,
): Promise<number[]> {
  const classes = model.classes.length;
  const f = await (await createVictim(interpreter, model)).predict(moved);
  return Array.from({ length: N }, (_, i) => {
    let total = 0;
    for (let k = 0; k < classes; k++)
      total -= target[i * classes + k] * Math.log(Math.max(f[i * classes + k], 1e-30));
    return total;
  });
}

describe("the gradient for the inputs", () => {
  it.each(["cross-entropy", "margin", "logit-margin"] as const)(
    "of %s agrees with central differences",
    async (loss) => {
      const target = Float64Array.from(await ownTargets(deep));
      const nodes = { x: input("x", ["batch", D]), target: input("target", ["batch", K]) };
      const value = sum(losses[loss](deep.module(nodes.x, createScope(false)), nodes.target));
      const [slope] = gradient(value, [nodes.x]);
      const weights = Object.fromEntries(deep.weights);
      const feeds = { ...weights, x: Float64Array.from(x), target };
      const found = interpret({ slope }).runNow(feeds)["slope"];
      const { runNow } = interpret({ value });
      for (let j = 0; j < 60; j++) {
        const h = 1e-6;
        const at = (step: number) =>
          runNow({ ...feeds, x: feeds.x.with(j, feeds.x[j] + step) })["value"][0];
        const numeric = (at(h) - at(-h)) / (2 * h);
        expect(Math.abs(found[j] - numeric) / Math.max(1, Math.abs(numeric))).toBeLessThan(1e-6);
      }
    },
  );
});

it("goes the steepest way as its units have it", async () => {
  const steps = { epsilon: 1, norm: "l2", steps: 1, stepSize: 1, randomStart: false } as const;
  const slope = async () => Float32Array.of(1, 2);
  const how = { ...steps, unit: [3, 1] };
  const moved = await perturb(new Float32Array(2), new Float32Array(2), 1, slope, how, random);
  // In units the slope is (3, 2); one unit along it, and back.
  expect(moved[0]).toBeCloseTo(9 / Math.sqrt(13), 6);
  expect(moved[1]).toBeCloseTo(2 / Math.sqrt(13), 6);
});

describe.each(attackList.map((attack) => [attack.id, attack] as const))("%s", (_, attack) => {
  it.each(["inf", "l2"] as const)("stays within the ball (%s)", async (norm) => {
    const target = await ownTargets(deep);
    for (const epsilon of [0.001, 0.3]) {
      const moved = await move(
        deep,
        attack,
        { ...settings, norm, epsilon, randomStart: true },
        target,
      );
      for (let i = 0; i < N; i++) {
        const away = Array.from({ length: D }, (_, j) => moved[i * D + j] - x[i * D + j]);
        const length = norm === "inf" ? Math.max(...away.map(Math.abs)) : Math.hypot(...away);
        expect(length).toBeLessThanOrEqual(epsilon + (norm === "inf" ? 1e-12 : 1e-6));
      }
    }
  });

  it("measures in the units given, and ends in the range", async () => {
    const target = await ownTargets(deep);
    const unit = Float64Array.from({ length: D }, (_, j) => 0.5 + j);
    const away = (moved: Float32Array) => moved.map((v, i) => Math.abs(v - x[i]) / unit[i % D]);
    const strong = { ...settings, epsilon: 0.2, unit };
    const moved = away(await move(deep, attack, strong, target));
    expect(Math.max(...moved)).toBeLessThanOrEqual(0.2 + 1e-5);
    expect(Math.max(...moved)).toBeGreaterThan(0.19);
    const kept = await move(deep, attack, { ...strong, range: [-0.3, 0.3] }, target);
    expect(Math.max(...kept.map(Math.abs))).toBeLessThanOrEqual(0.3 + 1e-7);
  });

  it("at distance 0 changes no bit, and respects a range", async () => {
    const target = await ownTargets(deep);
    expect(
      await move(deep, attack, { ...settings, epsilon: 0, randomStart: true }, target),
    ).toEqual(x);
    const moved = await move(deep, attack, { ...settings, range: [-0.5, 0.5] }, target);
    expect(moved.every((value) => value >= -0.5 && value <= 0.5)).toBe(true);
  });

  it("costs accuracy, more with distance, and less through a substitute", async () => {
    const executor = await openRuntime();
    const target = await ownTargets(deep);
    const gold = Int32Array.from({ length: N }, (_, i) =>
      target.subarray(i * K, (i + 1) * K).indexOf(1),
    );
    const features = fromMatrix(
      Array.from({ length: N }, (_, i) => `t${i}`),
      [D],
      x,
    );
    const options = { epsilons: [0, 0.05, 0.1, 0.3, 0.6], seed: 1, ...settings };
    const white = await accuracyUnderAttack(executor, deep, features, gold, attack, options);
    expect(white[0].accuracy).toBe(1);
    expect(white[4].accuracy).toBeLessThan(0.5);
    white.slice(1).forEach((point, i) => {
      expect(point.accuracy).toBeLessThanOrEqual(white[i].accuracy + 0.01);
    });
    const substitute = draw(sequence(dense(16), relu, dense(K)), K, 2);
    const black = await accuracyUnderAttack(executor, deep, features, gold, attack, {
      ...options,
      substitute,
    });
    black.forEach((point, i) => {
      expect(white[i].accuracy).toBeLessThanOrEqual(point.accuracy + 0.01);
    });
  });
});

it("PGD raises the loss at least as much as FGSM on 95 % of the inputs", async () => {
  const target = await ownTargets(deep);
  const [once, often] = [
    await lossOf(deep, await move(deep, fgsm, settings, target), target),
    await lossOf(deep, await move(deep, pgd, settings, target), target),
  ];
  expect(once.filter((loss, i) => often[i] >= loss - 1e-6).length).toBeGreaterThanOrEqual(0.95 * N);
});

it("for a linear model of two classes PGD ends where FGSM does", async () => {
  const linear = draw(dense(2), 2);
  const target = await ownTargets(linear);
  const [once, often] = [
    await move(linear, fgsm, settings, target),
    await move(linear, pgd, settings, target),
  ];
  once.forEach((value, i) => {
    expect(Math.abs(value - often[i])).toBeLessThan(1e-6);
  });
});

it("MIM without momentum is PGD from the centre", async () => {
  const target = await ownTargets(deep);
  const forgetful: Perturbation = { ...mim.settle(settings), momentum: 0 };
  const victim = await createVictim(interpreter, deep);
  const moved = await perturb(x, target, N, victim.gradientOf, forgetful, createRandom(1));
  expect(moved).toEqual(await move(deep, pgd, settings, target));
});

it("CW stops where the class is lost", async () => {
  const target = await ownTargets(deep);
  const far = await move(deep, cw, { ...settings, epsilon: 5 }, target);
  const near = await move(deep, pgd, { ...settings, epsilon: 5 }, target);
  const length = (moved: Float32Array) =>
    moved.reduce((total, value, i) => total + Math.abs(value - x[i]), 0);
  expect(length(far)).toBeLessThan(0.8 * length(near));
});
