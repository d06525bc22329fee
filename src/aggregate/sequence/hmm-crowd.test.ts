import { describe, expect, it } from "vitest";
import { randomTags } from "../../../test/random-answers.ts";
import {
  expectRise,
  fixture,
  near,
  sequenceGates,
  sequenceLaws,
} from "../../../test/sequence-checks.ts";
import type { SequenceData } from "../../data/sequence.ts";
import { hmmCrowd } from "./hmm-crowd.ts";

describe("laws", () => sequenceLaws(hmmCrowd));

it("is the fixture after one iteration and after fifty", () => {
  const once = hmmCrowd(fixture, { maxIterations: 1 });
  expect([...once.posterior]).toEqual(
    near([
      0.965906, 0, 0.034094, 0.020649, 0.818795, 0.160557, 0.005991, 0.013973, 0.980036, 0.966139,
      0.002409, 0.031451,
    ]),
  );
  expect([...once.path]).toEqual([0, 1, 2, 0]);
  const last = hmmCrowd(fixture, { maxIterations: 50, tolerance: 0 });
  expect([...last.path]).toEqual([0, 1, 2, 0]);
  expectRise(last.trace);
  expect(likelihood(once.trace[0], priorAtStart)).toBeCloseTo(-10.474825, 5);
});

/** Log prior of the rates after the first M step, from theta diagonals, transitions and start. */
const priorAtStart = (() => {
  const votes = [
    [2 / 3, 0, 1 / 3],
    [0, 2 / 3, 1 / 3],
    [0, 0, 1],
    [2 / 3, 1 / 3, 0],
  ];
  const answers = ["0120", "0221", "2120"].map((line) => Array.from(line, Number));
  let sum = 0;
  for (const said of answers) {
    for (let c = 0; c < 3; c++) {
      const total = votes.reduce((n, q) => n + q[c], 0) + 0.3;
      const right = (votes.reduce((n, q, t) => n + (said[t] === c ? q[c] : 0), 0) + 0.1) / total;
      sum += 0.1 * (Math.log(right) + 2 * Math.log((1 - right) / 2));
    }
  }
  const log = (row: readonly number[]) => {
    const total = row.reduce((n, x) => n + x + 1, 0);
    return row.reduce((n, x) => n + Math.log((x + 1) / total), 0);
  };
  const pair = (c: number, d: number) =>
    votes.slice(1).reduce((n, q, t) => n + votes[t][c] * q[d], 0);
  return (
    sum +
    log([2 / 3, 1 / 3]) +
    log([pair(0, 0), pair(0, 1), pair(0, 2)]) +
    log([pair(1, 0), pair(1, 1), pair(1, 2)]) +
    log([pair(2, 0), pair(2, 2)])
  );
})();

const likelihood = (objective: number, prior: number) => objective - prior;

it("is Dawid and Skene's method on chains of one token, with full rows", () => {
  const data = randomTags(8, { length: 1, tasks: 40, tags: ["a", "b", "c"] });
  const iterations = 6;
  const { posterior } = hmmCrowd(data, { rows: "full", maxIterations: iterations, tolerance: 0 });
  expect([...posterior]).toEqual(near(dawidSkene(data, iterations), 12));
});

/** EM from the definition, with .1 added to the counts of workers and 1 to those of classes. */
function dawidSkene(data: SequenceData, iterations: number): number[] {
  const [T, K, W] = [data.tokens.length, data.classes.length, data.workers.length];
  const rows = Array.from(data.label, (k, i) => ({ t: data.token[i], w: data.worker[i], k }));
  let q = Array.from({ length: T }, (_, t) => {
    const own = rows.filter((row) => row.t === t);
    return Array.from({ length: K }, (_, c) => own.filter(({ k }) => k === c).length / own.length);
  });
  for (let i = 0; i < iterations; i++) {
    const prior = Array.from(
      { length: K },
      (_, c) => (1 + q.reduce((n, p) => n + p[c], 0)) / (K + T),
    );
    const count = (w: number, c: number, k?: number) =>
      rows.reduce((n, row) => n + (row.w === w && (k ?? row.k) === row.k ? q[row.t][c] : 0), 0);
    const theta = Array.from({ length: W }, (_, w) =>
      prior.map((_, c) => prior.map((_, k) => (count(w, c, k) + 0.1) / (count(w, c) + 0.1 * K))),
    );
    q = q.map((_, t) => {
      const own = rows.filter((row) => row.t === t);
      const joint = prior.map((p, c) => own.reduce((x, { w, k }) => x * theta[w][c][k], p));
      const total = joint.reduce((a, b) => a + b, 0);
      return joint.map((p) => p / total);
    });
  }
  return q.flat();
}

it("never lets its objective fall", () => {
  for (const rows of ["tied", "full"] as const) {
    for (const seed of [1, 2, 3]) {
      expectRise(hmmCrowd(randomTags(seed), { rows, tolerance: 0 }).trace);
    }
  }
});

describe("public data", () => {
  sequenceGates(hmmCrowd, [0.7999, 0.654, 0.7196, 0.9372, 0.6977], ({ trace, iterations }) => {
    expect(trace.at(-1)).toBeCloseTo(-133433.42, 1);
    expect(iterations).toBe(7);
    expectRise(trace);
  });
});
