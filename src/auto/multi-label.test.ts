import { describe, expect, it } from "vitest";
import { loadSets, withSet } from "../../test/datasets.ts";
import { randomSets } from "../../test/random-answers.ts";
import { setVote } from "../aggregate/multi-label/set-vote.ts";
import { evaluateSets } from "../evaluate/multi-label.ts";
import { multiLabelAuto } from "./multi-label.ts";

it("takes the model where workers differ, and says what was tried", () => {
  const { portfolio, notes, method } = multiLabelAuto(
    randomSets(3, { tasks: 150, workers: 10, answers: 4 }),
  );
  expect(method).toBe("auto");
  expect(portfolio.map(({ method: id }) => id)).toEqual([
    "set-vote",
    "shared-workers",
    "shared-workers",
  ]);
  expect(notes[0]).toMatch(/^Chosen: shared workers/);
});

it("scores whole sets if they are asked for", () => {
  const data = randomSets(4, { tasks: 60, workers: 8, answers: 4 });
  const { portfolio } = multiLabelAuto(data, { target: "sets" });
  for (const { heldOut } of portfolio) {
    expect(heldOut).toBeGreaterThan(0);
    expect(heldOut).toBeLessThan(1);
  }
});

it("takes one answer, and answers without labels", () => {
  const data = randomSets(1, { tasks: 1, workers: 1, answers: 1 });
  expect(multiLabelAuto(data).portfolio[0].weight).toBe(1);
});

describe("public set", () => {
  withSet("multi_openrel", "a better micro F1 than the vote; the vote for whole sets", () => {
    const data = loadSets("multi_openrel");
    const score = (result: { readonly chosen: Uint8Array }) =>
      evaluateSets({ classes: data.classes, chosen: result.chosen, gold: data.gold }).microF1.value;
    expect(score(multiLabelAuto(data))).toBeGreaterThan(score(setVote(data)) + 0.05);
    expect(multiLabelAuto(data, { target: "sets", folds: 2 }).portfolio[0].weight).toBe(1);
  });
});
