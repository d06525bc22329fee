import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { entriesOf } from "../../../belief/gibbs.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { createRandom } from "../../../math/random.ts";
import { mean, variance as varianceOf } from "../../../math/statistics.ts";
import type { MarginSettings } from "./margin-voice.ts";
import { votesOf } from "./vote-lists.ts";
import { createSingly } from "./weights-singly.ts";
import { createTogether } from "./weights-together.ts";

const samplers = { singly: createSingly, together: createTogether };

describe.each([
  // More tasks than workers, and fewer: two ways to the same normal.
  ["singly", 2, { tasks: 6, workers: 2 }],
  ["together", 2, { tasks: 6, workers: 2 }],
  ["singly", 2, { tasks: 2, workers: 3 }],
  ["together", 2, { tasks: 2, workers: 3 }],
  ["singly", 4, { tasks: 6, workers: 2 }],
] as const)("weights drawn %s, %s classes, %o", (how, classes, shape) => {
  it.each([0, 1, 2])("have the moments of their density, given classes (crowd %s)", (seed) => {
    const data = twice(randomCrowd(seed, { ...shape, classes, rate: 0.9, skill: [0.3, 0.8] }));
    const settings = { penalty: [0.3, 1, 3][seed], margin: 1, variance: [1, 2, 0.5][seed] };
    const { W } = sizes(data);
    const random = createRandom(5).split(seed);
    const sampler = samplers[how](votesOf(entriesOf(data), sizes(data)), settings, random);
    const weights = new Float64Array(W).fill(1);
    const chunks = Array.from({ length: 50 }, () => {
      const sums = new Float64Array(W + W * W);
      for (let draw = 0; draw < 400; draw++) {
        sampler.draw(data.gold, weights);
        for (let w = 0; w < W; w++) {
          sums[w] += weights[w] / 400;
          for (let v = 0; v < W; v++) sums[W + w * W + v] += (weights[w] * weights[v]) / 400;
        }
      }
      return sums;
    });
    gridMoments(data, settings).forEach((exact, at) => {
      const values = chunks.slice(1).map((chunk) => chunk[at]);
      const error = Math.sqrt(varianceOf(values) / values.length);
      expect(Math.abs(mean(values) - exact)).toBeLessThan(4 * error + 2e-4);
      expect(error).toBeLessThan(0.05 * settings.variance);
    });
  });
});

describe.each(["singly", "together"] as const)("weights drawn %s", (how) => {
  it("are their prior's where nothing is asked of them, or nobody votes", () => {
    const data = randomCrowd(1, { tasks: 5, workers: 3 });
    const none = { ...data, task: new Int32Array(0), worker: new Int32Array(0) };
    for (const [crowd, penalty] of [
      [data, 0],
      [{ ...none, label: new Int32Array(0) }, 1],
    ] as const) {
      const votes = votesOf(entriesOf(crowd), sizes(data));
      const sampler = samplers[how](votes, { penalty, margin: 1, variance: 4 }, createRandom(2));
      const weights = new Float64Array(3).fill(1);
      const all = Array.from({ length: 10_000 }, () => {
        sampler.draw(new Int32Array(5), weights);
        return weights[1];
      });
      expect(Math.abs(mean(all))).toBeLessThan(4 * 0.02);
      expect(Math.abs(varianceOf(all) - 4)).toBeLessThan(4 * 4 * Math.sqrt(2 / 10_000));
    }
  });

  it("stay finite with a huge penalty, and at the margin itself", () => {
    const data = randomCrowd(3, { tasks: 30, workers: 5 });
    for (const [penalty, margin, start] of [
      [1e4, 1, 1],
      [1e4, 1e-6, 0],
      [1e-8, 3, 1],
    ]) {
      const votes = votesOf(entriesOf(data), sizes(data));
      const sampler = samplers[how](votes, { penalty, margin, variance: 1 }, createRandom(6));
      const weights = new Float64Array(5).fill(start);
      for (let draw = 0; draw < 200; draw++) sampler.draw(data.gold, weights);
      expect(weights.every(Number.isFinite)).toBe(true);
      expect(new Set(weights).size).toBe(5);
    }
  });
});

const sizes = (data: CategoricalData) => ({ W: data.workers.length, K: data.classes.length });

/** Some labels are said twice, or taken back by the same worker. */
function twice(data: CategoricalData): CategoricalData {
  const again = [...data.label.keys()].filter((i) => i % 4 === 0);
  const more = (column: Int32Array) => Int32Array.of(...column, ...again.map((i) => column[i]));
  const label = more(data.label);
  for (let i = data.label.length; i < label.length; i += 2)
    label[i] = (label[i] + 1) % data.classes.length;
  return { ...data, task: more(data.task), worker: more(data.worker), label };
}

/** Means of the weights and of all their products, by sums over a grid; classes are gold. */
function gridMoments(
  data: CategoricalData,
  { penalty, margin, variance }: MarginSettings,
): Float64Array {
  const { W, K } = sizes(data);
  const half = W > 2 ? 40 : 150;
  const step = (6 * Math.sqrt(variance)) / half;
  const sums = new Float64Array(W + W * W);
  let total = 0;
  for (let code = 0; code < (2 * half + 1) ** W; code++) {
    const weights = Array.from(
      data.workers,
      (_, w) => ((Math.floor(code / (2 * half + 1) ** w) % (2 * half + 1)) - half) * step,
    );
    const scores = new Float64Array(data.tasks.length * K);
    data.label.forEach((l, i) => {
      scores[data.task[i] * K + l] += weights[data.worker[i]];
    });
    let log = weights.reduce((sum, x) => sum - (x * x) / (2 * variance), 0);
    data.gold.forEach((y, t) => {
      let rival = -Infinity;
      for (let k = 0; k < K; k++) if (k !== y) rival = Math.max(rival, scores[t * K + k]);
      log -= 2 * penalty * Math.max(0, margin - scores[t * K + y] + rival);
    });
    const p = Math.exp(log);
    total += p;
    for (let w = 0; w < W; w++) {
      sums[w] += p * weights[w];
      for (let v = 0; v < W; v++) sums[W + w * W + v] += p * weights[w] * weights[v];
    }
  }
  return sums.map((sum) => sum / total);
}
