/** What every moment method with EM behind it has to find, on crowds whose confusions are known. */
import { expect, it } from "vitest";
import { oracle } from "../src/aggregate/categorical/bayesian/oracle.ts";
import { dawidSkene } from "../src/aggregate/categorical/em/dawid-skene.ts";
import type { MomentFit } from "../src/aggregate/categorical/moments/moment-fit.ts";
import type { CategoricalData } from "../src/data/categorical.ts";
import { knownTruthError, misledCrowd, recoveryError } from "../src/reproduce/misled-crowd.ts";
import { splitAccuracy } from "./datasets.ts";
import { drawCrowd } from "./random-crowd.ts";

type Method = (
  data: CategoricalData,
  options?: { readonly anchor: "experts" },
) => Pick<MomentFit, "posterior" | "confusion" | "byMoments">;

/** Four classes, twenty workers who are right more often than not; `alone` is in errors of counting. */
export function recoversConfusions(method: Method, alone: number): void {
  it("recovers confusions nearly as counting does, and as counting does with EM", () => {
    let last = Infinity;
    for (const tasks of [500, 2000, 8000]) {
      const shape = { tasks, workers: 20, classes: 4, rate: 0.3, skill: [0.5, 0.9] } as const;
      const { data, confusion } = drawCrowd(0, shape);
      const fit = method(data);
      const known = knownTruthError(data, confusion);
      expect(recoveryError(fit.byMoments, confusion, 4)).toBeLessThan(alone * known);
      const error = recoveryError(fit.confusion, confusion, 4);
      expect(error).toBeLessThan(1.25 * known);
      expect(error).toBeLessThan(0.6 * last);
      last = error;
      const best = splitAccuracy(data, oracle(data, {}, { confusion }).posterior);
      expect(splitAccuracy(data, fit.posterior)).toBeGreaterThan(best - 0.01);
    }
  });
}

/** Nine workers of fifteen mislead, so that EM from the votes ends in the wrong; six are experts. */
export function findsTruthByExperts(method: Method, sizes: readonly number[]): void {
  it("finds the truth where most workers mislead and experts say who they are", () => {
    let last = Infinity;
    for (const tasks of sizes) {
      const { data, confusion = new Float64Array(), prior } = misledCrowd(0, tasks);
      const fit = method(data, { anchor: "experts" });
      expect(recoveryError(fit.byMoments, confusion, 3)).toBeLessThan(0.1);
      const error = recoveryError(fit.confusion, confusion, 3);
      expect(error).toBeLessThan(1.25 * knownTruthError(data, confusion));
      expect(error).toBeLessThan(0.6 * last);
      last = error;
      expect(splitAccuracy(data, dawidSkene(data).posterior)).toBeLessThan(0.1);
      const best = splitAccuracy(data, oracle(data, {}, { confusion, prior }).posterior);
      const slack = tasks >= 2000 ? 0.01 : 0.02;
      expect(splitAccuracy(data, fit.posterior)).toBeGreaterThan(best - slack);
    }
  });
}
