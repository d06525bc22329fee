import { describe, expect, it } from "vitest";
import {
  fixture,
  fixtureData,
  hiddenGates,
  judgeContract,
  judgeKinds,
  simulatedJudges,
  slopes,
} from "../../../test/comparisons.ts";
import { loadComparisons, withSet } from "../../../test/datasets.ts";
import { randomComparisons } from "../../../test/random-answers.ts";
import { fromRows } from "../../data/from-rows.ts";
import type { PairwiseData } from "../../data/pairwise.ts";
import { minimise } from "../../math/lbfgs.ts";
import { flipRate } from "./flip-rate.ts";

const close = (values: number[], digits: number) => values.map((x) => expect.closeTo(x, digits));

/** Minus the objective of the definition at scores, log nu, left, then logits of e. */
function defined(data: PairwiseData, x: Float64Array): number {
  const n = data.items.length;
  const [nu, left] = [Math.exp(x[n]), x[n + 1]];
  const rates = x.subarray(n + 2).map((z) => 1 / (1 + Math.exp(-z)));
  let sum = -(x[n] ** 2) / 8;
  data.label.forEach((label, i) => {
    const lead = x[data.left[i]] - x[data.right[i]] + left;
    const shares = [Math.exp(lead / 2), Math.exp(-lead / 2), nu];
    const all = shares[0] + shares[1] + shares[2];
    const e = rates[data.worker[i]];
    const swapped = [1, 0, 2][label];
    const chance = ((1 - e) * shares[label] + e * shares[swapped]) / all;
    sum += (data.weight?.[i] ?? 1) * Math.log(chance);
  });
  for (const e of rates) sum += 1.8 * Math.log(1 - e) + 0.2 * Math.log(e);
  for (const s of x.subarray(0, n)) sum -= 0.05 * s * s;
  return -sum;
}

describe("brute force", () => {
  it("fixture without the left side", () => {
    const options = { left: false, tolerance: 1e-12, maxIterations: 100_000 };
    const found = flipRate(fixtureData(), options);
    expect([...found.score]).toEqual(close([2.380743, -1.18191, -1.198834], 6));
    expect([...(found.answering?.flip ?? [])]).toEqual(close([0.050754, 0.225494], 6));
    expect(found.tie).toBeCloseTo(0.594644, 6);
    expect(found.trace.at(-1)).toBeCloseTo(-7.88141, 6);
  });

  it("is a maximum of the definition", () => {
    for (let seed = 0; seed < 3; seed++) {
      const drawn = randomComparisons(seed, { comparisons: 150, ties: 0.2, workers: 3 });
      const data = { ...drawn, weight: Float64Array.from(drawn.label, (_, i) => 0.5 + (i % 3)) };
      const { score, tie, left, answering, trace } = flipRate(data, { tolerance: 1e-11 });
      const rates = [...(answering?.flip ?? [])].map((e) => Math.log(e / (1 - e)));
      const at = Float64Array.of(...score, Math.log(tie), left, ...rates);
      const best = minimise(
        (x, gradient) => {
          gradient.set(slopes((y) => defined(data, y), x));
          return defined(data, x);
        },
        at.map((x, i) => x + 0.1 * Math.sin(i + seed)),
        { tolerance: 1e-10 },
      );
      expect(trace.at(-1)).toBeCloseTo(-best.value, 6);
      expect([...at]).toEqual(close([...best.x], 2));
    }
  });
});

describe("published numbers", () => {
  hiddenGates(
    (data) => flipRate(data),
    {
      pair_llmfao: [0.7058, 0.9767],
      pair_music: [0.773, 0.8403],
      convarg: [0.792, 0.8482],
    },
    { ties: true },
  );

  withSet("pair_llmfao", "two models that gave half of the answers, judged without them", () => {
    const data = loadComparisons("pair_llmfao", ["comparisons.csv", "llm_judges.csv"]);
    const { answering, flip, workers } = flipRate(data);
    const models = ["gpt3", "gpt4"].map((name) => workers.indexOf(name));
    expect(models.map((u) => answering?.flip?.[u])).toEqual(close([0.3241, 0.0122], 3));
    expect(models.map((u) => flip[u])).toEqual(close([0.349, 0.1125], 3));
  });
});

describe("invariants", () => {
  judgeContract((data) => flipRate(data, { tolerance: 1e-10, maxIterations: 5000 }));

  it("a judge without decided answers has the prior's rate", () => {
    const rows = [...fixture, { worker: "w", left: "a", right: "b", label: "tie" }];
    expect(flipRate(fromRows(rows, { kind: "pairwise" })).flip[2]).toBeCloseTo(0.1, 12);
  });

  it("leaves the left side out where all answers lie on it", () => {
    const rows = fixture.filter(({ left, label }) => left === label);
    expect(flipRate(fromRows(rows, { kind: "pairwise" })).left).toBe(0);
  });

  it("finds judges who turn the scale round", () => {
    const { honest, adversary } = judgeKinds;
    const crowd = Array.from({ length: 20 }, (_, u) => (u < 16 ? honest : adversary));
    const { flip } = flipRate(simulatedJudges(2, crowd));
    flip.forEach((e, u) => {
      if (u < 16) expect(e).toBeLessThan(0.5);
      else expect(e).toBeGreaterThan(0.5);
    });
  });
});
