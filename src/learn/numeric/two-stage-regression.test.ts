import { expect, it } from "vitest";
import { numberCrowd } from "../../../test/preference-crowd.ts";
import { openRuntime } from "../../node/runtime.ts";
import { crowdLayerRegression } from "./crowd-layer-regression.ts";
import { twoStageRegression } from "./two-stage-regression.ts";

const executor = await openRuntime();
const options = { model: "logistic", rate: 0.02, epochs: 150, decay: 0 } as const;
const rmse = (a: Float64Array, b: Float64Array) =>
  Math.sqrt(a.reduce((sum, x, i) => sum + (x - b[i]) ** 2, 0) / a.length);

it("with gold it is plain regression: a linear truth is found", async () => {
  const { data, features, test, gold } = numberCrowd(1, { tasks: 150 });
  const { predictor } = await twoStageRegression(
    data,
    features,
    { ...options, aggregator: "gold" },
    { executor },
  );
  expect(rmse(await predictor.predict(test), gold)).toBeLessThan(0.05);
});

it("learns what its aggregate says: answers that are all gold give the same network", async () => {
  const { data, features } = numberCrowd(2, { tasks: 40 });
  const told = { ...data, value: Float64Array.from(data.task, (t) => data.gold[t]) };
  const quick = { ...options, epochs: 5 };
  const [mean, gold] = await Promise.all(
    (["mean", "gold"] as const).map((aggregator) =>
      twoStageRegression(told, features, { ...quick, aggregator }, { executor }),
    ),
  );
  mean.value.forEach((x, t) => {
    expect(x).toBeCloseTo(gold.value[t], 4);
  });
});

it("carries offsets into its targets, which the crowd layer does not", async () => {
  const { data, features, test, gold } = numberCrowd(3, {
    tasks: 150,
    answers: 1,
    offsets: [4, -4, 0],
  });
  const [plain, layer] = await Promise.all(
    [twoStageRegression, crowdLayerRegression].map(async (method) => {
      const { predictor } = await method(data, features, options, { executor });
      return rmse(await predictor.predict(test), gold);
    }),
  );
  expect(layer).toBeLessThan(0.5 * plain);
});

it("refuses gold that is not there", async () => {
  const { data, features } = numberCrowd(4, { tasks: 10 });
  const gold = data.gold.map((x, t) => (t === 0 ? Number.NaN : x));
  await expect(
    twoStageRegression({ ...data, gold }, features, { aggregator: "gold" }, { executor }),
  ).rejects.toThrow("two-stage-regression with gold: 1 of 10 tasks have no gold.");
});
