import { describe, expect, it } from "vitest";
import { checkLoss, linearOutputs } from "../../../test/loss-check.ts";
import { logistic, overPairs, pairCrowd } from "../../../test/pair-answers.ts";
import { preferenceCrowd } from "../../../test/preference-crowd.ts";
import { spearman } from "../../math/statistics.ts";
import { openRuntime } from "../../node/runtime.ts";
import { rewardModel } from "./reward-model.ts";
import { robustLoss, robustRewardModel } from "./robust-reward-model.ts";

const executor = await openRuntime();
const rates = Float64Array.from([0.1, 0.3, 0.45]);
const l = (d: number) => -Math.log(logistic(d));
const losses = {
  robust: (d: number, e: number) => ((1 - e) * l(d) - e * l(-d)) / (1 - 2 * e),
  conservative: (d: number, e: number) => (1 - e) * l(d) + e * l(-d),
};

describe.each(["robust", "conservative"] as const)("%s", (kind) => {
  it("loss and gradient are those of the definition; judges of .4 and more are left out", () => {
    const { loss, fed } = checkLoss((io) => ({ loss: robustLoss(io, rates, kind) }), {
      crowd: pairCrowd,
    });
    const expected = overPairs(
      linearOutputs(fed, 4, 1),
      (d, y, u) => losses[kind](y === 1 ? d : -d, rates[u]),
      (y, u) => (y === 0.5 || u === 2 ? 0 : 1),
    );
    expect(loss).toBeCloseTo(expected, 8);
  });
});

it("in expectation over flips the robust loss is the loss without them", () => {
  for (const e of [0, 0.1, 0.35]) {
    for (const d of [-2, 0.3, 4]) {
      const mean = (1 - e) * losses.robust(d, e) + e * losses.robust(-d, e);
      expect(mean).toBeCloseTo(l(d), 10);
    }
  }
});

it("leaves adversaries out with a note, and ranks better than the plain loss", async () => {
  const crowd = preferenceCrowd(5, { adversaries: 5 });
  const own = await robustRewardModel(crowd.data, crowd.features, { epochs: 60 }, { executor });
  expect(own.notes.join()).toMatch(/5 judges flip 40 % of the answers or more and were left out/);
  const plain = await rewardModel(crowd.data, crowd.features, { epochs: 60 }, { executor });
  const rank = async ({ predictor }: typeof plain) =>
    spearman(await predictor.predict(crowd.test), crowd.gold);
  expect(await rank(own)).toBeGreaterThan((await rank(plain)) + 0.03);
});

it("takes a rate that is given, and rates from comparisons alone", async () => {
  const { data, features } = preferenceCrowd(6, { items: 20, each: 40, honest: 5 });
  const given = await robustRewardModel(data, features, { epochs: 2, flip: 0.2 }, { executor });
  expect([...(given.reliability ?? [])]).toEqual([0.8, 0.8, 0.8, 0.8, 0.8]);
  const alone = await robustRewardModel(
    data,
    features,
    { epochs: 2, rates: "comparisons" },
    { executor },
  );
  expect(alone.reliability?.every((x) => x > 0.6 && x < 1)).toBe(true);
});
