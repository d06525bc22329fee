import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { iterativeWeightedVote } from "./iterative-weighted-vote.ts";

describe("invariants", () => {
  it("never lowers the mean squared weight, and so always ends", () => {
    for (let seed = 0; seed < 40; seed++) {
      const data = randomCrowd(seed, { classes: 2 + (seed % 3), skill: [0.1, 0.9] });
      const { trace, converged } = iterativeWeightedVote(data);
      expect(converged).toBe(true);
      for (let i = 1; i < trace.length; i++) {
        expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1] - 1e-12);
      }
    }
  });

  it("ends where its answers are the vote by their own skills", () => {
    const data = randomCrowd(1);
    const { skill, score, consensus } = iterativeWeightedVote(data);
    const again = new Float64Array(score.length);
    data.label.forEach((l, i) => {
      again[data.task[i] * 3 + l] += 3 * skill[data.worker[i]] - 1;
    });
    expect([...score]).toEqual([...again].map((s) => expect.closeTo(s, 9)));
    consensus.forEach((k, t) => {
      expect(score[t * 3 + k]).toBeCloseTo(Math.max(...score.subarray(t * 3, t * 3 + 3)), 9);
    });
  });
});

describe("brute force", () => {
  it("votes and learns in turns", () => {
    for (let seed = 0; seed < 20; seed++) {
      const data = randomCrowd(seed, { skill: [0.2, 0.8], rate: 0.9 });
      const { consensus } = iterativeWeightedVote(data, { ties: "first" });
      expect([...consensus]).toEqual(votesInTurns(data));
    }
  });

  it("gives the posterior of one-coin workers whose log-odds are the straight line", () => {
    const data = randomCrowd(2, { skill: [0.36, 0.5] });
    const { posterior, score } = iterativeWeightedVote(data);
    for (let t = 0; t < data.tasks.length; t++) {
      const odds = [...score.subarray(t * 3, t * 3 + 3)].map((s) => Math.exp(1.5 * s));
      const total = odds.reduce((a, b) => a + b);
      for (let k = 0; k < 3; k++) expect(posterior[t * 3 + k]).toBeCloseTo(odds[k] / total, 9);
    }
  });
});

describe("published numbers", () => {
  // With inner ties to the lowest class, as the reference has them.
  accuracyGates(
    {
      bluebird: 0.7222,
      rte: 0.9275,
      web: 0.8496,
      product: 0.9274,
      possent: 0.948,
      weather: 0.8933,
      weather_amt: 0.8567,
      sp: 0.9052,
      sp_amt: 0.946,
      zencrowd_in: 0.749,
      zencrowd_us: 0.8706,
    },
    1e-4,
    (data) => iterativeWeightedVote(data, { ties: "first" }),
  );
});

describe("limits", () => {
  it("lets a liar vote against", () => {
    const data = randomCrowd(3, { classes: 2, skill: [0.9, 0.95] });
    const label = data.label.map((l, i) => (data.worker[i] === 0 ? 1 - l : l));
    const { skill, consensus } = iterativeWeightedVote({ ...data, label });
    expect(skill[0]).toBeLessThan(0.3);
    expect(consensus).toEqual(iterativeWeightedVote(data).consensus);
  });

  it("says when it was stopped early", () => {
    const data = randomCrowd(2, { skill: [0.2, 0.8] });
    const { notes, iterations } = iterativeWeightedVote(data, { maxIterations: 1 });
    expect(iterations).toBe(1);
    expect(notes.join()).toContain("without converging");
  });
});

/** The algorithm the stupid way: majority, then weights K·p - 1, until the answers stay. */
function votesInTurns(data: CategoricalData): number[] {
  const K = data.classes.length;
  const vote = (weight: (w: number) => number) =>
    Array.from(data.tasks, (_, t) => {
      const score = new Array<number>(K).fill(0);
      data.label.forEach((l, i) => {
        if (data.task[i] === t) score[l] += weight(data.worker[i]);
      });
      return score.findIndex((s) => s >= Math.max(...score) - 1e-12);
    });
  let answers = vote(() => 1);
  for (;;) {
    const skill = Array.from(data.workers, (_, w) => {
      const own = [...data.label.keys()].filter((i) => data.worker[i] === w);
      return own.filter((i) => data.label[i] === answers[data.task[i]]).length / own.length;
    });
    const next = vote((w) => K * skill[w] - 1);
    if (next.every((k, t) => k === answers[t])) return next;
    answers = next;
  }
}
