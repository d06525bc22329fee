import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { predict } from "../aggregate/categorical/predict.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { auto } from "../auto/auto.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { explain } from "./explain.ts";

describe("under a model", () => {
  const data = randomCrowd(1);
  const result = dawidSkene(data);

  it("the parts add up to the log-odds of the posterior", () => {
    for (let t = 0; t < data.tasks.length; t++) {
      const { prior, evidence, exact } = explain(data, result, t);
      const sum = evidence.reduce((total, { weight }) => total + weight, prior);
      const row = [...result.posterior.subarray(t * 3, t * 3 + 3)].sort((a, b) => b - a);
      if (row[1] < 1e-12) continue;
      expect(exact).toBe(true);
      expect(sum).toBeCloseTo(Math.log(row[0] / row[1]), 5);
    }
  });

  it("the flip flips, and no smaller one does", () => {
    const small = randomCrowd(2, { tasks: 30, workers: 4, classes: 2, rate: 1 });
    const fitted = dawidSkene(small, { smoothing: 1 });
    for (let t = 0; t < 30; t++) {
      const { flip } = explain(small, fitted, t);
      const before = fitted.consensus[t];
      let fewest = Infinity;
      // All ways in which the four workers could have answered.
      for (let code = 0; code < 16; code++) {
        const label = small.label.map((l, i) =>
          small.task[i] === t ? (code >> small.worker[i]) & 1 : l,
        );
        const changed = [...small.label.keys()].filter((i) => label[i] !== small.label[i]).length;
        const answer = predict({ ...small, label }, fitted).consensus[t];
        if (answer !== before) fewest = Math.min(fewest, changed);
      }
      expect(flip?.length ?? Infinity).toBe(fewest);
    }
  });

  it("says when the parts are those of another model", () => {
    const blended = auto(data, { effort: "fast" });
    expect(explain(data, blended, 0).exact).toBe(false);
    expect(explain(data, blended, 0).evidence.length).toBeGreaterThan(0);
  });
});

describe("under votes", () => {
  it("counts votes", () => {
    const data = fromRows(
      ["a", "a", "a", "b"].map((label, w) => ({ task: "t", worker: `w${w}`, label })),
    );
    const { evidence, flip, margin, answer, runnerUp } = explain(data, majorityVote(data), 0);
    expect([answer, runnerUp, margin]).toEqual(["a", "b", 0.5]);
    expect(evidence.map(({ weight }) => weight)).toEqual([1, 1, 1, -1]);
    expect(flip?.length).toBe(2);
  });
});

it("copes with a task without labels and with one class", () => {
  const data = { ...randomCrowd(1), tasks: namesOf([...randomCrowd(1).tasks, "none"]) };
  const longer = { ...data, gold: Int32Array.of(...data.gold, -1) };
  const { evidence, flip } = explain(longer, dawidSkene(longer), 40);
  expect(evidence).toEqual([]);
  expect(flip).toBeUndefined();
  const one = fromRows([{ task: "t", worker: "w", label: "x" }]);
  expect(explain(one, dawidSkene(one), 0)).toMatchObject({ answer: "x", runnerUp: "", margin: 1 });
});
