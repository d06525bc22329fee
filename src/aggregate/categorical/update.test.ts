import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../../test/random-crowd.ts";
import { type CrowdDataset, selectLabels } from "../../data/dataset.ts";
import { fromRows } from "../../data/from-rows.ts";
import { ibcc } from "./bayesian/ibcc.ts";
import { dawidSkene } from "./em/dawid-skene.ts";
import { update } from "./update.ts";
import { majorityVote } from "./votes/majority-vote.ts";

const data = randomCrowd(1, { tasks: 400, workers: 10 });

describe.each([
  ["dawid-skene", dawidSkene],
  ["ibcc", ibcc],
])("%s", (_, method) => {
  it("comes near a fit of all labels", () => {
    const last = data.label.length - 60;
    const old = selectLabels(data, (i) => i < last);
    const added = part(data, last);
    const { data: merged, result } = update(method(old), old, added);
    const full = method(data);
    expect(merged.label.length).toBe(data.label.length);
    let differ = 0;
    for (let t = 0; t < data.tasks.length; t++) {
      const name = data.tasks.at(t);
      if (result.consensus[merged.tasks.indexOf(name)] !== full.consensus[t]) differ++;
    }
    expect(differ).toBeLessThanOrEqual(3);
    result.skill.forEach((s, w) => {
      expect(s).toBeCloseTo(full.skill[data.workers.indexOf(merged.workers.at(w))], 1);
    });
  });
});

it("raises the objective of Dawid–Skene with every round", () => {
  const last = data.label.length - 200;
  const old = selectLabels(data, (i) => i < last);
  const fitted = dawidSkene(old, { smoothing: 0.01 });
  const objectives = [1, 2, 5].map((maxIterations) => {
    const { data: merged, result } = update(fitted, old, part(data, last), { maxIterations });
    const { trace } = dawidSkene(
      merged,
      { maxIterations: 1, smoothing: 0.01 },
      { start: result.posterior },
    );
    return trace[0];
  });
  const cold = dawidSkene(data, { maxIterations: 1, smoothing: 0.01 }).trace[0];
  expect(objectives[0]).toBeGreaterThan(cold);
  expect(objectives[1]).toBeGreaterThan(objectives[0] - 0.5);
});

it("keeps what the new labels do not touch, and counts the rest", () => {
  const fitted = dawidSkene(data);
  const added = fromRows(
    [
      { task: "t0", worker: "newcomer", label: "c1" },
      { task: "fresh", worker: "w0", label: "c2" },
    ],
    { classes: [...data.classes] },
  );
  const { data: merged, result } = update(fitted, data, added);
  expect(merged.tasks.at(merged.tasks.length - 1)).toBe("fresh");
  expect(merged.workers.at(merged.workers.length - 1)).toBe("newcomer");
  expect(result.posterior.slice(3, 1200)).toEqual(fitted.posterior.slice(3));
  expect(result.support[0]).toBe(fitted.support[0] + 1);
  expect(result.workload.at(-1)).toBe(1);
  expect(result.consensus.at(-1)).toBe(2);
  const last = result.posterior.slice(-3);
  expect(last.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
  expect(result.skill.every((s) => s >= 0 && s <= 1)).toBe(true);
});

it("says what to do where a method cannot be updated", () => {
  expect(() => update(majorityVote(data), data, data)).toThrow(/majority-vote cannot be updated/);
});

/** The labels from `from` on, as a dataset of their own with only the names they use. */
function part(
  { tasks, workers, classes, task, worker, label }: CrowdDataset,
  from: number,
): CrowdDataset {
  const rows = Array.from(label.subarray(from), (l, j) => ({
    task: tasks.at(task[from + j]),
    worker: workers.at(worker[from + j]),
    label: classes.at(l),
  }));
  return fromRows(rows, { classes });
}
