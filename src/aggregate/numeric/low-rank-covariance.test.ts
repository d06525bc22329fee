import { describe, expect, it } from "vitest";
import { fixture, numericGates, numericLaws } from "../../../test/numeric-checks.ts";
import { fromRows, type ValueRow } from "../../data/from-rows.ts";
import type { NumericData } from "../../data/numeric.ts";
import { normal } from "../../math/distributions.ts";
import { createRandom } from "../../math/random.ts";
import { gaussian } from "./gaussian.ts";
import { lowRankCovariance } from "./low-rank-covariance.ts";

const close = (values: readonly number[], digits = 6) =>
  values.map((x) => expect.closeTo(x, digits));

it("the fixture", () => {
  const { value, noise } = lowRankCovariance(fixture, { tolerance: 1e-12, maxIterations: 100000 });
  expect([...value]).toEqual(close([3.031069, 4.661167, 6.046205]));
  expect(Array.from(noise, (s) => s * s)).toEqual(close([4.133333, 3.561905, 4.231944]));
});

describe("laws", () => {
  numericLaws(lowRankCovariance, { tolerance: 1e-11, maxIterations: 100000 });
});

numericGates(lowRankCovariance, {
  emotion: [12.9982, 18.3536, 0.6878],
  num_video: [0.0437, 0.055, 0.998],
  num_truth100: [25.8849, 31.4785, 0.4813],
});

/** Ten workers answer everything; with `copies` the second repeats the errors of the first, nearly. */
function crowd(seed: number, copies: boolean): { data: NumericData; best: number[] } {
  const random = createRandom(seed).split("copies");
  const [W, T, near] = [10, 2000, 0.1];
  const noise = Array.from({ length: W }, () => 0.4 + 1.1 * random.next());
  const rows: ValueRow[] = [];
  const gold: [string, number][] = [];
  const best: number[] = [];
  for (let t = 0; t < T; t++) {
    const truth = normal(random);
    const errors = noise.map((s) => s * normal(random));
    if (copies) errors[1] = errors[0] + near * normal(random);
    gold.push([`t${t}`, truth]);
    errors.forEach((error, w) => {
      rows.push({ task: `t${t}`, worker: `w${w}`, value: truth + error });
    });
    // The best that knows all variances: of the two, the first says all that there is to know.
    const told = errors.map((_, w) => (copies && w === 1 ? 0 : 1 / noise[w] ** 2));
    const total = told.reduce((sum, each) => sum + each, 0);
    best.push(errors.reduce((sum, error, w) => sum + told[w] * error, 0) / total);
  }
  return { data: fromRows(rows, { kind: "numeric", gold }), best };
}

const rootMeanSquare = (misses: readonly number[]) =>
  Math.sqrt(misses.reduce((sum, miss) => sum + miss * miss, 0) / misses.length);

describe("workers who copy", () => {
  const runs = [1, 2, 3].flatMap((seed) =>
    [false, true].map((copies) => {
      const { data, best } = crowd(seed, copies);
      const rmse = (value: Float64Array) =>
        rootMeanSquare(Array.from(data.gold, (truth, t) => value[t] - truth));
      const { value, notes } = lowRankCovariance(data);
      const oracle = rootMeanSquare(best);
      return { copies, notes, oracle, low: rmse(value), gauss: rmse(gaussian(data).value) };
    }),
  );

  // In the reference, over ten seeds: .2358, .2362, .2362 without copies and .2541, .2550, .2940 with them.
  it.each([
    [false, 1.01, 0.99, 1.01],
    [true, 1.01, 1.08, 1.25],
  ])("cost little, and gaussian much: copies %j", (copies, most, from, to) => {
    const own = runs.filter((run) => run.copies === copies);
    const total = (of: "oracle" | "low" | "gauss") => own.reduce((sum, run) => sum + run[of], 0);
    expect(total("low") / total("oracle")).toBeLessThan(most);
    expect(total("gauss") / total("oracle")).toBeGreaterThan(from);
    expect(total("gauss") / total("oracle")).toBeLessThan(to);
  });

  it("are the only pair that is found, where there are any", () => {
    for (const { copies, notes } of runs) {
      expect(notes).toEqual(copies ? ["A pair of workers err together, and count less."] : []);
    }
  });
});

it("has no intervals", () => {
  expect([...lowRankCovariance(fixture).high]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});
