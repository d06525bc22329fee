import { describe, expect, it } from "vitest";
import { loadLevels, withSet } from "../../test/datasets.ts";
import { ordinalLaws, randomLevels } from "../../test/ordinal-checks.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { onLevels } from "../aggregate/ordinal/levels.ts";
import { linksOf } from "../belief/links.ts";
import type { OrdinalData } from "../data/ordinal.ts";
import { evaluateLevels } from "../evaluate/ordinal.ts";
import { ordinalAuto } from "./ordinal.ts";

const vote = onLevels(majorityVote);

ordinalLaws(ordinalAuto, { digits: 4, mirrors: false });

it("tries the vote and methods that know the order, and nothing else", () => {
  const { portfolio } = ordinalAuto(randomLevels(1));
  expect(portfolio.map(({ method }) => method)).toEqual([
    "majority-vote",
    "threshold-ibcc",
    "threshold-dawid-skene",
    "cumulative-link",
  ]);
  expect(portfolio.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12);
  expect(ordinalAuto(randomLevels(1), { effort: "fast" }).portfolio.length).toBe(2);
});

it("says that it does not use links", () => {
  const data = randomLevels(1);
  const links = linksOf(data, [[data.tasks.at(0), data.tasks.at(1)]]);
  expect(ordinalAuto(data, {}, { links }).notes.join()).toContain(
    "Links between tasks are not used",
  );
  expect(ordinalAuto(data).notes.join()).not.toContain("Links");
});

const errorOf = (run: typeof vote | typeof ordinalAuto, data: OrdinalData, gold: Int32Array) =>
  evaluateLevels({ consensus: run(data).consensus, gold, levels: data.classes.length }).mae.value;

it("is nearer to the truth than the vote", () => {
  let [own, plain] = [0, 0];
  for (let seed = 0; seed < 4; seed++) {
    const data = randomLevels(20 + seed);
    const gold = Int32Array.from(data.truth);
    own += errorOf(ordinalAuto, data, gold);
    plain += errorOf(vote, data, gold);
  }
  expect(own).toBeLessThan(plain);
});

describe("public sets", () => {
  for (const [name, more] of [
    ["ord_truth_politics", 0.02],
    ["time_relevance", -0.1],
  ] as const) {
    withSet(name, `mean absolute error below the vote's plus ${more}`, () => {
      const data = loadLevels(name);
      expect(errorOf(ordinalAuto, data, data.gold)).toBeLessThan(
        errorOf(vote, data, data.gold) + more,
      );
    });
  }
});
