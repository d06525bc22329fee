import { describe, expect, it } from "vitest";
import { checkLoss, linearOutputs } from "../../../test/loss-check.ts";
import { numberCrowd } from "../../../test/preference-crowd.ts";
import { openRuntime } from "../../node/runtime.ts";
import { crowdLayerRegression, regressionLoss } from "./crowd-layer-regression.ts";

const executor = await openRuntime();
const variants = ["B", "S", "S+B", "B+S"] as const;
const [O, W, T] = [2, 3, 4];
const answers = {
  task: Int32Array.from([0, 0, 1, 2, 3, 3]),
  output: Int32Array.from([0, 1, 0, 1, 0, 1]),
  cell: Int32Array.from([0, 1, 2, 3, 0, 3]),
  value: Float64Array.from([0.5, -1, 0.2, 1.5, -0.3, 0.8]),
  weight: Float64Array.from([1, 1, 2, 1, 0.5, 1]),
};
const counts = Float64Array.from([1.5, 1, 2, 2, 0, 0]);
const crowd = { outputs: O, workers: W, rows: T, answers };

/** A table less its mean over the answers, plus what it starts from. */
function centred(table: ArrayLike<number>, start: number): number[] {
  return Array.from(table, (x, at) => {
    const own = Array.from(counts.keys()).filter((each) => each % O === at % O);
    const total = own.reduce((sum, each) => sum + counts[each], 0);
    return x - own.reduce((sum, each) => sum + (counts[each] / total) * table[each], 0) + start;
  });
}

describe.each(variants)("%s", (variant) => {
  it.each([false, true])("loss and gradient are those of the definition (noise: %s)", (noise) => {
    const { loss, fed } = checkLoss(
      (io) => ({ loss: regressionLoss(io, { variant, noise, counts }) }),
      { crowd },
    );
    const f = linearOutputs(fed, T, O);
    const b = centred(fed["offset"] ?? new Float64Array(W * O), 0);
    const s = centred(fed["stretch"] ?? new Float64Array(W * O), 1);
    const t = fed["noise"] ?? new Float64Array(W * O);
    let [sum, weight] = [0, 0];
    answers.value.forEach((y, i) => {
      const at = answers.cell[i];
      const own = f[answers.task[i] * O + answers.output[i]];
      const said = { B: own + b[at], S: s[at] * own, "S+B": s[at] * own + b[at] }[
        variant as "B" | "S" | "S+B"
      ];
      const miss = (y - (said ?? s[at] * (own + b[at]))) ** 2;
      const each = noise ? miss / (2 * Math.exp(2 * t[at])) + t[at] : miss;
      sum += answers.weight[i] * each;
      weight += answers.weight[i];
    });
    const mean = Array.from(t).reduce((a, x) => a + x, 0) / (W * O);
    const prior = Array.from(t).reduce((a, x) => a + (x - mean) ** 2, 0) / 2;
    const total = counts.reduce((a, x) => a + x, 0);
    expect(loss).toBeCloseTo(sum / weight + (noise ? prior / total : 0), 10);
  });
});

describe("recovery", () => {
  const options = { model: "logistic", rate: 0.02, epochs: 150, decay: 0 } as const;

  it("finds planted offsets to .1 with 200 answers per worker, and a network without them", async () => {
    const offsets = [0.4, 1.1, -1.3, 0.9, -1.1];
    const { data, features, test, gold } = numberCrowd(1, { tasks: 340, offsets, noise: 0.5 });
    const result = await crowdLayerRegression(data, features, options, { executor });
    Array.from(data.workers, (name, w) => {
      expect(result.offset?.[w]).toBeCloseTo(offsets[Number(name.slice(1))], 0.7);
      return name;
    });
    const errors = (await result.predictor.predict(test)).map((x, i) => Math.abs(x - gold[i]));
    expect(errors.reduce((a, b) => a + b, 0) / errors.length).toBeLessThan(0.15);
  });

  it("offsets have the mean 0 over the answers, stretches the mean 1", async () => {
    const { data, features } = numberCrowd(2, { tasks: 60 });
    const quick = { ...options, variant: "S+B", epochs: 5 } as const;
    const { stretch = new Float64Array() } = await crowdLayerRegression(data, features, quick, {
      executor,
    });
    const mean = data.worker.reduce((sum, w) => sum + stretch[w] / data.worker.length, 0);
    expect(mean).toBeCloseTo(1, 5);
    const { offset = new Float64Array() } = await crowdLayerRegression(
      data,
      features,
      { ...options, epochs: 5 },
      { executor },
    );
    expect(data.worker.reduce((sum, w) => sum + offset[w], 0) / data.worker.length).toBeCloseTo(
      0,
      5,
    );
  });

  it("a noisy worker is known as one", async () => {
    const { data, features } = numberCrowd(3, { offsets: [0, 0, 0, 0] });
    const noisy = data.workers.indexOf("w2");
    const value = data.value.map((x, i) => x + (data.worker[i] === noisy ? (i % 2 ? 3 : -3) : 0));
    const { noise = new Float64Array() } = await crowdLayerRegression(
      { ...data, value },
      features,
      { ...options, noise: true },
      { executor },
    );
    noise.forEach((x, w) => {
      if (w === noisy) expect(x).toBeGreaterThan(1.5);
      else expect(x).toBeLessThan(1);
    });
  });
});
