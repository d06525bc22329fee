import { describe, expect, it } from "vitest";
import { splitAccuracy } from "../../../test/datasets.ts";
import { randomCrowd, reversedLabels } from "../../../test/random-crowd.ts";
import { dawidSkene } from "../../aggregate/categorical/em/dawid-skene.ts";
import { namesOf } from "../../data/names.ts";
import { biasedCrowd } from "../../reproduce/biased-crowd.ts";
import { fairDawidSkene } from "./fair-dawid-skene.ts";

const halves = (n: number) => Array.from({ length: n }, (_, t) => (t % 2 ? "b" : "a"));

describe("brute force", () => {
  it.each([2, 3])("has the posterior and the counts of its model (%s classes)", (K) => {
    const data = randomCrowd(K, { tasks: 30, workers: 5, classes: K });
    const groups = halves(30);
    const weight = Float64Array.from(data.label, (_, i) => 1 + (i % 3) / 2);
    const weighted = { ...data, weight };
    const fit = fairDawidSkene(weighted, groups, { maxIterations: 4, tolerance: 0 });
    for (let t = 0; t < 30; t++) {
      const g = t % 2;
      const joint = Array.from({ length: K }, (_, k) => {
        let p = fit.prior[g * K + k];
        for (let i = 0; i < data.label.length; i++) {
          if (data.task[i] !== t) continue;
          p *= fit.confusion[((data.worker[i] * 2 + g) * K + k) * K + data.label[i]] ** weight[i];
        }
        return p;
      });
      const sum = joint.reduce((a, b) => a + b, 0);
      joint.forEach((p, k) => {
        expect(fit.posterior[t * K + k]).toBeCloseTo(p / sum, 10);
      });
    }
  });

  it("shrinks each matrix to the worker's own: one M step from gold by hand", () => {
    const data = randomCrowd(1, { tasks: 40, workers: 3, classes: 2 });
    const groups = halves(40);
    const fit = fairDawidSkene(data, groups, {
      ...{ shrinkage: 4, smoothing: 0.5, maxIterations: 1 },
      known: { gold: data.gold },
    });
    const count = (k: number, l: number, g: number) =>
      [...data.label].filter(
        (label, i) =>
          data.worker[i] === 1 &&
          label === l &&
          data.gold[data.task[i]] === k &&
          data.task[i] % 2 === g,
      ).length;
    const both = (k: number, l: number) => count(k, l, 0) + count(k, l, 1);
    const pooled = (both(1, 0) + 0.5) / (both(1, 0) + both(1, 1) + 1);
    expect(fit.pooled[(1 * 2 + 1) * 2]).toBeCloseTo(pooled, 12);
    const row = count(1, 0, 1) + count(1, 1, 1) + 1 + 4;
    const own = (count(1, 0, 1) + 0.5 + 4 * pooled) / row;
    expect(fit.confusion[((1 * 2 + 1) * 2 + 1) * 2]).toBeCloseTo(own, 12);
    expect(fit.unsupervised).toBe(false);
    expect(fit.notes).not.toContain("No gold");
  });

  it("is dawid-skene within each group if nothing is shrunk", () => {
    const data = randomCrowd(5, { tasks: 80, workers: 6, classes: 3 });
    const groups = halves(80);
    const fit = fairDawidSkene(data, groups, { shrinkage: 0, maxIterations: 30, tolerance: 0 });
    for (const [g, name] of ["a", "b"].entries()) {
      const mine = [...data.tasks].map((_, t) => t).filter((t) => groups[t] === name);
      const place = new Map(mine.map((t, at) => [t, at]));
      const rows = [...data.task.keys()].filter((i) => place.has(data.task[i]));
      const part = {
        ...data,
        tasks: namesOf(mine.map((t) => data.tasks.at(t))),
        gold: Int32Array.from(mine, (t) => data.gold[t]),
        task: Int32Array.from(rows, (i) => place.get(data.task[i]) ?? 0),
        worker: Int32Array.from(rows, (i) => data.worker[i]),
        label: Int32Array.from(rows, (i) => data.label[i]),
      };
      const plain = dawidSkene(part, { maxIterations: 30, tolerance: 0 });
      mine.forEach((t, at) => {
        expect(fit.posterior[t * 3]).toBeCloseTo(plain.posterior[at * 3], 8);
      });
      expect(fit.prior[g * 3]).toBeCloseTo(plain.prior[0], 8);
    }
  });
});

describe("a biased half of the crowd", () => {
  it("has less than half of the parity difference of dawid-skene, and no less accuracy", () => {
    let [plainGap, fairGap, plainAccuracy, fairAccuracy] = [0, 0, 0, 0];
    const seeds = 6;
    for (let seed = 0; seed < seeds; seed++) {
      const shape = { tasks: 2000, workers: 20, rate: 0.2, shift: 0, bias: 0.3 };
      const { data, groups } = biasedCrowd({ ...shape, seed });
      // What the answers add to the difference that the drawn truth has by chance.
      const parity = (answers: Int32Array) =>
        [1, 0].reduce((sum, g) => {
          const mine = [...answers].filter((_, t) => groups[t] === String(g));
          const share = mine.reduce((a, b) => a + b, 0) / mine.length;
          return sum + (g === 1 ? share : -share);
        }, 0);
      const [plain, fair] = [dawidSkene(data), fairDawidSkene(data, groups)];
      plainGap += (parity(plain.consensus) - parity(data.gold)) / seeds;
      fairGap += (parity(fair.consensus) - parity(data.gold)) / seeds;
      plainAccuracy += splitAccuracy(data, plain.posterior) / seeds;
      fairAccuracy += splitAccuracy(data, fair.posterior) / seeds;
      expect(fair.unsupervised).toBe(true);
    }
    expect(plainGap).toBeGreaterThan(0.08);
    expect(Math.abs(fairGap)).toBeLessThan(plainGap / 2);
    expect(fairAccuracy).toBeGreaterThan(plainAccuracy);
  });
});

describe("invariants and limits", () => {
  it("names of groups and the order of labels change nothing", () => {
    const data = randomCrowd(3, { tasks: 60 });
    const groups = halves(60);
    const here = fairDawidSkene(data, groups);
    const renamed = fairDawidSkene(
      data,
      groups.map((name) => (name === "a" ? "z" : "y")),
    );
    const turned = fairDawidSkene(reversedLabels(data), groups);
    here.posterior.forEach((p, at) => {
      expect(renamed.posterior[at]).toBeCloseTo(p, 12);
      expect(turned.posterior[at]).toBeCloseTo(p, 9);
    });
    expect(renamed.groups).toEqual(["y", "z"]);
  });

  it("keeps tasks without a group as one of their own, and refuses what cannot be", () => {
    const data = randomCrowd(4, { tasks: 30 });
    const groups = halves(30).map((name, t) => (t < 5 ? "" : name));
    const fit = fairDawidSkene(data, groups);
    expect(fit.groups).toEqual(["a", "b", ""]);
    expect(fit.posterior.every(Number.isFinite)).toBe(true);
    expect(fit.notes[0]).toMatch(/^No gold/);
    expect(() => fairDawidSkene(data, groups.fill("a"))).toThrow('found only "a"');
    expect(() => fairDawidSkene(data, halves(30), { shrinkage: -1 })).toThrow("not -1");
    expect(() => fairDawidSkene(data, halves(30), { known: { gold: Int32Array.of(1) } })).toThrow(
      "must hold 30 classes, not 1",
    );
  });
});
