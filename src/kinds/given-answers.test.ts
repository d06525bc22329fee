import { describe, expect, it } from "vitest";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { fromRows } from "../data/from-rows.ts";
import { resultOfAnswers, unlabelled } from "./given-answers.ts";

const data = fromRows(
  ["t0 a x", "t0 b x", "t1 a y", "t1 b x", "t2 a z"].map((row) => {
    const [task, worker, label] = row.split(" ");
    return { task, worker, label };
  }),
);

describe("answers from a file", () => {
  it("with probabilities keep them, in the order of the classes of the labels", () => {
    const result = resultOfAnswers(data, {
      tasks: ["t1", "t0"],
      labels: ["y", "x"],
      classes: ["z", "y", "x"],
      posterior: Float64Array.of(0.1, 0.7, 0.2, 0, 0.25, 0.75),
      notes: [],
    });
    expect([...result.posterior.slice(0, 6)]).toEqual([0.75, 0.25, 0, 0.2, 0.7, 0.1]);
    expect([...result.consensus]).toEqual([0, 1, -1]);
    expect([...result.confidence.slice(0, 2)]).toEqual([0.75, 0.7]);
    expect(result.notes).toEqual(["Tasks without an answer: 1 of 3."]);
  });

  it("keep their label even if another class is as probable, and share out what confidence leaves", () => {
    const result = resultOfAnswers(data, {
      tasks: ["t0", "t1", "t2"],
      labels: ["z", "y", "x"],
      confidence: Float64Array.of(0.2, Number.NaN, 1),
      notes: [],
    });
    expect([...result.consensus]).toEqual([2, 1, 0]);
    expect([...result.posterior]).toEqual([0.4, 0.4, 0.2, 0, 1, 0, 1, 0, 0]);
  });

  it("of tasks without labels have gold, and the classes that either names", () => {
    const answers = { tasks: ["p", "q"], labels: ["no", "yes"], notes: ["read"] };
    const made = unlabelled(answers, [
      ["q", "maybe"],
      ["r", "no"],
    ]);
    expect([...made.classes]).toEqual(["maybe", "no", "yes"]);
    expect([...made.gold]).toEqual([-1, 0]);
    expect(made.label).toHaveLength(0);
    expect([...resultOfAnswers(made, answers).consensus]).toEqual([1, 2]);
  });
});

it("a posterior with numbers near 0 may be the start of another fit", () => {
  const start = Float64Array.of(1, 3e-110, 0, 1e-300, 1, 0, 0, 0, 1);
  expect(dawidSkene(data, {}, { start }).consensus[1]).toBe(1);
  expect(() => dawidSkene(data, {}, { start: start.map((x) => -x) })).toThrow("known.start");
});
