import { describe, expect, it } from "vitest";
import { featureCrowd, featuresOf } from "../../test/feature-crowd.ts";
import { tempered } from "../belief/temper.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { Features } from "../data/features.ts";
import { fromRows } from "../data/from-rows.ts";
import { openRuntime } from "../node/runtime.ts";
import { aggnet } from "./aggnet.ts";
import { autoLearner } from "./auto-learner.ts";
import { temperatureByGold } from "./calibration.ts";
import { createClassifier } from "./classifier.ts";
import type { Learning } from "./learner.ts";
import { readModel } from "./trained-model.ts";
import { twoStage } from "./two-stage.ts";

const executor = await openRuntime();
const quick = { epochs: 6, hidden: "8", dropout: 0, batch: 32 };
const K = 3;
const crowd = featureCrowd(3, { tasks: 300, classes: K, separation: 1.5, rate: 0.4 });

/** The share of each learner in per cent, as the note tells it. */
function shares({ notes }: Learning): Record<string, number> {
  const note = notes.find((line) => line.startsWith("The classifier is a blend")) ?? "";
  return Object.fromEntries(
    [...note.matchAll(/([a-z-]+) (\d+) %/g)].map(([, id, share]) => [id, Number(share)]),
  );
}

/** The largest difference between two tables of probabilities, after the best common temperature. */
function apart(p: Float64Array, q: Float64Array): number {
  let least = Infinity;
  for (let step = -100; step <= 100; step++) {
    const r = tempered(q, K, Math.exp(step / 50));
    least = Math.min(
      least,
      p.reduce((most, each, at) => Math.max(most, Math.abs(each - r[at])), 0),
    );
  }
  return least;
}

describe("weights", () => {
  const known = featureCrowd(4, { tasks: 90, classes: K, separation: 1.5 });
  const valid = { features: known.features, gold: known.data.gold };
  const context = { executor, valid };

  it("are those that make validation gold most probable under the mixture, with ten tasks for equal parts", async () => {
    const auto = await autoLearner(
      crowd.data,
      crowd.features,
      { ...quick, learners: "two-stage,aggnet" },
      context,
    );
    const parts: Float64Array[] = [];
    for (const learn of [twoStage, aggnet]) {
      const { predictor } = await learn(
        crowd.data,
        crowd.features,
        { ...quick, calibrate: false },
        context,
      );
      const f = await predictor.predict(valid.features);
      parts.push(tempered(f, K, temperatureByGold(f, valid.gold)));
    }
    const objective = (w: number) =>
      valid.gold.reduce(
        (sum, k, t) => sum + Math.log(w * parts[0][t * K + k] + (1 - w) * parts[1][t * K + k]),
        5 * Math.log(w) + 5 * Math.log(1 - w),
      );
    const grid = Array.from({ length: 999 }, (_, i) => (i + 1) / 1000);
    const best = grid.reduce((a, b) => (objective(b) > objective(a) ? b : a));
    expect(Math.abs(shares(auto)["two-stage"] / 100 - best)).toBeLessThan(0.0075);
    // The classifier is their mean by these weights, tempered once more.
    const mixed = parts[0].map((p, at) => best * p + (1 - best) * parts[1][at]);
    expect(apart(await auto.predictor.predict(valid.features), mixed)).toBeLessThan(0.01);
  });

  it("are small for a learner that most workers mislead", async () => {
    const { data, features } = naiveMajority();
    const training = { ...quick, epochs: 20 };
    const options = { ...training, learners: "two-stage,aggnet" };
    const auto = await autoLearner(data, features, options, { executor });
    expect(shares(auto)["two-stage"]).toBeLessThan(15);
    const other = await twoStage(data, features, training, { executor });
    const right = async ({ predictor }: Learning) => {
      const f = await predictor.predict(features);
      return data.gold.filter((k, t) => f[t * K + k] > 0.5).length / data.gold.length;
    };
    expect(await right(auto)).toBeGreaterThan((await right(other)) + 0.2);
  });

  it("are equal where too few tasks are there to hold some out", async () => {
    const small = featureCrowd(5, { tasks: 40, classes: K });
    const auto = await autoLearner(
      small.data,
      small.features,
      { ...quick, learners: "two-stage,aggnet" },
      { executor },
    );
    expect(shares(auto)).toEqual({ "two-stage": 50, aggnet: 50 });
    expect(auto.notes.join(" ")).toContain("too little to judge them by");
  });
});

describe("what is tried", () => {
  it("is a learner alone as it is by itself", async () => {
    const { data, features } = crowd;
    const auto = await autoLearner(data, features, { ...quick, learners: "aggnet" }, { executor });
    const alone = await aggnet(data, features, quick, { executor });
    const [p, q] = [
      await auto.predictor.predict(features),
      await alone.predictor.predict(features),
    ];
    expect(apart(p, q)).toBeLessThan(0.01);
    expect(shares(auto)).toEqual({ aggnet: 100 });
  });

  it("takes settings that were given, and lets each learner keep its own others", async () => {
    const { data, features } = crowd;
    const told = await autoLearner(
      data,
      features,
      { ...quick, learners: "two-stage,raykar" },
      { executor },
    );
    // Raykar has EM iterations in place of epochs of batches, and these are limited alike.
    expect(told.history.map((run) => run.length)).toEqual([6, 6]);
  });

  it("names what it knows where a name is wrong", async () => {
    const run = autoLearner(crowd.data, crowd.features, { learners: "aggnet,agnet" }, { executor });
    await expect(run).rejects.toThrow(/no learner agnet to try\. There are: two-stage, .*a-lfc/);
  });

  it("is more with more effort", async () => {
    const tried = async (effort: "fast" | "normal" | "thorough") =>
      Object.keys(
        shares(
          await autoLearner(
            crowd.data,
            crowd.features,
            { ...quick, epochs: 1, effort },
            { executor },
          ),
        ),
      ).length;
    expect(await tried("fast")).toBe(2);
    expect(await tried("normal")).toBe(4);
    expect(await tried("thorough")).toBe(8);
  });
});

it("is one network as ONNX, that predicts the same", async () => {
  const { data, features } = crowd;
  const { predictor } = await autoLearner(
    data,
    features,
    { ...quick, learners: "two-stage,aggnet" },
    { executor },
  );
  const model = readModel({ name: "blend", onnx: predictor.toOnnx() });
  const read = await createClassifier(executor, model).predict(features);
  (await predictor.predict(features)).forEach((p, at) => {
    expect(read[at]).toBeCloseTo(p, 5);
  });
});

/** Three good workers, and seven who always say the first class. */
function naiveMajority(): { data: CategoricalData; features: Features } {
  const good = featureCrowd(6, { tasks: 1500, workers: 3, classes: K, rate: 1, skill: [0.8, 0.9] });
  const { tasks, classes, gold, task, worker, label } = good.data;
  const rows = Array.from(label, (k, i) => ({
    task: tasks.at(task[i]) as string,
    worker: `good ${worker[i]}`,
    label: classes.at(k) as string,
  }));
  for (const each of tasks) {
    for (let w = 0; w < 7; w++) rows.push({ task: each, worker: `naive ${w}`, label: "c0" });
  }
  const truth = Array.from(tasks, (each, t) => [each, classes.at(gold[t]) as string] as const);
  const data = fromRows(rows, { classes: [...classes], gold: truth }) as CategoricalData;
  return { data, features: featuresOf(data, 6, 3, 6) };
}
