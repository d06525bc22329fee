/** Parts too large for a matrix: what conjugate gradients and random vectors find, beside the whole matrix. */
import { describe, expect, it } from "vitest";
import { shuffled } from "../../../test/comparisons.ts";
import { randomComparisons } from "../../../test/random-answers.ts";
import { type ComparisonRow, fromRows } from "../../data/from-rows.ts";
import { LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { drain } from "../../method.ts";
import { bradleyTerry } from "./bradley-terry.ts";
import { collapse, partsOf } from "./pairs.ts";
import { centredErrors } from "./score-errors.ts";
import { climb, type Fit, fitOf, opponent, type Point, ridge, startOf } from "./score-fit.ts";
import { factor, solve } from "./score-system.ts";
import { half, type TieModel, tieModels } from "./tie-models.ts";

const models: readonly (readonly [string, TieModel])[] = [
  ["half", half],
  ["davidson", tieModels["davidson"]],
  ["rao-kupper", tieModels["rao-kupper"]],
];

const limits = { maxIterations: 100, tolerance: 1e-10 };

/** 1,500 items with eight comparisons each. */
const sparse = randomComparisons(1, { items: 1500, comparisons: 6000, ties: 0.2 });

/** Parts of 700, 400 and 5 items. */
const apart = joined([
  randomComparisons(2, { items: 700, comparisons: 6000, ties: 0.2 }),
  randomComparisons(3, { items: 400, comparisons: 4000, ties: 0.2 }),
  randomComparisons(4, { items: 5, comparisons: 40, ties: 0.2 }),
]);

function joined(sets: readonly PairwiseData[]): PairwiseData {
  const rows = sets.flatMap(({ items, left, right, label }, set) =>
    Array.from(label, (said, i): ComparisonRow => {
      const [a, b] = [left, right].map((column) => `${set} ${items.at(column[i])}`);
      return {
        worker: "w",
        left: a,
        right: b,
        label: said === TIE ? "tie" : said === LEFT ? a : b,
      };
    }),
  );
  return fromRows(rows, { kind: "pairwise" });
}

function fitted(data: PairwiseData, model: TieModel, prior = ridge(0.1), left = false) {
  const n = data.items.length;
  const pairs = collapse(data, { sides: left });
  const fit = fitOf({ id: "test", pairs, parts: partsOf(data), model, prior, left }, n);
  return { fit, n, ...drain(climb(fit, startOf(fit, n), limits)) };
}

/** How far a Newton step with whole matrices moves from a point: how far the maximum is. */
function distance({ fit, at, surface }: ReturnType<typeof fitted>): number {
  const step = solve(
    fit,
    factor(fit, at, surface, { exact: 0, most: Number.POSITIVE_INFINITY }),
    surface.pull,
  );
  return largest([...step.score, step.x, step.left]);
}

const largest = (values: Iterable<number>) => {
  let most = 0;
  for (const x of values) most = Math.max(most, Math.abs(x));
  return most;
};

/** Slopes of the log-likelihood and the ridge from the chances that a model gives, by central differences of their logs. */
function slopesOf({ label, left, right }: PairwiseData, { model }: Fit, at: Point): Float64Array {
  const slopes = at.score.map((s) => -0.1 * s);
  const log = (said: number, lead: number) => {
    const { win, tie } = model.chances(lead, at.x);
    const lose = model.chances(-lead, at.x).win;
    if (said === TIE && model === half) return (Math.log(win) + Math.log(lose)) / 2;
    return Math.log([win, lose, tie][said]);
  };
  for (let i = 0; i < label.length; i++) {
    const lead = at.score[left[i]] - at.score[right[i]];
    const pull = (log(label[i], lead + 1e-5) - log(label[i], lead - 1e-5)) / 2e-5;
    slopes[left[i]] += pull;
    slopes[right[i]] -= pull;
  }
  return slopes;
}

describe.each(models)("%s", (_, model) => {
  it.each([
    ["1,500 items, few comparisons", sparse],
    ["three parts", apart],
  ])("is at the maximum that whole matrices find: %s", (_, data) => {
    const found = fitted(data, model);
    expect(found.converged).toBe(true);
    expect(found.fit.layout.edges.some(Boolean)).toBe(true);
    expect(distance(found)).toBeLessThan(1e-8);
    expect(largest(slopesOf(data, found.fit, found.at))).toBeLessThan(1e-6);
  });

  it("with an advantage of the left side, and under a prior that bends unevenly", () => {
    expect(distance(fitted(apart, model, ridge(0.1), true))).toBeLessThan(1e-8);
    expect(distance(fitted(sparse, model, opponent(0.5)))).toBeLessThan(1e-8);
  });
});

describe("without a penalty", () => {
  const dense = randomComparisons(5, { items: 300, comparisons: 9000, ties: 0.2 });

  it("is at the maximum, with mean 0", () => {
    const found = fitted(dense, half, ridge(0));
    expect(distance(found)).toBeLessThan(1e-8);
    expect(found.at.score.reduce((sum, s) => sum + s, 0)).toBeCloseTo(0, 10);
  });

  it("refuses parts that nothing but dropped ties hold together", () => {
    const [one, other] = [6, 7].map((seed) =>
      randomComparisons(seed, { items: 300, comparisons: 9000, ties: 0 }),
    );
    const rows = joined([one, other]);
    const name = (set: number) => Array.from(rows.items).findIndex((x) => x.startsWith(`${set} `));
    const grown = {
      ...rows,
      left: Int32Array.of(...rows.left, name(0)),
      right: Int32Array.of(...rows.right, name(1)),
      label: Int32Array.of(...rows.label, TIE),
      worker: Int32Array.of(...rows.worker, 0),
      task: Int32Array.of(...rows.task, 0),
    };
    // Other errors factor a whole matrix, which would refuse as well.
    const refits = { errors: "bootstrap", resamples: 10, penalty: 0 } as const;
    expect(() => bradleyTerry(grown, { ...refits, ties: "drop" })).toThrow("cannot be told apart");
    expect(bradleyTerry(grown, { penalty: 0 }).converged).toBe(true);
  });
});

it("a long chain, where conjugate gradients are slow, ends at the maximum", () => {
  const rows = Array.from({ length: 3 * 999 }, (_, i): ComparisonRow => {
    const [a, b] = [`i${i % 999}`, `i${(i % 999) + 1}`];
    return { worker: "w", left: a, right: b, label: (i * 7) % 3 === 0 ? b : a };
  });
  const found = fitted(fromRows(rows, { kind: "pairwise" }), half, ridge(1e-6));
  expect(found.converged).toBe(true);
  expect(distance(found)).toBeLessThan(1e-8);
});

describe("standard errors", () => {
  const data = randomComparisons(8, { items: 2100, comparisons: 40_000 });

  it("drawn with random vectors are as close to exact ones as the note says", () => {
    const { sd, notes } = bradleyTerry(data, { errors: "wald" });
    expect(notes.at(-1)).toMatch(
      /^Standard errors of 2100 items are drawn with \d+ random vectors: /,
    );
    const { fit, n, at, surface } = fitted(data, half);
    const system = factor(fit, at, surface, { exact: 0, most: Number.POSITIVE_INFINITY });
    const exact = drain(centredErrors(fit, system, n)).sd;
    const off = Array.from(sd, (x, i) => x / exact[i] - 1);
    expect(Math.sqrt(off.reduce((sum, x) => sum + x * x, 0) / n)).toBeLessThan(0.006);
    expect(largest(off)).toBeLessThan(0.04);
  });

  it("are the same bits twice, and do not depend on the order of rows", () => {
    const { sd } = bradleyTerry(data, { errors: "wald" });
    expect(bradleyTerry(data, { errors: "wald" }).sd).toEqual(sd);
    const other = bradleyTerry(shuffled(data, 1), { errors: "wald" }).sd;
    expect(largest(sd.map((x, i) => x - other[i]))).toBeLessThan(1e-8);
  });

  it("by judge are those of whole matrices", () => {
    const judged = randomComparisons(9, { items: 2050, comparisons: 20_000, workers: 12 });
    const { fit, at, surface } = fitted(judged, half);
    const ways = [0, Number.POSITIVE_INFINITY].map((most) =>
      solve(fit, factor(fit, at, surface, { exact: 1e-9, most }), {
        score: at.score.map((_, i) => ((i * 37) % 11) - 5),
        x: 0,
        left: 0,
      }),
    );
    const [found, whole] = ways.map(({ score }) => score);
    expect(largest(found.map((x, i) => x - whole[i]))).toBeLessThan(1e-8 * largest(whole));
    expect(largest(bradleyTerry(judged).sd)).toBeLessThan(3);
  });
});
