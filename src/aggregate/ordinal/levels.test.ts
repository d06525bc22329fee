import { expect, it } from "vitest";
import { loadLevels, withSet } from "../../../test/datasets.ts";
import { fixture } from "../../../test/ordinal-checks.ts";
import { fromRows } from "../../data/from-rows.ts";
import { evaluateLevels } from "../../evaluate/ordinal.ts";
import { dawidSkene } from "../categorical/em/dawid-skene.ts";
import { majorityVote } from "../categorical/votes/majority-vote.ts";
import { onLevels, quantileLevel } from "./levels.ts";

const vote = onLevels(majorityVote);

it("decides by mode, median or rounded mean", () => {
  const by = (decision: "mode" | "median" | "mean") => [
    ...vote(fixture, { decision, ties: "first" }).consensus,
  ];
  expect(by("mode")).toEqual([0, 2, 1, 1, 0]);
  expect(by("median")).toEqual([0, 2, 1, 1, 0]);
  expect(by("mean")).toEqual([0, 2, 1, 2, 0]);
});

it("quantiles of levels", () => {
  expect([0.025, 0.5, 0.975].map((p) => quantileLevel([0.02, 0.5, 0.46, 0.02], p))).toEqual([
    1, 1, 2,
  ]);
  expect(quantileLevel([0.5, 0.5], 0.5)).toBe(0);
});

it("says how far off answers are expected to be, and their interval", () => {
  const { expectedError, low, high, options } = vote(fixture);
  expect(expectedError[0]).toBeCloseTo(1 / 3, 12);
  expect([low[0], high[0]]).toEqual([0, 1]);
  expect(options).toMatchObject({ decision: "median" });
});

it("quadratic kappa, absolute and square error", () => {
  const consensus = Int32Array.of(0, 2, 1, 1, 0);
  const found = evaluateLevels({ consensus, gold: Int32Array.of(0, 2, 1, 2, 1), levels: 3 });
  expect(found.quadraticKappa).toBeCloseTo(0.6875, 12);
  expect(found.mae.value).toBeCloseTo(0.4, 12);
  expect(found.rmse).toBeCloseTo(Math.sqrt(0.4), 12);
});

it("needs the order of levels that are no numbers", () => {
  const rows = [
    { task: "a", worker: "x", label: "low" },
    { task: "b", worker: "x", label: "high" },
  ];
  expect(() => fromRows(rows, { kind: "ordinal" })).toThrow(
    /order of the levels "high", "low" is not known.*classes/s,
  );
  const data = fromRows(rows, { kind: "ordinal", classes: ["low", "medium", "high"] });
  expect(data.label).toEqual(Int32Array.of(0, 2));
});

withSet("ord_truth_politics", "the median vote and nominal Dawid–Skene", () => {
  const data = loadLevels("ord_truth_politics");
  const mae = (consensus: Int32Array) =>
    evaluateLevels({ consensus, gold: data.gold, levels: 6 }).mae.value;
  expect(mae(vote(data).consensus)).toBeCloseTo(1.3167, 4);
  expect(mae(vote(data, { decision: "mean" }).consensus)).toBeCloseTo(1.2667, 4);
  expect(mae(onLevels(dawidSkene)(data).consensus)).toBeCloseTo(1.425, 4);
});
