import { expect, it } from "vitest";
import { judgedAnswers, rightness } from "./judged-answers.ts";

it("an answer is right by Bayes' rule: three classes, the others 70 % sure of the label", () => {
  const answers = { right: Float64Array.of(0.7), wrong: Float64Array.of(0.15) };
  // The worker's skill is .6: the label is right and given .7 · .6, or wrong and given .3 · .4 / 2.
  expect(rightness(answers, 0, 0.6)).toBeCloseTo(0.42 / (0.42 + 0.06), 12);
});

it("known answers stay what they are, whatever the skill", () => {
  const answers = judgedAnswers([1, 0]);
  for (const p of [0, 0.3, 1]) {
    expect(rightness(answers, 0, p)).toBe(p === 0 ? 0 : 1);
    expect(rightness(answers, 1, p)).toBe(p === 1 ? 1 : 0);
  }
});
