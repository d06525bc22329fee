/**
 * Whether 95 % intervals hold the truth: one score of each of many simulated sets, so that intervals are independent. Held to one
 * point over at least 5,000 intervals, or to 182–197 of 200.
 */
import { describe, expect, it } from "vitest";
import { crowdScores } from "../../../test/comparisons.ts";
import type { PairwiseData } from "../../data/pairwise.ts";
import { judgesCrowd } from "../../simulate/judges.ts";
import { bradleyTerry } from "./bradley-terry.ts";
import { crowdBt } from "./crowd-bt.ts";
import type { PairwiseResult } from "./ranker.ts";

type Design = Parameters<typeof judgesCrowd>[0];

/** Honest judges alone, who do not tie. */
const alone = { guessers: 0, adversaries: 0, oneSided: 0, copies: 0, ties: 0 } as const;

/** Every design has seeds of its own: the same seed would draw the same first score. */
let nextSeed = 60_000_000;

/** In how many sets the interval of the first item holds its score; scores have mean 0. */
function held(
  run: (data: PairwiseData) => PairwiseResult,
  design: Design,
  sets: number,
  truthOf: (gold: Float64Array) => Float64Array = (gold) => gold,
): number {
  let count = 0;
  for (let set = 0; set < sets; set++) {
    const { data } = judgesCrowd({ ...alone, ...design, seed: nextSeed++ });
    const truth = truthOf(data.gold);
    const score = truth[0] - truth.reduce((sum, s) => sum + s, 0) / truth.length;
    const { low, high } = run(data);
    if (low[0] <= score && score <= high[0]) count++;
  }
  return count;
}

/** The share over several designs pooled. */
function pooled(
  run: (data: PairwiseData) => PairwiseResult,
  designs: readonly Design[],
  sets: number,
  truthOf?: (gold: Float64Array) => Float64Array,
): number {
  const each = designs.map((design) => held(run, design, sets, truthOf));
  return each.reduce((sum, count) => sum + count, 0) / (sets * designs.length);
}

const wald = (data: PairwiseData) => bradleyTerry(data, { errors: "wald" });

/** Judges with tastes of their own, which their scores are drawn towards. */
const TASTES = 0.8;
const tasted: Design[] = [
  { items: 10, comparisons: 30, honest: 30, tastes: TASTES },
  { items: 10, comparisons: 75, honest: 12, tastes: TASTES },
];
const ofAll = (gold: Float64Array) => crowdScores(gold, TASTES);

describe("95 % intervals hold the truth, within one point", () => {
  it("bradley-terry, comparisons independent", () => {
    const designs = [
      { items: 8, comparisons: 60, honest: 1 },
      { items: 10, comparisons: 150, honest: 1 },
      { items: 10, comparisons: 600, honest: 1 },
      { items: 20, comparisons: 200, honest: 1 },
    ];
    expect(Math.abs(pooled(wald, designs, 4000) - 0.95)).toBeLessThan(0.01);
  });

  it("bradley-terry with Davidson's ties", () => {
    const run = (data: PairwiseData) => bradleyTerry(data, { ties: "davidson", errors: "wald" });
    const designs = [
      { items: 8, comparisons: 80, honest: 1, ties: 0.8 },
      { items: 10, comparisons: 300, honest: 1, ties: 0.8 },
    ];
    expect(Math.abs(pooled(run, designs, 4000) - 0.95)).toBeLessThan(0.01);
  });

  it("bradley-terry, clustered by judges with tastes of their own", () => {
    const share = pooled((data) => bradleyTerry(data), tasted, 2500, ofAll);
    expect(Math.abs(share - 0.95)).toBeLessThan(0.01);
  });
});

describe("crowd-bt: 182 to 197 of 200", () => {
  it.each([
    [20, 30, 2],
    [40, 15, 6],
  ])("%d judges × %d answers, %d adversaries", (judges, comparisons, adversaries) => {
    const honest = judges - adversaries;
    const design = { items: 8, honest, adversaries, comparisons, mistakes: 0.1 };
    const count = held((data) => crowdBt(data, { tolerance: 1e-5 }), design, 200);
    expect([count >= 182, count <= 197]).toEqual([true, true]);
  });
});

it("intervals of independent comparisons are far too narrow where judges have tastes of their own", () => {
  expect(pooled(wald, tasted, 500, ofAll)).toBeLessThan(0.92);
});
