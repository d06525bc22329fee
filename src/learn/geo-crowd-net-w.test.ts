import { inverse, Matrix } from "ml-matrix";
import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { checkLoss, K, toyCrowd } from "../../test/loss-check.ts";
import { mixings, randomRows } from "../../test/mixings.ts";
import { determinant, expectCoupled, scatteredCase } from "../../test/protocols/coupled.ts";
import { createRandom } from "../math/random.ts";
import { openRuntime } from "../node/runtime.ts";
import type { Tensor } from "../tensor/graph.ts";
import { input } from "../tensor/graph.ts";
import { interpret } from "../tensor/interpreter.ts";
import { ccem } from "./ccem.ts";
import { coupledLoss } from "./coupled.ts";
import { geoCrowdNetW, volumeOfConfusions } from "./geo-crowd-net-w.ts";
import type { Io } from "./network.ts";
import { rowSoftmax, startingLogits } from "./worker-matrix.ts";

const executor = await openRuntime();
const start = startingLogits(toyCrowd, { start: "diagonal", startDiagonal: 0.9 });
const settings = { lambda: 0.3, ridge: 1e-4 };
const penalty = (io: Io, logTheta: Tensor) => volumeOfConfusions(io, logTheta, toyCrowd, settings);

describe("invariants", () => {
  it("the gradient agrees with central differences; a worker without labels is not moved", () => {
    const { gradients } = checkLoss((io) => ({ loss: coupledLoss(io, { start, penalty }) }), {
      tolerance: 1e-4,
    });
    expect(gradients["confusion"].subarray(4 * K * K).every((g) => g === 0)).toBe(true);
    expect(gradients["confusion"].subarray(0, 4 * K * K).every((g) => g !== 0)).toBe(true);
  });

  // This settles the sign: with an expert for every class the true confusions have the largest volume.
  it("no mixing of the classes that explains the same labels has a lower penalty than the truth", () => {
    const { data } = featureCrowd(1, { workers: 5 });
    const theta = input("theta", [5, 3, 3]);
    const sizes = { workers: 5, classes: 3 } as Partial<Io> as Io;
    const { runNow } = interpret({
      value: volumeOfConfusions(sizes, theta, data, { lambda: 1, ridge: 1e-12 }),
    });
    const random = createRandom(5);
    const expert = Matrix.eye(3);
    const others = Array.from({ length: 4 }, () => new Matrix(randomRows(3, 3, random, 0)));
    const workers = [expert, ...others];
    const f = new Matrix(randomRows(30, 3, random, 0.6));
    const volume = (matrices: readonly Matrix[]) =>
      runNow({
        theta: Float64Array.from(
          matrices.flatMap((m) => m.to1DArray()),
          (p) => Math.log(Math.max(p, 1e-300)),
        ),
      })["value"][0];
    const truth = volume(workers);
    let feasible = 0;
    for (const Q of mixings(2000, 3, random)) {
      if (f.mmul(inverse(Q)).min() < 0) continue;
      feasible++;
      const other = workers.map((theta) => Q.mmul(theta));
      expect(volume(other)).toBeGreaterThanOrEqual(truth - 1e-9);
    }
    expect(feasible).toBeGreaterThan(100);
  });
});

describe("brute force", () => {
  it("-lambda log det(sum of theta thetaᵀ + rI) over those who gave labels is added", () => {
    const plain = checkLoss((io) => ({ loss: coupledLoss(io, { start }) }));
    const { loss, fed } = checkLoss((io) => ({ loss: coupledLoss(io, { start, penalty }) }), {
      tolerance: 1e-4,
    });
    const theta = rowSoftmax(Float64Array.from(fed["confusion"]), K);
    const G = Matrix.zeros(K, K);
    for (let w = 0; w < 4; w++) {
      const own = Matrix.from1DArray(K, K, theta.subarray(w * K * K, (w + 1) * K * K));
      G.add(own.mmul(own.transpose()));
    }
    G.add(Matrix.eye(K, K, (1e-4 * G.trace()) / K));
    expect(loss - plain.loss).toBeCloseTo(-0.3 * Math.log(determinant(G.to2DArray())), 10);
  });

  it("without weight it is the coupled cross-entropy, to the bit", () =>
    expectCoupled(executor, geoCrowdNetW));
});

describe("published numbers", () => {
  it("with an expert and no clear cases it finds the confusions better than without", async () => {
    const crowd = { tasks: 2000, testTasks: 0, anchors: false, noise: 0 } as const;
    const rates = { crowdRate: 0.01, decay: 1e-4, schedule: "one-cycle" };
    const options = { ...rates, batch: 64, epochs: 100 };
    const geo = await scatteredCase(executor, geoCrowdNetW, crowd, options, 0);
    const plain = await scatteredCase(executor, ccem, crowd, options, 0);
    expect(geo.error).toBeLessThan(plain.error);
  });
});
