import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { fixedLogistic } from "../../test/fixed-logistic.ts";
import { ibcc } from "../aggregate/categorical/bayesian/ibcc.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { openRuntime } from "../node/runtime.ts";
import { fewLabels } from "../reproduce/bayes-dgc.ts";
import { bayesDgc } from "./bayes-dgc.ts";
import { deepMf } from "./deep-mf.ts";

const executor = await openRuntime();

/** A network that does not learn, and enough epochs for the rest to settle. */
const still = { rate: 0, epochs: 400 } as const;

describe("with a network that does not learn", () => {
  it.each([2, 4])("and says nothing is BayesGC (%i classes)", async (K) => {
    const { data, features } = featureCrowd(3, { classes: K, tasks: 50 });
    const preset = ibcc.presets?.["bayes-gc"]?.options ?? {};
    const reference = ibcc(data, { ...preset, tolerance: 0, maxIterations: 1000 });
    const result = await bayesDgc(data, features, { ...still, usePi: true }, { executor });
    expectAlike(result.posterior, reference.posterior);
    expectAlike(result.confusion ?? new Float64Array(), reference.confusion);
    expectAlike(result.prior, reference.prior);
    // Both bounds are of all labels; the network's uniform opinion takes log K per task from one of them.
    const bound = (reference.trace.at(-1) ?? 0) / data.tasks.length - Math.log(K);
    expect(result.trace.at(-1)).toBeCloseTo(bound, 6);
  });

  it("begins with the votes, and ends with tasks that follow from the workers", async () => {
    const { data, features } = featureCrowd(3, { classes: 2 });
    const chosen = { ...still, epochs: 1, usePi: true };
    const { posterior } = await bayesDgc(data, features, chosen, { executor });
    const preset = ibcc.presets?.["bayes-gc"]?.options ?? {};
    expectAlike(posterior, ibcc(data, { ...preset, tolerance: 0, maxIterations: 2 }).posterior);
  });

  it.each([2, 4])(
    "is deep mean field with two coins and nothing clipped (%i classes)",
    async (classes) => {
      const { data, features } = featureCrowd(4, { classes, tasks: 60, skill: [0.6, 0.9] });
      const context = { executor, model: fixedLogistic(0.5) };
      const one = await bayesDgc(data, features, still, context);
      const right = 5 / (classes - 1);
      const coins = { workerPrior: "two-coin", right, wrong: 2, clipAt: 1 } as const;
      const other = await deepMf(data, features, { ...still, ...coins }, context);
      expectAlike(one.posterior, other.posterior);
      expectAlike(one.confusion ?? new Float64Array(), other.confusion ?? new Float64Array());
      expect(one.trace.at(-1)).toBeCloseTo(other.trace.at(-1) ?? 0, 6);
    },
  );

  it.each([true, false])("never lowers the bound (class shares: %s)", async (usePi) => {
    for (const seed of [1, 2, 3]) {
      const { data, features } = featureCrowd(seed);
      const chosen = { ...still, epochs: 60, usePi, seed };
      const { trace } = await bayesDgc(data, features, chosen, {
        executor,
        model: fixedLogistic(1),
      });
      for (let epoch = 1; epoch < trace.length; epoch++) {
        expect(trace[epoch]).toBeGreaterThanOrEqual(trace[epoch - 1] - 1e-9);
      }
    }
  });

  it("ends at the same place by smaller steps, and near it by batches", async () => {
    const { data, features } = featureCrowd(5, { tasks: 90, skill: [0.6, 0.9] });
    const context = { executor, model: fixedLogistic(0.5) };
    const full = await bayesDgc(data, features, still, context);
    const half = await bayesDgc(data, features, { ...still, rho: 0.4 }, context);
    expectAlike(half.posterior, full.posterior);
    const batches = await bayesDgc(data, features, { ...still, batch: 30 }, context);
    expect(batches.posterior).not.toEqual(full.posterior);
    for (const [w, skill] of batches.skill.entries()) {
      expect(Math.abs(skill - full.skill[w]), `worker ${w}`).toBeLessThan(0.02);
    }
  });
});

it("raises the bound as the network learns", async () => {
  const { data, features } = featureCrowd(6, { tasks: 120 });
  const { trace } = await bayesDgc(data, features, { epochs: 40 }, { executor });
  for (let epoch = 1; epoch < trace.length; epoch++) {
    expect(trace[epoch]).toBeGreaterThan(trace[epoch - 1]);
  }
});

/** Accuracy of BayesDGC on a share of the labels of nine workers, and of BayesGC beside it. */
async function onShare(share: number, seed: number, options: object = {}) {
  const { data, features } = fewLabels(0.5, share, seed);
  const { posterior } = await bayesDgc(data, features, { ...options, seed }, { executor });
  const labels = ibcc(data, ibcc.presets?.["bayes-gc"]?.options).posterior;
  const seen = new Set(data.task);
  const known = data.gold.map((k, t) => (seen.has(t) ? k : -1));
  const score = (table: Float64Array, gold: Int32Array) =>
    accuracy({ ...data, gold, posterior: table }).split;
  return {
    all: score(posterior, data.gold),
    gain: score(posterior, data.gold) - score(labels, data.gold),
    gainOnLabelled: score(posterior, known) - score(labels, known),
  };
}

describe("on nine workers of whose labels a share is kept", () => {
  it("gains most over labels alone where these are few", async () => {
    for (const seed of [0, 1]) {
      const few = await onShare(0.1, seed);
      expect(few.gain).toBeGreaterThan(0.1);
      expect(few.gainOnLabelled).toBeGreaterThan(0.05);
      const all = await onShare(1, seed);
      expect(all.gain).toBeLessThan(0.05);
      expect(all.gain).toBeGreaterThan(0);
    }
  });

  it("with class shares beside the network falls into one class where labels are few", async () => {
    expect((await onShare(0.1, 0, { usePi: true })).all).toBeLessThan(0.6);
  });

  it("learns in batches as well", async () => {
    expect((await onShare(0.3, 0, { batch: 64, epochs: 40 })).all).toBeGreaterThan(0.85);
  });
});

function expectAlike(one: Float64Array, other: Float64Array): void {
  expect(one.length).toBe(other.length);
  for (let at = 0; at < one.length; at++) expect(one[at]).toBeCloseTo(other[at], 6);
}
