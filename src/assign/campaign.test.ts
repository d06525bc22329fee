import { describe, expect, it } from "vitest";
import { gate } from "../../test/datasets.ts";
import { selectLabels } from "../data/categorical.ts";
import { spammerCrowd } from "../reproduce/spammer-crowd.ts";
import { oneCoinCrowd } from "../simulate/one-coin.ts";
import { type CampaignOptions, replayCampaign } from "./campaign.ts";
import type { AssignPolicy } from "./choose.ts";

describe("a replayed campaign", () => {
  const { data } = oneCoinCrowd({ tasks: 60, workers: 12, labelsPerTask: 6, seed: 3 });

  it("ends with all labels and the same accuracy, whatever the policy", () => {
    const last = (policy: AssignPolicy) => replayCampaign(data, { policy, seed: 1 }).at(-1);
    expect(last("random")?.labels).toBe(360);
    for (const policy of ["round-robin", "cover-gain", "gain", "entropy"] as const) {
      expect(last(policy)).toEqual(last("random"));
    }
  });

  it("measures at the checkpoints, and needs gold", () => {
    const points = replayCampaign(data, { checkpoints: [200, 100, 9999] });
    expect(points.map(({ labels }) => labels)).toEqual([100, 200, 360]);
    const blind = { ...data, gold: data.gold.map(() => -1) };
    expect(() => replayCampaign(blind)).toThrow("needs gold");
    expect(
      replayCampaign(
        selectLabels(data, () => false),
        { checkpoints: [5] },
      )[0].labels,
    ).toBe(0);
  });
});

/** Labels at which the mean accuracy of some seeds first reaches a goal, by the line between checkpoints. */
function labelsFor(goal: number, options: CampaignOptions, seeds: readonly number[]): number {
  const runs = seeds.map((seed) => {
    const { data } = spammerCrowd({
      ...{ tasks: 500, workers: 50, labelsPerTask: 12, prior: [0.25, 0.25, 0.25, 0.25] },
      ...{ spammers: 0.2, kind: "uniform", low: 0.5, high: 0.9, seed },
    });
    const checkpoints = Array.from({ length: 24 }, (_, i) => 250 * (i + 1));
    return replayCampaign(data, { ...options, seed, checkpoints });
  });
  const means = runs[0].map((_, i) =>
    runs.reduce((sum, run) => sum + run[i].accuracy / runs.length, 0),
  );
  const at = means.findIndex((mean) => mean >= goal);
  if (at <= 0) return Infinity;
  const part = (goal - means[at - 1]) / (means[at] - means[at - 1]);
  return 250 * (at + part);
}

describe("gates", () => {
  it("a simulated crowd with 20 % spammers: .95 with at most 65 % of the labels of round-robin", () => {
    const seeds = [1, 2];
    const even = labelsFor(0.95, { policy: "round-robin" }, seeds);
    const gain = labelsFor(0.95, { policy: "cover-gain" }, seeds);
    expect(gain / even).toBeLessThanOrEqual(0.65);
  });

  for (const name of ["rte", "web"]) {
    gate(name, "a point above random order at 50 % and 65 % of the labels", (data) => {
      const N = data.label.length;
      const checkpoints = [0.5, 0.65].map((share) => Math.round(share * N));
      const mean = (policy: AssignPolicy) => {
        const runs = [0, 1].map((seed) => replayCampaign(data, { policy, seed, checkpoints }));
        return checkpoints.map((_, i) => runs.reduce((sum, run) => sum + run[i].accuracy / 2, 0));
      };
      const [random, gain] = [mean("random"), mean("cover-gain")];
      gain.forEach((value, i) => {
        expect(value - random[i]).toBeGreaterThanOrEqual(0.01);
      });
    });
  }
});
