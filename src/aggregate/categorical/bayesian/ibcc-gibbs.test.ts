import { describe, expect, it } from "vitest";
import { accuracyGates, gate } from "../../../../test/datasets.ts";
import { type AllTruths, allDirichletTruths } from "../../../../test/enumerate-dirichlet.ts";
import { largestDifference } from "../../../../test/expect-numbers.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { mean } from "../../../math/statistics.ts";
import { load, save } from "../save.ts";
import { ibcc } from "./ibcc.ts";
import { ibccGibbs } from "./ibcc-gibbs.ts";

/** Many short chains, so that the standard errors are good themselves. */
const thorough = { chains: 40, burnIn: 50, samples: 20_000, seed: 1 } as const;

describe("invariants", () => {
  it("draws other numbers with another seed, but says the same", () => {
    const data = randomCrowd(1);
    const [a, b] = [0, 1].map((seed) => ibccGibbs(data, { seed }));
    expect(a.posterior).not.toEqual(b.posterior);
    expect(largestDifference(a.posterior, b.posterior)).toBeLessThan(0.15);
  });

  it("has intervals around its skills, narrower with more labels", () => {
    const data = randomCrowd(2, { tasks: 200 });
    const { skill, skillLow, skillHigh, confusion } = ibccGibbs(data);
    const fewer = ibccGibbs(randomCrowd(2, { tasks: 20 }));
    skill.forEach((s, w) => {
      expect(skillLow[w]).toBeLessThan(s);
      expect(skillHigh[w]).toBeGreaterThan(s);
      expect(skillHigh[w] - skillLow[w]).toBeLessThan(fewer.skillHigh[w] - fewer.skillLow[w]);
    });
    expect(confusion.every((rate) => rate > 0 && rate < 1)).toBe(true);
  });

  it("takes a worker's past as prior counts", () => {
    const history = new Float64Array(8 * 9);
    for (let k = 0; k < 3; k++) history[k * 4] = 1e6;
    expect(ibccGibbs(randomCrowd(1), {}, { history }).skill[0]).toBeGreaterThan(0.999);
  });

  it("is saved and loaded", () => {
    const result = ibccGibbs(randomCrowd(3), { samples: 40 });
    expect(load(save(result))).toEqual(result);
  });
});

describe("brute force", () => {
  const small = (seed: number) =>
    randomCrowd(seed, { tasks: 4, workers: 3, classes: 2 + (seed % 2), rate: 0.8 });

  it.each([0, 1, 2, 3])("agrees with all truths to three standard errors (crowd %s)", (seed) => {
    const data = small(seed);
    expectAgreement(data, ibccGibbs(data, thorough), allDirichletTruths(data));
  });

  it("agrees with other prior counts, and with gold", () => {
    const data = small(1);
    const prior = { diagonal: 2, offDiagonal: 0.5, classCount: 0.3 };
    expectAgreement(
      data,
      ibccGibbs(data, { ...thorough, ...prior }),
      allDirichletTruths(data, prior),
    );
    const gold = Int32Array.of(2, -1, -1, 0);
    const exact = allDirichletTruths(data, undefined, ([a, , , d]) => a === 2 && d === 0);
    expectAgreement(data, ibccGibbs(data, thorough, { gold }), exact);
  });

  it("agrees where a worker labelled a task twice, by two rows or by weight", () => {
    const data = small(2);
    // Worker w0 said both classes of t0, once and twice, and both of t1, twice and once.
    const [a, b] = [0, 1];
    const repeated = {
      ...data,
      task: Int32Array.of(...data.task, 0, 0, 0, 1, 1, 1),
      worker: Int32Array.of(...data.worker, 0, 0, 0, 0, 0, 0),
      label: Int32Array.of(...data.label, a, b, b, a, a, b),
    };
    expectAgreement(data, ibccGibbs(repeated, thorough), allDirichletTruths(repeated));
  });

  it("keeps its joint density as it moves: a chain's trace is that of its states", () => {
    const data = small(0);
    // With gold on every task only one truth is possible, and the density is the evidence.
    const gold = data.gold;
    const { trace } = ibccGibbs(data, { samples: 8, burnIn: 0 }, { gold });
    const { logEvidence } = allDirichletTruths(data, undefined, (truth) =>
      truth.every((k, t) => k === gold[t]),
    );
    for (const each of trace) expect(each).toBeCloseTo(logEvidence, 9);
    // Where it is free, its mean is that over all truths.
    const free = ibccGibbs(data, { ...thorough, burnIn: 0 });
    expect(mean(free.trace)).toBeCloseTo(allDirichletTruths(data).meanLogJoint, 1);
  });
});

describe("published numbers", () => {
  // The model is that of ibcc, whose accuracies are known; its posterior means are near those of sampling.
  accuracyGates({ bluebird: 0.8889, rte: 0.9275, weather: 0.8833 }, 0.01, (data) =>
    ibccGibbs(data),
  );

  gate("possent", "posterior means within .02 of variational ones, and less sure", (data) => {
    const sampled = ibccGibbs(data);
    const variational = ibcc(data);
    const differences = sampled.posterior.map((p, at) => Math.abs(p - variational.posterior[at]));
    expect(mean(differences)).toBeLessThan(0.02);
    expect(entropy(sampled.posterior)).toBeGreaterThanOrEqual(entropy(variational.posterior));
    expect(sampled.rHatOverall).toBeLessThan(1.05);
  });
});

describe("limits", () => {
  it("says when chains disagree, and does not call that converged", () => {
    // Everybody contradicts everybody: each chain finds a story and stays with it.
    const data = randomCrowd(0, { tasks: 6, workers: 400, classes: 2, rate: 1, skill: [0.3, 0.7] });
    const { notes, converged, rHatOverall, effectiveSizeOverall } = ibccGibbs(data);
    expect(converged).toBe(false);
    expect(rHatOverall).toBeGreaterThan(1.05);
    expect(effectiveSizeOverall).toBeLessThan(100);
    expect(notes.join(" ")).toMatch(/The chains disagree: R-hat is/);
    const easy = ibccGibbs(randomCrowd(1, { skill: [0.85, 0.95] }));
    expect(easy.converged).toBe(true);
    expect(easy.notes).toEqual([]);
    expect(Math.min(...easy.effectiveSize)).toBeGreaterThan(100);
  });

  it("says when classes go by another's name", () => {
    const data = randomCrowd(4, { classes: 2, skill: [0.9, 0.95] });
    const start = data.gold.reduce((rows, k, t) => {
      rows[2 * t + 1 - k] = 1;
      return rows;
    }, new Float64Array(80));
    const weak = { diagonal: 1, offDiagonal: 1 } as const;
    expect(ibccGibbs(data, weak, { start }).notes.join(" ")).toMatch(
      /4 of 4 chains swap most class names/,
    );
  });

  it("has errors that shrink with the number of draws", () => {
    const data = randomCrowd(3, { skill: [0.4, 0.6] });
    const short = ibccGibbs(data, { samples: 200 });
    const long = ibccGibbs(data, { samples: 5000 });
    expect(mean(long.standardError)).toBeLessThan(0.5 * mean(short.standardError));
  });
});

/** Posteriors within three of their own standard errors, and confusions within a hundredth. */
function expectAgreement(
  data: CategoricalData,
  sampled: ReturnType<typeof ibccGibbs>,
  exact: AllTruths,
): void {
  expect([...sampled.tasks]).toEqual([...data.tasks]);
  sampled.posterior.forEach((p, at) => {
    expect(Math.abs(p - exact.posterior[at])).toBeLessThanOrEqual(
      4 * sampled.standardError[at] + 1e-9,
    );
    expect(sampled.standardError[at]).toBeLessThan(0.01);
  });
  expect(largestDifference(sampled.confusion, exact.confusion)).toBeLessThan(0.01);
}

/** Mean over the numbers of -p log p. */
function entropy(posterior: Float64Array): number {
  return mean(posterior.map((p) => (p > 0 ? -p * Math.log(p) : 0)));
}
