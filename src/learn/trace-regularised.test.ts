import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { checkLoss, K, toyCrowd } from "../../test/loss-check.ts";
import { sparseCase } from "../../test/protocols/coupled.ts";
import { openRuntime } from "../node/runtime.ts";
import { ccem } from "./ccem.ts";
import { coupledLoss, logTheta } from "./coupled.ts";
import type { Io } from "./network.ts";
import { type TraceSettings, traceCoupling, traceRegularised } from "./trace-regularised.ts";
import { rowSoftmax, rowSoftplus } from "./worker-matrix.ts";

const executor = await openRuntime();
const W = toyCrowd.workers.length;
const all = (["trace", "log"] as const).flatMap((penalty) =>
  (["softplus", "softmax"] as const).map((form) => ({ penalty, form })),
);
const couplingOf = (settings: Partial<TraceSettings>) =>
  traceCoupling(toyCrowd, {
    lambda: 0.3,
    penalty: "trace",
    form: "softplus",
    startDiagonal: 0,
    ...settings,
  });

/** The penalty without the cross-entropy. */
function alone(io: Io, settings: Partial<TraceSettings>) {
  const { start, form, penalty } = couplingOf(settings);
  if (!penalty) throw new Error("There is no penalty.");
  return { loss: penalty(io, logTheta(io, start, form)) };
}

describe("invariants", () => {
  it.each(all)("the gradient agrees with central differences ($penalty, $form)", (settings) => {
    checkLoss((io) => ({ loss: coupledLoss(io, couplingOf(settings)) }));
  });

  it.each(all)("the penalty pulls every diagonal down ($penalty, $form)", (settings) => {
    const { gradients } = checkLoss((io) => alone(io, settings));
    gradients["confusion"].forEach((g, at) => {
      const [w, k, l] = [Math.floor(at / K / K), Math.floor(at / K) % K, at % K];
      // Nothing else would hold the worker without labels.
      if (w === W - 1) expect(g).toBe(0);
      else if (k === l) expect(g).toBeGreaterThan(0);
      else expect(g).toBeLessThan(0);
    });
  });

  it("the logarithm is floored: a diagonal below 1e-6 is left alone", () => {
    const far = Float64Array.from({ length: W * K * K }, (_, at) =>
      (at % (K * K)) % (K + 1) === 0 ? -20 : 0,
    );
    const { gradients } = checkLoss((io) => alone(io, { penalty: "log", form: "softmax" }), {
      feeds: { confusion: far },
    });
    expect(gradients["confusion"].every((g) => g === 0)).toBe(true);
  });
});

describe("brute force", () => {
  it("the mean trace, and the logarithms as a prior beside the labels has them", () => {
    const labels = toyCrowd.label.length;
    for (const { penalty, form } of all) {
      const { loss, fed } = checkLoss((io) => alone(io, { penalty, form }));
      const rows = form === "softmax" ? rowSoftmax : rowSoftplus;
      const theta = rows(Float64Array.from(fed["confusion"]), K);
      let expected = 0;
      for (let w = 0; w < W - 1; w++) {
        for (let k = 0; k < K; k++) {
          const p = theta[(w * K + k) * K + k];
          expected += penalty === "trace" ? (0.3 * p) / (W - 1) : (0.3 * Math.log(p)) / labels;
        }
      }
      expect(loss).toBeCloseTo(expected, 12);
    }
  });

  it("without weight it is the coupled cross-entropy, to the bit", async () => {
    const { data, features } = featureCrowd(2);
    const rates = { rate: 0.01, schedule: "constant", decay: 0 } as const;
    const plain = { ...rates, epochs: 5, batch: 16, hidden: "4" };
    const trace = { ...plain, lambda: 0, form: "softmax", startDiagonal: 0.9 } as const;
    const one = await traceRegularised(data, features, trace, { executor });
    const other = await ccem(data, features, plain, { executor });
    expect(one.posterior).toEqual(other.posterior);
    expect(one.confusion).toEqual(other.confusion);
    expect(one.predictor.weights).toEqual(other.predictor.weights);
  });
});

describe("published numbers", () => {
  it("more weight makes workers look worse", async () => {
    const { data, features } = featureCrowd(3, { tasks: 200, separation: 5 });
    const skills: number[] = [];
    for (const lambda of [0, 0.05, 0.2]) {
      const options = { epochs: 30, hidden: "8", dropout: 0, rate: 0.01, calibrate: false, lambda };
      const { skill } = await traceRegularised(data, features, options, { executor });
      skills.push(skill.reduce((a, b) => a + b) / skill.length);
    }
    expect(skills[1]).toBeLessThan(skills[0] - 0.005);
    expect(skills[2]).toBeLessThan(skills[1] - 0.005);
  });

  // Kim et al. (2022), figure 7: accuracy falls as the weight grows.
  it("the logarithm does not help where skills are spread: the more of it the worse", async () => {
    // Softmax of 2 I.
    const log = { penalty: "log", form: "softmax", startDiagonal: 1 / (1 + Math.exp(-2)) };
    const curve: number[] = [];
    for (const lambda of [0.5, 1, 1.5, 2]) {
      const run = await sparseCase(executor, traceRegularised, { ...log, lambda }, 0);
      curve.push(run.learning);
    }
    for (let i = 1; i < curve.length; i++) {
      expect(curve[i], curve.join()).toBeLessThan(curve[i - 1] + 0.02);
    }
    expect(curve[3]).toBeLessThan(curve[0] - 0.2);
  });
});
