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
import { pseudoInverse } from "../../math/matrix.ts";
import { bradleyTerry } from "./bradley-terry.ts";
import { crowdBt } from "./crowd-bt.ts";

const { honest, random, adversary, left, right } = judgeKinds;
const times = <T>(n: number, what: T): T[] => Array.from({ length: n }, () => what);
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

/** Minus the objective of the definition at scores and logits of eta. */
function defined(data: PairwiseData, x: Float64Array): number {
  const n = data.items.length;
  const eta = x.subarray(n).map((z) => 1 / (1 + Math.exp(-z)));
  let sum = 0;
  data.label.forEach((label, i) => {
    if (label === TIE) return;
    const lead = (x[data.left[i]] - x[data.right[i]]) * (label === LEFT ? 1 : -1);
    const p = 1 / (1 + Math.exp(-lead));
    const e = eta[data.worker[i]];
    sum += (data.weight?.[i] ?? 1) * Math.log(e * p + (1 - e) * (1 - p));
  });
  for (const e of eta) sum += 9 * Math.log(e) + Math.log(1 - e);
  for (const s of x.subarray(0, n)) {
    sum -= 0.5 * (Math.log(1 + Math.exp(s)) + Math.log(1 + Math.exp(-s)));
  }
  return -sum;
}

describe("brute force", () => {
  it("fixture", () => {
    const found = crowdBt(fixtureData(), { tolerance: 1e-12, maxIterations: 10_000 });
    expect([...found.score]).toEqual(
      [0.926429, -0.23206, -0.657036].map((s) => expect.closeTo(s, 6)),
    );
    expect([...found.eta]).toEqual([0.911578, 0.898303].map((p) => expect.closeTo(p, 6)));
    expect(found.trace.at(-1)).toBeCloseTo(-12.611487, 6);
    expect(found.notes).toEqual(["1 tie was left out: this model has none."]);
  });

  it("is the maximum of the definition, and its errors the profiled information there", () => {
    for (let seed = 0; seed < 3; seed++) {
      const drawn = randomComparisons(seed, { comparisons: 90 });
      const data = { ...drawn, weight: Float64Array.from(drawn.label, (_, i) => 0.5 + (i % 3)) };
      const n = data.items.length;
      const found = crowdBt(data, { tolerance: 1e-11 });
      const start = Float64Array.of(...found.score, ...found.eta.map((p) => Math.log(p / (1 - p))));
      const shaken = start.map((x, i) => x + 0.3 * Math.sin(i + seed));
      const best = minimise(
        (x, gradient) => {
          gradient.set(slopes((y) => defined(data, y), x));
          return defined(data, x);
        },
        shaken,
        { tolerance: 1e-10 },
      );
      expect([...found.score]).toEqual([...best.x.subarray(0, n)].map((s) => expect.closeTo(s, 5)));
      expect(found.trace.at(-1)).toBeCloseTo(-best.value, 7);
      const size = start.length;
      const matrix = new Float64Array(size * size);
      start.forEach((_, i) => {
        const slope = (x: Float64Array) => slopes((y) => defined(data, y), x, 1e-4)[i];
        matrix.set(slopes(slope, start, 1e-4), i * size);
      });
      const inverse = pseudoInverse(matrix, size, size);
      const at = (i: number, j: number) => inverse[i * size + j];
      const items = Array.from({ length: n }, (_, i) => i);
      const rows = items.map((i) => mean(items.map((j) => at(i, j))));
      found.sd.forEach((sd, i) => {
        expect(sd).toBeCloseTo(Math.sqrt(at(i, i) - 2 * rows[i] + mean(rows)), 4);
      });
    }
  });
});

describe("published numbers", () => {
  hiddenGates((data) => crowdBt(data), {
    dots: [0.6512, 0.6223],
    puzzle: [0.6643, 0.6143],
    pair_llmfao: [0.7122, 0.5206],
    pair_music: [0.7447, 0.4569],
    convarg: [0.7913, 0.4474],
  });

  for (const name of ["dots", "puzzle"]) {
    withSet(name, "all 24 pairs in the true order", () => {
      const data = publicComparisons(name);
      const gold = Float64Array.from(data.items, (item) => -Number(item.split("_")[1]));
      const { pairs, pairAccuracy } = evaluateScores({ ...crowdBt(data), gold });
      expect([pairs, pairAccuracy.value]).toEqual([24, 1]);
    });
  }

  withSet("dots", "a weak prior loses one pair", () => {
    const data = publicComparisons("dots");
    const gold = Float64Array.from(data.items, (item) => -Number(item.split("_")[1]));
    const found = crowdBt(data, { right: 1.8, wrong: 0.2 });
    expect(evaluateScores({ ...found, gold }).pairAccuracy.value).toBeCloseTo(23 / 24, 10);
  });

  withSet("pair_llmfao", "two models that gave half of the answers, judged without them", () => {
    const data = loadComparisons("pair_llmfao", ["comparisons.csv", "llm_judges.csv"]);
    const { eta, reliability, workers } = crowdBt(data);
    const [gpt3, gpt4] = ["gpt3", "gpt4"].map((name) => workers.indexOf(name));
    expect([eta[gpt3], eta[gpt4]]).toEqual([0.6645, 0.9841].map((p) => expect.closeTo(p, 3)));
    expect([reliability[gpt3], reliability[gpt4]]).toEqual(
      [0.6261, 0.8735].map((p) => expect.closeTo(p, 3)),
    );
  });
});

describe("simulated judges", () => {
  it("finds adversaries and ranks better than Bradley–Terry", () => {
    const crowd = [
      ...times(18, honest),
      ...times(4, random),
      ...times(4, adversary),
      ...times(4, left),
    ];
    const found = Array.from({ length: 10 }, (_, seed) => {
      const data = simulatedJudges(seed, crowd);
      const weak = crowdBt(data, { right: 1.8, wrong: 0.2 });
      for (let u = 0; u < 18; u++) expect(weak.eta[u]).toBeGreaterThan(0.5);
      for (let u = 22; u < 26; u++) expect(weak.eta[u]).toBeLessThan(0.5);
      const tau = ({ score }: { score: Float64Array }) =>
        evaluateScores({ score, gold: data.gold }).kendall;
      return { plain: tau(bradleyTerry(data)), strong: tau(crowdBt(data)), weak: tau(weak) };
    });
    // .811, .871 and .880 with other seeds.
    expect(Math.abs(mean(found.map(({ plain }) => plain)) - 0.811)).toBeLessThan(0.03);
    expect(Math.abs(mean(found.map(({ strong }) => strong)) - 0.871)).toBeLessThan(0.03);
    expect(Math.abs(mean(found.map((each) => each.weak)) - 0.88)).toBeLessThan(0.03);
  });

  it("ranks 30 items that a fifth of 100 judges turn round", () => {
    const crowd = [...times(80, right(0.9)), ...times(20, right(0.1))];
    const found = Array.from({ length: 5 }, (_, seed) => {
      const data = simulatedJudges(seed, crowd, { items: 30, sd: 1.5 });
      const { score, eta } = crowdBt(data);
      return {
        tau: evaluateScores({ score, gold: data.gold }).kendall,
        plain: evaluateScores({ ...bradleyTerry(data), gold: data.gold }).kendall,
        honest: mean([...eta.subarray(0, 80)]),
        turned: mean([...eta.subarray(80)]),
      };
    });
    // .870 for Bradley–Terry, .925 here; mean eta .35 and .88.
    expect(Math.abs(mean(found.map(({ tau }) => tau)) - 0.925)).toBeLessThan(0.015);
    expect(Math.abs(mean(found.map(({ plain }) => plain)) - 0.87)).toBeLessThan(0.025);
    expect(Math.abs(mean(found.map((each) => each.honest)) - 0.88)).toBeLessThan(0.015);
    expect(Math.abs(mean(found.map((each) => each.turned)) - 0.35)).toBeLessThan(0.015);
  });

  it.each([
    [20, 30, 2, 0.959],
    [40, 15, 6, 0.939],
  ])(
    "intervals hold the truth: %d judges × %d answers, %d adversaries",
    (judges, answers, bad, share) => {
      let [held, all] = [0, 0];
      for (let seed = 0; seed < 100; seed++) {
        const crowd = [...times(judges - bad, right(0.9)), ...times(bad, right(0.1))];
        const data = simulatedJudges(seed, crowd, { items: 8, answers });
        const { low, high } = crowdBt(data);
        const middle = mean([...data.gold]);
        data.gold.forEach((truth, i) => {
          all++;
          if (low[i] <= truth - middle && truth - middle <= high[i]) held++;
        });
      }
      expect(Math.abs(held / all - share)).toBeLessThan(0.02);
    },
  );
});

describe("invariants", () => {
  judgeContract((data) => crowdBt(data, { tolerance: 1e-10 }));

  it("a judge without decided answers has the prior's reliability", () => {
    const rows = [...fixture, { worker: "w", left: "a", right: "b", label: "tie" }];
    const { eta, reliability } = crowdBt(fromRows(rows, { kind: "pairwise" }));
    expect([eta[2], reliability[2]]).toEqual([0.9, 0.9]);
  });

  it("turns scores and judges where most answers would be wrong", () => {
    const data = simulatedJudges(1, times(6, honest), { items: 5 });
    const { eta, score } = crowdBt(data, { right: 1, wrong: 9 });
    expect(mean([...eta])).toBeGreaterThan(0.5);
    expect(evaluateScores({ score, gold: data.gold }).kendall).toBeGreaterThan(0.5);
  });
});
