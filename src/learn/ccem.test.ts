import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { checkLoss, K, overLabels, toyCrowd, toyPredictions } from "../../test/loss-check.ts";
import { scatteredCase } from "../../test/protocols/coupled.ts";
import { openRuntime } from "../node/runtime.ts";
import { ccem } from "./ccem.ts";
import { coupledLoss } from "./coupled.ts";
import { rowSoftmax, rowSoftplus, startingLogits } from "./worker-matrix.ts";

const executor = await openRuntime();
const start = startingLogits(toyCrowd, { start: "diagonal", startDiagonal: 0.9 });
const forms = ["softmax", "softplus"] as const;

describe("invariants", () => {
  it.each(forms)("the gradient agrees with central differences (%s)", (form) => {
    const { gradients } = checkLoss((io) => ({ loss: coupledLoss(io, { start, form }) }));
    expect(Object.keys(gradients).sort()).toEqual(["confusion", "head/bias", "head/weight"]);
    // The worker without labels is not moved.
    expect(gradients["confusion"].subarray(4 * 9).every((g) => g === 0)).toBe(true);
  });
});

describe("brute force", () => {
  it.each(forms)("the loss is that of its definition (%s)", (form) => {
    const { loss, fed } = checkLoss((io) => ({ loss: coupledLoss(io, { start, form }) }));
    const rows = form === "softmax" ? rowSoftmax : rowSoftplus;
    const theta = rows(Float64Array.from(fed["confusion"]), K);
    const f = toyPredictions(fed);
    const expected = overLabels(
      (t, u, y) => -Math.log(f[t].reduce((sum, p, k) => sum + p * theta[(u * K + k) * K + y], 0)),
    );
    expect(loss).toBeCloseTo(expected, 12);
  });

  it("its gradient is by whose label it probably is: f - rho, rho (theta - [l = y])", () => {
    const { gradients, fed } = checkLoss((io) => ({ loss: coupledLoss(io, { start }) }));
    const theta = rowSoftmax(Float64Array.from(fed["confusion"]), K);
    const f = toyPredictions(fed);
    const expected = new Float64Array(theta.length);
    const bias = new Float64Array(K);
    let labels = 0;
    overLabels((t, u, y) => {
      const joint = f[t].map((p, k) => p * theta[(u * K + k) * K + y]);
      const total = joint.reduce((a, b) => a + b);
      joint.forEach((p, k) => {
        bias[k] += f[t][k] - p / total;
        for (let l = 0; l < K; l++) {
          const at = (u * K + k) * K + l;
          expected[at] += (p / total) * (theta[at] - (l === y ? 1 : 0));
        }
      });
      labels++;
      return 0;
    });
    gradients["confusion"].forEach((g, at) => {
      expect(g).toBeCloseTo(expected[at] / labels, 12);
    });
    gradients["head/bias"].forEach((g, k) => {
      expect(g).toBeCloseTo(bias[k] / labels, 12);
    });
  });
});

describe("published numbers", () => {
  it("finds the confusions where there are an expert and clear cases, and fits no better than the truth", async () => {
    const { error, learning, result, simulation } = await scatteredCase(executor, ccem, {}, {}, 0);
    expect(error).toBeLessThan(0.005);
    expect(learning).toBeGreaterThan(0.95);
    const { test, confusion: truth = new Float64Array() } = simulation;
    if (!test?.features) throw new Error("The simulation has no tasks to test on.");
    const f = await result.predictor.predict(test.features);
    const { data } = test;
    const { confusion: theta = new Float64Array() } = result;
    const C = data.classes.length;
    // Here the class follows from the features, so that the labels given x are as uncertain as the truth's rows.
    let [cost, entropy] = [0, 0];
    for (let i = 0; i < data.label.length; i++) {
      const [t, w, y] = [data.task[i], data.worker[i], data.label[i]];
      let p = 0;
      for (let k = 0; k < C; k++) p += f[t * C + k] * theta[(w * C + k) * C + y];
      cost -= Math.log(p) / data.label.length;
      const row = truth.subarray((w * C + data.gold[t]) * C, (w * C + data.gold[t] + 1) * C);
      entropy -= row.reduce((sum, q) => sum + q * Math.log(q), 0) / data.label.length;
    }
    // Three standard errors of a mean over 10000 labels whose logarithms spread by less than one.
    expect(cost).toBeGreaterThan(entropy - 0.03);
    expect(cost).toBeLessThan(entropy + 0.06);
  });
});

describe("limits", () => {
  it("the preset spee-lfc starts at the softmax of the identity", async () => {
    const { data, features } = featureCrowd(2, { classes: 3 });
    const { options } = ccem.presets?.["spee-lfc"] ?? { options: {} };
    const still = { ...options, rate: 1e-9, crowdRate: 1e-9, epochs: 1, hidden: "4" };
    const { confusion } = await ccem(data, features, still, { executor });
    expect(confusion?.[0]).toBeCloseTo(Math.E / (Math.E + 2), 6);
    expect(confusion?.[1]).toBeCloseTo(1 / (Math.E + 2), 6);
  });
});
