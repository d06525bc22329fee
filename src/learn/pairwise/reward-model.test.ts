import { expect, it } from "vitest";
import { checkLoss, linearOutputs } from "../../../test/loss-check.ts";
import { logistic, overPairs, pairCrowd } from "../../../test/pair-answers.ts";
import { preferenceCrowd } from "../../../test/preference-crowd.ts";
import { spearman } from "../../math/statistics.ts";
import { openRuntime } from "../../node/runtime.ts";
import { preferenceLoss, rewardModel } from "./reward-model.ts";

const executor = await openRuntime();

it("loss and gradient are those of the definition, ties half", () => {
  const { loss, fed } = checkLoss((io) => ({ loss: preferenceLoss(io) }), { crowd: pairCrowd });
  const expected = overPairs(
    linearOutputs(fed, 4, 1),
    (d, y) => -y * Math.log(logistic(d)) - (1 - y) * Math.log(logistic(-d)),
  );
  expect(loss).toBeCloseTo(expected, 12);
});

it("ranks new items, in the ONNX file too", async () => {
  const { data, features, test, gold } = preferenceCrowd(1);
  const result = await rewardModel(data, features, { epochs: 40 }, { executor });
  expect(spearman(await result.predictor.predict(test), gold)).toBeGreaterThan(0.93);
  const said = await result.predictor.predict(features);
  const own = Array.from(data.items, (name) => said[Number(name.slice(1))]);
  own.forEach((x, i) => {
    expect(result.score[i]).toBeCloseTo(x, 4);
  });
  expect(result.score.reduce((sum, s) => sum + s, 0)).toBeCloseTo(0, 6);
});
