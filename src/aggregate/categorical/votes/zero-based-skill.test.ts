import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { zeroBasedSkill } from "./zero-based-skill.ts";

describe("invariants", () => {
  it("ends where skills are the agreement with its own answers", () => {
    for (let seed = 0; seed < 20; seed++) {
      const data = randomCrowd(seed);
      const rate = seed % 2 === 0 ? 1 : 0.7;
      const { skill, consensus, converged } = zeroBasedSkill(data, { rate, halveEvery: 100 });
      expect(converged).toBe(true);
      agreement(data, consensus).forEach((share, w) => {
        expect(skill[w]).toBeCloseTo(share, 9);
      });
    }
  });

  it("says how many labels agree with its answers", () => {
    const data = randomCrowd(3);
    const { trace, consensus } = zeroBasedSkill(data);
    const same = data.label.filter((l, i) => l === consensus[data.task[i]]).length;
    expect(trace.at(-1)).toBeCloseTo(same / data.label.length, 12);
  });
});

describe("brute force", () => {
  it("gives what passes without an early stop give", () => {
    for (let seed = 0; seed < 10; seed++) {
      const data = randomCrowd(seed, { skill: [0.2, 0.8] });
      for (const [passes, rate] of [[100, 1] as const, [3, 0.6] as const]) {
        const options = { ties: "first", maxIterations: passes, rate } as const;
        const expected = withoutStop(data, passes, rate);
        expect([...zeroBasedSkill(data, options).skill]).toEqual(
          expected.map((s) => expect.closeTo(s, 9)),
        );
      }
    }
  });

  it("halves its step", () => {
    const data = randomCrowd(1);
    const one = zeroBasedSkill(data, { maxIterations: 1, halveEvery: 1, rate: 0.5 });
    const shares = agreement(data, zeroBasedSkill(data, { maxIterations: 1, rate: 0 }).consensus);
    const guess = 1 / 3 + 1e-5;
    expect([...one.skill]).toEqual(
      shares.map((share) => expect.closeTo(guess + 0.25 * (share - guess), 12)),
    );
  });
});

describe("published numbers", () => {
  // With inner ties to the lowest class, as the reference has them.
  accuracyGates(
    {
      bluebird: 0.7593,
      rte: 0.9213,
      web: 0.8262,
      product: 0.8966,
      possent: 0.953,
      weather: 0.8933,
      weather_amt: 0.8567,
      sp: 0.8946,
      sp_amt: 0.946,
      zencrowd_in: 0.7446,
      zencrowd_us: 0.8623,
    },
    1e-4,
    (data) => zeroBasedSkill(data, { ties: "first" }),
  );
});

describe("limits", () => {
  it("says when it was stopped early", () => {
    const { converged, iterations, notes } = zeroBasedSkill(randomCrowd(1), { maxIterations: 1 });
    expect(converged).toBe(false);
    expect(iterations).toBe(1);
    expect(notes.join()).toContain("without converging");
  });
});

/** Share of each worker's labels that equal the answers. */
function agreement(data: CategoricalData, answers: ArrayLike<number>): number[] {
  return Array.from(data.workers, (_, w) => {
    const own = [...data.label.keys()].filter((i) => data.worker[i] === w);
    return own.filter((i) => data.label[i] === answers[data.task[i]]).length / own.length;
  });
}

/** The algorithm as printed: no test for convergence. */
function withoutStop(data: CategoricalData, passes: number, firstRate: number): number[] {
  const K = data.classes.length;
  let skill = Array.from(data.workers, () => 1 / K + 1e-5);
  let rate = firstRate;
  for (let pass = 1; pass <= passes; pass++) {
    if (pass % 20 === 0) rate *= 0.5;
    const winner = Array.from(data.tasks, (_, t) => {
      const score = new Array<number>(K).fill(0);
      data.label.forEach((l, i) => {
        if (data.task[i] === t) score[l] += skill[data.worker[i]];
      });
      return score.findIndex((s) => s >= Math.max(...score) - 1e-12);
    });
    const shares = agreement(data, winner);
    skill = skill.map((s, w) => s + rate * (shares[w] - s));
  }
  return skill;
}
