import { describe, expect, it } from "vitest";
import { loadComparisons, withSet } from "../../../test/datasets.ts";
import { randomComparisons } from "../../../test/random-answers.ts";
import { type ComparisonRow, fromRows } from "../../data/from-rows.ts";
import { LEFT, TIE } from "../../data/pairwise.ts";
import { evaluateScores } from "../../evaluate/pairwise.ts";
import { minimise } from "../../math/lbfgs.ts";
import { bradleyTerry } from "./bradley-terry.ts";

/** Fixture P1 of the pairwise spec: judge, left, right, winner. */
const fixture: ComparisonRow[] = [
  ["u", "a", "b", "a"],
  ["u", "b", "c", "b"],
  ["u", "a", "c", "a"],
  ["u", "c", "b", "c"],
  ["v", "a", "b", "a"],
  ["v", "c", "a", "a"],
  ["v", "b", "a", "b"],
  ["v", "b", "c", "tie"],
].map(([worker, left, right, label]) => ({ worker, left, right, label }));

describe("fixture", () => {
  it.each([
    [0, [0.96202, -0.26458, -0.69744], -4.495639, [0.75655, 0.60199, 0.695155]],
    [0.1, [0.886096, -0.245298, -0.640798], -4.563795, [0.704325, 0.577933, 0.657589]],
  ])("penalty %d", (penalty, score, objective, sd) => {
    const found = bradleyTerry(fromRows(fixture, { kind: "pairwise" }), { penalty });
    expect([...found.score]).toEqual(score.map((s) => expect.closeTo(s, 6)));
    expect([...found.sd]).toEqual(sd.map((s) => expect.closeTo(s, 6)));
    expect(found.trace.at(-1)).toBeCloseTo(objective, 6);
    expect(found.converged).toBe(true);
    expect([...found.rank]).toEqual([1, 2, 3]);
  });

  it("of two items that met twice", () => {
    const rows = Array.from({ length: 2 }, (_, i) => ({
      worker: `w${i}`,
      left: "a",
      right: "b",
      label: "a",
    }));
    const { score, notes } = bradleyTerry(fromRows(rows, { kind: "pairwise" }));
    expect([...score]).toEqual([expect.closeTo(1.323495, 6), expect.closeTo(-1.323495, 6)]);
    expect(notes).toEqual([
      "2 items always won or always lost: only the penalty bounds their scores.",
    ]);
  });
});

describe("brute force", () => {
  it.each([0.1, 1])("is the maximum of the penalised likelihood (penalty %d)", (penalty) => {
    for (let seed = 0; seed < 5; seed++) {
      const data = randomComparisons(seed);
      const weight = Float64Array.from(data.label, (_, i) => 0.5 + (i % 4) / 2);
      const found = bradleyTerry({ ...data, weight }, { penalty });
      const objective = (score: Float64Array, gradient: Float64Array) => {
        let sum = 0;
        gradient.fill(0);
        const push = (winner: number, loser: number, count: number) => {
          const p = 1 / (1 + Math.exp(score[loser] - score[winner]));
          sum -= count * Math.log(p);
          gradient[winner] -= count * (1 - p);
          gradient[loser] += count * (1 - p);
        };
        data.label.forEach((label, i) => {
          const [a, b] = [data.left[i], data.right[i]];
          if (label === TIE) {
            push(a, b, weight[i] / 2);
            push(b, a, weight[i] / 2);
          } else if (label === LEFT) push(a, b, weight[i]);
          else push(b, a, weight[i]);
        });
        score.forEach((s, i) => {
          sum += (penalty / 2) * s * s;
          gradient[i] += penalty * s;
        });
        return sum;
      };
      const best = minimise(objective, new Float64Array(data.items.length), { tolerance: 1e-12 });
      expect([...found.score]).toEqual([...best.x].map((s) => expect.closeTo(s, 6)));
      expect(found.trace.at(-1)).toBeCloseTo(-best.value, 8);
    }
  });
});

describe("invariants", () => {
  it("never lowers its objective", () => {
    for (let seed = 0; seed < 20; seed++) {
      let last = -Infinity;
      const steps = bradleyTerry.steps(randomComparisons(seed, { scale: 3 }), { penalty: 0.01 });
      for (const { objective } of steps) {
        expect(objective).toBeGreaterThanOrEqual(last - 1e-9);
        last = objective;
      }
    }
  });

  it("does not care which side an item stands on, nor about the order of rows", () => {
    const data = randomComparisons(3);
    const turned = {
      ...data,
      left: data.right.toReversed(),
      right: data.left.toReversed(),
      label: data.label.map((l) => (l === TIE ? TIE : 1 - l)).toReversed(),
      worker: data.worker.toReversed(),
      task: data.task.toReversed(),
    };
    const expected = [...bradleyTerry(data).score].map((s) => expect.closeTo(s, 10));
    expect([...bradleyTerry(turned).score]).toEqual(expected);
  });

  it("centres each component and compares nothing across", () => {
    const rows = [
      ...fixture,
      { worker: "u", left: "x", right: "y", label: "x" },
      { worker: "v", left: "y", right: "x", label: "tie" },
    ];
    const data = fromRows(rows, { kind: "pairwise" });
    const { score, rank, component } = bradleyTerry(data);
    expect(score[0] + score[1] + score[2]).toBeCloseTo(0, 10);
    expect(score[3] + score[4]).toBeCloseTo(0, 10);
    expect([...component]).toEqual([0, 0, 0, 1, 1]);
    expect([...rank]).toEqual([1, 2, 3, 1, 2]);
    expect(data.notes[0]).toContain("2 parts");
  });
});

describe("published numbers", () => {
  withSet("pair_llmfao", "objective, score and error of GPT 4", () => {
    const data = loadComparisons("pair_llmfao", "comparisons.csv");
    const { score, sd, trace, items } = bradleyTerry(data);
    expect(trace.at(-1)).toBeCloseTo(-5744.0229, 3);
    const best = items.indexOf("GPT 4");
    expect(score[best]).toBeCloseTo(0.987356, 5);
    expect(sd[best]).toBeCloseTo(0.192559, 5);
  });

  withSet("pair_music", "objective", () => {
    const { trace } = bradleyTerry(loadComparisons("pair_music", "comparisons.csv"));
    expect(trace.at(-1)).toBeCloseTo(-1740.6972, 3);
  });

  for (const name of ["dots", "puzzle"]) {
    withSet(name, "all 24 pairs in the true order", () => {
      const data = loadComparisons(name, "labels.csv");
      // The winner is the item with fewer dots or moves.
      const gold = Float64Array.from(data.items, (item) => -Number(item.split("_")[1]));
      const { pairs, pairAccuracy } = evaluateScores({ ...bradleyTerry(data), gold });
      expect([pairs, pairAccuracy.value]).toEqual([24, 1]);
    });
  }
});

describe("intervals", () => {
  it("hold the truth in about 95 of 100 scores", () => {
    let [held, all] = [0, 0];
    for (let seed = 0; seed < 150; seed++) {
      const data = randomComparisons(1000 + seed, { items: 10, comparisons: 600, ties: 0 });
      const { low, high } = bradleyTerry(data);
      const mean = data.gold.reduce((sum, s) => sum + s, 0) / data.gold.length;
      data.gold.forEach((truth, i) => {
        all++;
        if (low[i] <= truth - mean && truth - mean <= high[i]) held++;
      });
    }
    // The spec measured .948 with this design; the scores of one set are not independent.
    expect(Math.abs(held / all - 0.948)).toBeLessThan(0.02);
  });
});

describe("limits", () => {
  it("leaves ties out when told to", () => {
    const without = fixture.filter(({ label }) => label !== "tie");
    const dropped = bradleyTerry(fromRows(fixture, { kind: "pairwise" }), { ties: "drop" });
    const absent = bradleyTerry(fromRows(without, { kind: "pairwise" }));
    expect([...dropped.score]).toEqual([...absent.score].map((s) => expect.closeTo(s, 12)));
  });

  it("drops comparisons of an item with itself, and counts them", () => {
    const data = fromRows([...fixture, { worker: "u", left: "a", right: "a", label: "a" }], {
      kind: "pairwise",
    });
    expect(data.notes).toEqual(["1 comparisons of an item with itself were dropped."]);
    expect(data.label.length).toBe(fixture.length);
  });

  it("refuses a winner that was not compared", () => {
    expect(() =>
      fromRows([{ worker: "u", left: "a", right: "b", label: "c" }], { kind: "pairwise" }),
    ).toThrow('Row 1: the label should be the winner, "a" or "b", or "tie", but is "c".');
  });
});
