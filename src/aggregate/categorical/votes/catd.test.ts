import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { chiSquareQuantile } from "../../../math/incomplete.ts";
import { catd } from "./catd.ts";

describe("invariants", () => {
  it("has weights that sum to one, and more for more labels at the same rate of errors", () => {
    const { weights } = catd(longTail());
    expect(weights.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 12);
    // Perfect both, with eight labels and with one.
    const [much, little] = [weights[0], weights[3]];
    expect(much).toBeGreaterThan(2 * little);
  });

  it("goes by errors alone where all have as many labels", () => {
    const data = randomCrowd(2, { rate: 1, tasks: 60 });
    const { weights, errors } = catd(data);
    for (let w = 1; w < weights.length; w++) {
      expect((weights[w] * errors[w]) / (weights[0] * errors[0])).toBeCloseTo(1, 9);
    }
  });
});

describe("brute force", () => {
  it("weighs by the quantile over the errors", () => {
    for (const [data, paper, alpha] of [
      [randomCrowd(3, { tasks: 60 }), true, 0.2],
      [longTail(), true, 0.05],
      [longTail(), false, 0.05],
    ] as const) {
      const { weights, errors, workload } = catd(data, { paper, alpha });
      const plain = Array.from(workload, (n, w) => {
        const least = paper ? errors[w] + 1e-9 : Math.max(0.5, errors[w]);
        return chiSquareQuantile(1 - alpha / 2, n) / least;
      });
      const total = plain.reduce((a, b) => a + b, 0);
      expect([...weights]).toEqual(plain.map((x) => expect.closeTo(x / total, 12)));
    }
  });

  it("knows the quantiles of tables", () => {
    expect(chiSquareQuantile(0.975, 10)).toBeCloseTo(20.4832, 4);
    expect(chiSquareQuantile(0.975, 1)).toBeCloseTo(5.0239, 4);
  });
});

describe("published numbers", () => {
  const paper = {
    bluebird: 0.7778,
    rte: 0.9187,
    web: 0.7345,
    product: 0.9238,
    possent: 0.957,
    weather: 0.8967,
    weather_amt: 0.86,
    sp: 0.9114,
    sp_amt: 0.944,
    zencrowd_in: 0.7826,
    zencrowd_us: 0.9081,
  };
  accuracyGates(paper, 0.01, (data) => catd(data, { paper: true, ties: "first" }));
  const clipped = { web: 0.7377, weather: 0.8933, product: 0.9242, zencrowd_us: 0.9108 };
  accuracyGates(clipped, 0.003, (data) => catd(data, { ties: "first" }));
});

describe("limits", () => {
  it("gives workers without errors all the weight with `paper`, and not without", () => {
    const data = longTail();
    const { weights } = catd(data, { paper: true });
    expect(weights[0] + weights[3]).toBeGreaterThan(1 - 1e-6);
    expect(catd(data).weights[0]).toBeLessThan(0.9);
  });

  it("stops where it is told to, and says so", () => {
    const { converged, notes } = catd(randomCrowd(1, { tasks: 200, skill: [0.3, 0.5] }), {
      maxIterations: 1,
    });
    expect(converged).toBe(false);
    expect(notes.join()).toMatch(/without converging/);
  });
});

/** Two workers who are always with the answers, with eight labels and with one, and two who err. */
function longTail() {
  const says = { w0: "xyxyxyxy", w1: "xyxyxyyy", w2: "xyyyxyxy", w3: "x" };
  const rows = Object.entries(says).flatMap(([worker, labels]) =>
    [...labels].map((label, t) => ({ task: "abcdefgh"[t], worker, label })),
  );
  return fromRows(rows);
}
