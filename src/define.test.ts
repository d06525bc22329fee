import { expect, it } from "vitest";
import { largestDifference } from "../test/expect-numbers.ts";
import { randomCrowd } from "../test/random-crowd.ts";
import { majorityVote } from "./aggregate/categorical/votes/majority-vote.ts";
import { voteShares } from "./belief/votes.ts";
import { defineMethod } from "./define.ts";
import { compareJob } from "./jobs/compare.ts";
import { aggregate, answers } from "./library.ts";

const sharpened = defineMethod(
  { id: "sharp-vote", options: { power: { default: 2, min: 0, help: "Power of the shares." } } },
  (data, { power }) => {
    const K = data.classes.length;
    const posterior = voteShares(data).map((share) => share ** power);
    for (let from = 0; from < posterior.length; from += K) {
      const row = posterior.subarray(from, from + K);
      const sum = row.reduce((a, b) => a + b);
      row.forEach((p, k) => {
        row[k] = p / sum;
      });
    }
    return { posterior };
  },
);

it("a method of one's own answers like any other", () => {
  const data = randomCrowd(1);
  const same = sharpened(data, { power: 1 }).posterior;
  expect(largestDifference(same, majorityVote(data).posterior)).toBeLessThan(1e-12);
  const result = aggregate(data, { method: sharpened, options: { power: 3 } });
  expect(result).toMatchObject({ method: "sharp-vote", options: { power: 3, ties: "prior" } });
  expect([...answers(data, result)]).toHaveLength(40);
  expect(() => sharpened(data, { power: -1 })).toThrow("sharp-vote: power must be at least 0");
});

it("joins compare", async () => {
  const data = randomCrowd(1);
  const { rows, agreement } = await compareJob({
    data,
    methods: ["majority-vote", "sharp-vote"],
    plugins: [sharpened],
    folds: 2,
  });
  expect(rows.map(({ method }) => method)).toEqual(["majority-vote", "sharp-vote"]);
  expect(rows[1]).toMatchObject({
    heldOut: expect.any(Number),
    gain: { value: expect.any(Number) },
  });
  // Only ties may fall otherwise.
  expect(agreement[0][1]).toBeGreaterThan(0.9);
});

it("says what is wrong with a posterior", () => {
  const data = randomCrowd(1);
  const short = defineMethod({ id: "short" }, () => ({ posterior: new Float64Array(3) }));
  expect(() => short(data)).toThrow("40 tasks × 3 classes = 120 numbers, not 3");
  const zero = defineMethod({ id: "zero" }, () => ({ posterior: new Float64Array(120) }));
  expect(() => zero(data)).toThrow('the posterior of task "t0" sums to 0, not to 1');
  expect(() =>
    defineMethod({ id: "Not An Id" }, () => ({ posterior: new Float64Array(0) })),
  ).toThrow("small letters, digits and hyphens");
});
