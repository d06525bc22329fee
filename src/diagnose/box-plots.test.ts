import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { boxPlot, boxPlots } from "./box-plots.ts";

const named = (values: readonly number[]) => values.map((value, i) => ({ worker: `w${i}`, value }));

describe("invariants", () => {
  it("orders its numbers, and outliers lie outside the whiskers", () => {
    for (let seed = 0; seed < 20; seed++) {
      const data = randomCrowd(seed, { workers: 20, rate: 0.2 });
      for (const box of Object.values(boxPlots(data, majorityVote(data)))) {
        const order = [box.whiskerLow, box.lower, box.median, box.upper, box.whiskerHigh];
        expect(order).toEqual(order.toSorted((a, b) => a - b));
        for (const { value } of box.outliers) {
          expect(value < box.whiskerLow || value > box.whiskerHigh).toBe(true);
        }
      }
    }
  });
});

describe("brute force", () => {
  it("counts labels and right labels of each worker", () => {
    const data = randomCrowd(1, { tasks: 50, workers: 9 });
    const { labels, accuracy, skill } = boxPlots(data, majorityVote(data));
    const own = Array.from(data.workers, (_, w) =>
      [...data.label.keys()].filter((i) => data.worker[i] === w),
    );
    const middle = (values: number[]) => values.toSorted((a, b) => a - b)[4];
    expect(labels.median).toBe(middle(own.map((list) => list.length)));
    expect(accuracy?.median).toBeCloseTo(
      middle(
        own.map(
          (list) =>
            list.filter((i) => data.label[i] === data.gold[data.task[i]]).length / list.length,
        ),
      ),
      12,
    );
    expect(skill.median).toBeCloseTo(middle([...majorityVote(data).skill]), 12);
  });
});

describe("published numbers", () => {
  it("names who is beyond one and a half boxes", () => {
    // Quartiles of 1..9 and 30 by type 7: 3.25, 5.5, 7.75; whiskers reach to 14.5 at most.
    expect(boxPlot(named([1, 2, 3, 4, 5, 6, 7, 8, 9, 30]))).toEqual({
      workers: 10,
      lower: 3.25,
      median: 5.5,
      upper: 7.75,
      whiskerLow: 1,
      whiskerHigh: 9,
      outliers: [{ worker: "w9", value: 30 }],
    });
  });
});

describe("limits", () => {
  it("copes with nobody, somebody, and workers without labels or gold", () => {
    expect(boxPlot([])).toMatchObject({ workers: 0, median: 0, outliers: [] });
    expect(boxPlot(named([4]))).toMatchObject({ workers: 1, whiskerLow: 4, whiskerHigh: 4 });
    const data = {
      ...fromRows([{ task: "t", worker: "w", label: "x" }]),
      workers: namesOf(["w", "idle"]),
    };
    const plots = boxPlots(data, majorityVote(data));
    expect(plots.labels.workers).toBe(1);
    expect(plots.accuracy).toBeUndefined();
  });
});
