import { expect, it } from "vitest";
import { holm } from "./holm.ts";

it("is Holm's example in R: p.adjust(c(.01, .04, .03, .005), 'holm')", () => {
  const corrected = holm([0.01, 0.04, 0.03, 0.005]);
  [0.03, 0.06, 0.06, 0.02].forEach((p, at) => {
    expect(corrected[at]).toBeCloseTo(p, 12);
  });
  expect(holm([])).toEqual([]);
  expect(holm([0.9, 0.8])).toEqual([1, 1]);
});
