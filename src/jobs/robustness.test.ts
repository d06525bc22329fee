import { expect, it } from "vitest";
import { fromRows } from "../data/from-rows.ts";
import { mixedCrowd } from "../simulate/mixed.ts";
import { robustnessJob } from "./robustness.ts";

const { data } = mixedCrowd({ tasks: 200, workers: 20, labelsPerTask: 8, seed: 2 });

it("scores against gold, loses more with more spoilt workers, and says where methods break", async () => {
  const words: string[] = [];
  const found = await robustnessJob(
    {
      data,
      methods: ["majority-vote", "dawid-skene"],
      corruptions: ["colluding", "random"],
      shares: [0, 0.3, 0.7],
    },
    { progress: (progress) => words.push(progress.words) },
  );
  expect(found.gold).toBe(true);
  expect(found.points).toHaveLength(12);
  const score = (corruption: string, method: string) =>
    found.points
      .filter((each) => each.corruption === corruption && each.method === method)
      .map((each) => each.score);
  const [untouched, some, most] = score("colluding", "majority-vote");
  expect(untouched).toBeGreaterThan(some);
  expect(some).toBeGreaterThan(most);
  expect(score("random", "majority-vote")[0]).toBe(untouched);
  const broken = found.breakdowns.find(
    ({ corruption, method }) => corruption === "colluding" && method === "majority-vote",
  );
  expect(broken?.share).toBe(untouched - some > 0.05 ? 0.3 : 0.7);
  expect(words).toContain("dawid-skene: random, 70 %");
  expect(found.report().sections.map(({ id }) => id)).toEqual([
    "robustness-colluding",
    "robustness-random",
  ]);
});

it("tells how many answers stay the same where there is no gold", async () => {
  const blind = { ...data, gold: data.gold.map(() => -1) };
  const found = await robustnessJob({
    data: blind,
    methods: ["majority-vote"],
    corruptions: ["fewer-labels"],
    shares: [0, 0.5],
  });
  expect(found.gold).toBe(false);
  expect(found.points[0].score).toBe(1);
  expect(found.points[1].score).toBeGreaterThan(0.6);
  expect(found.points[1].score).toBeLessThan(1);
  expect(found.report().notes).toHaveLength(1);
});

it("refuses what it does not know, other kinds, and stops when asked to", async () => {
  await expect(robustnessJob({ data, corruptions: ["coluding"] })).rejects.toThrow(
    "Did you mean colluding?",
  );
  await expect(robustnessJob({ data, shares: [0.2, 2] })).rejects.toThrow("from 0 to 1, not 2");
  const numbers = fromRows([{ task: "a", worker: "x", value: 1 }], { kind: "numeric" });
  await expect(robustnessJob({ data: numbers })).rejects.toMatchObject({ code: "not-supported" });
  const stop = new AbortController();
  stop.abort();
  await expect(robustnessJob({ data }, { signal: stop.signal })).rejects.toMatchObject({
    code: "cancelled",
  });
});
