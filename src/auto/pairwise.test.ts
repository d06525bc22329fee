import { describe, expect, it } from "vitest";
import {
  judgeKinds,
  publicComparisons,
  shuffled,
  simulatedJudges,
} from "../../test/comparisons.ts";
import { withSet } from "../../test/datasets.ts";
import { randomComparisons } from "../../test/random-answers.ts";
import { bradleyTerry } from "../aggregate/pairwise/bradley-terry.ts";
import { evaluateScores } from "../evaluate/pairwise.ts";
import { pairwiseAuto } from "./pairwise.ts";

const { honest, random, adversary, left } = judgeKinds;
const many = <T>(n: number, x: T): T[] => Array.from({ length: n }, () => x);

describe("against Bradley–Terry", () => {
  const tau = (judges: Parameters<typeof simulatedJudges>[1]) => {
    let [own, plain] = [0, 0];
    for (let seed = 0; seed < 5; seed++) {
      const data = simulatedJudges(seed, judges);
      own += evaluateScores({ ...pairwiseAuto(data), gold: data.gold }).kendall / 5;
      plain += evaluateScores({ ...bradleyTerry(data), gold: data.gold }).kendall / 5;
    }
    return { own, plain };
  };

  it("gains with adversaries, guessers and judges of one side", () => {
    const { own, plain } = tau([
      ...many(18, honest),
      ...many(4, random),
      ...many(4, adversary),
      ...many(4, left),
    ]);
    expect(own).toBeGreaterThan(plain + 0.03);
  });

  it("loses nothing with honest judges", () => {
    const { own, plain } = tau(many(20, honest));
    expect(own).toBeGreaterThan(plain - 0.01);
  });
});

describe("what it says", () => {
  it("keeps what the chosen method learnt of judges", () => {
    const judges = [...many(12, honest), ...many(4, adversary)];
    const found = pairwiseAuto(simulatedJudges(1, judges));
    expect(found.method).toBe("auto");
    expect(found.notes[0]).toMatch(/^Chosen: Crowd-BT|^Chosen: flip rates|^Chosen: noisy/);
    expect(found.reliability?.length).toBe(16);
  });

  it("does not depend on the order of rows", () => {
    const data = randomComparisons(4);
    const [a, b] = [pairwiseAuto(data), pairwiseAuto(shuffled(data, 3))];
    expect(a.portfolio.map(({ weight }) => weight)).toEqual(
      b.portfolio.map(({ weight }) => weight),
    );
    a.portfolio.forEach(({ heldOut }, m) => {
      expect(heldOut).toBeCloseTo(b.portfolio[m].heldOut, 8);
    });
  });

  it("stays with Bradley–Terry for one comparison, one judge and ties alone", () => {
    const one = randomComparisons(1, { comparisons: 1, ties: 0 });
    const tied = randomComparisons(1, { comparisons: 20, ties: 1 });
    const judge = randomComparisons(1, { workers: 1, comparisons: 12 });
    for (const data of [one, tied, judge]) {
      expect(pairwiseAuto(data).portfolio[0].method).toBe("bradley-terry");
      expect(pairwiseAuto(data).score.every(Number.isFinite)).toBe(true);
    }
  });
});

describe("public sets", () => {
  for (const name of ["dots", "puzzle"]) {
    withSet(name, "all gold pairs in order, as by Bradley–Terry", () => {
      const data = publicComparisons(name);
      const gold = Float64Array.from(data.items, (item) => -Number(item.split("_")[1]));
      const found = pairwiseAuto(data, { folds: 2 });
      expect(evaluateScores({ ...found, gold }).pairAccuracy.value).toBe(1);
    });
  }
  withSet("pair_music", "judges count", () => {
    const { portfolio } = pairwiseAuto(publicComparisons("pair_music"));
    expect(portfolio[0].weight).toBe(0);
  });
});
