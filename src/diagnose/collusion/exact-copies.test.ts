import { describe, expect, it } from "vitest";
import { crowdOf, K } from "../../../test/exact-copies-crowd.ts";
import { auto } from "../../auto/auto.ts";
import { type CategoricalData, selectLabels } from "../../data/categorical.ts";
import { exactCopies } from "./exact-copies.ts";

const right = (data: CategoricalData) => {
  const { consensus, posterior } = auto(data);
  const share = consensus.filter((k, t) => k === data.gold[t]).length / data.tasks.length;
  const sure = consensus.reduce((sum, k, t) => sum + posterior[t * K + k], 0) / data.tasks.length;
  return { share, sure };
};

describe("copies", () => {
  it.each([0, 1, 2, 3, 4])("of a coin are one voice, and are not believed (seed %s)", (seed) => {
    const data = crowdOf({ skills: [0.8, 0.8, 0.8, 0.8, 0.25], copied: [4, 7], seed });
    expect([...(exactCopies(data) ?? [])]).toEqual([0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4]);
    const { share, sure } = right(data);
    expect(share).toBeGreaterThan(0.9);
    expect(Math.abs(share - sure)).toBeLessThan(0.15);
    expect(auto(data).notes.join(" ")).toContain(
      "8 of 12 workers are copies of one another in 1 group",
    );
  });

  it("get the confusions that their labels show", () => {
    const { skill } = auto(crowdOf({ skills: [0.8, 0.8, 0.8, 0.8, 0.5], copied: [4, 3] }));
    for (const w of [5, 6, 7]) expect(skill[w]).toBeCloseTo(skill[4], 9);
    expect(Math.abs(skill[4] - 0.5)).toBeLessThan(0.08);
  });

  it("of somebody good count for one", () => {
    const data = crowdOf({ skills: [0.9, 0.5, 0.5, 0.5, 0.5], copied: [0, 2] });
    expect(exactCopies(data)).toBeDefined();
    expect(right(data).share).toBeGreaterThan(0.85);
  });

  it("never join two who disagree, though a third agrees with both", () => {
    const data = crowdOf({ skills: [0.7, 0.7, 0.6, 0.6, 0.6], copied: [0, 1] });
    const labelOf = (w: number) => data.label.filter((_, i) => data.worker[i] === w);
    const [one, other] = [labelOf(0), labelOf(1)];
    // The copy answers only where the first two say the same.
    const less = selectLabels(data, (i) => {
      const t = data.task[i];
      return data.worker[i] !== 5 || one[t] === other[t];
    });
    expect([...(exactCopies(less) ?? [])]).toEqual([0, 1, 2, 3, 4, 0]);
  });

  it("of two workers are two voices", () => {
    const data = crowdOf({ skills: [0.6, 0.6, 0.6, 0.6], copied: [0, 2] });
    const { worker } = data;
    // The last one repeats the second worker in place of the first.
    const second = data.label.filter((_, i) => worker[i] === 1);
    let at = 0;
    const label = data.label.map((l, i) => (worker[i] === 5 ? second[at++] : l));
    expect([...(exactCopies({ ...data, label }) ?? [])]).toEqual([0, 1, 2, 3, 0, 1]);
  });
});

describe("no copies", () => {
  it.each([
    ["independent workers", { skills: [0.9, 0.8, 0.7, 0.6, 0.5] }],
    ["some who are always right", { skills: [1, 1, 1, 0.7, 0.7, 0.7] }],
    ["all nearly always right", { skills: [0.995, 0.995, 0.995, 0.995, 0.995] }],
    ["all always right", { skills: [1, 1, 1, 1, 1] }],
    ["equal labels on few tasks", { skills: [0.6, 0.6, 0.6, 0.6], copied: [0, 2], tasks: 90 }],
    [
      "equal labels where other classes are rare",
      { skills: [0.82, 0.82, 0.82, 0.82], copied: [0, 2], tasks: 110, first: 0.999 },
    ],
    ["too few others to tell", { skills: [0.6, 0.6, 0.6], copied: [0, 3] }],
  ] as const)("%s", (_, crowd) => {
    expect(exactCopies(crowdOf(crowd))).toBeUndefined();
  });

  it("a single different label is enough", () => {
    const data = crowdOf({ skills: [0.6, 0.6, 0.6, 0.6], copied: [0, 1] });
    expect(exactCopies(data)).toBeDefined();
    const label = data.label.slice();
    const i = data.worker.lastIndexOf(4);
    label[i] = (label[i] + 1) % K;
    expect(exactCopies({ ...data, label })).toBeUndefined();
  });
});
