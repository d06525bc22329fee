import { describe, expect, it } from "vitest";
import { accuracyGates, gate } from "../../../../test/datasets.ts";
import { fixtureA, randomCrowd } from "../../../../test/random-crowd.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { majorityVote } from "./majority-vote.ts";

describe("brute force", () => {
  it("counts votes", () => {
    const data = randomCrowd(4);
    const K = data.classes.length;
    const { posterior } = majorityVote(data);
    for (let t = 0; t < data.tasks.length; t++) {
      const votes = [...data.label].filter((_, i) => data.task[i] === t);
      for (let k = 0; k < K; k++) {
        const share = votes.filter((l) => l === k).length / votes.length;
        expect(posterior[t * K + k]).toBeCloseTo(share, 12);
      }
    }
  });

  it("repeats fixture A", () => {
    expect([...majorityVote(fixtureA()).posterior].map((p) => p.toFixed(3)).join(" ")).toBe(
      "0.667 0.333 0.000 1.000 0.667 0.333 0.000 1.000 1.000 0.000",
    );
  });
});

describe("published numbers", () => {
  accuracyGates(
    {
      bluebird: 0.7593,
      rte: 0.8969,
      web: 0.7307,
      product: 0.8966,
      possent: 0.9335,
      weather: 0.8822,
      weather_amt: 0.8533,
      sp: 0.8859,
      sp_amt: 0.943,
      zencrowd_in: 0.7404,
      zencrowd_us: 0.8615,
    },
    1e-4,
    (data) => majorityVote(data),
  );

  const byRule = { web: [0.7765, 0.6792], rte: [0.9187, 0.875] } as const;
  for (const [name, [first, last]] of Object.entries(byRule)) {
    gate(name, `ties first ${first}, last ${last}`, (data) => {
      for (const [ties, expected] of [["first", first] as const, ["last", last] as const]) {
        const { consensus } = majorityVote(data, { ties });
        const scored = [...data.gold.keys()].filter((t) => data.gold[t] >= 0);
        const right = scored.filter((t) => consensus[t] === data.gold[t]).length;
        expect(right / scored.length).toBeCloseTo(expected, 3);
      }
    });
  }
});

describe("ties", () => {
  const tied = fromRows([
    { task: "a", worker: "v", label: "x" },
    { task: "a", worker: "w", label: "y" },
    { task: "b", worker: "v", label: "y" },
  ]);

  it.each([
    ["prior", 1],
    ["first", 0],
    ["last", 1],
    ["abstain", -1],
  ] as const)("go by the rule %s", (ties, expected) => {
    const { consensus, notes } = majorityVote(tied, { ties });
    expect(consensus[0]).toBe(expected);
    expect(notes.join()).toContain("1 task is tied");
  });

  it("are drawn by seed and by the task's name, whatever the order of the tasks", () => {
    const rows = Array.from({ length: 64 }, (_, t) =>
      ["x", "y"].map((label) => ({ task: `t${t}`, worker: label, label })),
    ).flat();
    const forward = majorityVote(fromRows(rows), { ties: "random" }).consensus;
    const backward = majorityVote(fromRows(rows.toReversed()), { ties: "random" }).consensus;
    expect([...backward].toReversed()).toEqual([...forward]);
    expect(new Set(forward).size).toBe(2);
    expect(majorityVote(fromRows(rows), { ties: "random", seed: 1 }).consensus).not.toEqual(
      forward,
    );
  });
});
