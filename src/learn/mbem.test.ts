import { describe, expect, it } from "vitest";
import { gate } from "../../test/datasets.ts";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { labelMeFeatures, labelMeTest } from "../../test/labelme.ts";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { fromMatrix } from "../data/features.ts";
import { openRuntime } from "../node/runtime.ts";
import { shareRight } from "../reproduce/experiment.ts";
import { withFeatures } from "../simulate/features.ts";
import { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
import { judge, mbem } from "./mbem.ts";
import { twoStage } from "./two-stage.ts";

const executor = await openRuntime();

/** What `judge` makes of predictions, for all tasks of a crowd. */
function judged(
  data: ReturnType<typeof randomCrowd>,
  predicted: Float64Array,
  kind: "uniform" | "predicted",
) {
  const K = data.classes.length;
  const trained = Int32Array.from([...data.tasks].keys());
  const confusion = new Float64Array(data.workers.length * K * K);
  const prior = new Float64Array(K);
  const q = new Float64Array(predicted.length);
  judge({ data, trained }, predicted, kind, confusion, prior, q);
  return { confusion, prior, q };
}

/** The most probable class for sure. */
function hard(table: Float64Array, K: number): Float64Array {
  return table.map((p, at) => {
    const from = at - (at % K);
    const row = table.subarray(from, from + K);
    return p === Math.max(...row) && row.indexOf(p) === at % K ? 1 : 0;
  });
}

describe("brute force", () => {
  it.each(["uniform", "predicted"] as const)(
    "judges by one M and one E step of Dawid–Skene from hard predictions (prior %s)",
    (kind) => {
      for (let seed = 0; seed < 5; seed++) {
        const data = randomCrowd(seed, { tasks: 60, workers: 6 });
        const predicted = Float64Array.from({ length: 180 }, (_, at) => Math.abs(Math.sin(at)));
        const { q, confusion, prior } = judged(data, predicted, kind);
        const reference = dawidSkene(
          data,
          {
            smoothing: 1e-10,
            tolerance: 0,
            maxIterations: 1,
            prior: kind === "uniform" ? "uniform" : "learn",
          },
          { start: hard(predicted, 3) },
        );
        q.forEach((p, at) => {
          expect(p).toBeCloseTo(reference.posterior[at], 9);
        });
        confusion.forEach((p, at) => {
          expect(p).toBeCloseTo(reference.confusion[at], 9);
        });
        prior.forEach((p, at) => {
          expect(p).toBeCloseTo(reference.prior[at], 12);
        });
      }
    },
  );

  it("asks only which class is predicted, not how surely: the network is no part of the belief", () => {
    const data = randomCrowd(7);
    const sure = Float64Array.from({ length: 120 }, (_, at) =>
      at % 3 === ((at * 7) % 5) % 3 ? 1 : 0,
    );
    const unsure = sure.map((p, at) => 0.3 + 0.1 * p - 1e-3 * (at % 3));
    expect(judged(data, unsure, "uniform")).toEqual(judged(data, hard(unsure, 3), "uniform"));
  });

  it("with a network that does not learn, everything follows from its first predictions", async () => {
    const { data, features } = featureCrowd(1);
    const training = { rate: 0, epochs: 1, hidden: "4", dropout: 0 };
    const options = { ...training, folds: 1, rounds: 1 };
    const result = await mbem(data, features, options, { executor });
    // The network that judges is the first of two, and starts like the only one of two-stage.
    const { predictor } = await twoStage(data, features, training, { executor });
    const { q, confusion } = judged(data, await predictor.predict(features), "uniform");
    expect(result.posterior).toEqual(q);
    expect(result.confusion).toEqual(confusion);
  });
});

describe("invariants", () => {
  const quick = { epochs: 3, hidden: "4", dropout: 0 };

  it("trains once a part and round, and once more in the end; twice as often if told to", async () => {
    const { data, features } = featureCrowd(2);
    const count = async (options: object) =>
      (await mbem(data, features, { ...quick, ...options }, { executor })).history.length;
    expect(await count({})).toBe(2 * 5 + 1);
    expect(await count({ rounds: 3, folds: 1 })).toBe(4);
    expect(await count({ rounds: 1, folds: 2, selfTrain: true })).toBe(2 * 3);
  });

  it("predicts a task by networks that have not learnt its labels", async () => {
    // As many features as tasks, and one label each: a network that has seen the labels repeats them.
    const data = randomCrowd(3, { tasks: 60, workers: 4, classes: 2, rate: 0, skill: [0.5, 0.5] });
    const T = data.tasks.length;
    const matrix = Float32Array.from({ length: T * T }, (_, at) => (at % (T + 1) === 0 ? 5 : 0));
    const features = fromMatrix([...data.tasks], [T], matrix);
    const training = { model: "logistic", rate: 0.05, epochs: 40, standardise: false } as const;
    const right = async (folds: number) => {
      const options = { ...training, folds, rounds: 1 };
      return (await mbem(data, features, options, { executor })).skill.reduce((a, b) => a + b) / 4;
    };
    expect(await right(1)).toBeGreaterThan(0.99);
    expect(await right(5)).toBeLessThan(0.75);
  });
});

describe("published numbers", () => {
  // Khetan et al., section 5: one worker in five always right, the others guess, one label per task.
  it("learns from one label per task, at least three points better than from votes", async () => {
    const { data, features, test } = withFeatures(
      hammerSpammerCrowd({
        tasks: 5000,
        testTasks: 4000,
        workers: 100,
        labelsPerTask: 1,
        classes: 4,
        hammers: 0.2,
        spammers: 0.8,
        adversaries: 0,
        hammerErrors: 0,
      }),
      { bayesAccuracy: 0.9, dimensions: 20 },
    );
    if (!test?.features) throw new Error("The simulation has no tasks to test on.");
    const plainly = { decay: 0, schedule: "constant" } as const;
    const training = { ...plainly, hidden: "16", dropout: 0, epochs: 20 };
    const votes = await twoStage(data, features, training, { executor });
    const result = await mbem(data, features, training, { executor });
    const gold = test.data.gold;
    const before = shareRight(await votes.predictor.predict(test.features), gold);
    const after = shareRight(await result.predictor.predict(test.features), gold);
    expect(after).toBeGreaterThan(before + 0.03);
    expect(after).toBeGreaterThan(0.8);
  });

  gate("labelme", "better than the votes' 80", async (data) => {
    const features = await labelMeFeatures();
    const result = await mbem(data, features, { folds: 2 }, { executor });
    expect(await labelMeTest(data, result)).toBeGreaterThan(0.81);
  });
});

describe("limits", () => {
  it("with class shares from its own predictions it can end with one class", async () => {
    const crowd = hammerSpammerCrowd({
      tasks: 2000,
      workers: 100,
      labelsPerTask: 1,
      seed: 1,
      hammers: 0.2,
      spammers: 0.8,
      adversaries: 0,
      hammerErrors: 0,
    });
    const { data, features } = withFeatures(crowd, { bayesAccuracy: 0.9, dimensions: 20 });
    const options = { hidden: "16", dropout: 0, epochs: 10, rounds: 4, folds: 1 };
    const even = await mbem(data, features, options, { executor });
    const drifting = await mbem(data, features, { ...options, prior: "predicted" }, { executor });
    expect([...even.prior]).toEqual([0.5, 0.5]);
    expect(Math.max(...drifting.prior)).toBeGreaterThan(0.8);
  });
});
