import { describe, expect, it } from "vitest";
import { loadSequences, withSet } from "../../../test/datasets.ts";
import { randomTags } from "../../../test/random-answers.ts";
import {
  expectRise,
  fixture,
  near,
  sequenceGates,
  sequenceLaws,
} from "../../../test/sequence-checks.ts";
import { previousAnswers } from "../../data/sequence-from-columns.ts";
import { evaluateTags } from "../../evaluate/sequence.ts";
import { bscSeq } from "./bsc-seq.ts";

describe("laws", () => sequenceLaws(bscSeq));

it("is the fixture after one iteration and after twenty", () => {
  const once = bscSeq(fixture, { maxIterations: 1 });
  expect([...once.posterior]).toEqual(
    near([
      0.95493, 0, 0.04507, 0.000006, 0.838451, 0.161543, 0.005788, 0.005872, 0.988341, 0.997959,
      0.002035, 0.000006,
    ]),
  );
  expect(once.trace[0]).toBeCloseTo(-19.163689, 5);
  const last = bscSeq(fixture, { maxIterations: 20, tolerance: 0 });
  expect(last.trace.at(-1)).toBeCloseTo(-16.844628, 5);
  expect([...last.path]).toEqual([0, 1, 2, 0]);
  expect([...last.spans.start]).toEqual([0, 3]);
  expect([...last.spans.end]).toEqual([1, 3]);
});

it("knows what each worker said before", () => {
  const before = previousAnswers(fixture);
  const at = (t: number) => Array.from(before).filter((_, i) => fixture.token[i] === t);
  expect([0, 1, 2, 3].map(at)).toEqual([
    [-1, -1, -1],
    [0, 0, 2],
    [1, 2, 1],
    [2, 2, 2],
  ]);
});

it("keeps known tags between unknown ones", () => {
  const data = randomTags(4);
  const gold = data.gold.map((k, t) => (t % 2 === 0 ? k : -1));
  const { path, posterior } = bscSeq(data, {}, { gold });
  const known = Array.from(gold.keys()).filter((t) => gold[t] >= 0);
  expect(known.map((t) => path[t])).toEqual(known.map((t) => gold[t]));
  expect(known.map((t) => posterior[t * 3 + gold[t]])).toEqual(
    near(
      known.map(() => 1),
      12,
    ),
  );
});

it("never lets its objective fall", () => {
  for (const seed of [1, 2, 3]) {
    expectRise(bscSeq(randomTags(seed), { maxIterations: 30, tolerance: 0 }).trace);
  }
});

describe("public data", () => {
  sequenceGates(
    bscSeq,
    [0.7915, 0.7035, 0.745, 0.9443, 0.7284],
    ({ trace, iterations, confidence }) => {
      expect(trace.at(-1)).toBeCloseTo(-104505.41, 1);
      expect(iterations).toBe(7);
      expectRise(trace);
      expect(confidence.reduce((a, b) => a + b, 0) / confidence.length).toBeCloseTo(0.989, 3);
    },
  );
  withSet("seq_conll", "evidence bound and F1 with a prior of 1e-6 for broken tags", () => {
    const { data, breaks } = loadSequences("seq_conll");
    const result = bscSeq(data, { broken: 1e-6 });
    expect(result.trace.at(-1)).toBeCloseTo(-104062.52, 1);
    expect(evaluateTags({ ...result, gold: data.gold, breaks }).f1.value).toBeCloseTo(0.7464, 3);
  });
});
