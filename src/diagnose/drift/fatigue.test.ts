import { describe, expect, it } from "vitest";
import { dawidSkene } from "../../aggregate/categorical/em/dawid-skene.ts";
import { fromRows } from "../../data/from-rows.ts";
import { driftingCrowd } from "../../simulate/drifting.ts";
import { fatigue, sessionsOf } from "./fatigue.ts";

it("a session ends with a pause longer than the gap", () => {
  const minutes = Float64Array.of(0, 10, 40, 71, 72, 200).map((each) => 60_000 * each);
  const { session, before } = sessionsOf(minutes, 30 * 60_000);
  expect([...session]).toEqual([0, 0, 0, 1, 1, 2]);
  expect([...before]).toEqual([0, 1, 2, 0, 1, 0]);
});

describe("simulated crowds", () => {
  const crowd = { tasks: 600, workers: 40, labelsPerTask: 5, turning: 0, tiring: 0, low: 0.85 };

  it.each([0, 0.3])("a fall of %f is covered by the interval, without gold", (fall) => {
    let [covered, mean] = [0, 0];
    for (let seed = 0; seed < 12; seed++) {
      const { data } = driftingCrowd({ ...crowd, fatigue: fall, seed });
      const { slope = 0, low = 1, high = 0 } = fatigue(data, dawidSkene(data)).pooled ?? {};
      if (low <= -fall && -fall <= high) covered++;
      mean += slope / 12;
    }
    expect(covered).toBeGreaterThanOrEqual(10);
    expect(Math.abs(mean + fall)).toBeLessThan(0.08);
  });

  it("workers have a slope of their own only with 200 labels in 5 sessions", () => {
    const { data } = driftingCrowd({ ...crowd, workers: 12, fatigue: 0.5, seed: 1 });
    const found = fatigue(data, dawidSkene(data));
    expect(found.workers.length).toBeGreaterThan(5);
    for (const { sessions, labels, clusters } of found.workers) {
      expect(sessions).toBeGreaterThanOrEqual(5);
      expect(labels).toBeGreaterThanOrEqual(200);
      expect(clusters).toBeLessThanOrEqual(sessions);
    }
    expect(found.notes).toEqual([
      "If the order of tasks was not random, a slope may be due to the tasks and not to fatigue.",
    ]);
    const few = driftingCrowd({ ...crowd, seed: 1 }).data;
    expect(fatigue(few, dawidSkene(few)).workers).toEqual([]);
  });
});

describe("limits", () => {
  it("one answer has no slope", () => {
    const data = fromRows([{ task: "a", worker: "w", label: "yes", time: 1 }]);
    const found = fatigue(data, dawidSkene(data));
    expect(found).toMatchObject({ workers: [], sessions: 1 });
    expect(found.pooled).toBeUndefined();
    expect(found.notes[0]).toBe("No slope: sessions are too short, or there is only one.");
  });
});
