import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { result } from "../../../../test/moment-crowds.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { voteShares } from "../../../belief/votes.ts";
import { namesOf } from "../../../data/names.ts";
import { majorityVote } from "../votes/majority-vote.ts";
import { complete, pgTac } from "./pg-tac.ts";

describe("invariants", () => {
  it("never lowers its objective", () => {
    for (let seed = 0; seed < 3; seed++) {
      const { trace } = pgTac(randomCrowd(seed), { tolerance: 0, maxIterations: 30 });
      expect(trace.length).toBe(30);
      for (let i = 1; i < trace.length; i++) {
        expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1] - 1e-9 * Math.abs(trace[i]));
      }
      expect(trace[29]).toBeGreaterThan(trace[0]);
    }
  });

  it("answers with the largest score", () => {
    const { score, consensus } = pgTac(randomCrowd(3));
    consensus.forEach((k, t) => {
      expect(score[t * 3 + k]).toBe(Math.max(...score.subarray(t * 3, t * 3 + 3)));
    });
  });
});

describe("brute force", () => {
  it("is the vote where nothing is shrunk", () => {
    const data = randomCrowd(1);
    const { score, posterior } = pgTac(data, { shrinkage: 0 });
    const votes = voteShares(data);
    for (const found of [score, posterior]) {
      expect([...found]).toEqual([...votes].map((share) => expect.closeTo(share, 9)));
    }
  });

  it("keeps what is known and fills in what is not", () => {
    // Two workers who agree, the second without the last task: rank one tells what is missing.
    const table = Float64Array.of(1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0);
    const known = Uint8Array.of(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0);
    const { completed } = result(
      complete(table, known, [2, 3, 2], { shrinkage: 0.01, maxIterations: 2000, tolerance: 0 }),
    );
    expect(completed[10]).toBeGreaterThan(0.7);
    expect(Math.abs(completed[11])).toBeLessThan(0.1);
    for (let at = 0; at < 10; at++) expect(Math.abs(completed[at] - table[at])).toBeLessThan(0.1);
  });

  it("forgets a layer of which nothing is known, so the votes have to count as known", () => {
    const table = Float64Array.of(1, 0, 0, 1, 1, 0, 0.6, 0.4, 0.3, 0.7, 0.8, 0.2);
    const known = Uint8Array.of(1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0);
    const { completed } = result(
      complete(table, known, [2, 3, 2], { shrinkage: 0.1, maxIterations: 500, tolerance: 0 }),
    );
    for (let at = 6; at < 12; at++) expect(Math.abs(completed[at])).toBeLessThan(1e-3);
  });
});

describe("published numbers", () => {
  // None that could be checked. Beside the majority vote's .7593 and .9361.
  accuracyGates({ bluebird: 0.7593, temp: 0.9361 }, 0.01, (data) => pgTac(data));
});

describe("limits", () => {
  it("refuses a table that is too large, and says how large", () => {
    const data = randomCrowd(1, { tasks: 3, workers: 3, classes: 2 });
    const names = (letter: string, n: number) => Array.from({ length: n }, (_, i) => letter + i);
    const wide = {
      ...data,
      tasks: namesOf(names("t", 5000)),
      workers: namesOf(names("w", 2500)),
      gold: new Int32Array(5000).fill(-1),
    };
    expect(() => pgTac(wide)).toThrow(
      /2501 workers × 5000 tasks × 2 classes has 25010000 cells and would take 801 MB/,
    );
  });

  it("keeps clear majorities", () => {
    const data = randomCrowd(4, { skill: [0.95, 1] });
    expect(pgTac(data).consensus).toEqual(majorityVote(data).consensus);
  });
});
