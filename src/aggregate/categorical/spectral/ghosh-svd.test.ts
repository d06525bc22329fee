import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { doubledLabels, randomCrowd } from "../../../../test/random-crowd.ts";
import { expectIsland, expectVote, spectralInvariants } from "../../../../test/spectral-crowds.ts";
import { svd } from "../../../math/matrix.ts";
import { ghoshSvd } from "./ghosh-svd.ts";

describe("invariants", () => {
  spectralInvariants(ghoshSvd);

  it("counts a label of weight two like two labels", () => {
    const { doubled, weighted } = doubledLabels(randomCrowd(2, { classes: 2 }));
    const { strength } = ghoshSvd(weighted);
    expect([...strength]).toEqual(
      Array.from(ghoshSvd(doubled).strength, (x) => expect.closeTo(x, 9)),
    );
  });
});

describe("brute force", () => {
  it.each([2, 3])("has the leading vectors of the dense table (K = %i)", (classes) => {
    const data = randomCrowd(6, { tasks: 30, workers: 7, classes });
    const { score, strength } = ghoshSvd(data);
    for (let k = 0; k < classes; k++) {
      const table = new Float64Array(30 * 7);
      data.label.forEach((l, i) => {
        table[data.task[i] * 7 + data.worker[i]] = l === k ? 1 : -1;
      });
      const { u, v } = svd(table, 30, 7);
      const tasks = Array.from({ length: 30 }, (_, t) => score[t * classes + k]);
      const workers = Array.from({ length: 7 }, (_, w) => strength[w * classes + k]);
      expectParallel(
        tasks,
        Array.from({ length: 30 }, (_, t) => u[t * 7]),
      );
      expectParallel(
        workers,
        Array.from({ length: 7 }, (_, w) => v[w * 7]),
      );
    }
  });
});

describe("published numbers", () => {
  accuracyGates({ bluebird: 0.7222, rte: 0.5088 }, 0.003, (data) => ghoshSvd(data));
});

describe("limits", () => {
  it("answers per part of the crowd that the rest does not reach", () => expectIsland(ghoshSvd));
  it("votes where each worker has one label", () => expectVote(ghoshSvd));

  it("says when it stops early", () => {
    const data = randomCrowd(1, { tasks: 300, workers: 200, rate: 0.05, skill: [0.3, 0.4] });
    const early = ghoshSvd(data, { maxIterations: 1, tolerance: 0 });
    expect(early.converged).toBe(false);
    expect(early.notes.join()).toMatch(/without converging/);
  });
});

/** The same up to a factor of either sign. */
function expectParallel(a: readonly number[], b: readonly number[]): void {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, i) => sum + value * y[i], 0);
  expect(Math.abs(dot(a, b)) / Math.sqrt(dot(a, a) * dot(b, b))).toBeCloseTo(1, 9);
}
