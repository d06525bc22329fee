import { describe, expect, it } from "vitest";
import { close, fixture, ordinalGates, ordinalLaws } from "../../../test/ordinal-checks.ts";
import { ordinalMinimaxEntropy } from "./ordinal-minimax-entropy.ts";

it("the fixture", () => {
  const first = ordinalMinimaxEntropy(fixture, { maxIterations: 1 }).posterior;
  expect([...first.subarray(0, 3)]).toEqual(close([0.701839, 0.237414, 0.060747]));
  const second = ordinalMinimaxEntropy(fixture).posterior;
  expect([...second.subarray(0, 3)]).toEqual(close([0.701837, 0.217683, 0.08048]));
  expect([...second.subarray(12)]).toEqual(close([0.431456, 0.337454, 0.23109]));
});

it("the objective rises", () => {
  const { trace } = ordinalMinimaxEntropy(fixture, { maxIterations: 20, tolerance: 0 });
  for (let i = 1; i < trace.length; i++)
    expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1] - 1e-6);
});

describe("laws", () => ordinalLaws(ordinalMinimaxEntropy, { digits: 3 }));

ordinalGates(
  ordinalMinimaxEntropy,
  {
    ord_truth_politics: [0.325, 1.3333, 1.8841, 0.3486],
    time_relevance: [0.6833, 0.3333, 0.6055, 0.7307],
  },
  0.005,
);
