import { describe, expect, it } from "vitest";
import { dawidSkene } from "../../aggregate/categorical/em/dawid-skene.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { driftingCrowd } from "../../simulate/drifting.ts";
import { crowdAnswers } from "./worker-answers.ts";

const { data } = driftingCrowd({ tasks: 200, workers: 12, labelsPerTask: 6, seed: 2 });
const answersOf = (each: CategoricalData, gold = false) =>
  crowdAnswers(each, dawidSkene(each), { gold });

describe("invariants", () => {
  it("a worker's own labels do not change what the others say of the tasks", () => {
    const turned = {
      ...data,
      label: data.label.map((l, i) => (data.worker[i] === 3 ? (l + 1) % 4 : l)),
    };
    const [before, after] = [answersOf(data), answersOf(turned)];
    expect(after.workers[3].place).toEqual(before.workers[3].place);
    expect(after.workers[3].right).not.toEqual(before.workers[3].right);
    expect(after.workers[4].right).not.toEqual(before.workers[4].right);
  });

  it("answers are in the order of time, ties by row", () => {
    const { workers } = answersOf(data);
    for (const { times } of workers) expect([...times]).toEqual([...times].sort((a, b) => a - b));
    const same = { ...data, time: new Float64Array(data.label.length) };
    const tied = crowdAnswers(same, dawidSkene(same), { gold: true });
    const first = tied.workers[0];
    const rows = [...data.worker.keys()].filter((i) => data.worker[i] === 0);
    expect([...first.right]).toEqual(
      rows.map((i) => (data.label[i] === data.gold[data.task[i]] ? 1 : 0)),
    );
    expect(tied.notes[0]).toContain("the order of the rows decides");
  });

  it("beliefs are about as often right as they say", () => {
    const { workers } = answersOf(data);
    const known = answersOf(data, true).workers;
    let [claimed, right, n] = [0, 0, 0];
    workers.forEach(({ place, right: own }, w) => {
      place.forEach((at, j) => {
        claimed += own[j];
        right += known[w].right[at];
        n++;
      });
    });
    expect(Math.abs(claimed - right) / n).toBeLessThan(0.03);
  });
});

describe("gold", () => {
  it("is looked at only if asked for, and only where it is known", () => {
    expect(answersOf(data).approximate).toBe(true);
    const all = answersOf(data, true);
    expect(all.approximate).toBe(false);
    for (const { right } of all.workers) expect(right.every((h) => h === 0 || h === 1)).toBe(true);
    const half = { ...data, gold: data.gold.map((k, t) => (t % 2 ? k : -1)) };
    const some = answersOf(half, true);
    expect(some.approximate).toBe(true);
    expect(some.workers.some(({ right }) => right.some((h) => h === 1))).toBe(true);
    expect(some.workers.some(({ right }) => right.some((h) => h > 0 && h < 1))).toBe(true);
    const none = { ...data, gold: data.gold.map(() => -1) };
    expect(answersOf(none, true).notes[0]).toContain("No task has gold");
    expect(answersOf(none).workers).toEqual(answersOf(data).workers);
  });
});

describe("limits", () => {
  it("data without times are refused, with what to do", () => {
    const { time: _, ...bare } = data;
    const message = /needs the time of each label.*columns: \{ time: "…" \}.*number them/s;
    expect(() => answersOf(bare)).toThrow(message);
    const unknown = new Float64Array(data.label.length).fill(Number.NaN);
    expect(() => answersOf({ ...data, time: unknown })).toThrow(message);
  });

  it("labels without a time are left out, and counted", () => {
    const time = (data.time ?? new Float64Array()).map((each, i) => (i < 3 ? Number.NaN : each));
    const found = answersOf({ ...data, time });
    expect(found.notes).toEqual(["3 labels without a time are left out."]);
    const timed = found.workers.reduce((sum, { times }) => sum + times.length, 0);
    expect(timed).toBe(data.label.length - 3);
  });

  it("abstentions are no answers", () => {
    const label = data.label.map((l, i) => (i % 5 === 0 ? 4 : l));
    const found = answersOf({ ...data, label });
    const counted = found.workers.reduce((sum, { times }) => sum + times.length, 0);
    expect(counted).toBe(label.filter((l) => l < 4).length);
  });
});
