import { describe, expect, it } from "vitest";
import {
  accuracyOf,
  crowdScores,
  fixture,
  fixtureData,
  logLoss,
  shuffled,
  slopes,
  splitRows,
  turned,
} from "../../../test/comparisons.ts";
import { loadComparisons, withSet } from "../../../test/datasets.ts";
import { randomComparisons } from "../../../test/random-answers.ts";
import { type ComparisonRow, fromRows } from "../../data/from-rows.ts";
import { LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { evaluateScores } from "../../evaluate/pairwise.ts";
import { normal } from "../../math/distributions.ts";
import { minimise } from "../../math/lbfgs.ts";
import { pseudoInverse } from "../../math/matrix.ts";
import { createRandom } from "../../math/random.ts";
import { bradleyTerry } from "./bradley-terry.ts";

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

/** P(left wins), P(right wins), P(tie) from the definitions of the two models. */
function outcomes(ties: string, lead: number, tie: number): number[] {
  if (ties === "davidson") {
    const [a, b] = [Math.exp(lead / 2), Math.exp(-lead / 2)];
    return [a, b, tie].map((x) => x / (a + b + tie));
  }
  const won = 1 / (1 + Math.exp(tie - lead));
  const lost = 1 / (1 + Math.exp(tie + lead));
  return [won, lost, 1 - won - lost];
}

/** The penalised log-likelihood of scores, with log nu or log tau last, from the definition. */
function defined(data: PairwiseData, ties: string, penalty: number, x: Float64Array): number {
  const logTie = x[x.length - 1];
  let sum = (-(penalty > 0 ? 1 : 0) * (logTie - (ties === "davidson" ? 0 : -1)) ** 2) / 8;
  data.label.forEach((label, i) => {
    const lead = x[data.left[i]] - x[data.right[i]];
    sum += (data.weight?.[i] ?? 1) * Math.log(outcomes(ties, lead, Math.exp(logTie))[label]);
  });
  for (let i = 0; i < x.length - 1; i++) sum -= (penalty / 2) * x[i] ** 2;
  return sum;
}

describe("ties with a parameter", () => {
  it.each([
    ["davidson", [1.06938, -0.297189, -0.772191], 0.427389, -6.853941],
    ["rao-kupper", [1.014299, -0.33026, -0.6840385], 0.339699, -6.614581],
  ] as const)("fixture, %s", (ties, score, tie, objective) => {
    const found = bradleyTerry(fixtureData(), { ties });
    expect([...found.score]).toEqual(score.map((s) => expect.closeTo(s, 6)));
    expect(found.tie).toBeCloseTo(tie, 6);
    expect(found.trace.at(-1)).toBeCloseTo(objective, 6);
  });

  it("fixture, davidson with an advantage of the left side", () => {
    const found = bradleyTerry(fixtureData(), { ties: "davidson", left: true });
    expect([...found.score]).toEqual(
      [1.532141, -0.611994, -0.920147].map((s) => expect.closeTo(s, 6)),
    );
    expect([found.tie, found.left]).toEqual([
      expect.closeTo(0.649238, 6),
      expect.closeTo(2.396255, 6),
    ]);
    const mirrored = bradleyTerry(turned(fixtureData()), { ties: "davidson", left: true });
    expect(mirrored.left).toBeCloseTo(-2.396255, 6);
  });

  it("has no advantage of a side that was always chosen", () => {
    const rows = fixture.filter(({ left, label }) => left === label);
    const found = bradleyTerry(fromRows(rows, { kind: "pairwise" }), { left: true });
    expect(found.left).toBe(0);
    expect(bradleyTerry(fixtureData()).left).toBeNaN();
  });

  it.each([
    ["davidson", Math.log(2), 4 / Math.sqrt(18)],
    ["rao-kupper", 0.5249111, 0.6790617],
  ] as const)("closed form of 6 wins, 3 losses, 4 ties, %s", (ties, lead, tie) => {
    const rows = ["a", "a", "a", "a", "a", "a", "b", "b", "b", "tie", "tie", "tie", "tie"];
    const data = fromRows(
      rows.map((label, i) => ({ worker: `w${i}`, left: "a", right: "b", label })),
      { kind: "pairwise" },
    );
    const found = bradleyTerry(data, { ties, penalty: 0 });
    expect(found.score[0] - found.score[1]).toBeCloseTo(lead, 6);
    expect(found.tie).toBeCloseTo(tie, 6);
  });

  it.each(["davidson", "rao-kupper"] as const)("is the maximum of the definition, %s", (ties) => {
    for (let seed = 0; seed < 5; seed++) {
      const drawn = randomComparisons(seed, { ties: 0.05 + 0.1 * seed });
      const data = { ...drawn, weight: Float64Array.from(drawn.label, (_, i) => 0.5 + (i % 3)) };
      const n = data.items.length + 1;
      const loss = (x: Float64Array) => -defined(data, ties, 0.1, x);
      const best = minimise(
        (x, gradient) => {
          gradient.set(slopes(loss, x));
          return loss(x);
        },
        new Float64Array(n),
        { tolerance: 1e-9 },
      );
      const found = bradleyTerry(data, { ties });
      expect([...found.score, Math.log(found.tie)]).toEqual(
        [...best.x].map((s) => expect.closeTo(s, 6)),
      );
      expect(found.trace.at(-1)).toBeCloseTo(-best.value, 7);
    }
  });

  it.each(["davidson", "rao-kupper"] as const)("never lowers its objective, %s", (ties) => {
    for (let seed = 0; seed < 20; seed++) {
      let last = -Infinity;
      const data = randomComparisons(seed, { scale: 3, ties: (seed % 5) / 6 });
      for (const { objective } of bradleyTerry.steps(data, { ties, penalty: 0.01 })) {
        expect(objective).toBeGreaterThanOrEqual(last - 1e-9);
        last = objective;
      }
    }
  });

  it("shares one parameter between components, and has none where ties are halved", () => {
    const rows = [
      ...fixture,
      { worker: "u", left: "x", right: "y", label: "x" },
      { worker: "v", left: "y", right: "x", label: "tie" },
    ];
    const data = fromRows(rows, { kind: "pairwise" });
    const { score, tie } = bradleyTerry(data, { ties: "davidson" });
    expect(score[0] + score[1] + score[2]).toBeCloseTo(0, 10);
    expect(score[3] + score[4]).toBeCloseTo(0, 10);
    expect(tie).toBeGreaterThan(0.427389);
    expect(bradleyTerry(data).tie).toBeNaN();
  });

  it("is plain Bradley–Terry where nobody said tie", () => {
    const data = randomComparisons(4, { ties: 0 });
    const plain = bradleyTerry(data);
    for (const ties of ["davidson", "rao-kupper"] as const) {
      const found = bradleyTerry(data, { ties });
      expect([...found.score]).toEqual([...plain.score]);
      expect(found.tie).toBe(0);
    }
  });

  for (const [name, objective, nu] of [
    ["pair_llmfao", -8997.8246, 1.4784],
    ["pair_music", -2483.6532, 2.8098],
  ] as const) {
    withSet(name, "objective and nu of Davidson's model", () => {
      const found = bradleyTerry(loadComparisons(name, "comparisons.csv"), { ties: "davidson" });
      expect(found.trace.at(-1)).toBeCloseTo(objective, 3);
      expect(found.tie).toBeCloseTo(nu, 4);
    });
  }

  // Held-out accuracy of decided comparisons, and log-loss of all; ties that are dropped have no probability.
  for (const [name, ties, accuracy, loss] of [
    ["pair_llmfao", "davidson", 0.7149, 1.0131],
    ["pair_llmfao", "rao-kupper", 0.7149, 1.0114],
    ["pair_llmfao", "drop", 0.7168, 0.5705],
    ["pair_music", "davidson", 0.7553, 0.8876],
    ["pair_music", "rao-kupper", 0.7553, 0.8737],
    ["pair_music", "drop", 0.7376, 0.51],
  ] as const) {
    withSet(name, `hidden comparisons, ${ties}`, () => {
      const { shown, hidden } = splitRows(loadComparisons(name, "comparisons.csv"));
      const { score, tie } = bradleyTerry(shown, { ties });
      const decided = hidden.label.filter((l) => l !== TIE).length;
      expect(Math.abs(accuracyOf(hidden, score) - accuracy)).toBeLessThan(1 / decided + 5e-5);
      const chance = (i: number) => {
        const lead = score[hidden.left[i]] - score[hidden.right[i]];
        return outcomes(ties === "drop" ? "rao-kupper" : ties, lead, ties === "drop" ? 0 : tie)[
          hidden.label[i]
        ];
      };
      const found = logLoss(hidden, chance, { ties: ties !== "drop" });
      expect(Math.abs(found - loss)).toBeLessThan(0.0005 + 5e-5);
    });
  }
});

describe("errors by judge", () => {
  it.each([
    ["davidson", 0.1],
    ["rao-kupper", 0.1],
    ["davidson", 0],
  ] as const)("are the sandwich of the definition, %s, penalty %d", (ties, penalty) => {
    const data = randomComparisons(7, { workers: 12, ties: 0.2 });
    const found = bradleyTerry(data, { ties, penalty });
    const n = data.items.length;
    const at = Float64Array.of(...found.score, Math.log(found.tie));
    const matrix = new Float64Array((n + 1) ** 2);
    at.forEach((_, i) => {
      const slope = (x: Float64Array) =>
        slopes((y) => -defined(data, ties, penalty, y), x, 1e-4)[i];
      matrix.set(slopes(slope, at, 1e-4), i * (n + 1));
    });
    if (penalty === 0) {
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) matrix[i * (n + 1) + j] += 1 / n;
    }
    const inverse = pseudoInverse(matrix, n + 1, n + 1);
    const squares = new Float64Array(n);
    for (let w = 0; w < 12; w++) {
      const rows = Array.from(data.label.keys()).filter((i) => data.worker[i] === w);
      const own = (x: Float64Array) =>
        rows.reduce((sum, i) => {
          const lead = x[data.left[i]] - x[data.right[i]];
          return sum + Math.log(outcomes(ties, lead, Math.exp(x[n]))[data.label[i]]);
        }, 0);
      const g = slopes(own, at);
      const moved = Array.from({ length: n }, (_, i) =>
        g.reduce((sum, slope, j) => sum + slope * inverse[i * (n + 1) + j], 0),
      );
      const mean = moved.reduce((sum, x) => sum + x, 0) / n;
      moved.forEach((x, i) => {
        squares[i] += (12 / 11) * (x - mean) ** 2;
      });
    }
    expect([...found.sd]).toEqual([...squares].map((v) => expect.closeTo(Math.sqrt(v), 5)));
    // The 97.5 % point of Student's t with 11 degrees of freedom.
    expect(found.high[0] - found.score[0]).toBeCloseTo(2.200985 * found.sd[0], 5);
  });

  it("hold the truth where judges have tastes of their own, and Wald's do not", () => {
    const held = { judges: 0, wald: 0 };
    let all = 0;
    for (let seed = 0; seed < 100; seed++) {
      const { data, truth } = tastes(seed);
      for (const errors of ["judges", "wald"] as const) {
        const { low, high } = bradleyTerry(data, { errors });
        truth.forEach((s, i) => {
          if (low[i] <= s && s <= high[i]) held[errors]++;
        });
      }
      all += truth.length;
    }
    // The spec measured .941 and .871; the scores of one set are not independent.
    expect(Math.abs(held.judges / all - 0.941)).toBeLessThan(0.03);
    expect(held.wald / all).toBeLessThan(0.9);
  });

  it("are Wald's below ten judges", () => {
    const data = randomComparisons(2, { workers: 9 });
    expect([...bradleyTerry(data).sd]).toEqual([...bradleyTerry(data, { errors: "wald" }).sd]);
  });
});

/** 30 judges compare 30 pairs of 10 items each, by scores of which each judge has an own version. */
function tastes(seed: number): { data: PairwiseData; truth: Float64Array } {
  const random = createRandom(seed).split("tastes");
  const score = Array.from({ length: 10 }, () => normal(random));
  const rows: ComparisonRow[] = [];
  for (let w = 0; w < 30; w++) {
    const own = score.map((s) => s + 0.8 * normal(random));
    for (let k = 0; k < 30; k++) {
      const a = Math.floor(random.next() * 10);
      const b = (a + 1 + Math.floor(random.next() * 9)) % 10;
      const wins = random.next() < 1 / (1 + Math.exp(own[b] - own[a]));
      rows.push({ worker: `w${w}`, left: `i${a}`, right: `i${b}`, label: `i${wins ? a : b}` });
    }
  }
  const data = fromRows(rows, { kind: "pairwise" });
  const named = Array.from(data.items, (name) => score[Number(name.slice(1))]);
  return { data, truth: crowdScores(named, 0.8) };
}

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
    const expected = [...bradleyTerry(data).score].map((s) => expect.closeTo(s, 10));
    expect([...bradleyTerry(turned(shuffled(data, 1))).score]).toEqual(expected);
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
    const { score, sd, trace, items } = bradleyTerry(data, { errors: "wald" });
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
    expect(data.notes).toEqual(["1 comparison of an item with itself was dropped."]);
    expect(data.label.length).toBe(fixture.length);
  });

  it("refuses a winner that was not compared", () => {
    expect(() =>
      fromRows([{ worker: "u", left: "a", right: "b", label: "c" }], { kind: "pairwise" }),
    ).toThrow('Row 1: the label should be the winner, "a" or "b", or "tie", but is "c".');
  });
});

describe("errors by the bootstrap", () => {
  const near = (a: Float64Array, b: Float64Array) =>
    Array.from(a, (x, i) => x / b[i]).reduce((sum, x) => sum + x, 0) / a.length;

  it("are those by Wald with few judges, and those by judge with many", () => {
    const few = randomComparisons(3, { items: 8, workers: 3, comparisons: 800, ties: 0 });
    const drawn = bradleyTerry(few, { errors: "bootstrap", resamples: 400 });
    expect(drawn.score).toEqual(bradleyTerry(few).score);
    expect(near(drawn.sd, bradleyTerry(few, { errors: "wald" }).sd)).toBeCloseTo(1, 1);
    const many = randomComparisons(4, { items: 8, workers: 40, comparisons: 1600 });
    const byJudge = bradleyTerry(many, { errors: "judges" });
    const again = bradleyTerry(many, { errors: "bootstrap", resamples: 400 });
    expect(near(again.sd, byJudge.sd)).toBeCloseTo(1, 1);
  });

  it("depend on the seed, but not on the order of rows", () => {
    for (const workers of [3, 15]) {
      const data = randomComparisons(5, { workers, comparisons: 300 });
      const sd = (seed: number, other = data) =>
        bradleyTerry(other, { errors: "bootstrap", resamples: 20, seed }).sd;
      expect(sd(1)).toEqual(sd(1));
      expect(sd(1)).not.toEqual(sd(2));
      const turnedRows = sd(1, shuffled(data, 2));
      sd(1).forEach((x, i) => {
        expect(turnedRows[i]).toBeCloseTo(x, 8);
      });
    }
  });
});
