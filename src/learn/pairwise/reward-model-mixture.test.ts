import { expect, it } from "vitest";
import { checkLoss, linearOutputs } from "../../../test/loss-check.ts";
import { logistic, pairAnswers, pairCrowd } from "../../../test/pair-answers.ts";
import { preferenceCrowd } from "../../../test/preference-crowd.ts";
import { openRuntime } from "../../node/runtime.ts";
import { assign, mixtureLoss, rewardModelMixture } from "./reward-model-mixture.ts";

const executor = await openRuntime();

it("loss and gradient are those of the definition", () => {
  const belongs = Float64Array.from([0.2, 0.8, 1, 0, 0.5, 0.5, 0.9, 0.1, 0, 1, 0.3, 0.7]);
  const { loss, fed } = checkLoss((io) => ({ loss: mixtureLoss(io) }), {
    crowd: { ...pairCrowd, outputs: 2 },
    feeds: { belongs },
    compare: (name) => name !== "belongs",
  });
  const score = linearOutputs(fed, 4, 2);
  const { left, right, outcome, weight } = pairAnswers;
  let [sum, total] = [0, 0];
  outcome.forEach((y, i) => {
    for (const j of [0, 1]) {
      const d = score[left[i] * 2 + j] - score[right[i] * 2 + j];
      const each = -y * Math.log(logistic(d)) - (1 - y) * Math.log(logistic(-d));
      sum += weight[i] * belongs[i * 2 + j] * each;
    }
    total += weight[i];
  });
  expect(loss).toBeCloseTo(sum / total, 12);
});

it("finds two groups of opposed tastes, whoever is in which", async () => {
  for (let seed = 0; seed < 10; seed++) {
    const { data, features } = preferenceCrowd(seed, { honest: 12, each: 50, opposed: true });
    const { type = new Int32Array(), types = [] } = await rewardModelMixture(
      data,
      features,
      { epochs: 40 },
      { executor },
    );
    const even = Array.from(data.workers, (name) => Number(name.replace("honest", "")) % 2);
    const same = even.filter((group, u) => group === type[u]).length;
    expect(Math.max(same, 12 - same), `seed ${seed}`).toBe(12);
    expect(types.length).toBe(2);
    for (const { satisfaction } of types) expect(satisfaction).toBeGreaterThan(0.3);
  }
});

it("memberships are probabilities, and sharper the more heat they have", () => {
  const answers = {
    winner: Int32Array.from([0, 0, 1]),
    loser: Int32Array.from([1, 1, 0]),
    judge: Int32Array.from([0, 0, 1]),
    weight: Float64Array.from([1, 1, 1]),
  };
  const score = Float64Array.from([1, -1, -1, 1]);
  const [soft, sharp] = [0.1, 1].map((heat) => {
    const membership = new Float64Array(4).fill(0.5);
    assign(answers, score, membership, 2, heat);
    return membership;
  });
  expect(sharp[0] + sharp[1]).toBeCloseTo(1, 12);
  expect(sharp[0]).toBeGreaterThan(soft[0]);
  expect(soft[0]).toBeGreaterThan(0.5);
  // Two answers for the first type: odds of exp(4) under equal shares.
  expect(sharp[0] / sharp[1]).toBeCloseTo(Math.exp(4), 6);
});
