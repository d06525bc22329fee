import { inverse, Matrix } from "ml-matrix";
import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { checkLoss, toyCrowd, toyPredictions } from "../../test/loss-check.ts";
import { mixings, randomRows } from "../../test/mixings.ts";
import { determinant, expectCoupled, scatteredCase } from "../../test/protocols/coupled.ts";
import { fromMatrix } from "../data/features.ts";
import { createRandom } from "../math/random.ts";
import { openRuntime } from "../node/runtime.ts";
import { gradient } from "../tensor/gradient.ts";
import { input } from "../tensor/graph.ts";
import { interpret } from "../tensor/interpreter.ts";
import { ccem } from "./ccem.ts";
import { coinNet } from "./coin-net.ts";
import { coupledLoss } from "./coupled.ts";
import { geoCrowdNetF, volumeOfPredictions, volumeWeight } from "./geo-crowd-net-f.ts";
import type { AnyLearner } from "./learner.ts";
import type { Io } from "./network.ts";
import { startingLogits } from "./worker-matrix.ts";

const executor = await openRuntime();
const start = startingLogits(toyCrowd, { start: "diagonal", startDiagonal: 0.9 });
const settings = { lambda: 0.3, ridge: 1e-4 };

/** The penalty of predictions softmax(logits), [batch, K], and its gradient. */
function volume(K: number, ridge: number) {
  const logits = input("logits", ["batch", K]);
  const value = volumeOfPredictions({ logits } as Partial<Io> as Io, { lambda: 1, ridge });
  const [slope] = gradient(value, [logits]);
  return { value, slope };
}

describe("invariants", () => {
  it("the gradient agrees with central differences", () => {
    const penalty = (io: Io) => volumeOfPredictions(io, settings);
    checkLoss((io) => ({ loss: coupledLoss(io, { start, penalty }) }), { tolerance: 1e-4 });
  });

  // This settles the sign: with clear cases for every class the true predictions have the largest volume.
  it("no mixing of the classes that explains the same labels has a lower penalty than the truth", () => {
    const { runNow } = interpret({ value: volume(3, 1e-12).value });
    const random = createRandom(4);
    const clear = [0, 1, 2].map((k) => [0, 1, 2].map((c) => (c === k ? 1 : 0)));
    const f = [...clear, ...randomRows(30, 3, random, 0)];
    const workers = Array.from({ length: 5 }, () => new Matrix(randomRows(3, 3, random, 0.6)));
    const penalty = (rows: readonly (readonly number[])[]) =>
      runNow({ logits: Float64Array.from(rows.flat(), (p) => Math.log(Math.max(p, 1e-300))) })[
        "value"
      ][0];
    const truth = penalty(f);
    let feasible = 0;
    for (const Q of mixings(2000, 3, random)) {
      if (workers.some((theta) => inverse(Q).mmul(theta).min() < 0)) continue;
      feasible++;
      const other = new Matrix(f).mmul(Q).to2DArray();
      expect(penalty(other)).toBeGreaterThanOrEqual(truth - 1e-9);
    }
    expect(feasible).toBeGreaterThan(100);
  });
});

describe("brute force", () => {
  it("-lambda log det(FᵀF + rI) of the batch is added", () => {
    const penalty = (io: Io) => volumeOfPredictions(io, settings);
    const plain = checkLoss((io) => ({ loss: coupledLoss(io, { start }) }));
    const { loss, fed } = checkLoss((io) => ({ loss: coupledLoss(io, { start, penalty }) }), {
      tolerance: 1e-4,
    });
    const f = toyPredictions(fed);
    const G = [0, 1, 2].map((k) =>
      [0, 1, 2].map((l) => f.reduce((sum, row) => sum + row[k] * row[l], 0)),
    );
    const ridge = (1e-4 * (G[0][0] + G[1][1] + G[2][2])) / 3;
    for (let k = 0; k < 3; k++) G[k][k] += ridge;
    expect(loss - plain.loss).toBeCloseTo(-0.3 * Math.log(determinant(G)), 10);
  });

  it("without weight it is the coupled cross-entropy, to the bit", () =>
    expectCoupled(executor, geoCrowdNetF));
});

describe("published numbers", () => {
  it("with clear cases and no expert it finds the confusions better than without", async () => {
    const crowd = { tasks: 2000, testTasks: 0, experts: false, others: "random" } as const;
    const rates = { crowdRate: 0.01, decay: 1e-4, schedule: "one-cycle" };
    const training = { ...rates, batch: 512, epochs: 150 };
    for (const seed of [0, 1]) {
      const [geo, plain] = [
        await scatteredCase(executor, geoCrowdNetF, crowd, { ...training, lambda: 0.01 }, seed),
        await scatteredCase(executor, ccem, crowd, training, seed),
      ];
      expect(geo.error).toBeLessThan(plain.error);
    }
  });
});

describe("limits", () => {
  const equal = (K: number, rows: number) =>
    Float32Array.from({ length: rows * K }, (_, at) => Math.sin(at % K));

  it.each([2, 10, 20, 50])("predictions all alike have a volume, %s classes", async (K) => {
    const program = await executor.compile(volume(K, 1e-4));
    const exact = interpret(volume(K, 1e-4));
    for (const rows of [1, K - 1, 512]) {
      const logits = equal(K, rows);
      const { value, slope } = await program.run({ logits });
      const reference = exact.runNow({ logits: Float64Array.from(logits) });
      expect(Math.abs(value[0] - reference["value"][0])).toBeLessThan(0.3);
      expect(slope.every(Number.isFinite)).toBe(true);
    }
    await program.dispose();
  });

  it("a ridge of 1e-6 is too small for single precision; one of 1e-4 changes nothing that matters", async () => {
    const random = createRandom(1);
    const spread = Float32Array.from({ length: 512 * 10 }, () => 8 * random.next() - 4);
    const [small, large] = [1e-6, 1e-4].map((ridge) => volume(10, ridge));
    const collapsed = await executor.compile(small);
    const { value } = await collapsed.run({ logits: equal(10, 512) });
    const truth = interpret(small).runNow({ logits: Float64Array.from(equal(10, 512)) });
    expect(Math.abs(value[0] - truth["value"][0]) < 0.3).toBe(false);
    await collapsed.dispose();
    const logits = Float64Array.from(spread);
    const [a, b] = [interpret(small).runNow({ logits }), interpret(large).runNow({ logits })];
    expect(Math.abs(a["value"][0] - b["value"][0])).toBeLessThan(0.01);
    b["slope"].forEach((g, at) => {
      expect(Math.abs(g - a["slope"][at])).toBeLessThan(1e-5);
    });
  });

  it("learns from features that never change, and from batches of one task", async () => {
    const { data } = featureCrowd(3, { classes: 12, tasks: 20 });
    const features = fromMatrix([...data.tasks], [2], new Float32Array(40).fill(3));
    const options = { batch: 1, epochs: 3, hidden: "4" };
    const { posterior, notes } = await geoCrowdNetF(data, features, options, { executor });
    expect(posterior.every(Number.isFinite)).toBe(true);
    expect(notes.join(" ")).toMatch(/Batches of 1 task say little about the volume of 12 classes/);
  });
});

describe("with more than ten classes", () => {
  it("the weight of the volume falls with their square, unless it is to stay as given", () => {
    const weight = (classes: number, scaled: boolean) =>
      volumeWeight({ classes }, 0.03, { scaled });
    expect([2, 10, 20, 100].map((K) => weight(K, true))).toEqual([
      0.03,
      0.03,
      0.03 / 4,
      expect.closeTo(0.0003, 12),
    ]);
    expect(weight(100, false)).toBe(0.03);
  });

  it.each([
    [geoCrowdNetF, { lambda: 0.03 }],
    [coinNet, { mu2: 0.03 }],
  ] as const)("the volume does not win over the labels (%#)", async (learn, volume) => {
    const K = 26;
    const shape = { tasks: 800, classes: K, workers: 20, rate: 0.15 };
    const more = { skill: [0.3, 0.9], dimensions: K, separation: 2.5 } as const;
    const { data, features } = featureCrowd(3, { ...shape, ...more });
    const right = async (scaled: boolean) => {
      const settings = { ...volume, scaled, steps: 400, hidden: "32", calibrate: false };
      const { predictor } = await (learn as AnyLearner)(data, features, settings, { executor });
      const f = await predictor.predict(features);
      const isRight = (k: number, t: number) => {
        const row = f.subarray(t * K, (t + 1) * K);
        return row.every((p) => p <= row[k]);
      };
      return data.gold.filter(isRight).length / data.gold.length;
    };
    expect(await right(true)).toBeGreaterThan(2 * (await right(false)));
  });
});
