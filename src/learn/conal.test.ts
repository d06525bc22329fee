import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import {
  checkLoss,
  K,
  overLabels,
  softmaxOf,
  toyCrowd,
  toyPredictions,
} from "../../test/loss-check.ts";
import { learnOn, sharedErrorsCrowd } from "../../test/protocols/coupled.ts";
import type { Features } from "../data/features.ts";
import { openRuntime } from "../node/runtime.ts";
import { conal, conalLoss } from "./conal.ts";
import { crowdLayer } from "./crowd-layer.ts";

const executor = await openRuntime();
const settings = { lambda: 0.05, gateScale: 2 };
const W = toyCrowd.workers.length;
// The hidden layer of the gate has 128 units: smaller weights keep its sums of the size that training sees.
const spread = (name: string) => (name.startsWith("gate") ? 0.3 : 1);

type Fed = Readonly<Record<string, ArrayLike<number>>>;

describe("invariants", () => {
  it("the gradient agrees with central differences", () => {
    checkLoss((io) => ({ loss: conalLoss(io, settings) }), { spread });
  });

  it("where all matrices are the common one the gate does not matter", () => {
    const common = Float64Array.from({ length: K * K }, (_, i) => Math.sin(i));
    const matrices = Float64Array.from({ length: W * K * K }, (_, i) => common[i % (K * K)]);
    const { gradients } = checkLoss((io) => ({ loss: conalLoss(io, { ...settings, lambda: 0 }) }), {
      spread,
      feeds: { common, matrices },
      compare: () => false,
    });
    const gate = Object.entries(gradients).filter(([name]) => name.startsWith("gate"));
    expect(gate.length).toBe(5);
    for (const [name, values] of gate) {
      expect(
        values.every((g) => Math.abs(g) < 1e-15),
        name,
      ).toBe(true);
    }
  });
});

describe("brute force", () => {
  it("the loss is that of its definition", () => {
    const { loss, fed } = checkLoss((io) => ({ loss: conalLoss(io, settings) }), {
      spread,
      compare: () => false,
    });
    const f = toyPredictions(fed);
    const through = (name: string, from: number, t: number, l: number) =>
      f[t].reduce((sum, p, k) => sum + p * fed[name][from + k * K + l], 0);
    const misfit = overLabels((t, u, y) => {
      const g = 1 / (1 + Math.exp(-settings.gateScale * cosine(fed, t, u)));
      const logits = f[t].map(
        (_, l) => g * through("common", 0, t, l) + (1 - g) * through("matrices", u * K * K, t, l),
      );
      return -Math.log(softmaxOf(logits)[y]);
    });
    let apart = 0;
    for (let u = 0; u < W; u++) {
      let squares = 0;
      for (let at = 0; at < K * K; at++) {
        squares += (fed["matrices"][u * K * K + at] - fed["common"][at]) ** 2;
      }
      apart += Math.sqrt(squares);
    }
    expect(loss).toBeCloseTo(misfit - settings.lambda * apart, 10);
  });
});

describe("published numbers", () => {
  it("finds the errors that all workers share, and is as good as the crowd layer", async () => {
    const crowd = sharedErrorsCrowd({ tasks: 2000 }, 0);
    const training = { batch: 256, rate: 0.005, epochs: 25 };
    const { result, learning } = await learnOn(executor, conal, crowd, training);
    const { workerWeights = new Float64Array() } = result;
    const classes = crowd.data.classes.length;
    crowd.planted.forEach((planted, k) => {
      const row = Array.from(workerWeights.subarray(k * classes, (k + 1) * classes));
      row[k] = -Infinity;
      expect(row.indexOf(Math.max(...row)), `class ${k}`).toBe(planted);
    });
    const layer = await learnOn(executor, crowdLayer, crowd, training);
    expect(learning).toBeGreaterThan(layer.learning - 0.01);
  });
});

describe("limits", () => {
  it("what the features are measured in does not matter to the gate", async () => {
    const { data, features } = featureCrowd(1);
    const shifted = {
      ...features,
      read: (rows: ArrayLike<number>, into: Float32Array) => {
        features.read(rows, into);
        into.forEach((x, i) => {
          into[i] = 100 + 7 * x;
        });
      },
    };
    const options = { epochs: 10, hidden: "4", dropout: 0 };
    const gate = async (seen: Features) => {
      const { predictor } = await conal(data, seen, options, { executor });
      return predictor.weights.get("gate/worker") ?? new Float32Array();
    };
    const [one, other] = [await gate(features), await gate(shifted)];
    expect(one.length).toBeGreaterThan(0);
    one.forEach((weight, at) => {
      expect(other[at]).toBeCloseTo(weight, 2);
    });
  });
});

/** The cosine behind the gate, by its definition. */
function cosine(fed: Fed, t: number, u: number): number {
  const D = 4;
  const x = Array.from({ length: D }, (_, j) => fed["features"][t * D + j]);
  const hidden = affine(x, fed["gate/0/weight"], fed["gate/0/bias"]);
  const v = affine(hidden, fed["gate/1/weight"], fed["gate/1/bias"]);
  const e = v.map((_, j) => fed["gate/worker"][u * v.length + j]);
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, each, j) => sum + each * b[j], 0);
  return dot(v, e) / Math.sqrt(dot(v, v) * dot(e, e));
}

function affine(x: readonly number[], weight: ArrayLike<number>, bias: ArrayLike<number>) {
  return Array.from(bias, (b, k) =>
    x.reduce((sum, v, j) => sum + v * weight[j * bias.length + k], b),
  );
}
