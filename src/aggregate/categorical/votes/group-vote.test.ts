import { describe, expect, it } from "vitest";
import { splitAccuracy } from "../../../../test/datasets.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { hospitalsCrowd } from "../../../simulate/hospitals.ts";
import { groupVote } from "./group-vote.ts";
import { majorityVote } from "./majority-vote.ts";

describe("invariants", () => {
  it("is the majority vote if every worker is alone", () => {
    for (let seed = 0; seed < 5; seed++) {
      const data = randomCrowd(seed);
      const { posterior } = majorityVote(data);
      const alone = groupVote(data, { groups: 8 }).posterior;
      alone.forEach((p, at) => {
        expect(p).toBeCloseTo(posterior[at], 12);
      });
    }
  });
});

it("counts the votes of groups, by the definition", () => {
  for (let seed = 0; seed < 5; seed++) {
    const data = randomCrowd(seed, { classes: 3 });
    const groups = Int32Array.of(0, 0, 0, 1, 1, 2, 2, -1);
    const { posterior } = groupVote(data, {}, { groups });
    for (let t = 0; t < data.tasks.length; t++) {
      const votes = [0, 0, 0];
      for (const members of [[0, 1, 2], [3, 4], [5, 6], [7]]) {
        const counts = [0, 1, 2].map(
          (k) =>
            data.label.filter(
              (l, i) => l === k && data.task[i] === t && members.includes(data.worker[i]),
            ).length,
        );
        const most = Math.max(...counts);
        const winners = [0, 1, 2].filter((k) => most > 0 && counts[k] === most);
        for (const k of winners) votes[k] += 1 / winners.length;
      }
      const sum = votes[0] + votes[1] + votes[2];
      for (let k = 0; k < 3; k++) expect(posterior[t * 3 + k]).toBeCloseTo(votes[k] / sum, 12);
    }
  }
});

it("does not let one large hospital outvote two small ones", () => {
  const { data } = hospitalsCrowd({ seed: 1 });
  const { posterior, groups } = groupVote(data);
  expect(new Set(groups).size).toBe(3);
  expect(splitAccuracy(data, posterior)).toBeGreaterThanOrEqual(0.88);
  expect(splitAccuracy(data, majorityVote(data).posterior)).toBeLessThan(0.83);
});
