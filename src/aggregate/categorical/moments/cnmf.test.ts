import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { exactMoments, randomConfusions, result } from "../../../../test/moment-crowds.ts";
import { findsTruthByExperts, recoversConfusions } from "../../../../test/moment-recovery.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { recoveryError } from "../../../reproduce/misled-crowd.ts";
import { cnmf, factorise } from "./cnmf.ts";
import { pairMoments, priorOf } from "./moments.ts";
import { findCorners } from "./multi-spa.ts";

const prior = Float64Array.of(0.5, 0.3, 0.2);
const far = { maxIterations: 5000, precision: 0 };

describe("invariants", () => {
  it("never raises the divergence", () => {
    for (let seed = 0; seed < 5; seed++) {
      const data = randomCrowd(seed, { tasks: 100 });
      const settings = { minCommon: 5, partners: 0, memory: 100 };
      const moments = result(pairMoments("cnmf", data, 3, settings));
      const start = randomConfusions(seed, 8, 3, false);
      const { divergence } = result(factorise(moments, start, { ...far, maxIterations: 100 }));
      for (let i = 1; i < divergence.length; i++) {
        expect(divergence[i]).toBeLessThanOrEqual(divergence[i - 1] + 1e-9);
      }
      expect(divergence.at(-1)).toBeLessThan(0.9 * divergence[0]);
    }
  });

  it("tells its progress", () => {
    const stages = new Set<string | undefined>();
    for (const { stage } of cnmf.steps(randomCrowd(1))) stages.add(stage);
    expect(stages).toContain("factorising");
  });
});

describe("brute force", () => {
  it("has the divergence of its definition", () => {
    const confusion = randomConfusions(1, 4, 3, false);
    const moments = exactMoments(confusion, prior);
    const other = randomConfusions(2, 4, 3, false);
    // One iteration leaves the divergence of the start, under the prior that goes with it.
    const one = { maxIterations: 1, precision: 0 };
    const { divergence } = result(factorise(moments, other, one));
    const model = exactMoments(other, startPrior(moments, other));
    let sum = 0;
    moments.joint.forEach((share, at) => {
      sum += (1e6 / 2) * share * Math.log(share / model.joint[at]);
    });
    expect(divergence[0] / sum).toBeCloseTo(1, 9);
  });

  it("finds what is behind exact moments where some worker says each class of no other", () => {
    for (let seed = 0; seed < 4; seed++) {
      const confusion = randomConfusions(seed, 12, 3, true);
      const moments = exactMoments(confusion, prior);
      const start = findCorners(moments, { minColumn: 0, align: "reference" }).confusion;
      const floored = start.map((rate) => Math.max(1e-3, rate));
      const found = result(factorise(moments, floored, { ...far, precision: 1e-12 }));
      expect(recoveryError(start, confusion, 3)).toBeGreaterThan(1e-3);
      expect(recoveryError(found.confusion, confusion, 3)).toBeLessThan(1e-6);
      expect(found.divergence.at(-1)).toBeLessThan(1e-6);
      expect([...found.prior].sort()).toEqual([0.2, 0.3, 0.5].map((p) => expect.closeTo(p, 6)));
    }
  });

  recoversConfusions(cnmf, 1.4);
});

describe("published numbers", () => {
  findsTruthByExperts(cnmf, [2000]);

  // Within .01 of dawid-skene from the votes, .9275.
  accuracyGates({ rte: 0.9275 }, 0.01, (data) => cnmf(data, { em: 0 }));
  accuracyGates({ rte: 0.9275, bluebird: 0.8981, product: 0.9396 }, 0.003, (data) => cnmf(data));
});

describe("limits", () => {
  it("refuses what would not fit into memory", () => {
    expect(() => cnmf(randomCrowd(1), { memory: 0 })).toThrow(/^cnmf: the moments of 28 pairs/);
  });
});

/** The prior by which the factorisation starts. */
function startPrior(moments: ReturnType<typeof exactMoments>, confusion: Float64Array) {
  const floored = priorOf(moments, confusion).map((share) => Math.max(1e-3, share));
  const sum = floored.reduce((total, share) => total + share, 0);
  return floored.map((share) => share / sum);
}
