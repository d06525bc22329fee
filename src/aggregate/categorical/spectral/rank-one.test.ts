import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { namesOf } from "../../../data/names.ts";
import { createRandom } from "../../../math/random.ts";
import { drain } from "../../../method.ts";
import { workerPairs } from "./agreement-moments.ts";
import { crowdParts } from "./crowd-parts.ts";
import { fitRankOne, type RankOneProblem } from "./rank-one.ts";

describe("fitRankOne", () => {
  it("finds numbers from their products, with pairs missing and none with itself", () => {
    const { problem, truth } = products(1, 0);
    const { vector, converged } = run(problem, 3000);
    expect(converged).toBe(true);
    const turn = Math.sign(vector[0] * truth[0]);
    expect([...vector]).toEqual(Array.from(truth, (s) => expect.closeTo(turn * s, 8)));
  });

  it("ends where no small change of one number lowers the error, and never raises it", () => {
    const { problem } = products(2, 0.3);
    const { vector, trace } = run(problem, 3000);
    trace.forEach((objective, at) => {
      if (at > 0) expect(objective).toBeGreaterThanOrEqual(trace[at - 1] - 1e-13);
    });
    const best = error(problem, vector);
    expect(-(trace.at(-1) ?? 0)).toBeCloseTo(best, 12);
    vector.subarray(0, 11).forEach((s, w) => {
      for (const step of [-1e-3, 1e-3]) {
        if (s + step < problem.low || s + step > problem.high) continue;
        const other = vector.slice();
        other[w] += step;
        expect(error(problem, other)).toBeGreaterThan(best);
      }
    });
  });

  it("takes pairs without common tasks as zeros when asked", () => {
    const { problem } = products(3, 0.1);
    const far = { ...problem, background: 1 };
    const { vector } = run(far, 3000);
    expect(vector).not.toEqual(run(problem, 3000).vector);
    // The gradient of the whole sum, pairs without tasks included.
    const W = vector.length;
    for (let w = 0; w < W; w++) {
      let slope = 0;
      for (let v = 0; v < W; v++) {
        if (v === w) continue;
        const row = problem.pairs.other.subarray(
          problem.pairs.start[w],
          problem.pairs.start[w + 1],
        );
        const at = row.indexOf(v);
        const [weight, value] =
          at < 0
            ? [1, 0]
            : [
                problem.weights[problem.pairs.start[w] + at],
                problem.values[problem.pairs.start[w] + at],
              ];
        slope += weight * (vector[w] * vector[v] - value) * vector[v];
      }
      expect(slope).toBeCloseTo(0, 6);
    }
  });

  it("leaves a worker without pairs at nothing", () => {
    const { problem } = products(1, 0);
    expect(run(problem, 10).vector[11]).toBe(0);
  });
});

/** Products of known numbers over the pairs of a sparse crowd; the last worker has no labels. */
function products(seed: number, noise: number) {
  const base = randomCrowd(seed, { tasks: 40, workers: 11, rate: 0.2 });
  const data = { ...base, workers: namesOf([...base.workers, "silent"]) };
  const random = createRandom(seed);
  const truth = Float64Array.from({ length: 12 }, (_, w) =>
    w === 11 ? 0 : 1.6 * random.next() - 0.5,
  );
  const pairs = workerPairs("x", data);
  const values = new Float64Array(pairs.other.length);
  for (let w = 0; w < 12; w++) {
    for (let at = pairs.start[w]; at < pairs.start[w + 1]; at++) {
      const v = pairs.other[at];
      values[at] = truth[w] * truth[v] + noise * Math.sin(w * v);
    }
  }
  const problem: RankOneProblem = {
    pairs,
    parts: crowdParts(data),
    values,
    weights: pairs.common,
    low: -2,
    high: 2,
  };
  return { problem, truth };
}

function run(problem: RankOneProblem, maxIterations: number) {
  const start = new Float64Array(problem.pairs.start.length - 1).fill(0.5);
  return drain(fitRankOne(problem, start, { maxIterations, tolerance: 1e-11 }));
}

function error({ pairs, values, weights }: RankOneProblem, s: Float64Array): number {
  let [sum, all] = [0, 0];
  for (let w = 0; w < s.length; w++) {
    for (let at = pairs.start[w]; at < pairs.start[w + 1]; at++) {
      sum += weights[at] * (values[at] - s[w] * s[pairs.other[at]]) ** 2;
      all += weights[at];
    }
  }
  return sum / all;
}
