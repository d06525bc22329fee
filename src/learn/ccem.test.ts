import { expect, it } from "vitest";
import { checkLoss, toyCrowd } from "../../test/loss-check.ts";
import { logTheta } from "./ccem.ts";
import { coupledCrossEntropy } from "./losses.ts";
import { startingLogits } from "./worker-matrix.ts";

const start = startingLogits(toyCrowd, { start: "diagonal", startDiagonal: 0.9 });

it("the gradient of the loss agrees with central differences", () => {
  const { gradients } = checkLoss((io) => ({ loss: coupledCrossEntropy(io, logTheta(io, start)) }));
  expect(Object.keys(gradients)).toEqual(expect.arrayContaining(["head/weight", "head/bias", "confusion"]));
});
