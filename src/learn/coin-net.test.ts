import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { checkLoss, K, overLabels, toyCrowd, toyPredictions } from "../../test/loss-check.ts";
import { outlierCase } from "../../test/protocols/coupled.ts";
import { byTask } from "../data/categorical.ts";
import { createRandom } from "../math/random.ts";
import { openRuntime } from "../node/runtime.ts";
import { detected } from "../reproduce/crowds.ts";
import { coinNet, coinObjective } from "./coin-net.ts";
import { coupledLoss } from "./coupled.ts";
import { geoCrowdNetF, volumeOfPredictions } from "./geo-crowd-net-f.ts";
import { rowSoftmax, startingLogits } from "./worker-matrix.ts";

const executor = await openRuntime();
const start = startingLogits(toyCrowd, { start: "diagonal", startDiagonal: 0.9 });
const settings = { start, mu1: 0.3, mu2: 0, exponent: 0.4, ridge: 1e-4 };
const labels = toyCrowd.label.length;
const random = createRandom(3);
const corrections = Float64Array.from({ length: labels * K }, () => 0.2 * random.next() - 0.1);

describe("invariants", () => {
  it.each([0, 0.3])("the gradient agrees with central differences (mu2 %s)", (mu2) => {
    const { gradients } = checkLoss((io) => coinObjective(io, { ...settings, mu2 }), {
      feeds: { corrections },
      tolerance: mu2 > 0 ? 1e-4 : 1e-6,
    });
    expect(gradients["corrections"].length).toBe(labels * K);
    expect(gradients["corrections"].every((g) => g !== 0)).toBe(true);
    expect(gradients["confusion"].subarray(4 * K * K).every((g) => g === 0)).toBe(true);
  });

  it("clamped probabilities have no part in the gradient", () => {
    const large = corrections.map((e, at) => (at % K === 0 ? -5 : e));
    const { gradients } = checkLoss((io) => coinObjective(io, { ...settings, mu1: 0 }), {
      feeds: { corrections: large },
      tolerance: 1e-4,
    });
    expect(gradients["corrections"].every(Number.isFinite)).toBe(true);
  });
});

describe("brute force", () => {
  it("the loss is that of its definition", () => {
    const { loss, fed } = checkLoss((io) => coinObjective(io, settings), {
      feeds: { corrections },
    });
    const theta = rowSoftmax(Float64Array.from(fed["confusion"]), K);
    const f = toyPredictions(fed);
    const { start: first } = byTask(toyCrowd);
    const e = (i: number, k: number) => {
      const row = corrections.subarray(i * K, (i + 1) * K);
      return row[k] - row.reduce((a, b) => a + b) / K;
    };
    let i = 0;
    const misfit = overLabels((t, u, y) => {
      const p = f[t].map((_, l) => {
        const mixed = f[t].reduce((sum, each, k) => sum + each * theta[(u * K + k) * K + l], 0);
        return Math.max(1e-10, Math.min(1 - 1e-10, mixed + e(i, l)));
      });
      i++;
      return -Math.log(p[y] / p.reduce((a, b) => a + b));
    });
    let sparsity = 0;
    for (let t = 0; t < toyCrowd.tasks.length; t++) {
      let size = 1e-10;
      for (let j = first[t]; j < first[t + 1]; j++)
        for (let k = 0; k < K; k++) size += e(j, k) ** 2;
      sparsity += size ** 0.2 / toyCrowd.tasks.length;
    }
    expect(loss).toBeCloseTo(misfit + 0.3 * sparsity, 10);
  });

  it("without corrections it is the loss of geo-crowd-net-f, and so is its gradient", () => {
    const none = { corrections: new Float64Array(labels * K) };
    const coin = checkLoss((io) => coinObjective(io, { ...settings, mu1: 0, mu2: 0.3 }), {
      feeds: none,
      tolerance: 1e-4,
    });
    const geo = checkLoss(
      (io) => ({
        loss: coupledLoss(io, {
          start,
          penalty: () => volumeOfPredictions(io, { lambda: 0.3, ridge: 1e-4 }),
        }),
      }),
      { tolerance: 1e-4 },
    );
    expect(coin.loss).toBeCloseTo(geo.loss, 12);
    for (const [name, values] of Object.entries(geo.gradients)) {
      values.forEach((g, at) => {
        expect(coin.gradients[name][at]).toBeCloseTo(g, 12);
      });
    }
  });

  it("as corrections cost ever more it becomes geo-crowd-net-f", async () => {
    const { data, features } = featureCrowd(2, { tasks: 100 });
    const training = { epochs: 20, batch: 32, rate: 0.005, decay: 1e-4 };
    const options = { ...training, hidden: "4", dropout: 0, mu2: 0.03 };
    const { mu2: lambda, ...same } = options;
    const geo = await geoCrowdNetF(data, features, { ...same, lambda }, { executor });
    const largest: number[] = [];
    const gaps = [];
    for (const mu1 of [0.01, 1, 1e6]) {
      // The schedule ends at almost nothing, and with it the size of the steps about 0.
      const coin = await coinNet(data, features, { ...options, mu1 }, { executor });
      largest.push(Math.max(...(coin.outlierScores ?? [])));
      gaps.push(
        coin.confusion?.reduce((most, p, at) => {
          return Math.max(most, Math.abs(p - (geo.confusion?.[at] ?? 0)));
        }, 0) ?? 1,
      );
    }
    expect(largest[0]).toBeGreaterThan(0.01);
    expect(largest[2]).toBeLessThan(1e-4);
    expect(gaps[2]).toBeLessThan(0.003);
    expect(gaps[2]).toBeLessThan(gaps[0] / 3);
  });
});

describe("published numbers", () => {
  it("finds outliers, and learns no worse than geo-crowd-net-f", async () => {
    const crowd = { tasks: 2000, separation: 6, outliers: 0.3 };
    const options = { batch: 128, epochs: 60, decay: 1e-4 };
    const coin = await outlierCase(executor, coinNet, crowd, { ...options, mu2: 0.03 }, 0);
    const geo = await outlierCase(executor, geoCrowdNetF, crowd, { ...options, lambda: 0.03 }, 0);
    // Who knows the truth and counts wrong labels finds .86.
    expect(coin.share).toBeGreaterThan(0.78);
    expect(coin.area).toBeGreaterThan(0.9);
    expect(coin.learning).toBeGreaterThan(geo.learning - 0.005);
    // Labels that are explained as outliers say little of the class.
    expect(coin.inference).toBeGreaterThan(geo.inference);
  });
});

describe("limits", () => {
  it("the scores of tasks without labels are 0", async () => {
    const { data, features } = featureCrowd(3);
    const without = data.tasks.length - 1;
    const fewer = {
      ...data,
      ...Object.fromEntries(
        (["task", "worker", "label"] as const).map((name) => [
          name,
          data[name].filter((_, i) => data.task[i] !== without),
        ]),
      ),
    };
    const { outlierScores } = await coinNet(fewer, features, { epochs: 3 }, { executor });
    expect(outlierScores?.[without]).toBe(0);
    expect(outlierScores?.[0]).toBeGreaterThan(0);
  });

  it("counts what was found, and pairs in the right order", () => {
    const outliers = Uint8Array.of(1, 0, 1, 0, 0);
    expect(detected(Float64Array.of(5, 1, 4, 2, 3), outliers)).toEqual({ share: 1, area: 1 });
    expect(detected(Float64Array.of(5, 4, 3, 2, 1), outliers).share).toBe(0.5);
    expect(detected(Float64Array.of(5, 4, 3, 2, 1), outliers).area).toBeCloseTo(5 / 6, 12);
  });
});
