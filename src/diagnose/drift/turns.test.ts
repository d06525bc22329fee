import { describe, expect, it } from "vitest";
import { turningJudges, turningNumbers } from "../../../test/drifting-answers.ts";
import { namesOf } from "../../data/names.ts";
import { selectValues } from "../../data/numeric.ts";
import { selectComparisons } from "../../data/pairwise.ts";
import { createRandom } from "../../math/random.ts";
import { numericDrift } from "./numeric-drift.ts";
import { pairwiseDrift } from "./pairwise-drift.ts";
import { turningPoint } from "./turning-point.ts";
import type { TurnMeasure, Turns } from "./turns-result.ts";

const seeds = Array.from({ length: 10 }, (_, seed) => seed);

/** Counts the crowds whose first worker turns in the measure within 20 answers of the middle, and of others who do. */
function found(crowds: readonly Turns[], measure: TurnMeasure) {
  const turns = crowds.map(({ workers }) => workers[0].turns.find((t) => t.measure === measure));
  return {
    found: turns.filter((turn) => turn !== undefined).length,
    near: turns.filter(
      (turn, s) => turn && Math.abs(turn.answer - crowds[s].workers[0].answers / 2) <= 20,
    ).length,
    others: crowds.flatMap(({ workers }) => workers.slice(1).filter(({ drift }) => drift)).length,
  };
}

describe("turningPoint", () => {
  it("is a p-value: of rows without a change at most 5 % have p ≤ .05", () => {
    const random = createRandom(1);
    const low = Array.from({ length: 300 }, () => {
      const row = Float64Array.from({ length: 60 }, () => random.next() ** 4);
      return turningPoint(row, { seed: 0, least: 10, shuffles: 199 })?.p ?? 1;
    }).filter((p) => p <= 0.05).length;
    // 300 draws of .05 have 15 ± 3.8.
    expect(low).toBeGreaterThan(4);
    expect(low).toBeLessThan(27);
  });

  it("equals its definition", () => {
    const row = Float64Array.from([0, 2, 1, 0, 5, 4, 6, 5]);
    const mean = row.reduce((sum, x) => sum + x, 0) / 8;
    const sd = Math.sqrt(row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 8);
    const before = row.slice(0, 4).reduce((sum, x) => sum + x - mean, 0);
    const point = turningPoint(row, { seed: 0, least: 2, shuffles: 50 });
    expect(point?.statistic).toBeCloseTo(Math.abs(before) / (sd * Math.sqrt(2)), 10);
    expect(point?.at).toBe(4);
  });

  it("has none without room, or if all numbers are the same", () => {
    const search = { seed: 0, least: 10, shuffles: 50 };
    expect(turningPoint(new Float64Array(19), search)).toBeUndefined();
    expect(turningPoint(new Float64Array(40).fill(3), search)).toBeUndefined();
  });
});

describe("numericDrift", () => {
  it("finds noise that triples after 60 of 120 answers, and nobody else", () => {
    const crowds = seeds.map((seed) => numericDrift(turningNumbers(seed, "noise")));
    const { found: all, near, others } = found(crowds, "noise");
    expect(all).toBe(10);
    expect(near).toBeGreaterThanOrEqual(9);
    expect(others).toBeLessThanOrEqual(1);
  });

  it("finds a bias that begins after 60 of 120 answers", () => {
    const crowds = seeds.map((seed) => numericDrift(turningNumbers(seed, "bias")));
    const { found: all, near } = found(crowds, "bias");
    expect(all).toBe(10);
    expect(near).toBe(10);
    expect(crowds[0].workers[0].reasons[0]).toMatch(
      /^After \d+ of 120 answers .*, the mean error rose from /,
    );
  });

  it("flags anybody in hardly a crowd of stable workers", () => {
    const crowds = Array.from({ length: 40 }, (_, s) => numericDrift(turningNumbers(100 + s)));
    const flagged = crowds.filter(({ workers }) => workers.some(({ drift }) => drift)).length;
    // P(more than 5 of 40 | .05) = .014.
    expect(flagged).toBeLessThanOrEqual(5);
  });

  it("depends neither on names nor on the order of rows", () => {
    const data = turningNumbers(1, "noise");
    const rows = Int32Array.from(data.task.keys()).reverse();
    const renamed = { ...data, workers: namesOf(Array.from(data.workers, (name) => `x${name}`)) };
    const plain = numericDrift(data).workers.map(({ turns }) => turns);
    expect(numericDrift(renamed).workers.map(({ turns }) => turns)).toEqual(plain);
    const shuffled = numericDrift(selectValues(data, rows)).workers.map(({ turns }) => turns);
    expect(shuffled[0]).toMatchObject(plain[0].map(({ measure, answer }) => ({ measure, answer })));
  });

  it("asks for times, and says who has too few answers", () => {
    const { time: _, ...untimed } = turningNumbers(0);
    expect(() => numericDrift(untimed)).toThrow(/Drift needs the time of each answer/);
    const data = turningNumbers(0);
    const few = selectValues(
      data,
      Int32Array.from({ length: 120 }, (__, i) => i),
    );
    expect(numericDrift(few).workers[0].flags).toEqual(["few-answers"]);
  });

  it("calls a turn that many workers share one of the tasks", () => {
    const data = turningNumbers(3);
    const random = createRandom(5);
    const value = data.value.map((x, i) =>
      data.worker[i] < 5 && data.task[i] >= 120 ? x + 8 * (random.next() - 0.5) : x,
    );
    const { taskDrift, workers } = numericDrift({ ...data, value });
    expect(taskDrift[0]).toMatchObject({ measure: "noise", direction: "rise" });
    expect(workers.filter(({ flags }) => flags.includes("task-drift")).length).toBeGreaterThan(3);
  });
});

describe("pairwiseDrift", () => {
  it("finds a judge who turns from .9 to guessing after 80 of 160 comparisons, and nobody else", () => {
    const crowds = seeds.map((seed) => pairwiseDrift(turningJudges(seed, "agreement")));
    const { found: all, near, others } = found(crowds, "agreement");
    expect(all).toBe(10);
    expect(near).toBeGreaterThanOrEqual(9);
    expect(others).toBeLessThanOrEqual(1);
  });

  it("finds a judge who turns to the left", () => {
    const crowds = seeds.slice(0, 5).map((seed) => pairwiseDrift(turningJudges(seed, "side")));
    const { found: all, near } = found(crowds, "side");
    expect(all).toBe(5);
    expect(near).toBe(5);
  });

  it("flags anybody in hardly a crowd of stable judges", () => {
    const crowds = Array.from({ length: 20 }, (_, s) => pairwiseDrift(turningJudges(100 + s)));
    const flagged = crowds.filter(({ workers }) => workers.some(({ drift }) => drift)).length;
    // P(more than 4 of 20 | .05) = .003.
    expect(flagged).toBeLessThanOrEqual(4);
  });

  it("depends neither on names nor on the order of rows", () => {
    const data = turningJudges(1, "agreement");
    const rows = Int32Array.from(data.label.keys()).reverse();
    const renamed = { ...data, workers: namesOf(Array.from(data.workers, (name) => `x${name}`)) };
    const plain = pairwiseDrift(data).workers.map(({ turns }) => turns);
    expect(pairwiseDrift(renamed).workers.map(({ turns }) => turns)).toEqual(plain);
    const turned = pairwiseDrift(selectComparisons(data, rows)).workers[0].turns;
    expect(turned[0]).toMatchObject({ measure: "agreement", answer: plain[0][0].answer });
  });
});
