import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { informativeness } from "../belief/informativeness.ts";
import { fromRows } from "../data/from-rows.ts";
import { spammerCrowd } from "../reproduce/spammer-crowd.ts";
import { capacity, information } from "./channel.ts";
import { type ScoreIntervals, scoreIntervals } from "./score-intervals.ts";

const names = ["informativeness", "capacityBits", "information"] as const;

/** How many of the intervals of a design hold the true score, and how many there are. */
function coverage(
  design: Omit<Parameters<typeof spammerCrowd>[0], "seed" | "kind" | "spammers">,
  seeds: number,
) {
  const held = { informativeness: 0, capacityBits: 0, information: 0 };
  let n = 0;
  for (let seed = 0; seed < seeds; seed++) {
    const crowd = spammerCrowd({ ...design, spammers: 0, kind: "uniform", seed: 500 + seed });
    const { data, confusion, prior } = crowd;
    const found = scoreIntervals(data, dawidSkene(data));
    if (!found || !confusion || !prior) continue;
    const K = data.classes.length;
    for (let w = 0; w < data.workers.length; w++) {
      const rows = confusion.subarray(w * K * K, (w + 1) * K * K);
      const truth = {
        informativeness: informativeness(rows, K, K),
        capacityBits: capacity(rows, K, K).bits,
        information: information(rows, prior, K, K),
      };
      for (const name of names) {
        const { low, high } = found[name];
        if (low[w] <= truth[name] && truth[name] <= high[w]) held[name]++;
      }
      n++;
    }
  }
  return names.map((name) => held[name] / n);
}

describe("coverage", () => {
  const even = (K: number) => Array.from({ length: K }, () => 1 / K);
  it.each([
    [
      "dense, two classes",
      { tasks: 300, workers: 10, labelsPerTask: 0, prior: even(2), low: 0.55, high: 0.9 },
    ],
    [
      "three labels per task",
      { tasks: 1000, workers: 20, labelsPerTask: 3, prior: even(2), low: 0.6, high: 0.9 },
    ],
    [
      "confusions, four classes",
      { tasks: 1000, workers: 20, labelsPerTask: 6, prior: even(4), low: 0.5, high: 0.9 },
    ],
    [
      "imbalanced, two classes",
      { tasks: 600, workers: 12, labelsPerTask: 5, prior: [0.8, 0.2], low: 0.6, high: 0.95 },
    ],
  ])(
    "of the true scores, %s",
    (_name, design) => {
      // 60 crowds know a coverage of .95 to about .01.
      const [score, bits, nats] = coverage(design, 60);
      for (const share of [score, bits, nats]) expect(share).toBeGreaterThan(0.925);
      for (const share of [score, bits]) expect(share).toBeLessThan(0.975);
      // The information of four classes is covered a little too often, .976.
      expect(nats).toBeLessThan(0.975);
    },
    120_000,
  );
});

describe("intervals", () => {
  it("hold 0 for spammers, and lie above it for good workers", () => {
    const { data, roles } = spammerCrowd({
      ...{ tasks: 400, workers: 12, labelsPerTask: 0, prior: [0.5, 0.5], spammers: 0.5 },
      ...({ kind: "uniform", low: 0.75, high: 0.9, seed: 4 } as const),
    });
    const { informativeness: score } = scoreIntervals(data, dawidSkene(data)) as ScoreIntervals;
    roles.forEach((role, w) => {
      if (role === "spammer") expect(score.low[w]).toBeLessThan(0.01);
      else expect(score.low[w]).toBeGreaterThan(0.1);
    });
  });

  it("are in order and within bounds, for any method", () => {
    const data = randomCrowd(5, { tasks: 200 });
    for (const method of [dawidSkene, majorityVote]) {
      const found = scoreIntervals(data, method(data));
      for (const name of names) {
        found?.[name].low.forEach((low, w) => {
          expect(low).toBeGreaterThanOrEqual(0);
          expect(found[name].high[w]).toBeGreaterThanOrEqual(low);
        });
      }
    }
  });

  it("narrow by about √2 where all labels are there twice", () => {
    const { data } = spammerCrowd({
      ...{ tasks: 400, workers: 10, labelsPerTask: 0, prior: [0.5, 0.5], spammers: 0 },
      ...({ kind: "uniform", low: 0.65, high: 0.85, seed: 4 } as const),
    });
    const larger = spammerCrowd({
      ...{ tasks: 800, workers: 10, labelsPerTask: 0, prior: [0.5, 0.5], spammers: 0 },
      ...({ kind: "uniform", low: 0.65, high: 0.85, seed: 4 } as const),
    });
    const width = (crowd: typeof data) => {
      const { low, high } = (scoreIntervals(crowd, dawidSkene(crowd)) as ScoreIntervals)
        .informativeness;
      return high.reduce((sum, x, w) => sum + x - low[w], 0);
    };
    expect(width(data) / width(larger.data)).toBeGreaterThan(1.2);
    expect(width(data) / width(larger.data)).toBeLessThan(1.7);
  });

  it("judge many labels on a sample, to about the same width", () => {
    const { data } = spammerCrowd({
      ...{ tasks: 3000, workers: 10, labelsPerTask: 0, prior: [0.5, 0.5], spammers: 0 },
      ...({ kind: "uniform", low: 0.65, high: 0.85, seed: 4 } as const),
    });
    const result = dawidSkene(data);
    const [all, some] = [undefined, 10_000].map((mostLabels) => {
      const options = mostLabels ? { mostLabels } : {};
      const { low, high } = (scoreIntervals(data, result, options) as ScoreIntervals).capacityBits;
      return high.reduce((sum, x, w) => sum + x - low[w], 0);
    });
    expect(some / all).toBeGreaterThan(0.7);
    expect(some / all).toBeLessThan(1.4);
  });

  it("cope with no labels and with one worker", () => {
    const none = fromRows([]);
    expect(scoreIntervals(none, dawidSkene(none))?.informativeness.low.length).toBe(0);
    const one = fromRows([{ task: "a", worker: "w", label: "x" }]);
    expect(scoreIntervals(one, dawidSkene(one))?.capacityBits.low[0]).toBe(0);
  });
});
