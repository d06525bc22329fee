import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { fixedLogistic } from "../../test/fixed-logistic.ts";
import { checkLoss, K as toyClasses } from "../../test/loss-check.ts";
import { meanField } from "../aggregate/categorical/messages/mean-field.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { namesOf } from "../data/names.ts";
import { dirichlet } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { openRuntime } from "../node/runtime.ts";
import { bayesDgc } from "./bayes-dgc.ts";
import { deepBp } from "./deep-bp.ts";
import { deepMf, taskPriors } from "./deep-mf.ts";
import type { AnyLearner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";

const executor = await openRuntime();

/** A network that does not learn, and enough epochs for the rest to settle. */
const still = { rate: 0, epochs: 300 } as const;
const settled = { start: "uniform", tolerance: 1e-12, maxIterations: 5000 } as const;

it("the loss has the gradient of central differences", () => {
  const random = createRandom(1).split("targets");
  const target = new Float64Array(7 * toyClasses);
  for (let from = 0; from < target.length; from += toyClasses) {
    dirichlet(
      random,
      new Float64Array(toyClasses).fill(1),
      target.subarray(from, from + toyClasses),
    );
  }
  checkLoss((io) => ({ loss: crossEntropy(io.target, io.logits) }), { feeds: { target } });
});

describe("with a network that does not learn", () => {
  const cases = (["one-coin", "two-coin"] as const).flatMap((workerPrior) =>
    [2, 4].map((classes) => ({ workerPrior, classes })),
  );

  it.each(cases)("is mean field with its opinions as task priors: %o", async (one) => {
    const { workerPrior, classes: K } = one;
    const { data, features } = featureCrowd(3, { classes: K, tasks: 50 });
    const model = fixedLogistic(1);
    const chosen = { ...still, workerPrior, right: 3, wrong: 1.5, clipAt: 0.8 };
    const result = await deepMf(data, features, chosen, { executor, model });
    const taskPrior = taskPriors(await result.predictor.predict(features), K, 0.8);
    // There `right` is the count of a row's right label.
    const right = workerPrior === "one-coin" ? 3 : 3 * (K - 1);
    const coins = { ...settled, workerPrior, right, wrong: 1.5 };
    const reference = meanField(data, coins, { taskPrior });
    expectAlike(result.posterior, reference.posterior);
    expectAlike(result.confusion ?? new Float64Array(), reference.confusion);
  });

  it.each(cases)("never lowers the bound: %o", async ({ workerPrior, classes }) => {
    for (const seed of [1, 2, 3]) {
      const { data, features } = featureCrowd(seed, { classes });
      const chosen = { ...still, epochs: 60, workerPrior, clipAt: 1, seed };
      const { trace } = await deepMf(data, features, chosen, { executor, model: fixedLogistic(1) });
      for (let epoch = 1; epoch < trace.length; epoch++) {
        expect(trace[epoch]).toBeGreaterThanOrEqual(trace[epoch - 1] - 1e-9);
      }
      expect(trace[trace.length - 1]).toBeGreaterThan(trace[0]);
    }
  });

  it("begins with all workers at their prior", async () => {
    const { data, features } = featureCrowd(4, { classes: 3 });
    const context = { executor, model: fixedLogistic(1) };
    const { trace, predictor } = await deepMf(data, features, { ...still, epochs: 5 }, context);
    const taskPrior = taskPriors(await predictor.predict(features), 3, 0.9);
    const reference = meanField(data, { ...settled, maxIterations: 5 }, { taskPrior });
    trace.forEach((bound, epoch) => {
      expect(bound * data.tasks.length).toBeCloseTo(reference.trace[epoch], 4);
    });
  });

  it("says nothing before it has learnt something: the labels alone decide", async () => {
    const { data, features } = featureCrowd(5, { classes: 3 });
    const { posterior } = await deepMf(data, features, still, { executor });
    expectAlike(posterior, meanField(data, settled).posterior);
  });

  it("counts for nothing with clipAt at 1/K", async () => {
    const { data, features } = featureCrowd(6, { classes: 4 });
    const context = { executor, model: fixedLogistic(2) };
    const { posterior } = await deepMf(data, features, { ...still, clipAt: 0.25 }, context);
    expectAlike(posterior, meanField(data, settled).posterior);
  });

  it("may be as sure as it likes: nothing becomes impossible", async () => {
    const { data, features } = featureCrowd(7, { classes: 3 });
    const context = { executor, model: fixedLogistic(200) };
    const result = await deepMf(data, features, { ...still, clipAt: 1 }, context);
    expect(result.posterior.every((p) => p > 0)).toBe(true);
    expect(result.trace.every(Number.isFinite)).toBe(true);
  });
});

it("raises the bound as the network learns", async () => {
  const { data, features } = featureCrowd(8, { tasks: 120, classes: 3 });
  const chosen = { clipAt: 1, dropout: 0, epochs: 40, hidden: "16" };
  const { trace } = await deepMf(data, features, chosen, { executor });
  for (let epoch = 1; epoch < trace.length; epoch++) {
    expect(trace[epoch]).toBeGreaterThan(trace[epoch - 1]);
  }
});

it.each(
  [deepMf, deepBp, bayesDgc].map((method) => [method.id, method as unknown as AnyLearner] as const),
)("%s ends as if the chosen epoch had been the last", async (_, method) => {
  const { data, features } = featureCrowd(11, { tasks: 80, classes: 3, separation: 1 });
  const context = { executor, valid: { features, gold: data.gold } };
  const chosen = { hidden: "6", rate: 0.05, selection: "best", schedule: "constant" };
  const long = await method(data, features, { ...chosen, epochs: 50 }, context);
  const scores = long.history[0].map(({ validation = 0 }) => validation);
  const best = scores.indexOf(Math.max(...scores)) + 1;
  expect(best).toBeLessThan(50);
  const short = await method(data, features, { ...chosen, epochs: best }, context);
  expect(long.posterior).toEqual(short.posterior);
  expect(long.confusion).toEqual(short.confusion);
});

describe("the prior of a worker", () => {
  it.each(["one-coin", "two-coin"] as const)(
    "is right with right / (right + wrong), however many classes there are (%s)",
    async (workerPrior) => {
      for (const classes of [2, 3, 8]) {
        const { data: busy, features } = featureCrowd(9, { classes });
        const data: CategoricalData = { ...busy, workers: namesOf([...busy.workers, "idle"]) };
        const chosen = { workerPrior, right: 3, wrong: 2, epochs: 1 };
        const { skill } = await deepMf(data, features, chosen, { executor });
        expect(skill[busy.workers.length]).toBeCloseTo(0.6, 12);
      }
    },
  );

  it("tells nothing at chance, and a note says so", async () => {
    const { data, features } = featureCrowd(10, { classes: 2 });
    const even = await deepMf(data, features, { right: 2, wrong: 2, epochs: 3 }, { executor });
    expect(even.notes.join(" ")).toMatch(/labels tell nothing/);
    for (const p of even.posterior) expect(p).toBeCloseTo(0.5, 6);
    const better = await deepMf(data, features, { epochs: 3 }, { executor });
    expect(better.notes.join(" ")).not.toMatch(/labels tell nothing/);
  });
});

function expectAlike(one: Float64Array, other: Float64Array): void {
  expect(one.length).toBe(other.length);
  for (let at = 0; at < one.length; at++) expect(one[at]).toBeCloseTo(other[at], 6);
}
