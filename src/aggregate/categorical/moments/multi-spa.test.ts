import { describe, expect, it } from "vitest";
import { accuracyGates, splitAccuracy } from "../../../../test/datasets.ts";
import { exactMoments, randomConfusions } from "../../../../test/moment-crowds.ts";
import { findsTruthByExperts } from "../../../../test/moment-recovery.ts";
import { drawCrowd, randomCrowd } from "../../../../test/random-crowd.ts";
import { namesOf } from "../../../data/names.ts";
import { knownTruthError, misledCrowd, recoveryError } from "../../../reproduce/misled-crowd.ts";
import { oracle } from "../bayesian/oracle.ts";
import { dawidSkene } from "../em/dawid-skene.ts";
import { findCorners, multiSpa, successiveProjection } from "./multi-spa.ts";

const prior = Float64Array.of(0.5, 0.3, 0.2);

describe("invariants", () => {
  it("with em: 0 answers by Bayes' rule under what it found", () => {
    const data = randomCrowd(1, { tasks: 200 });
    const { posterior, confusion, byMoments, trace, prior } = multiSpa(data, { em: 0 });
    expect(confusion).toEqual(byMoments);
    expect(trace.length).toBe(1);
    const bayes = oracle(data, {}, { confusion, prior });
    expect([...posterior]).toEqual([...bayes.posterior].map((p) => expect.closeTo(p, 9)));
  });

  it("never lowers its objective in EM, and says where EM began", () => {
    for (let seed = 0; seed < 5; seed++) {
      const data = randomCrowd(seed, { tasks: 200 });
      const { trace, byMoments } = multiSpa(data, { tolerance: 0, em: 30 });
      for (let i = 1; i < trace.length; i++) {
        expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1] - 1e-9 * Math.abs(trace[i]));
      }
      expect(byMoments).toEqual(multiSpa(data, { em: 0 }).confusion);
    }
  });

  it("lets gold name the classes", () => {
    const { data, confusion = new Float64Array(), prior } = misledCrowd(1, 1000);
    const gold = data.gold.map((k, t) => (t < 30 ? k : -1));
    const best = splitAccuracy(data, oracle(data, {}, { confusion, prior }).posterior);
    expect(splitAccuracy(data, multiSpa(data).posterior)).toBeLessThan(0.1);
    expect(splitAccuracy(data, multiSpa(data, {}, { gold }).posterior)).toBeGreaterThan(
      best - 0.02,
    );
  });
});

describe("brute force", () => {
  it("finds the corners of a set of points, whatever is mixed from them", () => {
    const corners = [Float64Array.of(0.8, 0.1, 0.1), Float64Array.of(0.2, 0.7, 0.1)];
    const third = Float64Array.of(0.1, 0.2, 0.7);
    const mixed = corners[0].map((x, l) => 0.4 * x + 0.3 * corners[1][l] + 0.3 * third[l]);
    const middle = corners[0].map((x, l) => 0.5 * x + 0.5 * corners[1][l]);
    const found = successiveProjection([mixed, corners[1], middle, third, corners[0]], 3, 3);
    expect(new Set(found)).toEqual(new Set([...corners, third]));
    // No third corner follows from two points.
    expect(successiveProjection([corners[0], middle, corners[1]], 3, 3).length).toBe(2);
  });

  it.each(["reference", "diagonal"] as const)(
    "is exact where some worker says each class of no other (%s)",
    (align) => {
      for (let seed = 0; seed < 10; seed++) {
        const confusion = expertConfusions(seed);
        const found = findCorners(exactMoments(confusion, prior), { minColumn: 0, align });
        found.confusion.forEach((rate, at) => {
          expect(rate).toBeCloseTo(confusion[at], 9);
        });
      }
    },
  );

  it("orders the classes of workers who are mostly wrong like those of the others", () => {
    const confusion = expertConfusions(1);
    // The last two workers take every class for the next.
    for (let w = 6; w < 8; w++) {
      const table = confusion.slice(w * 9, w * 9 + 9);
      for (let at = 0; at < 9; at++) {
        confusion[w * 9 + at - (at % 3) + ((at + 1) % 3)] = table[at];
      }
    }
    const moments = exactMoments(confusion, prior);
    const error = (align: "reference" | "diagonal") =>
      recoveryError(findCorners(moments, { minColumn: 0, align }).confusion, confusion, 3);
    expect(error("reference")).toBeLessThan(1e-9);
    expect(error("diagonal")).toBeGreaterThan(0.05);
  });
});

describe("published numbers", () => {
  // Mean of 5 seeds of an independent implementation: alone .0956, .0449, .0380; with EM .0461, .0210, .0111.
  it("recovers confusions as far as it can alone, and as counting does with EM", () => {
    const errors = [500, 2000, 8000].map((tasks) => {
      let [alone, withEm, known, accuracy, best] = [0, 0, 0, 0, 0];
      for (let seed = 0; seed < 2; seed++) {
        const shape = { tasks, workers: 20, classes: 4, rate: 0.3, skill: [0.5, 0.9] } as const;
        const { data, confusion } = drawCrowd(seed, shape);
        const fit = multiSpa(data);
        alone += recoveryError(fit.byMoments, confusion, 4) / 2;
        withEm += recoveryError(fit.confusion, confusion, 4) / 2;
        known += knownTruthError(data, confusion) / 2;
        accuracy += splitAccuracy(data, fit.posterior) / 2;
        best += splitAccuracy(data, oracle(data, {}, { confusion }).posterior) / 2;
      }
      expect(alone).toBeLessThan(0.1);
      expect(withEm).toBeLessThan(1.25 * known);
      if (tasks >= 2000) expect(accuracy).toBeGreaterThan(best - 0.01);
      return { alone, withEm };
    });
    // EM halves its error with four times the tasks; the method alone meets a floor.
    expect(errors[1].withEm).toBeLessThan(0.6 * errors[0].withEm);
    expect(errors[2].withEm).toBeLessThan(0.6 * errors[1].withEm);
    expect(errors[2].alone).toBeGreaterThan(0.7 * errors[1].alone);
  });

  findsTruthByExperts(multiSpa, [500, 2000, 8000]);

  // No published numbers: the ends of EM from this start, beside .8981 and .9275 from the votes.
  accuracyGates({ bluebird: 0.8981, rte: 0.9287 }, 0.003, (data) => multiSpa(data));
});

describe("limits", () => {
  it("starts from the votes where no two workers share enough tasks, and says so", () => {
    const data = randomCrowd(2, { tasks: 30 });
    const fit = multiSpa(data, { minCommon: 1000 });
    expect(fit.notes.join()).toMatch(/starts from the votes/);
    expect(fit.consensus).toEqual(dawidSkene(data).consensus);
  });

  it("judges a worker with few tasks by what the others found", () => {
    const data = randomCrowd(3, { tasks: 300, skill: [0.8, 0.9] });
    const rare = {
      ...data,
      workers: namesOf([...data.workers, "rare"]),
      worker: data.worker.map((w, i) => (i < 3 ? 8 : w)),
    };
    const { notes, confusion } = multiSpa(rare, { em: 0 });
    expect(notes.join()).toMatch(/1 worker shares too few tasks/);
    for (let row = 8 * 9; row < 81; row += 3) {
      expect(confusion[row] + confusion[row + 1] + confusion[row + 2]).toBeCloseTo(1, 12);
    }
  });

  it("refuses what would not fit into memory", () => {
    expect(() => multiSpa(randomCrowd(1), { memory: 0 })).toThrow(/would take 1 MB, more than 0/);
  });
});

/** Eight workers, right more often than not; two for each class say it of no other. */
function expertConfusions(seed: number): Float64Array {
  const confusion = randomConfusions(seed, 8, 3, true);
  confusion.set(randomConfusions(seed + 100, 8, 3, true).subarray(0, 27), 27);
  return confusion.map((rate, at) => (rate + (at % 3 === Math.floor(at / 3) % 3 ? 1 : 0)) / 2);
}
