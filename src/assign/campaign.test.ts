import { describe, expect, it } from "vitest";
import { selectLabels } from "../data/categorical.ts";
import { oneCoinCrowd } from "../simulate/one-coin.ts";
import { labelsFor, simulateCampaign } from "./campaign.ts";
import type { AssignPolicy } from "./choose.ts";

const { data } = oneCoinCrowd({ tasks: 60, workers: 12, labelsPerTask: 6, seed: 3 });
const others = ["round-robin", "cover-gain", "gain", "entropy", "tutorial"] as AssignPolicy[];

describe("a simulated campaign", () => {
  for (const mode of ["both", "arrive"] as const) {
    it(`ends with all labels and the same fit, whatever the policy (${mode})`, () => {
      const { curves } = simulateCampaign(data, {
        ...{ policies: ["random", ...others], seeds: 1, seed: 1, mode, checkpoints: [360] },
      });
      const [random, ...rest] = curves.map(({ points }) => points[0]);
      expect(random.labels).toBe(360);
      expect(random.cost.mean).toBe(360);
      expect(random.heldOut.mean).toBeNaN();
      for (const { labels, accuracy, confidence } of rest) {
        expect({ labels, accuracy }).toEqual({ labels: 360, accuracy: random.accuracy });
        expect(confidence.mean).toBeCloseTo(random.confidence.mean, 9);
      }
    });
  }

  it("measures at the checkpoints, with bands over seeds, and needs gold", () => {
    const options = { policies: ["cover-gain"] as const, checkpoints: [200, 100, 9999], seeds: 3 };
    const [{ points, runs }] = simulateCampaign(data, options).curves;
    expect(points.map(({ labels }) => labels)).toEqual([100, 200, 360]);
    expect(runs).toHaveLength(3);
    for (const key of ["accuracy", "live", "confidence"] as const) {
      const values = runs.map((run) => run[0][key]);
      const mean = values.reduce((sum, x) => sum + x, 0) / 3;
      const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 2);
      // Student's 97.5 % point with two degrees of freedom.
      const half = (4.302653 * deviation) / Math.sqrt(3);
      expect(points[0][key].mean).toBeCloseTo(mean, 12);
      expect(points[0][key].high - mean).toBeCloseTo(half, 6);
    }
    const blind = { ...data, gold: data.gold.map(() => -1) };
    expect(() => simulateCampaign(blind)).toThrow("needs gold");
    expect(() => simulateCampaign(data, { seeds: 0 })).toThrow("seeds must be a whole number");
    const nothing = selectLabels(data, () => false);
    expect(simulateCampaign(nothing, { ...options, seeds: 1 }).curves[0].points[0].labels).toBe(0);
  });

  it("tells how well the labels that are left are foretold: by a fit of more labels better", () => {
    const { data: large } = oneCoinCrowd({ tasks: 200, workers: 12, labelsPerTask: 9, seed: 3 });
    const options = { policies: ["random"] as const, checkpoints: [400, 1500], seeds: 1 };
    const [{ points }] = simulateCampaign(large, options).curves;
    expect(points[1].heldOut.mean).toBeGreaterThan(points[0].heldOut.mean);
    // A guess between two classes has log ½.
    expect(points[1].heldOut.mean).toBeGreaterThan(Math.log(0.5) + 0.05);
  });

  it("gives the same numbers again, and others with another seed", () => {
    const run = (seed: number) =>
      simulateCampaign(data, { policies: ["cover-gain"], seeds: 1, seed, checkpoints: [100, 150] });
    expect(run(1)).toEqual(run(1));
    expect(run(1)).not.toEqual(run(2));
  });

  it("draws a crowd of its own for each seed, and says how many labels each policy needs", () => {
    const draw = (seed: number) =>
      oneCoinCrowd({ tasks: 80, workers: 10, labelsPerTask: 0, seed }).data;
    const checkpoints = [100, 200, 300, 400, 500];
    const policies = ["cover-gain", "random"] as const;
    const found = simulateCampaign(draw, { policies, seeds: 2, checkpoints, target: 0.88 });
    const [gain, random] = found.curves.map(({ needed }) => needed ?? Infinity);
    expect(gain).toBeLessThan(random);
    expect(found.target).toBe(0.88);
    const [one, two] = found.curves[0].runs;
    expect(one).not.toEqual(two);
  });

  it("needs the labels from which on the mean stays at the target", () => {
    const points = [0.7, 0.9, 0.8, 0.9].map((mean, i) => {
      const band = { mean, low: mean, high: mean };
      return {
        labels: 10 * i,
        accuracy: band,
        live: band,
        confidence: band,
        heldOut: band,
        cost: band,
      };
    });
    expect(labelsFor(points, 0.85)).toBeCloseTo(25, 9);
    expect(labelsFor(points, 0.6)).toBe(0);
    expect(labelsFor(points, 0.95)).toBeUndefined();
  });
});
