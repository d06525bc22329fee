// A classifier straight from noisy labels, beside one trained on the majority vote, and its ONNX file.
import { learners } from "consilience/learn";
import { openRuntime } from "consilience/node";
import { scenarios, withFeatures } from "consilience/simulate";

const simulate = scenarios["hammer-spammer"];
const crowd = withFeatures(
  simulate({ tasks: 500, testTasks: 1000, workers: 25, labelsPerTask: 3, seed: 4 }),
  {
    separation: 3,
    dimensions: 10,
  },
);
const executor = await openRuntime();
const options = { epochs: 30, hidden: "32", seed: 1 };

for (const id of ["two-stage", "aggnet", "max-mig"]) {
  const learn = learners[id];
  const { predictor } = await learn(crowd.data, crowd.features, options, { executor });
  const f = await predictor.predict(crowd.test.features);
  const right = crowd.test.data.gold.filter(
    (k, t) => (f[2 * t + 1] > f[2 * t] ? 1 : 0) === k,
  ).length;
  console.log(
    `${id}: ${((100 * right) / 1000).toFixed(1)} % of new tasks, ${predictor.toOnnx().length} bytes of ONNX`,
  );
}
