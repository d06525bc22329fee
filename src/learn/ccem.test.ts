import { expect, it } from "vitest";
import { checkLoss, toyCrowd } from "../../test/loss-check.ts";
import { coupledLoss } from "./coupled.ts";
import { startingLogits } from "./worker-matrix.ts";

const start = startingLogits(toyCrowd, { start: "diagonal", startDiagonal: 0.9 });

it.each(["softmax", "softplus"] as const)(
  "the gradient agrees with central differences (%s)",
  (form) => {
    const { gradients } = checkLoss((io) => ({ loss: coupledLoss(io, { start, form }) }));
    expect(Object.keys(gradients).sort()).toEqual(["confusion", "head/bias", "head/weight"]);
    // The worker without labels is not moved.
    expect(gradients["confusion"].subarray(4 * 9).every((g) => g === 0)).toBe(true);
  },
);
