import { describe, expect, it } from "vitest";
import {
  fixture,
  fixtureData,
  hiddenGates,
  judgeContract,
  judgeKinds,
  publicComparisons,
  simulatedJudges,
  slopes,
} from "../../../test/comparisons.ts";
import { loadComparisons, withSet } from "../../../test/datasets.ts";
import { randomComparisons } from "../../../test/random-answers.ts";
import { fromRows } from "../../data/from-rows.ts";
import { LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { evaluateScores } from "../../evaluate/pairwise.ts";
import { minimise } from "../../math/lbfgs.ts";
import { noisyBradleyTerry } from "./noisy-bradley-terry.ts";

const { honest, random, adversary, left } = judgeKinds;
const times = <T>(n: number, what: T): T[] => Array.from({ length: n }, () => what);
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const logistic = (z: number) => 1 / (1 + Math.exp(-z));

/** Minus the objective of the definition at scores, then logits of k, then logits of q. */
function defined(data: PairwiseData, x: Float64Array): number {
  const [n, W] = [data.items.length, data.workers.length];
  let sum = 0;
  data.label.forEach((label, i) => {
    if (label === TIE) return;
    const [k, q] = [logistic(x[n + data.worker[i]]), logistic(x[n + W + data.worker[i]])];
    const onLeft = k * logistic(x[data.left[i]] - x[data.right[i]]) + (1 - k) * q;
    sum += (data.weight?.[i] ?? 1) * Math.log(label === LEFT ? onLeft : 1 - onLeft);
  });
  for (let u = 0; u < W; u++) {
    const [k, q] = [logistic(x[n + u]), logistic(x[n + W + u])];
    sum += 4 * Math.log(k) + Math.log(1 - k) + Math.log(q) + Math.log(1 - q);
  }
  for (const s of x.subarray(0, n)) {
    sum -= 0.5 * (Math.log(1 + Math.exp(s)) + Math.log(1 + Math.exp(-s)));
  }
  return -sum;
}

describe("brute force", () => {
  it("fixture", () => {
    const options = { tolerance: 1e-12, maxIterations: 10_000 };
    const { score, reliability, position } = noisyBradleyTerry(fixtureData(), options);
    const close = (values: number[]) => values.map((x) => expect.closeTo(x, 6));
    expect([...score]).toEqual(close([0.932959, -0.218463, -0.677925]));
    expect([...reliability]).toEqual(close([0.790094, 0.790223]));
    expect([...position]).toEqual(close([0.653878, 0.582826]));
  });

  it("is a maximum of the definition", () => {
    for (let seed = 0; seed < 3; seed++) {
      const drawn = randomComparisons(seed, { comparisons: 90 });
      const data = { ...drawn, weight: Float64Array.from(drawn.label, (_, i) => 0.5 + (i % 3)) };
      const { score, answering, trace } = noisyBradleyTerry(data, { tolerance: 1e-11 });
      const logit = (p: number) => Math.log(p / (1 - p));
      const judges = [...(answering?.attention ?? []), ...(answering?.side ?? [])].map(logit);
      const start = Float64Array.of(...score, ...judges);
      const best = minimise(
        (x, gradient) => {
          gradient.set(slopes((y) => defined(data, y), x));
          return defined(data, x);
        },
        start.map((x, i) => x + 0.2 * Math.sin(i + seed)),
        { tolerance: 1e-10 },
      );
      expect([...start]).toEqual([...best.x].map((s) => expect.closeTo(s, 3)));
      expect(trace.at(-1)).toBeCloseTo(-best.value, 7);
    }
  });
});

describe("published numbers", () => {
  hiddenGates((data) => noisyBradleyTerry(data), {
    dots: [0.6512, 0.6416],
    puzzle: [0.6643, 0.6318],
    pair_llmfao: [0.7131, 0.514],
    pair_music: [0.7482, 0.4336],
    convarg: [0.7912, 0.4489],
  });

  for (const name of ["dots", "puzzle"]) {
    withSet(name, "all 24 pairs in the true order once odd rows are turned, refused before", () => {
      const data = publicComparisons(name);
      const gold = Float64Array.from(data.items, (item) => -Number(item.split("_")[1]));
      const { pairs, pairAccuracy } = evaluateScores({ ...noisyBradleyTerry(data), gold });
      expect([pairs, pairAccuracy.value]).toEqual([24, 1]);
      expect(() => noisyBradleyTerry(loadComparisons(name, "labels.csv"))).toThrow(
        /no pair was shown in both orders/,
      );
    });
  }

  for (const [name, flagged] of [
    ["pair_llmfao", ["120"]],
    ["pair_music", []],
    ["convarg", []],
  ] as const) {
    withSet(name, `${flagged.length} one-sided judges`, () => {
      const { flags, reliability, workers } = noisyBradleyTerry(publicComparisons(name));
      const found = [...workers].filter((_, u) => flags[u].includes("one-sided"));
      expect(found).toEqual(flagged);
      for (const name of found) expect(reliability[workers.indexOf(name)]).toBe(0.8);
    });
  }
});

describe("simulated judges", () => {
  it("finds those who look at the side, and ranks as well as CrowdBT", () => {
    const crowd = [
      ...times(18, honest),
      ...times(4, random),
      ...times(4, adversary),
      ...times(4, left),
    ];
    const found = Array.from({ length: 10 }, (_, seed) => {
      const data = simulatedJudges(seed, crowd);
      const { score, answering, position } = noisyBradleyTerry(data);
      return {
        tau: evaluateScores({ score, gold: data.gold }).kendall,
        k: mean([...(answering?.attention ?? [])].slice(26)),
        q: mean([...position].slice(26)),
        honest: mean([...(answering?.attention ?? [])].slice(0, 18)),
      };
    });
    expect(Math.abs(mean(found.map(({ tau }) => tau)) - 0.865)).toBeLessThan(0.03);
    expect(Math.abs(mean(found.map(({ k }) => k)) - 0.23)).toBeLessThan(0.03);
    expect(Math.abs(mean(found.map(({ q }) => q)) - 0.93)).toBeLessThan(0.02);
    expect(mean(found.map((each) => each.honest))).toBeGreaterThan(0.75);
  });
});

describe("invariants", () => {
  judgeContract((data) => noisyBradleyTerry(data, { tolerance: 1e-10 }));

  it("does not flag a judge to whom the better item was always shown on the left", () => {
    const crowd = simulatedJudges(4, times(10, honest), { items: 6, sd: 3 });
    const best = crowd.gold.indexOf(Math.max(...crowd.gold));
    const worst = crowd.gold.indexOf(Math.min(...crowd.gold));
    const rows = Array.from(crowd.label.keys(), (i) => {
      const [left, right] = [crowd.items.at(crowd.left[i]), crowd.items.at(crowd.right[i])];
      const label = crowd.label[i] === LEFT ? left : right;
      return { worker: crowd.workers.at(crowd.worker[i]), left, right, label };
    });
    const [top, low] = [crowd.items.at(best), crowd.items.at(worst)];
    const easy = times(12, { worker: "easy", left: top, right: low, label: top });
    const blind = rows
      .slice(0, 24)
      .map(({ left, right }) => ({ worker: "blind", left, right, label: left }));
    const data = fromRows([...rows, ...easy, ...blind], { kind: "pairwise" });
    const { flags, workers } = noisyBradleyTerry(data);
    expect(flags[workers.indexOf("easy")]).toEqual([]);
    expect(flags[workers.indexOf("blind")]).toEqual(["one-sided"]);
  });

  it("a judge without decided answers has the prior's parameters", () => {
    const rows = [...fixture, { worker: "w", left: "a", right: "b", label: "tie" }];
    const { reliability, position } = noisyBradleyTerry(fromRows(rows, { kind: "pairwise" }));
    expect([reliability[2], position[2]]).toEqual([0.8, 0.5]);
  });
});

describe("intervals", () => {
  // Judges who do not look in one answer out of five, as the prior has it, and lean to either side then.
  const judges = Array.from({ length: 28 }, (_, u) => {
    const side = u % 4 === 0 ? 0.9 : u % 4 === 1 ? 0.1 : 0.5;
    return (lead: number) => 0.8 * judgeKinds.honest(lead) + 0.2 * side;
  });

  it("hold about 95 % of the true scores, of judges as the prior has them", () => {
    let [held, all] = [0, 0];
    for (let seed = 0; seed < 60; seed++) {
      const data = simulatedJudges(700 + seed, judges, { items: 8, answers: 30 });
      const { low, high } = noisyBradleyTerry(data);
      const middle = data.gold.reduce((sum, s) => sum + s, 0) / data.gold.length;
      data.gold.forEach((s, i) => {
        held += Number(low[i] <= s - middle && s - middle <= high[i]);
        all++;
      });
    }
    expect(held / all).toBeGreaterThan(0.92);
    expect(held / all).toBeLessThan(0.99);
  });

  it("shrink with the root of the number of answers", () => {
    const data = simulatedJudges(3, judges.slice(0, 6), { items: 3, answers: 40 });
    const { score, sd } = noisyBradleyTerry(data, { tolerance: 1e-12 });
    expect(score.length).toBe(3);
    for (const x of sd) expect(x).toBeGreaterThan(0);
    // More answers, smaller errors: sixteen times as many make a quarter of them, about.
    const more = simulatedJudges(3, judges.slice(0, 6), { items: 3, answers: 640 });
    const ratio = noisyBradleyTerry(more).sd.reduce((sum, x, i) => sum + sd[i] / x, 0) / 3;
    expect(ratio).toBeGreaterThan(2.5);
    expect(ratio).toBeLessThan(6.5);
  });
});
