import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { checkLoss, K, overLabels, toyCrowd, toyPredictions } from "../../test/loss-check.ts";
import { zeroLogistic } from "../../test/zero-logistic.ts";
import { byWorker } from "../data/categorical.ts";
import { fromMatrix } from "../data/features.ts";
import { fromRows } from "../data/from-rows.ts";
import { openRuntime } from "../node/runtime.ts";
import { instanceLoss, instanceTrace } from "./instance-trace.ts";
import { traceRegularised } from "./trace-regularised.ts";
import { diagonalStart, rowSoftplus } from "./worker-matrix.ts";

const executor = await openRuntime();
const D = 4;

/** theta[(class * K) + label] of a worker for a task, by its definition. */
function thetaOf(fed: Readonly<Record<string, ArrayLike<number>>>, t: number, u: number) {
  const { features: x, "matrices/weight": weight, "matrices/bias": bias } = fed;
  const free = Float64Array.from({ length: K * K }, (_, at) => {
    let sum = bias[u * K * K + at];
    for (let j = 0; j < D; j++) sum += x[t * D + j] * weight[(u * D + j) * K * K + at];
    return sum;
  });
  return rowSoftplus(free, K);
}

const traceOf = (theta: Float64Array) => theta[0] + theta[K + 1] + theta[2 * K + 2];

describe("invariants", () => {
  it.each([0, 0.3])("the gradient agrees with central differences (lambda %s)", (lambda) => {
    const { gradients } = checkLoss((io) => ({ loss: instanceLoss(io, lambda) }));
    const { "matrices/weight": weight, "matrices/bias": bias } = gradients;
    // The worker without labels is not moved.
    expect(weight.subarray(4 * D * K * K).every((g) => g === 0)).toBe(true);
    expect(bias.subarray(4 * K * K).every((g) => g === 0)).toBe(true);
  });
});

describe("brute force", () => {
  it("the loss is that of its definition", () => {
    const { loss, fed } = checkLoss((io) => ({ loss: instanceLoss(io, 0.3) }));
    const f = toyPredictions(fed);
    const expected = overLabels((t, u, y) => {
      const theta = thetaOf(fed, t, u);
      const p = f[t].reduce((sum, each, k) => sum + each * theta[k * K + y], 0);
      return -Math.log(p) + 0.3 * traceOf(theta);
    });
    expect(loss).toBeCloseTo(expected, 12);
  });

  it("where features never change, a worker has one matrix, and its trace counts by the worker's labels", () => {
    const features = Float64Array.from({ length: toyCrowd.tasks.length * D }, (_, i) => i % D);
    const feeds = { features };
    const plain = checkLoss((io) => ({ loss: instanceLoss(io, 0) }), { feeds });
    const { loss, fed } = checkLoss((io) => ({ loss: instanceLoss(io, 0.3) }), { feeds });
    const { start } = byWorker(toyCrowd);
    const traces = Array.from(toyCrowd.workers, (_, u) => {
      expect(thetaOf(fed, 0, u)).toEqual(thetaOf(fed, 6, u));
      return ((start[u + 1] - start[u]) / toyCrowd.label.length) * traceOf(thetaOf(fed, 0, u));
    });
    expect(loss - plain.loss).toBeCloseTo(0.3 * traces.reduce((a, b) => a + b), 12);
  });

  // With equal numbers of labels that is the penalty of trace regularisation, and so is the training.
  it("where features are nothing and all label equally much, it is trace regularisation", async () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({
      task: `t${i % 20}`,
      worker: `w${Math.floor(i / 20)}`,
      label: `c${[i % 3, i % 2, (i * 7) % 3][Math.floor(i / 20)]}`,
    }));
    const data = fromRows(rows, { classes: ["c0", "c1", "c2"] });
    const features = fromMatrix([...data.tasks], [2], new Float32Array(40));
    const shared = { epochs: 100, batch: 20, decay: 0, standardise: false, crowdRate: 0.02 };
    const options = { ...shared, rate: 0.02, schedule: "constant", lambda: 0.1 } as const;
    const context = { executor, model: zeroLogistic };
    const one = await instanceTrace(data, features, { ...options, warmUp: 0 }, context);
    const other = await traceRegularised(data, features, options, context);
    one.trace.forEach((objective, n) => {
      expect(objective).toBeCloseTo(other.trace[n], 4);
    });
    one.confusion?.forEach((p, at) => {
      expect(p).toBeCloseTo(other.confusion?.[at] ?? 0, 3);
    });
    const start = rowSoftplus(diagonalStart(1, 3, "softplus", 0), 3);
    expect(Math.abs((one.confusion?.[0] ?? 0) - start[0])).toBeGreaterThan(0.05);
  });

  it("belief and confusions are those of the matrices, by their definitions", async () => {
    const { data, features } = featureCrowd(2, { tasks: 30, dimensions: D, classes: K });
    const options = { model: "logistic", standardise: false, epochs: 15, rate: 0.02 } as const;
    const { posterior, confusion, predictor } = await instanceTrace(data, features, options, {
      executor,
    });
    const x = new Float32Array(data.tasks.length * D);
    features.read(Int32Array.from([...data.tasks].keys()), x);
    const fed = { ...Object.fromEntries(predictor.weights), features: x };
    const f = await predictor.predict(features);
    const expected = new Float64Array(data.workers.length * K * K);
    [...data.tasks].forEach((_, t) => {
      const own = [...data.label.keys()].filter((i) => data.task[i] === t);
      const joint = [0, 1, 2].map((k) =>
        own.reduce(
          (p, i) => p * thetaOf(fed, t, data.worker[i])[k * K + data.label[i]],
          f[t * K + k],
        ),
      );
      const total = joint.reduce((a, b) => a + b);
      joint.forEach((p, k) => {
        expect(posterior[t * K + k]).toBeCloseTo(p / total, 4);
      });
      for (const i of own) {
        thetaOf(fed, t, data.worker[i]).forEach((p, at) => {
          expected[data.worker[i] * K * K + at] += (joint[Math.floor(at / K)] / total) * p;
        });
      }
    });
    for (let row = 0; row < expected.length; row += K) {
      const total = expected.subarray(row, row + K).reduce((a, b) => a + b);
      for (let l = row; l < row + K; l++) {
        expect(confusion?.[l]).toBeCloseTo(expected[l] / total, 3);
      }
    }
  });
});

describe("limits", () => {
  it("matrices stay where they start while it warms up", async () => {
    const { data, features } = featureCrowd(3);
    const C = data.classes.length;
    const options = { epochs: 4, warmUp: 4, hidden: "4", rate: 0.05 };
    const { confusion } = await instanceTrace(data, features, options, { executor });
    const start = rowSoftplus(diagonalStart(1, C, "softplus", 0), C);
    confusion?.forEach((p, at) => {
      // Their weights start near 0, not at 0.
      expect(p).toBeCloseTo(start[at % (C * C)], 2);
    });
  });

  it("a large weight makes it call everything wrong: why it is small by default", async () => {
    const { data, features } = featureCrowd(4, {
      tasks: 300,
      workers: 10,
      skill: [0.6, 0.9],
      separation: 5,
    });
    const options = { epochs: 40, batch: 32, hidden: "8", dropout: 0, rate: 0.02 };
    const right = async (lambda: number) => {
      const all = { ...options, lambda };
      const { consensus } = await instanceTrace(data, features, all, { executor });
      return consensus.filter((k, t) => k === data.gold[t]).length / consensus.length;
    };
    expect(await right(0.01)).toBeGreaterThan(0.93);
    expect(await right(0.4)).toBeLessThan(0.5);
  });
});
