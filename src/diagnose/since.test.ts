import { describe, expect, it } from "vitest";
import { compareRuns, type Run, type RunRow } from "./since.ts";

const run = (answers: readonly RunRow[], more: Partial<Run> = {}): Run => ({
  kind: "categorical",
  method: "m",
  notes: [],
  answers,
  ...more,
});
const labels = { name: "task", answer: "label" } as const;

describe("answers", () => {
  it("that changed are counted, the most confident first; new and gone tasks apart", () => {
    const before = run([
      { task: "a", label: "x", confidence: "0.9" },
      { task: "b", label: "x" },
      { task: "c", label: "x" },
      { task: "d", label: null },
      { task: "gone", label: "x" },
    ]);
    const after = run([
      { task: "new", label: "x", confidence: 1 },
      { task: "a", label: "y", confidence: 0.6 },
      { task: "b", label: "y", confidence: 0.95 },
      { task: "c", label: "x", confidence: 1 },
      { task: "d", label: "", confidence: 0.5 },
    ]);
    const { answers, tasks } = compareRuns(before, after, labels);
    expect(answers).toEqual({
      compared: 4,
      changed: 2,
      first: [
        { name: "b", before: "x", after: "y", confidence: 0.95 },
        { name: "a", before: "x", after: "y", confidence: 0.6 },
      ],
    });
    expect(tasks).toEqual({
      new: { count: 1, first: ["new"] },
      gone: { count: 1, first: ["gone"] },
    });
  });

  it("that are numbers count beyond their intervals if each lies outside the other's", () => {
    const value = (x: number, half: number) => ({ value: x, low: x - half, high: x + half });
    const before = run([
      { task: "same", ...value(1, 0.1) },
      { task: "near", ...value(1, 1) },
      { task: "far", ...value(1, 0.1) },
      { task: "none", value: 1 },
    ]);
    const after = run([
      { task: "same", value: 1.0000001, low: 0.9, high: 1.1 },
      { task: "near", ...value(3, 2.5) },
      { task: "far", ...value(2, 0.5) },
      { task: "none", value: 9 },
    ]);
    const { answers } = compareRuns(before, after, { name: "task", answer: "value" });
    expect(answers).toMatchObject({ compared: 4, changed: 3, beyond: 1 });
    expect(answers.first.map(({ name }) => name)).toEqual(["far", "none", "near"]);
  });
});

describe("workers", () => {
  const worker = (name: string, skill: number, half: number, standing = "better") => ({
    worker: name,
    skill,
    skill_low: skill - half,
    skill_high: skill + half,
    standing,
  });

  it("whose skill left its interval are listed, those that fell most first", () => {
    const before = [worker("up", 0.5, 0.05), worker("down", 0.9, 0.05), worker("same", 0.7, 0.2)];
    const after = [
      worker("up", 0.7, 0.05),
      worker("down", 0.5, 0.05, "guessing"),
      worker("same", 0.6, 0.2),
      worker("new", 0.5, 0.1),
    ];
    const { workers } = compareRuns(
      run([], { workers: before }),
      run([], { workers: after }),
      labels,
    );
    expect(workers).toEqual({
      compared: 3,
      new: { count: 1, first: ["new"] },
      gone: { count: 0, first: [] },
      skill: {
        count: 2,
        first: [
          { worker: "down", before: 0.9, after: 0.5 },
          { worker: "up", before: 0.5, after: 0.7 },
        ],
      },
      standing: { count: 1, first: [{ worker: "down", before: "better", after: "guessing" }] },
    });
  });

  it("are not compared where no name is in both runs", () => {
    const named = (name: string) => run([], { workers: [worker(name, 0.5, 0.1)] });
    expect(compareRuns(named("worker-1"), named("ann"), labels).workers).toBe(null);
    expect(compareRuns(run([]), named("ann"), labels).workers).toBe(null);
  });
});

it("data, verdict and notes are compared as far as both runs tell", () => {
  const before = run([], { notes: ["old", "both"], fingerprint: "1", verdict: "trust", labels: 5 });
  const after = run([], { notes: ["both", "new"], fingerprint: "2", labels: 7 });
  expect(compareRuns(before, after, labels)).toMatchObject({
    sameData: false,
    labels: { before: 5, after: 7 },
    verdict: { before: "trust", after: null },
    notes: { new: ["new"], gone: ["old"] },
  });
  expect(compareRuns(run([]), after, labels).sameData).toBe(null);
});
