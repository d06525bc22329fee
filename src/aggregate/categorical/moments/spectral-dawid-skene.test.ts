import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { exactGroupMoments, randomConfusions, result } from "../../../../test/moment-crowds.ts";
import { findsTruthByExperts, recoversConfusions } from "../../../../test/moment-recovery.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { selectLabels } from "../../../data/categorical.ts";
import { namesOf } from "../../../data/names.ts";
import { createRandom } from "../../../math/random.ts";
import { recoveryError } from "../../../reproduce/misled-crowd.ts";
import { dawidSkene } from "../em/dawid-skene.ts";
import { groupMoments } from "./group-moments.ts";
import { decompose, spectralDawidSkene } from "./spectral-dawid-skene.ts";

const limits = { starts: 100, powerIterations: 100 };

describe("invariants", () => {
  it("does not depend on the random directions", () => {
    const data = randomCrowd(1, { tasks: 300, workers: 12 });
    const [one, two] = [0, 1].map((seed) => spectralDawidSkene(data, { seed, em: 0 }));
    one.confusion.forEach((rate, at) => {
      expect(two.confusion[at]).toBeCloseTo(rate, 9);
    });
  });

  it("deals workers by their labels when asked", () => {
    // Every third worker has twice the labels of the others.
    const all = randomCrowd(2, { tasks: 100, workers: 9 });
    const data = selectLabels(all, (i) => all.worker[i] % 3 === 0 || i % 2 === 0);
    const labels = new Float64Array(9);
    for (const w of data.worker) labels[w]++;
    const spread = (rule: "order" | "balanced") => {
      const { groupOf } = groupMoments(data, 3, rule);
      expect([0, 1, 2].map((g) => groupOf.filter((of) => of === g).length)).toEqual([3, 3, 3]);
      const loads = [0, 1, 2].map((g) =>
        labels.reduce((sum, n, w) => sum + (groupOf[w] === g ? n : 0), 0),
      );
      return Math.max(...loads) - Math.min(...loads);
    };
    expect(spread("balanced")).toBeLessThan(0.7 * spread("order"));
  });
});

describe("brute force", () => {
  it("adds up the moments of its definition", () => {
    const data = randomCrowd(3, { tasks: 12, workers: 6, classes: 2 });
    const { between, third, cross, groupOf } = groupMoments(data, 2, "order");
    const z = (g: number, t: number, l: number) =>
      data.label.filter((x, i) => x === l && data.task[i] === t && data.worker[i] % 3 === g).length;
    const mean = (value: (t: number) => number) => {
      let sum = 0;
      for (let t = 0; t < 12; t++) sum += value(t) / 12;
      return sum;
    };
    for (let at = 0; at < 8; at++) {
      const [i, j, k] = [at >> 2, (at >> 1) & 1, at & 1];
      const expected = mean((t) => z(0, t, i) * z(1, t, j) * z(2, t, k));
      expect(third[at]).toBeCloseTo(expected, 12);
      // The pairs in order: 01, 02, 10, 12, 20, 21.
      expect(between.joint[3 * 4 + 2 * j + k]).toBeCloseTo(
        mean((t) => z(1, t, j) * z(2, t, k)),
        12,
      );
      expect(between.joint[4 * 4 + 2 * k + i]).toBeCloseTo(
        mean((t) => z(2, t, k) * z(0, t, i)),
        12,
      );
    }
    expect(groupOf[4]).toBe(1);
    const own = (t: number, l: number) =>
      data.label.filter((x, i) => x === l && data.task[i] === t && data.worker[i] === 4).length;
    expect(cross[4 * 4 + 1]).toBeCloseTo(
      mean((t) => own(t, 0) * (z(0, t, 1) + z(2, t, 1))),
      12,
    );
  });

  it.each([3, 12])("finds what is behind the exact moments of %i workers", (W) => {
    for (let seed = 0; seed < 6; seed++) {
      const confusion = randomConfusions(seed, W, 3, false);
      const moments = exactGroupMoments(confusion, Float64Array.of(0.5, 0.3, 0.2));
      const found = result(decompose(moments, limits, createRandom(seed)));
      expect(recoveryError(found.confusion, confusion, 3)).toBeLessThan(1e-9);
    }
  });

  recoversConfusions(spectralDawidSkene, 1.5);
});

describe("published numbers", () => {
  // An independent implementation, after the first and the tenth E step, with the authors' uniform prior.
  const plain = { prior: "uniform", smoothing: 0, tolerance: 0 } as const;
  accuracyGates({ bluebird: 0.8889, rte: 0.9237 }, 0.01, (data) =>
    spectralDawidSkene(data, { ...plain, em: 0 }),
  );
  accuracyGates({ bluebird: 0.8981, rte: 0.9275 }, 0.01, (data) =>
    spectralDawidSkene(data, { ...plain, em: 9 }),
  );
  accuracyGates({ web: 0.7361 }, 0.03, (data) => spectralDawidSkene(data, { ...plain, em: 0 }));
  accuracyGates({ web: 0.8326 }, 0.03, (data) => spectralDawidSkene(data, { ...plain, em: 9 }));

  findsTruthByExperts(spectralDawidSkene, [8000]);
});

describe("limits", () => {
  it("starts from the votes where moments do not tell classes apart, and says so", () => {
    const data = randomCrowd(2, { tasks: 60, classes: 3 });
    const wider = { ...data, classes: namesOf([...data.classes, "never"]) };
    const fit = spectralDawidSkene(wider);
    expect(fit.notes.join()).toMatch(/do not tell the classes apart/);
    expect(fit.consensus).toEqual(dawidSkene(wider).consensus);
  });
});
