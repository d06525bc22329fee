import { describe, expect, it } from "vitest";
import {
  accuracyGates,
  categoricalSets,
  gate,
  loadSet,
  splitAccuracy,
} from "../../../../test/datasets.ts";
import { enumerate } from "../../../../test/enumerate.ts";
import { expectRising } from "../../../../test/expect-numbers.ts";
import { drawCrowd, fixtureA, randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { namesOf } from "../../../data/names.ts";
import { createRandom } from "../../../math/random.ts";
import { knownTruthError, misledCrowd, recoveryError } from "../../../reproduce/misled-crowd.ts";
import type { AnyAggregator } from "../aggregator.ts";
import { oracle } from "../bayesian/oracle.ts";
import { cnmf } from "../moments/cnmf.ts";
import { coupledCpd } from "../moments/coupled-cpd.ts";
import { multiSpa } from "../moments/multi-spa.ts";
import { spectralDawidSkene } from "../moments/spectral-dawid-skene.ts";
import { symNmf } from "../moments/sym-nmf.ts";
import { dawidSkene } from "./dawid-skene.ts";
import type { MomentStart } from "./starts.ts";

describe("invariants", () => {
  it.each([0, 0.01, 1])("never lowers its objective (smoothing %s)", (smoothing) => {
    for (let seed = 0; seed < 20; seed++) {
      expectRising(
        dawidSkene.steps(randomCrowd(seed), {
          smoothing,
          tolerance: 0,
        }),
      );
    }
  });

  it("keeps its parameters and doubles its objective when every task comes twice", () => {
    const data = randomCrowd(2);
    const T = data.tasks.length;
    const twice = (column: Int32Array, shift: number) =>
      Int32Array.of(...column, ...column.map((x) => x + shift));
    const doubled: CategoricalData = {
      ...data,
      tasks: namesOf([...data.tasks, ...Array.from(data.tasks, (name) => `${name}'`)]),
      task: twice(data.task, T),
      worker: twice(data.worker, 0),
      label: twice(data.label, 0),
      gold: twice(data.gold, 0),
    };
    const options = { smoothing: 0, tolerance: 0, maxIterations: 20 };
    const [one, two] = [dawidSkene(data, options), dawidSkene(doubled, options)];
    one.confusion.forEach((rate, at) => {
      expect(two.confusion[at]).toBeCloseTo(rate, 9);
    });
    expect(two.trace.at(-1)).toBeCloseTo(2 * (one.trace.at(-1) ?? 0), 7);
  });

  it("fits gold at least as well as the parameters it had without gold", () => {
    for (let seed = 0; seed < 5; seed++) {
      const data = randomCrowd(seed);
      const options = { smoothing: 0, tolerance: 0, maxIterations: 200 };
      const { posterior: start, prior, confusion } = dawidSkene(data, options);
      const gold = data.gold.map((k, t) => (t % 4 === 0 ? k : -1));
      const before = oracle(data, {}, { prior, confusion, gold }).trace[0];
      const after = dawidSkene(data, options, { gold, start }).trace.at(-1) ?? -Infinity;
      expect(after).toBeGreaterThanOrEqual(before - 1e-9 * Math.abs(before));
    }
  });

  it("starts differ, and the best wins", () => {
    const { objectives, trace, notes } = dawidSkene(randomCrowd(1), {
      starts: 5,
      maxIterations: 5,
    });
    expect(new Set(objectives).size).toBeGreaterThan(3);
    expect(trace.at(-1)).toBe(Math.max(...objectives));
    expect(notes.join()).toMatch(/two best starts .* agree on \d+ of 40 tasks/);
  });

  it("shrinks a worker with few labels to the crowd", () => {
    const data = randomCrowd(1, { tasks: 200 });
    const rare = {
      ...data,
      worker: data.worker.map((w, i) => (i === 0 ? 8 : w)),
      workers: namesOf([...data.workers, "rare"]),
    };
    const spread = (shrinkage: number) => {
      const { confusion } = dawidSkene(rare, { shrinkage });
      return Math.max(...confusion.subarray(8 * 9));
    };
    expect(spread(0)).toBeGreaterThan(0.95);
    expect(spread(20)).toBeLessThan(0.8);
  });

  it("takes a worker's past as labels already counted", () => {
    const data = randomCrowd(1);
    const history = new Float64Array(8 * 9);
    for (let k = 0; k < 3; k++) history[k * 4] = 1e6;
    const { skill } = dawidSkene(data, {}, { history });
    expect(skill[0]).toBeGreaterThan(0.999);
    expect(skill[1]).toBeLessThan(0.99);
  });
});

describe("starts from moments", () => {
  const methods = { cnmf, coupledCpd, multiSpa, spectralDawidSkene, symNmf };

  it.each(Object.values(methods).map((method) => [method.id, method] as const))(
    "%s: ends where that method ends",
    (start, method) => {
      const data = randomCrowd(1, { tasks: 150 });
      const own = (method as AnyAggregator)(data);
      const fit = dawidSkene(data, { start: start as MomentStart });
      expect([...fit.posterior]).toEqual([...own.posterior].map((p) => expect.closeTo(p, 9)));
      expect(fit.trace.at(-1)).toBeCloseTo(own.trace.at(-1) ?? 0, 7);
    },
  );

  it.each(["multi-spa", "cnmf", "sym-nmf", "coupled-cpd"] as const)(
    "%s: reaches the oracle where most workers mislead, and a start in their favour does not",
    (start) => {
      const { data, confusion = new Float64Array(), prior } = misledCrowd(2, 2000);
      const best = splitAccuracy(data, oracle(data, {}, { confusion, prior }).posterior);
      const fit = dawidSkene(data, { start, anchor: "experts" });
      expect(splitAccuracy(data, fit.posterior)).toBeGreaterThan(best - 0.01);
      const error = recoveryError(fit.confusion, confusion, 3);
      expect(error).toBeLessThan(1.25 * knownTruthError(data, confusion));
      const misled = misledStart(data);
      expect(splitAccuracy(data, dawidSkene(data, {}, { start: misled }).posterior)).toBeLessThan(
        0.1,
      );
    },
  );

  it("does not count soft gold twice", () => {
    const data = randomCrowd(3, { tasks: 150 });
    const evidence = new Float64Array(450).map((_, at) => (at % 3 === 0 ? 2 : 1));
    const known = { evidence };
    const start = multiSpa(data, { em: 0 }).posterior;
    const given = dawidSkene(data, { maxIterations: 1 }, { ...known, start });
    const own = dawidSkene(data, { maxIterations: 1, start: "multi-spa" }, known);
    expect([...own.posterior]).toEqual([...given.posterior].map((p) => expect.closeTo(p, 12)));
  });

  it("models abstentions in the start too", () => {
    const data = randomCrowd(4, { tasks: 150 });
    const rows = { ...data, label: data.label.map((l, i) => (i % 7 === 0 ? 3 : l)) };
    const fit = dawidSkene(rows, { start: "cnmf", abstentions: "model" });
    expect(fit.given).toBe(4);
    expect(splitAccuracy(rows, fit.posterior)).toBeGreaterThan(0.85);
  });
});

describe("brute force", () => {
  it("matches a sum over every possible truth", () => {
    const data = randomCrowd(3, { tasks: 6, workers: 3, classes: 3 });
    const { prior, confusion, posterior, trace } = dawidSkene(data, { smoothing: 0 });
    const exact = enumerate(data, prior, confusion);
    expect(trace.at(-1)).toBeCloseTo(exact.logLikelihood, 10);
    expect([...posterior]).toEqual(exact.posterior.map((p) => expect.closeTo(p, 10)));
  });

  it("with gold everywhere counts, and is naive Bayes on the rest", () => {
    const data = randomCrowd(4, { tasks: 30 });
    const T = data.tasks.length;
    const gold = data.gold.map((k, t) => (t < T - 1 ? k : -1));
    const { confusion } = dawidSkene(
      data,
      { smoothing: 0.5, maxIterations: 1 },
      { gold, start: oneHot(data) },
    );
    const counted = new Float64Array(confusion.length).fill(0.5);
    data.label.forEach((l, i) => {
      counted[(data.worker[i] * 3 + data.gold[data.task[i]]) * 3 + l]++;
    });
    for (let row = 0; row < counted.length; row += 3) {
      const total = counted[row] + counted[row + 1] + counted[row + 2];
      for (let l = 0; l < 3; l++)
        expect(confusion[row + l]).toBeCloseTo(counted[row + l] / total, 9);
    }
  });
});

describe("published numbers", () => {
  it.each([
    [1, [0.166667, 1, 0.122807, 1, 0.242424], -7.330228, 0.533333],
    [2, [0.041885, 1, 0.077842, 1, 0.269677], -7.031299, 0.50638],
  ])("repeats fixture A after %i iterations", (maxIterations, posterior, objective, prior) => {
    const fit = dawidSkene(fixtureA(), { smoothing: 0, maxIterations, tolerance: 0 });
    expect(classOne(fit.posterior)).toEqual(posterior.map((p) => expect.closeTo(p, 6)));
    expect(fit.trace.at(-1)).toBeCloseTo(objective, 6);
    expect(fit.prior[1]).toBeCloseTo(prior, 6);
  });

  it("repeats fixture A later on", () => {
    const { trace, posterior, prior } = dawidSkene(fixtureA(), {
      smoothing: 0,
      maxIterations: 50,
      tolerance: 0,
    });
    expect(trace[4]).toBeCloseTo(-6.697732, 6);
    expect(trace[49]).toBeCloseTo(-6.661112, 6);
    expect(prior[0]).toBeCloseTo(0.59579, 6);
    expect(posterior[9]).toBeCloseTo(0.020621, 6);
  });

  it("repeats fixture A with one pseudo-label per cell", () => {
    const { confusion, posterior, trace, prior } = dawidSkene(fixtureA(), {
      smoothing: 1,
      maxIterations: 1,
    });
    expect([...confusion.subarray(0, 4)]).toEqual(
      [0.7, 0.3, 0.357143, 0.642857].map((p) => expect.closeTo(p, 6)),
    );
    expect(classOne(posterior)).toEqual(
      [0.355373, 0.852692, 0.329857, 0.777706, 0.403101].map((p) => expect.closeTo(p, 6)),
    );
    const penalty = confusion.reduce((sum, rate) => sum + Math.log(rate), 0);
    expect(trace[0] - penalty).toBeCloseTo(-7.812285, 5);
    expect(prior[0]).toBeCloseTo(0.466667, 6);
  });

  gate("anesthesia", "the class marginals of the 1979 paper", () => {
    // One observer rated every patient three times, which the paper counts as three labels.
    const data = loadSet("anesthesia", "all");
    const { prior } = dawidSkene(data, { smoothing: 0, maxIterations: 500, tolerance: 1e-12 });
    expect([...prior].map((p) => p.toFixed(2))).toEqual(["0.40", "0.42", "0.11", "0.07"]);
  });

  describe("maximum likelihood", () => {
    accuracyGates(
      {
        bluebird: 0.8981,
        rte: 0.9275,
        web: 0.8289,
        product: 0.9396,
        possent: 0.96,
        weather: 0.79,
        weather_amt: 0.8367,
        sp: 0.9148,
        sp_amt: 0.944,
        zencrowd_in: 0.7598,
        zencrowd_us: 0.8211,
      },
      0.003,
      (data) => dawidSkene(data, { smoothing: 0 }),
    );
  });

  describe("with the default smoothing", () => {
    accuracyGates(
      {
        bluebird: 0.8981,
        rte: 0.9275,
        web: 0.8217,
        product: 0.9396,
        possent: 0.96,
        weather: 0.83,
        weather_amt: 0.84,
        sp: 0.9148,
        sp_amt: 0.944,
        zencrowd_in: 0.7598,
        zencrowd_us: 0.8211,
      },
      0.003,
      (data) => dawidSkene(data),
    );
  });

  describe("with a uniform prior", () => {
    accuracyGates(
      {
        bluebird: 0.8889,
        rte: 0.9275,
        web: 0.8334,
        product: 0.8303,
        possent: 0.96,
        weather: 0.775,
        weather_amt: 0.8267,
        sp: 0.915,
        sp_amt: 0.944,
        zencrowd_in: 0.7074,
        zencrowd_us: 0.7652,
      },
      0.003,
      (data) => dawidSkene(data, { smoothing: 0, prior: "uniform" }),
    );
  });

  const likelihoods = {
    bluebird: -1888.117,
    rte: -3679.63,
    web: -17236.7,
    product: -7568.84,
    possent: -8889.099,
  };
  for (const [name, expected] of Object.entries(likelihoods)) {
    gate(name, `log-likelihood ${expected}`, (data) => {
      const actual = dawidSkene(data, { smoothing: 0 }).trace.at(-1) ?? 0;
      expect(Math.abs(actual / expected - 1)).toBeLessThan(5e-4);
    });
  }

  for (const name of categoricalSets) {
    gate(name, "the objective never falls", (data) => {
      expectRising(dawidSkene.steps(data));
    });
  }

  gate("bluebird", "the tutorial's .88 from a hard-vote start", (data) => {
    const { posterior } = dawidSkene(data, { smoothing: 0, start: "hard-votes" });
    expect(splitAccuracy(data, posterior)).toBeCloseTo(0.8796, 3);
  });

  gate("bluebird", "gold does not hurt where the model is well identified", (data) => {
    const random = createRandom(7);
    let gain = 0;
    for (let draw = 0; draw < 20; draw++) {
      const own = random.split(draw);
      const gold = data.gold.map((k) => (own.next() < 22 / 108 ? k : -1));
      const hidden = { ...data, gold: data.gold.map((k, t) => (gold[t] >= 0 ? -1 : k)) };
      const [without, used] = [dawidSkene(data), dawidSkene(data, {}, { gold })];
      gain += splitAccuracy(hidden, used.posterior) - splitAccuracy(hidden, without.posterior);
    }
    expect(gain / 20).toBeGreaterThan(-0.01);
  });
});

describe("recovery", () => {
  it("finds the truth with twenty gold tasks where six of ten workers lie", () => {
    for (let seed = 0; seed < 3; seed++) {
      const random = createRandom(seed).split("liars");
      const base = drawCrowd(seed, {
        tasks: 2000,
        workers: 10,
        classes: 2,
        rate: 1,
        skill: [0.75, 0.75],
      }).data;
      const data = { ...base, label: base.label.map((l, i) => (base.worker[i] < 6 ? 1 - l : l)) };
      const gold = new Int32Array(2000).fill(-1);
      for (let g = 0; g < 20; g++) {
        const t = Math.floor(random.next() * 2000);
        gold[t] = data.gold[t];
      }
      const hidden = { ...data, gold: data.gold.map((k, t) => (gold[t] >= 0 ? -1 : k)) };
      expect(splitAccuracy(hidden, dawidSkene(data).posterior)).toBeLessThan(0.1);
      expect(splitAccuracy(hidden, dawidSkene(data, {}, { gold }).posterior)).toBeGreaterThan(0.93);
    }
  });

  // At most 1.25 times the error of counting with the truth known, which halves as tasks quadruple.
  it.each([500, 2000, 8000])(
    "learns the confusions of %i tasks nearly as if the truth were known",
    (tasks) => {
      let [fitted, counted, accuracy, bound] = [0, 0, 0, 0];
      for (let seed = 0; seed < 3; seed++) {
        const { data, confusion } = drawCrowd(seed, {
          tasks,
          workers: 20,
          classes: 4,
          rate: 0.3,
          skill: [0.5, 0.9],
        });
        const fit = dawidSkene(data);
        fitted += meanError(fit.confusion, confusion);
        const truth = dawidSkene(
          data,
          { maxIterations: 1 },
          { gold: data.gold, start: oneHot(data) },
        );
        counted += meanError(truth.confusion, confusion);
        accuracy += splitAccuracy(data, fit.posterior) / 3;
        bound += splitAccuracy(data, oracle(data, {}, { confusion }).posterior) / 3;
      }
      expect(fitted).toBeLessThan(1.25 * counted);
      if (tasks >= 2000) expect(accuracy).toBeGreaterThan(bound - 0.01);
    },
  );
});

function classOne(posterior: Float64Array): number[] {
  return [...posterior].filter((_, at) => at % 2 === 1);
}

function oneHot(data: CategoricalData): Float64Array {
  const K = data.classes.length;
  return new Float64Array(data.tasks.length * K).map((_, at) =>
    data.gold[Math.floor(at / K)] === at % K ? 1 : 0,
  );
}

function meanError(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, x, i) => sum + Math.abs(x - b[i]), 0) / a.length;
}

/** What the workers who take each class for the next one believe. */
function misledStart(data: CategoricalData): Float64Array {
  const start = new Float64Array(data.tasks.length * 3).fill(0.1);
  data.label.forEach((l, i) => {
    if (data.worker[i] >= 6) start[data.task[i] * 3 + l]++;
  });
  return start;
}
