import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { enumerate } from "../../../../test/enumerate.ts";
import { expectRising } from "../../../../test/expect-numbers.ts";
import { drawCrowd, fixtureA, randomCrowd } from "../../../../test/random-crowd.ts";
import { namesOf } from "../../../data/names.ts";
import { oneCoin } from "./one-coin.ts";

const alone = { comparePriors: false } as const;

describe("invariants", () => {
  it.each([
    ["uniform", 0],
    ["learn", 0],
    ["learn", 2],
  ] as const)("never lowers its objective (prior %s, %i pseudo-labels)", (prior, right) => {
    for (let seed = 0; seed < 20; seed++) {
      const options = { ...alone, prior, right, wrong: right / 2, tolerance: 0 };
      expectRising(oneCoin.steps(randomCrowd(seed), options));
    }
  });

  it("keeps its parameters and doubles its objective when every task comes twice", () => {
    const data = randomCrowd(2);
    const T = data.tasks.length;
    const twice = (column: Int32Array, shift = 0) =>
      Int32Array.of(...column, ...column.map((x) => x + shift));
    const doubled = {
      ...data,
      tasks: namesOf([...data.tasks, ...Array.from(data.tasks, (name) => `${name}'`)]),
      task: twice(data.task, T),
      worker: twice(data.worker),
      label: twice(data.label),
      gold: twice(data.gold),
    };
    const options = { ...alone, tolerance: 0, maxIterations: 20 } as const;
    const [one, two] = [oneCoin(data, options), oneCoin(doubled, options)];
    one.skill.forEach((s, w) => {
      expect(two.skill[w]).toBeCloseTo(s, 9);
    });
    expect(two.trace.at(-1)).toBeCloseTo(2 * (one.trace.at(-1) ?? 0), 7);
  });

  it("notes when the two class priors disagree", () => {
    const skewed = drawCrowd(1, {
      tasks: 60,
      workers: 5,
      classes: 2,
      rate: 0.5,
      skill: [0.5, 0.7],
    }).data;
    expect(oneCoin(skewed).notes.join()).toMatch(
      /% of the answers change if the class prior is learnt/,
    );
    expect(oneCoin(skewed, alone).notes.join()).not.toMatch(/class prior/);
  });

  it("starts from a skill where ZenCrowd does", () => {
    const data = randomCrowd(1);
    const [options] = [oneCoin.presets?.["zencrowd"]?.options];
    const { trace } = oneCoin(data, { ...options, ...alone, maxIterations: 1 });
    const { trace: votes } = oneCoin(data, { ...alone, maxIterations: 1 });
    expect(trace[0]).not.toBeCloseTo(votes[0], 3);
    const ends = [options, {}].map((o) =>
      oneCoin(data, { ...o, ...alone, tolerance: 1e-12 }).trace.at(-1),
    );
    expect(ends[0]).toBeCloseTo(ends[1] ?? 0, 4);
  });
});

describe("brute force", () => {
  it.each(["uniform", "learn"] as const)(
    "matches a sum over every possible truth (prior %s)",
    (prior) => {
      const data = randomCrowd(3, { tasks: 6, workers: 3, classes: 3 });
      const fit = oneCoin(data, { ...alone, prior });
      const exact = enumerate(data, fit.prior, fit.confusion);
      expect(fit.trace.at(-1)).toBeCloseTo(exact.logLikelihood, 8);
      expect([...fit.posterior]).toEqual(exact.posterior.map((p) => expect.closeTo(p, 9)));
    },
  );
});

describe("published numbers", () => {
  it("repeats fixture A", () => {
    const fit = oneCoin(fixtureA(), { ...alone, prior: "learn", maxIterations: 1 });
    expect([...fit.skill]).toEqual([0.833333, 0.75, 0.75].map((p) => expect.closeTo(p, 6)));
    expect([...fit.posterior].filter((_, at) => at % 2 === 1)).toEqual(
      [0.186047, 0.980926, 0.186047, 0.944882, 0.275862].map((p) => expect.closeTo(p, 6)),
    );
    expect(fit.trace[0]).toBeCloseTo(-7.961174, 6);
  });

  describe("with a learnt prior", () => {
    accuracyGates(
      {
        bluebird: 0.5833,
        rte: 0.925,
        web: 0.8074,
        product: 0.9084,
        possent: 0.949,
        weather: 0.8833,
        weather_amt: 0.86,
        sp: 0.9168,
        sp_amt: 0.946,
        zencrowd_in: 0.7868,
        zencrowd_us: 0.901,
      },
      0.003,
      (data) => oneCoin(data, { ...alone, prior: "learn" }),
    );
  });

  describe("with a uniform prior", () => {
    accuracyGates(
      {
        bluebird: 0.7222,
        rte: 0.925,
        web: 0.8398,
        product: 0.928,
        possent: 0.951,
        weather: 0.8933,
        weather_amt: 0.8533,
        sp: 0.9166,
        sp_amt: 0.946,
        zencrowd_in: 0.7725,
        zencrowd_us: 0.8588,
      },
      0.003,
      (data) => oneCoin(data, alone),
    );
  });
});

describe("recovery", () => {
  it("learns skills the better the more labels there are", () => {
    const errors = [400, 6400].map((tasks) => {
      let worst = 0;
      for (let seed = 0; seed < 3; seed++) {
        const { data, confusion } = drawCrowd(seed, {
          tasks,
          workers: 8,
          classes: 2,
          rate: 0.8,
          skill: [0.6, 0.95],
        });
        // Symmetric workers: the same skill for both classes.
        const { skill } = oneCoin(data, alone);
        skill.forEach((s, w) => {
          const truth = (confusion[w * 4] + confusion[w * 4 + 3]) / 2;
          worst = Math.max(worst, Math.abs(s - truth));
        });
      }
      return worst;
    });
    expect(errors[0]).toBeLessThan(0.1);
    expect(errors[1]).toBeLessThan(errors[0]);
  });

  it("needs little memory for many classes", () => {
    const data = randomCrowd(1, { tasks: 300, workers: 200, classes: 500, rate: 0.02 });
    expect(oneCoin(data, { ...alone, maxIterations: 3 }).posterior.length).toBe(300 * 500);
  });
});
