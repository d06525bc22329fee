import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromMatrix } from "../data/features.ts";
import { namesOf } from "../data/names.ts";
import { openRuntime } from "../node/runtime.ts";
import { copiedCoinCrowd } from "../simulate/copied-coin.ts";
import { withFeatures } from "../simulate/features.ts";
import { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
import { type Checkpoint, loadCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import { raykar } from "./raykar.ts";

const executor = await openRuntime();

describe("invariants", () => {
  it.each([0.01, 0, 1])("never lowers its objective (smoothing %s)", async (smoothing) => {
    for (let seed = 0; seed < 6; seed++) {
      const { data, features } = featureCrowd(seed, { classes: 2 + (seed % 3), tasks: 50 });
      const options = { smoothing, tolerance: 0, epochs: 40, innerSteps: 1 + (seed % 2) };
      const { trace } = await raykar(data, features, options, { executor });
      for (let n = 1; n < trace.length; n++) {
        expect(trace[n] - trace[n - 1], `seed ${seed}, iteration ${n}`).toBeGreaterThan(-1e-9);
      }
    }
  });

  it("says when it stopped before it settled, and settles if it may", async () => {
    const { data, features } = featureCrowd(1);
    const short = await raykar(data, features, { epochs: 2 }, { executor });
    expect(short.notes.join(" ")).toMatch(/Stopped after 2 iterations/);
    const long = await raykar(data, features, { epochs: 1000, lambda: 1 }, { executor });
    expect(long.notes.join(" ")).not.toMatch(/Stopped/);
    expect(long.iterations).toBeLessThan(1000);
  });

  it("goes on from its last checkpoint, where it had settled, to the same bits", async () => {
    const { data, features } = featureCrowd(2);
    const options = { tolerance: 1e-3 };
    const saved: Uint8Array[] = [];
    const onCheckpoint = (make: () => Checkpoint) => saved.push(saveCheckpoint(make()));
    const whole = await raykar(data, features, options, { executor, onCheckpoint });
    for (const bytes of [saved[saved.length - 2], saved[saved.length - 1]]) {
      const resume = loadCheckpoint(bytes);
      const again = await raykar(data, features, options, { executor, resume });
      expect(again.posterior).toEqual(whole.posterior);
      expect(again.trace).toEqual(whole.trace);
    }
  });
});

describe("brute force", () => {
  it("its objective is what the definition says", async () => {
    const { data, features } = featureCrowd(3, { classes: 3, tasks: 30 });
    const settings = { lambda: 0.5, smoothing: 0.1 };
    const options = { ...settings, tolerance: 0, epochs: 300 };
    const result = await raykar(data, features, options, { executor });
    const f = await result.predictor.predict(features);
    const { confusion = new Float64Array(), predictor } = result;
    const weights = predictor.weights.get("head/weight") ?? new Float32Array();
    const exact =
      logLikelihood(data, f, confusion) +
      confusion.reduce((sum, p) => sum + settings.smoothing * Math.log(p), 0) -
      (settings.lambda / 2) * weights.reduce((sum, w) => sum + w * w, 0);
    // The classifier's weights are single precision.
    expect(result.trace.at(-1)).toBeCloseTo(exact, 3);
  });

  it("is Dawid–Skene where the features say nothing, and the bias becomes the prior", async () => {
    const { data } = featureCrowd(4, { tasks: 80, workers: 10, skill: [0.6, 0.9] });
    const blank = fromMatrix([...data.tasks], [2], new Float32Array(160));
    const long = { smoothing: 0.01, tolerance: 0 };
    const options = { ...long, epochs: 400, standardise: false };
    const { posterior, confusion } = await raykar(data, blank, options, { executor });
    const reference = dawidSkene(data, { ...long, maxIterations: 400 });
    posterior.forEach((p, at) => {
      expect(p).toBeCloseTo(reference.posterior[at], 6);
    });
    confusion?.forEach((p, at) => {
      expect(p).toBeCloseTo(reference.confusion[at], 6);
    });
  });
});

describe("published numbers", () => {
  it("takes a copied coin for the truth (Cao et al., example E.2)", async () => {
    for (const seed of [0, 1, 2]) {
      const { data, features = missing() } = copiedCoinCrowd({ seed });
      const { posterior } = await raykar(data, features, {}, { executor });
      const coin = data.label.filter((_, i) => data.worker[i] === 1);
      const right = { coin: 0, truth: 0 };
      for (let t = 0; t < data.tasks.length; t++) {
        const said = Number(posterior[2 * t + 1] > 0.5);
        if (said === coin[t]) right.coin += 1 / data.tasks.length;
        if (said === data.gold[t]) right.truth += 1 / data.tasks.length;
      }
      expect(right.coin).toBeGreaterThanOrEqual(0.99);
      expect(Math.abs(right.truth - 0.515)).toBeLessThan(0.065);
    }
  });
});

describe("recovery", () => {
  it("finds the confusions of hammers, spammers and adversaries", async () => {
    const crowd = hammerSpammerCrowd({ tasks: 5000, labelsPerTask: 5 });
    const { data, features, confusion } = withFeatures(crowd, { bayesAccuracy: 0.85 });
    const found = (await raykar(data, features, {}, { executor })).confusion;
    let error = 0;
    confusion?.forEach((p, at) => {
      error += Math.abs(p - (found?.[at] ?? Number.NaN)) / confusion.length;
    });
    // Ten seeds have .016 on average, with a deviation of .002.
    expect(error).toBeLessThan(0.025);
  });
});

describe("limits", () => {
  it("gives a worker without labels an even confusion", async () => {
    const { data, features } = featureCrowd(5, { classes: 2 });
    const idle = { ...data, workers: namesOf([...data.workers, "idle"]) };
    const { confusion } = await raykar(idle, features, {}, { executor });
    expect([...(confusion?.subarray(-4) ?? [])]).toEqual([0.5, 0.5, 0.5, 0.5]);
  });

  it("keeps its weights finite on separable classes, and refuses to do without a penalty", async () => {
    const { data, features } = featureCrowd(6, { separation: 50, skill: [0.99, 1] });
    const { predictor, trace } = await raykar(data, features, { smoothing: 0 }, { executor });
    expect(predictor.weights.get("head/weight")?.every((w) => Math.abs(w) < 100)).toBe(true);
    expect(trace.every(Number.isFinite)).toBe(true);
    const none = raykar(data, features, { lambda: 0 }, { executor });
    await expect(none).rejects.toThrow("raykar: lambda must be at least 1e-9, not 0.");
  });
});

function missing(): never {
  throw new Error("The simulation has no features.");
}

/** sum_i log sum_k f[i][k] prod_u theta[u][k][y], without logarithms on the way. */
function logLikelihood(data: CategoricalData, f: Float64Array, confusion: Float64Array): number {
  const K = data.classes.length;
  const p = f.slice();
  data.label.forEach((l, i) => {
    for (let k = 0; k < K; k++) {
      p[data.task[i] * K + k] *= confusion[(data.worker[i] * K + k) * K + l];
    }
  });
  let total = 0;
  for (let from = 0; from < p.length; from += K) {
    total += Math.log(p.subarray(from, from + K).reduce((a, b) => a + b));
  }
  return total;
}
