import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { exactMoments, randomConfusions, result } from "../../../../test/moment-crowds.ts";
import { findsTruthByExperts, recoversConfusions } from "../../../../test/moment-recovery.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { misledCrowd, recoveryError } from "../../../reproduce/misled-crowd.ts";
import { factoriseSymmetric, symNmf, turnPositive } from "./sym-nmf.ts";

const prior = Float64Array.of(0.5, 0.3, 0.2);
const far = { sweeps: 2000, precision: 1e-9, rotations: 20, seed: 0 };

describe("invariants", () => {
  it("does not depend on the random rotations where one answer is the least negative", () => {
    const { data } = misledCrowd(1, 2000);
    const [one, two] = [0, 1].map((seed) => symNmf(data, { seed, em: 0 }));
    one.confusion.forEach((rate, at) => {
      expect(Math.abs(rate - two.confusion[at])).toBeLessThan(1e-3);
    });
  });

  it("finds from MultiSPA alone what it finds from random rotations too", () => {
    const confusion = randomConfusions(1, 12, 3, true);
    const moments = exactMoments(confusion, prior);
    const found = result(factoriseSymmetric(moments, { ...far, rotations: 0 }));
    const more = result(factoriseSymmetric(moments, far));
    expect(recoveryError(found.confusion, more.confusion, 3)).toBeLessThan(1e-5);
  });
});

describe("brute force", () => {
  it("turns a factor that was turned away back until nothing is negative", () => {
    // Rows on all three axes leave no other rotation.
    const positive = Float64Array.of(1, 0, 0, 0, 2, 0, 0, 0, 1.5, 0.3, 0.4, 0.5, 0.2, 0, 0.7);
    const [c, s] = [Math.cos(0.8), Math.sin(0.8)];
    const turned = positive.map((_, at) => {
      const row = at - (at % 3);
      const [x, y, z] = positive.subarray(row, row + 3);
      return [c * x - s * y, s * x + c * y, z][at % 3];
    });
    const eye = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
    const { rotation, negative } = turnPositive(turned, eye, 3, {
      iterations: 1000,
      precision: 1e-12,
    });
    expect(negative).toBeLessThan(1e-12);
    const back = positive.map((_, at) => {
      const row = at - (at % 3);
      return [0, 1, 2].reduce((sum, j) => sum + turned[row + j] * rotation[j * 3 + (at % 3)], 0);
    });
    expect([...back]).toEqual([...positive].map((x) => expect.closeTo(x, 5)));
  });

  recoversConfusions(symNmf, 1.6);
});

describe("published numbers", () => {
  findsTruthByExperts(symNmf, [500, 2000, 8000]);

  // No published numbers: the ends of EM from this start, beside .8981, .9275 and .9396 from the votes.
  accuracyGates({ bluebird: 0.8981, rte: 0.9287, product: 0.9397 }, 0.003, (data) => symNmf(data));
});

describe("limits", () => {
  it("refuses what would not fit into memory", () => {
    expect(() => symNmf(randomCrowd(1), { memory: 0 })).toThrow(
      /^sym-nmf: the moments of 28 pairs/,
    );
  });
});
