import { describe, expect, it } from "vitest";
import {
  accuracyOf,
  fixture,
  fixtureData,
  shuffled,
  splitRows,
  turned,
} from "../../../test/comparisons.ts";
import { loadComparisons, withSet } from "../../../test/datasets.ts";
import { randomComparisons } from "../../../test/random-answers.ts";
import { type ComparisonRow, fromRows } from "../../data/from-rows.ts";
import { LEFT, TIE } from "../../data/pairwise.ts";
import { evaluateScores } from "../../evaluate/pairwise.ts";
import { minimise } from "../../math/lbfgs.ts";
import { hodgeRank } from "./hodge-rank.ts";

/** Rows from "ab ab ba": the first letter won. */
function games(text: string): ComparisonRow[] {
  return text
    .split(" ")
    .map(([winner, loser]) => ({ worker: "u", left: winner, right: loser, label: winner }));
}

const rank = (text: string) =>
  hodgeRank(fromRows(games(text), { kind: "pairwise" }), { flow: "mean" });

it("fixture", () => {
  const { score, inconsistency, low } = hodgeRank(fixtureData());
  expect([...score]).toEqual([0.65444, -0.170275, -0.484164].map((s) => expect.closeTo(s, 5)));
  expect(inconsistency).toBeCloseTo(0.173479, 6);
  expect(low[0]).toBeNaN();
});

describe("exact cases", () => {
  it("a cycle of three has no scores and is all curl", () => {
    const { score, inconsistency, curl, harmonic } = rank("ab bc ca");
    expect([...score]).toEqual([0, 0, 0].map((s) => expect.closeTo(s, 12)));
    expect([inconsistency, curl, harmonic]).toEqual([1, 1, 0].map((s) => expect.closeTo(s, 12)));
  });

  it("a cycle of four is all harmonic", () => {
    const { inconsistency, curl, harmonic } = rank("ab bc cd da");
    expect([inconsistency, curl, harmonic]).toEqual([1, 0, 1].map((s) => expect.closeTo(s, 12)));
  });

  it("flows of 1, 1 and 3", () => {
    const { score, inconsistency } = rank("ab ab ba bc bc cb ac ac ac");
    expect([...score]).toEqual([4 / 9, 0, -4 / 9].map((s) => expect.closeTo(s, 12)));
    expect(inconsistency).toBeCloseTo(1 / 33, 12);
  });

  it("a chain is consistent", () => {
    const { score, inconsistency } = rank("ab bc");
    expect([...score]).toEqual([1, 0, -1].map((s) => expect.closeTo(s, 12)));
    expect(inconsistency).toBeCloseTo(0, 12);
  });
});

it("is the minimum of the squares, and so is its curl", () => {
  for (let seed = 0; seed < 5; seed++) {
    const drawn = randomComparisons(seed, { items: 7, comparisons: 40 });
    const data = { ...drawn, weight: Float64Array.from(drawn.label, (_, i) => 0.5 + (i % 3)) };
    const n = data.items.length;
    const pairs = new Map<string, { a: number; b: number; win: number; all: number }>();
    data.label.forEach((label, i) => {
      const [a, b] = [data.left[i], data.right[i]].sort((x, y) => x - y);
      const pair = pairs.get(`${a} ${b}`) ?? { a, b, win: 0, all: 0 };
      const winner = label === LEFT ? data.left[i] : data.right[i];
      pair.win += data.weight[i] * (label === TIE ? 0.5 : winner === a ? 1 : 0);
      pair.all += data.weight[i];
      pairs.set(`${a} ${b}`, pair);
    });
    const edges = [...pairs.values()].map(({ a, b, win, all }) => {
      return { a, b, all, y: Math.log((win + 0.5) / (all - win + 0.5)) };
    });
    const total = edges.reduce((sum, { all, y }) => sum + all * y * y, 0);
    const best = minimise(
      (s, gradient) => {
        gradient.fill(0);
        return edges.reduce((sum, { a, b, all, y }) => {
          const gap = s[a] - s[b] - y;
          gradient[a] += 2 * all * gap;
          gradient[b] -= 2 * all * gap;
          return sum + all * gap * gap;
        }, 0);
      },
      new Float64Array(n),
      { tolerance: 1e-12 },
    );
    const found = hodgeRank(data);
    expect([...found.score]).toEqual([...best.x].map((s) => expect.closeTo(s, 6)));
    expect(found.inconsistency).toBeCloseTo(best.value / total, 8);

    // The flow round triangles that comes closest to the rest, in the same norm.
    const at = (a: number, b: number) => edges.findIndex((e) => e.a === a && e.b === b);
    const triangles = edges.flatMap(({ a, b }, ab) =>
      Array.from({ length: n }, (_, c) => [ab, at(b, c), at(a, c)]).filter(
        ([, bc, ac]) => bc >= 0 && ac >= 0,
      ),
    );
    const rest = edges.map(({ a, b, y }) => y - (best.x[a] - best.x[b]));
    const left = minimise(
      (x, gradient) => {
        const gap = rest.slice();
        triangles.forEach(([ab, bc, ac], t) => {
          gap[ab] -= x[t] / edges[ab].all;
          gap[bc] -= x[t] / edges[bc].all;
          gap[ac] += x[t] / edges[ac].all;
        });
        triangles.forEach(([ab, bc, ac], t) => {
          gradient[t] = -2 * (gap[ab] + gap[bc] - gap[ac]);
        });
        return gap.reduce((sum, g, p) => sum + edges[p].all * g * g, 0);
      },
      new Float64Array(triangles.length),
      { tolerance: 1e-12 },
    );
    expect(found.harmonic).toBeCloseTo(left.value / total, 8);
    expect(found.curl + found.harmonic).toBeCloseTo(found.inconsistency, 10);
  }
});

it("does not care about the order of rows, nor about the sides", () => {
  const data = randomComparisons(3);
  const expected = [...hodgeRank(data).score].map((s) => expect.closeTo(s, 10));
  expect([...hodgeRank(turned(shuffled(data, 2))).score]).toEqual(expected);
});

it("centres each component", () => {
  const rows = [...fixture, { worker: "u", left: "x", right: "y", label: "x" }];
  const { score, component } = hodgeRank(fromRows(rows, { kind: "pairwise" }));
  expect(score[0] + score[1] + score[2]).toBeCloseTo(0, 10);
  expect([score[3], score[4]]).toEqual([
    expect.closeTo(Math.log(3) / 2, 10),
    expect.closeTo(-Math.log(3) / 2, 10),
  ]);
  expect([...component]).toEqual([0, 0, 0, 1, 1]);
});

describe("public sets", () => {
  for (const [name, accuracy, inconsistency] of [
    ["pair_llmfao", 0.7131, 0.4388],
    ["pair_music", 0.7571, 0.1811],
  ] as const) {
    withSet(name, "hidden comparisons, and inconsistency", () => {
      const { shown, hidden } = splitRows(loadComparisons(name, "comparisons.csv"));
      const found = hodgeRank(shown);
      const decided = hidden.label.filter((l) => l !== TIE).length;
      expect(Math.abs(accuracyOf(hidden, found.score) - accuracy)).toBeLessThan(1 / decided + 5e-5);
      expect(Math.abs(found.inconsistency - inconsistency)).toBeLessThan(0.0005 + 5e-5);
    });
  }

  for (const name of ["dots", "puzzle"]) {
    withSet(name, "all 24 pairs in the true order", () => {
      const data = loadComparisons(name, "labels.csv");
      const gold = Float64Array.from(data.items, (item) => -Number(item.split("_")[1]));
      expect(evaluateScores({ ...hodgeRank(data), gold }).pairAccuracy.value).toBe(1);
    });
  }
});
