import { describe, expect, it } from "vitest";
import { drawCrowd, randomCrowd } from "../../test/random-crowd.ts";
import type { AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { ibcc } from "../aggregate/categorical/bayesian/ibcc.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { glad } from "../aggregate/categorical/em/glad.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { fromColumns } from "../data/categorical-from-columns.ts";
import { fromRows } from "../data/from-rows.ts";
import { oneCoinCrowd } from "../simulate/one-coin.ts";
import type { Simulation } from "../simulate/simulation.ts";
import { twoCoinCrowd } from "../simulate/two-coin.ts";
import { skillIntervals } from "./skill-intervals.ts";

describe("published numbers", () => {
  // Coverage .960 and .954 over 60 sets each; here 15 sets, within three standard errors and .03.
  it.each([
    [{ tasks: 300, workers: 10, classes: 2, rate: 0.5, skill: [0.6, 0.9] }, 0.96],
    [{ tasks: 1000, workers: 20, classes: 3, rate: 0.2, skill: [0.5, 0.9] }, 0.954],
  ] as const)("covers the true skill as often as it should (%o)", (design, expected) => {
    const K = design.classes;
    let [covered, total] = [0, 0];
    for (let seed = 0; seed < 15; seed++) {
      const { data, confusion } = drawCrowd(seed, design);
      const intervals = skillIntervals(data, dawidSkene(data));
      for (let w = 0; w < design.workers; w++) {
        let truth = 0;
        for (let k = 0; k < K; k++) truth += confusion[(w * K + k) * K + k] / K;
        if (intervals && intervals.low[w] <= truth && truth <= intervals.high[w]) covered++;
        total++;
      }
    }
    const error = Math.sqrt((expected * (1 - expected)) / total);
    expect(Math.abs(covered / total - expected)).toBeLessThan(0.03 + 3 * error);
  });
});

/** How many intervals of a method hold the true skill, over seeds of a design. */
function coverage(
  method: AnyAggregator,
  draw: (seed: number) => Simulation,
  seeds: number,
  mostLabels = Infinity,
) {
  let [covered, total] = [0, 0];
  for (let seed = 0; seed < seeds; seed++) {
    const { data, confusion = [], prior = [] } = draw(3000 + seed);
    const K = data.classes.length;
    const intervals = skillIntervals(data, method(data), { mostLabels });
    for (let w = 0; w < data.workers.length; w++) {
      let truth = 0;
      for (let k = 0; k < K; k++) truth += prior[k] * confusion[(w * K + k) * K + k];
      if (intervals && intervals.low[w] <= truth && truth <= intervals.high[w]) covered++;
      total++;
    }
  }
  // .95 within three standard errors and .02.
  return { share: covered / total, most: 0.02 + 3 * Math.sqrt(0.0475 / total) };
}

describe("coverage of methods whose skill is no unbiased probability of a right label", () => {
  const crowd = { workers: 25, a: 6, b: 2 };
  const dense = (seed: number) =>
    twoCoinCrowd({ ...crowd, tasks: 300, labelsPerTask: 0, seed }) as Simulation;
  // Centred on the skill of the result, votes covered .16 and GLAD .89 of the truth here.
  it.each([majorityVote, glad].map((method) => [method.id, method as AnyAggregator] as const))(
    "%s, from all labels and from a sample",
    (_, method) => {
      for (const mostLabels of [Infinity, 4000]) {
        const { share, most } = coverage(method, dense, 12, mostLabels);
        expect(Math.abs(share - 0.95)).toBeLessThan(most);
      }
    },
  );

  // With skills drawn towards the prior, and their spread, iBCC covered .91 here, and votes .93.
  it.each([ibcc, majorityVote].map((method) => [method.id, method as AnyAggregator] as const))(
    "%s, 80 labels per worker",
    (_, method) => {
      const draw = (seed: number) =>
        oneCoinCrowd({ workers: 25, tasks: 400, labelsPerTask: 5, seed }) as Simulation;
      const { share } = coverage(method, draw, 40);
      // 1,000 intervals know .955 to .007.
      expect(share).toBeGreaterThan(0.934);
      expect(share).toBeLessThan(0.976);
    },
    120_000,
  );
});

describe("invariants", () => {
  it("narrows by about the root of two when there is twice as much of the same", () => {
    const [one, two] = [400, 800].map((tasks) => {
      const { data } = drawCrowd(3, {
        tasks,
        workers: 10,
        classes: 2,
        rate: 0.5,
        skill: [0.7, 0.9],
      });
      const intervals = skillIntervals(data, dawidSkene(data));
      if (!intervals) throw new Error("not identified");
      return intervals.high.reduce((sum, high, w) => sum + high - intervals.low[w], 0);
    });
    expect(one / two).toBeGreaterThan(1.2);
    expect(one / two).toBeLessThan(1.7);
  });

  it("is never narrower than known truth would be", () => {
    const data = randomCrowd(1, { tasks: 100 });
    const { low = [], high = [] } = skillIntervals(data, majorityVote(data)) ?? {};
    for (let w = 0; w < data.workers.length; w++) {
      // 60 labels at most: half a width below .08 would claim more than they can tell at skill .7.
      expect(high[w] - low[w]).toBeGreaterThan(0.08);
    }
  });

  it("judges many labels on a sample, to about the same width", () => {
    const { data } = drawCrowd(4, {
      tasks: 3000,
      workers: 10,
      classes: 2,
      rate: 0.5,
      skill: [0.7, 0.9],
    });
    const result = dawidSkene(data);
    const [all, sample] = [Infinity, 5000].map((mostLabels) => {
      const intervals = skillIntervals(data, result, { mostLabels });
      return intervals?.deviation.reduce((sum, x) => sum + x, 0) ?? 0;
    });
    expect(sample / all).toBeGreaterThan(0.6);
    expect(sample / all).toBeLessThan(1.6);
  });
});

describe("limits", () => {
  it("copes with one label and with none", () => {
    const one = fromRows([{ task: "t", worker: "w", label: "x" }], { classes: ["x", "y"] });
    const { low, high } = skillIntervals(one, dawidSkene(one)) ?? { low: [1], high: [0] };
    expect(high[0] - low[0]).toBeGreaterThan(0.3);
    const none = fromRows([]);
    expect(skillIntervals(none, dawidSkene(none))?.low.length).toBe(0);
  });
});

it("takes no longer because of workers who are not in the sample", () => {
  const [T, W] = [50_000, 200_000];
  const rows = Int32Array.from({ length: W }, (_, i) => i);
  const data = fromColumns({
    tasks: Array.from({ length: T }, (_, t) => `t${t}`),
    workers: Array.from({ length: W }, (_, w) => `w${w}`),
    labels: ["a", "b", "c"],
    task: rows.map((i) => i % T),
    worker: rows,
    label: rows.map((i) => (i % 7 < 5 ? (i % T) % 3 : i % 3)),
  });
  const result = majorityVote(data);
  const before = process.cpuUsage();
  const found = skillIntervals(data, result, { seed: 1, mostLabels: 2000 });
  const { user } = process.cpuUsage(before);
  expect(found?.low).toHaveLength(W);
  // Two quantiles per worker are left; refits of all of them took ten times as long.
  expect(user / 1e6).toBeLessThan(6);
});
