import { describe, expect, it } from "vitest";
import { gate } from "../../test/datasets.ts";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { labelMeFeatures, labelMeTest } from "../../test/labelme.ts";
import { checkLoss, K as toyClasses } from "../../test/loss-check.ts";
import { runCase } from "../../test/protocols/max-mig.ts";
import { aggregators } from "../aggregate/categorical/index.ts";
import { voteShares } from "../belief/votes.ts";
import { fromMatrix } from "../data/features.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import { openRuntime } from "../node/runtime.ts";
import { twoMadeClasses } from "../reproduce/max-mig-crowds.ts";
import { gradient } from "../tensor/gradient.ts";
import { input } from "../tensor/graph.ts";
import { interpret } from "../tensor/interpreter.ts";
import { hardened } from "./aggregate-first.ts";
import { crossEntropy } from "./losses.ts";
import type { Session } from "./session.ts";
import { twoStage } from "./two-stage.ts";

const executor = await openRuntime();
const quick = { epochs: 5, hidden: "8", dropout: 0.3, batch: 16 };

describe("the loss", () => {
  const random = createRandom(3).split("targets");
  const target = Float64Array.from({ length: 7 * toyClasses }, () => random.next());
  for (let from = 0; from < target.length; from += toyClasses) {
    const total = target.subarray(from, from + toyClasses).reduce((a, b) => a + b);
    for (let k = from; k < from + toyClasses; k++) target[k] /= total;
  }

  it("has the gradient of central differences", () => {
    checkLoss((io) => ({ loss: crossEntropy(io.target, io.logits) }), { feeds: { target } });
  });

  it("pulls logits by (f - q) / B, as KL(q || f) would", () => {
    const logits = input("logits", [7, 3]);
    const loss = crossEntropy(input("target", [7, 3]), logits);
    const scores = target.map((_, at) => Math.sin(at));
    const [slope] = gradient(loss, [logits]);
    const found = interpret({ slope }).runNow({ logits: scores, target })["slope"];
    for (let from = 0; from < scores.length; from += 3) {
      const total = scores.subarray(from, from + 3).reduce((sum, s) => sum + Math.exp(s), 0);
      for (let k = from; k < from + 3; k++) {
        expect(found[k]).toBeCloseTo((Math.exp(scores[k]) / total - target[k]) / 7, 12);
      }
    }
  });
});

describe("invariants", () => {
  it("is supervised training, bit for bit, where labels are without error", async () => {
    const { data, features } = featureCrowd(1, { skill: [1, 1] });
    const voted = await twoStage(data, features, quick, { executor });
    const told = await twoStage(data, features, { ...quick, aggregator: "gold" }, { executor });
    expect(voted.predictor.weights).toEqual(told.predictor.weights);
    expect(voted.trace).toEqual(told.trace);
  });

  it("learns nothing from tasks without labels", async () => {
    const { data, features } = featureCrowd(2, { dimensions: 3 });
    const matrix = new Float32Array((data.tasks.length + 1) * 3).fill(1e6);
    features.read([...[...data.tasks].keys()], matrix.subarray(0, data.tasks.length * 3));
    const tasks = [...data.tasks, "far away"];
    const more = { ...data, tasks: namesOf(tasks), gold: Int32Array.from([...data.gold, -1]) };
    const plain = await twoStage(data, features, quick, { executor });
    const other = await twoStage(more, fromMatrix(tasks, [3], matrix), quick, { executor });
    expect(other.predictor.weights).toEqual(plain.predictor.weights);
  });

  it("trains on what any aggregator says", async () => {
    const { data, features } = featureCrowd(3, { classes: 2 });
    const { choices } = twoStage.options.aggregator;
    expect(choices).toHaveLength(aggregators.filter(({ needs }) => !needs).length + 1);
    for (const aggregator of choices) {
      const options = { ...quick, epochs: 1, aggregator };
      const { posterior } = await twoStage(data, features, options, { executor });
      const method = aggregators.find(({ id }) => id === aggregator);
      if (method) expect(posterior).toEqual(method(data).posterior);
    }
  });

  it.each(["hard", "soft"] as const)(
    "its loss is the cross-entropy with %s targets",
    async (targets) => {
      const { data, features } = featureCrowd(5, { workers: 5, rate: 1, skill: [0.4, 0.5] });
      const still = { rate: 0, epochs: 1, batch: 1000, hidden: "4", dropout: 0 };
      const result = await twoStage(data, features, { ...still, targets }, { executor });
      const f = await result.predictor.predict(features);
      const session = { data, random: createRandom(0).split("learn") } as Session;
      const q = targets === "hard" ? hardened(session, result.posterior) : voteShares(data);
      const loss = q.reduce((sum, p, at) => sum - p * Math.log(f[at]), 0) / data.tasks.length;
      expect(result.trace[0]).toBeCloseTo(-loss, 5);
    },
  );

  it("learns shares of the votes, or one of the most voted classes, drawn by seed", () => {
    const rows = Array.from({ length: 400 }, (_, i) => [
      { task: `t${i}`, worker: "a", label: "x" },
      { task: `t${i}`, worker: "b", label: "y" },
      ...(i === 0 ? [{ task: "t0", worker: "c", label: "z" }] : []),
    ]).flat();
    const data = fromRows(rows, { classes: ["x", "y", "z"] });
    const belief = Float64Array.from({ length: 1200 }, (_, at) => (at % 3 === 2 ? 0 : 0.5));
    belief.set([0.2, 0.3, 0.5]);
    const session = (seed: number) => ({ data, random: createRandom(seed) }) as Session;
    const hard = hardened(session(0), belief);
    expect([...hard.subarray(0, 3)]).toEqual([0, 0, 1]);
    const first = hard.reduce((sum, p, at) => (at % 3 === 0 ? sum + p : sum), 0);
    // 399 fair draws: four standard errors.
    expect(Math.abs(first - 200)).toBeLessThan(40);
    expect(hardened(session(0), belief)).toEqual(hard);
    expect(hardened(session(1), belief)).not.toEqual(hard);
  });
});

describe("published numbers", () => {
  it("falls for a naive majority: the share of the first class is all it gets (Cao et al., case B.2)", async () => {
    const setting = {
      ...twoMadeClasses,
      tasks: 1000,
      training: { ...twoMadeClasses.training, epochs: 10 },
    };
    const { mv, gold } = await runCase(executor, "B.2H", ["mv", "gold"], setting, 0);
    expect(Math.abs(mv.d - 50)).toBeLessThan(3);
    expect(gold.d).toBeGreaterThan(83);
  });

  // The notebook of the crowd layer's authors, one run: true classes .912, votes .772, Dawid–Skene .812.
  gate("labelme", "gold, votes, Dawid–Skene", async (data) => {
    const features = await labelMeFeatures();
    for (const [aggregator, published] of [
      ["gold", 0.912],
      ["majority-vote", 0.772],
      ["dawid-skene", 0.812],
    ] as const) {
      const hard = { targets: "hard", epochs: 50, schedule: "constant" } as const;
      const options = { ...hard, aggregator };
      const result = await twoStage(data, features, options, { executor });
      const accuracy = await labelMeTest(data, result);
      expect(Math.abs(accuracy - published), `${aggregator} ${accuracy}`).toBeLessThan(0.03);
    }
  });
});

describe("limits", () => {
  it("refuses gold where some is missing", async () => {
    const { data, features } = featureCrowd(4);
    const partly = { ...data, gold: data.gold.with(3, -1) };
    await expect(twoStage(partly, features, { aggregator: "gold" }, { executor })).rejects.toThrow(
      "two-stage with gold: 1 of 40 tasks have no gold.",
    );
  });
});
