import { describe, expect, it } from "vitest";
import { accuracyGates, printedAccuracies } from "../../../../test/datasets.ts";
import { allDirichletTruths } from "../../../../test/enumerate-dirichlet.ts";
import { expectRising } from "../../../../test/expect-numbers.ts";
import { fixtureA, randomCrowd } from "../../../../test/random-crowd.ts";
import { namesOf } from "../../../data/names.ts";
import { ibcc } from "./ibcc.ts";

describe("invariants", () => {
  it.each([
    [4, 1],
    [1, 1],
    [0.5, 0.1],
  ])("never lowers its bound (prior counts %s and %s)", (diagonal, offDiagonal) => {
    for (let seed = 0; seed < 20; seed++) {
      const options = { diagonal, offDiagonal, tolerance: 0, maxIterations: 60 };
      expectRising(ibcc.steps(randomCrowd(seed), options));
    }
  });

  it("ends where its updates change nothing", () => {
    const data = randomCrowd(2);
    const end = ibcc(data, { tolerance: 0, maxIterations: 2000 });
    const again = ibcc(data, { tolerance: 0, maxIterations: 1 }, { start: end.posterior });
    again.posterior.forEach((p, at) => {
      expect(p).toBeCloseTo(end.posterior[at], 7);
    });
  });

  it("takes a worker's past as prior counts", () => {
    const data = randomCrowd(1);
    const history = new Float64Array(8 * 9);
    for (let k = 0; k < 3; k++) history[k * 4] = 1e6;
    expect(ibcc(data, {}, { history }).skill[0]).toBeGreaterThan(0.999);
  });
});

describe("brute force", () => {
  it("stays below the log evidence of all possible truths, and near it", () => {
    for (let seed = 0; seed < 6; seed++) {
      const data = randomCrowd(seed, { tasks: 4, workers: 3, classes: 2 + (seed % 2) });
      const bound = ibcc(data).trace.at(-1) ?? 0;
      const evidence = allDirichletTruths(data).logEvidence;
      expect(bound).toBeLessThanOrEqual(evidence + 1e-9);
      expect(bound).toBeGreaterThan(evidence - 2);
    }
  });
});

describe("published numbers", () => {
  it("repeats fixture A after one sweep and at the end", () => {
    const classOne = (posterior: Float64Array) => [...posterior].filter((_, at) => at % 2 === 1);
    expect(classOne(ibcc(fixtureA(), { maxIterations: 1 }).posterior)).toEqual(
      [0.146824, 0.993718, 0.1435, 0.972501, 0.173198].map((p) => expect.closeTo(p, 6)),
    );
    expect(classOne(ibcc(fixtureA(), { tolerance: 1e-14, maxIterations: 5000 }).posterior)).toEqual(
      [0.047923, 0.990062, 0.057111, 0.962452, 0.123851].map((p) => expect.closeTo(p, 5)),
    );
  });

  // What the authors of the benchmark print, to every digit: the stopping rule there is max|Δq| < 1e-3.
  printedAccuracies(
    {
      bluebird: 0.888889,
      rte: 0.9275,
      web: 0.750848,
      product: 0.938304,
      possent: 0.96,
      weather: 0.883333,
      sp: 0.914983,
      zencrowd_us: 0.826961,
    },
    (data) => ibcc(data),
  );

  accuracyGates({ weather_amt: 0.8567, sp_amt: 0.944, zencrowd_in: 0.7696 }, 0.003, (data) =>
    ibcc(data),
  );
});

describe("limits", () => {
  it("keeps a worker with one label near its prior", () => {
    const data = randomCrowd(1, { tasks: 200 });
    const rare = {
      ...data,
      worker: data.worker.map((w, i) => (i === 0 ? 8 : w)),
      workers: namesOf([...data.workers, "rare"]),
    };
    const { confusion } = ibcc(rare);
    for (let k = 0; k < 3; k++) expect(confusion[(8 * 3 + k) * 3 + k]).toBeGreaterThan(0.55);
  });

  it("has the priors of BayesGC as a preset", () => {
    expect(ibcc.presets?.["bayes-gc"]?.options).toEqual({
      diagonal: 5,
      offDiagonal: 2,
      classCount: 1.1,
    });
  });
});
