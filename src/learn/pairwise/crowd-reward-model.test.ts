import { expect, it } from "vitest";
import { checkLoss, linearOutputs } from "../../../test/loss-check.ts";
import { logistic, overPairs, pairCrowd } from "../../../test/pair-answers.ts";
import { preferenceCrowd } from "../../../test/preference-crowd.ts";
import { spearman } from "../../math/statistics.ts";
import { openRuntime } from "../../node/runtime.ts";
import { crowdRewardModel, reliabilityLoss } from "./crowd-reward-model.ts";
import { rewardModel } from "./reward-model.ts";

const executor = await openRuntime();

it("loss and gradient are those of the mixture, with the prior, ties left out", () => {
  const prior = { right: 9, wrong: 1, total: 20 };
  const { loss, fed } = checkLoss((io) => ({ loss: reliabilityLoss(io, prior) }), {
    crowd: pairCrowd,
  });
  const eta = Array.from(fed["judge"], logistic);
  const misfit = overPairs(
    linearOutputs(fed, 4, 1),
    (d, y, u) => {
      const p = logistic(y === 1 ? d : -d);
      return -Math.log(eta[u] * p + (1 - eta[u]) * (1 - p));
    },
    (y) => (y === 0.5 ? 0 : 1),
  );
  const logs = eta.reduce((sum, e) => sum - 9 * Math.log(e) - Math.log(1 - e), 0);
  expect(loss).toBeCloseTo(misfit + logs / 20, 8);
});

it("knows judges who answer the wrong way round or guess, and ranks new items far better for it", async () => {
  for (const seed of [1, 2, 3]) {
    const crowd = preferenceCrowd(seed, { adversaries: 4, guessers: 4 });
    const options = { epochs: 60 };
    const [own, plain] = await Promise.all(
      [crowdRewardModel, rewardModel].map((method) =>
        method(crowd.data, crowd.features, options, { executor }),
      ),
    );
    const { reliability = new Float64Array() } = own;
    Array.from(crowd.data.workers, (name, u) => {
      if (name.startsWith("honest")) expect(reliability[u], name).toBeGreaterThan(0.75);
      if (name.startsWith("adversary")) expect(reliability[u], name).toBeLessThan(0.5);
      return name;
    });
    const rank = async ({ predictor }: typeof own) =>
      spearman(await predictor.predict(crowd.test), crowd.gold);
    const [better, worse] = [await rank(own), await rank(plain)];
    expect(better).toBeGreaterThan(0.93);
    expect(better).toBeGreaterThan(worse + 0.03);
  }
});

it("says that ties told nothing", async () => {
  const { data, features } = preferenceCrowd(4, { items: 10, each: 10, honest: 3 });
  const label = data.label.map((said, i) => (i < 3 ? 2 : said));
  const { notes } = await crowdRewardModel(
    { ...data, label },
    features,
    { epochs: 2 },
    { executor },
  );
  expect(notes.join()).toContain("3 ties told nothing to this method.");
});
