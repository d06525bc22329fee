import { describe, expect, it } from "vitest";
import type { Compared } from "./comparison.ts";
import { comparisonReport, frontier } from "./comparison-report.ts";

const input = {
  counts: ["80 labels", "20 tasks"],
  notes: [],
  metrics: [
    { id: "accuracy", title: "Accuracy", digits: 4, better: "higher", share: true },
    { id: "ece", title: "ECE", digits: 4, better: "lower" },
  ],
  baseline: "majority-vote",
} as const;
const rows: Compared[] = [
  { method: "vote", heldOut: -0.7, scores: { accuracy: 0.7 }, seconds: 0.01 },
  { method: "model", heldOut: -0.5, scores: { accuracy: 0.9 }, seconds: 2 },
  { method: "slow", heldOut: -0.6, scores: { accuracy: 0.8 }, seconds: 9 },
  { method: "other", skipped: "needs more" },
];
const agreement = [
  [1, 0.8, 0.7],
  [0.8, 1, 0.9],
  [0.7, 0.9, 1],
];
const point = (seconds: number, score: number) => ({ name: "", seconds, score, best: false });

describe("the frontier", () => {
  it("is what nothing faster reaches", () => {
    const marked = frontier([point(3, 0.9), point(1, 0.7), point(2, 0.6), point(4, 0.9)]);
    expect(marked.map(({ seconds, best }) => [seconds, best])).toEqual([
      [1, true],
      [2, false],
      [3, true],
      [4, false],
    ]);
  });

  it("turns round where less is better", () => {
    const marked = frontier([point(1, 5), point(2, 6), point(3, 4)], false);
    expect(marked.map(({ best }) => best)).toEqual([true, false, true]);
  });

  it("of equal times takes the higher score", () => {
    const marked = frontier([point(1, 0.5), point(1, 0.6)]);
    expect(marked.map(({ score, best }) => [score, best])).toEqual([
      [0.6, true],
      [0.5, false],
    ]);
  });
});

describe("the report", () => {
  const report = comparisonReport({ ...input, rows, agreement });
  const sections = Object.fromEntries(report.sections.map((section) => [section.id, section]));

  it("says first what won, and what all of it took", () => {
    expect(report.facts).toEqual([
      ["Best accuracy", "model, 90.0 %"],
      ["Predicts hidden labels best", "model"],
      ["One fit of each", "11.0 s"],
    ]);
  });

  it("plots accuracy against time where there is gold, else hidden labels", () => {
    expect(sections["scores"].charts[0]).toMatchObject({
      kind: "trade-off",
      yName: "Accuracy",
      share: true,
      description:
        "Nothing faster is as good as: vote 70.0 % in 0.010 s and model 90.0 % in 2.000 s.",
    });
    const unscored = rows.map(({ scores: _, ...row }) => row);
    const [scores] = comparisonReport({ ...input, rows: unscored, agreement }).sections;
    expect(scores.charts[0]).toMatchObject({ yName: "Held-out", share: false });
    expect(scores.tables[0].columns.map(({ name }) => name)).toEqual([
      "Method",
      "Held-out",
      "Seconds",
    ]);
  });

  it("names the two that differ most", () => {
    expect(sections["agreement"].charts[0].description).toBe(
      "The least between vote and slow: 70.0 % of the tasks.",
    );
  });

  it("says why a method is missing", () => {
    expect(sections["skipped"].tables[0].rows).toEqual([["other", "needs more"]]);
    const [{ caption, rows }] = sections["scores"].tables;
    expect(caption).toBe(`${rows.length} methods, in the order asked for`);
  });
});

describe("limits", () => {
  it("nothing ran", () => {
    const report = comparisonReport({ ...input, rows: [rows[3]], agreement: [] });
    expect(report.sections.map(({ id }) => id)).toEqual(["skipped"]);
  });
});
