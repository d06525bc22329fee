import { describe, expect, it } from "vitest";
import { loadSequences, withSet } from "../../../test/datasets.ts";
import { fixture, near, sequenceGates, sequenceLaws } from "../../../test/sequence-checks.ts";
import { fromRows } from "../../data/from-rows.ts";
import { tokenVote } from "./token-vote.ts";

describe("laws", () => sequenceLaws(tokenVote));

it("votes on the fixture", () => {
  const { path, spans, confidence, accuracy, spanF1 } = tokenVote(fixture);
  expect([...path]).toEqual([0, 1, 2, 0]);
  expect([...spans.start]).toEqual([0, 3]);
  expect([...spans.end]).toEqual([1, 3]);
  expect([...confidence]).toEqual(near([2 / 3, 2 / 3, 1, 2 / 3]));
  expect([...accuracy]).toEqual(near([1, 0.5, 0.75]));
  // Worker 1 has spans (0,0) and (3,3), worker 2 (1,1) and (3,3).
  expect([...spanF1]).toEqual(near([1, 0.5, 0.5]));
});

it("gives spans the probability that independent positions give them", () => {
  const { spans, posterior } = tokenVote(fixture);
  expect([...spans.probability]).toEqual(
    near(enumerated(posterior, [...spans.start], [...spans.end])),
  );
});

it("writes a tag that breaks BIO as the one that begins a span, and counts its own votes", () => {
  const rows = ["O", "I-X", "I-X"].map((label, position) => ({
    task: "a",
    worker: "w",
    position,
    label,
  }));
  const data = fromRows([...rows, { task: "b", worker: "w", position: 0, label: "B-X" }], {
    kind: "sequence",
  });
  const { path, confidence, spans, classes } = tokenVote(data);
  expect(Array.from(path, (k) => classes.at(k))).toEqual(["O", "B-X", "I-X", "B-X"]);
  expect([...confidence]).toEqual([1, 1, 1, 1]);
  expect([...spans.probability]).toEqual([1, 1]);
});

/** Sums over all sequences of three tags: those whose reading has the span. */
function enumerated(q: Float64Array, starts: number[], ends: number[]): number[] {
  const sums = starts.map(() => 0);
  const T = q.length / 3;
  for (let code = 0; code < 3 ** T; code++) {
    const z = Array.from({ length: T }, (_, t) => Math.floor(code / 3 ** t) % 3);
    const p = z.reduce((product, c, t) => product * q[t * 3 + c], 1);
    starts.forEach((s, i) => {
      const begins = z[s] === 0 || (z[s] === 1 && (s === 0 || z[s - 1] === 2));
      const goes = z.slice(s + 1, ends[i] + 1).every((c) => c === 1);
      const stops = ends[i] + 1 >= T || z[ends[i] + 1] !== 1;
      if (begins && goes && stops) sums[i] += p;
    });
  }
  return sums;
}

describe("public data", () => {
  // The token accuracy of the repaired tags; that of the votes themselves is below.
  sequenceGates(tokenVote, [0.7416, 0.63, 0.6813, 0.9309, 0.6649]);
  withSet("seq_conll", "token accuracy of the votes .9314, 85 tags repaired", () => {
    const { data } = loadSequences("seq_conll");
    const { posterior, path } = tokenVote(data);
    const K = data.classes.length;
    const vote = Array.from(path, (_, t) => {
      const shares = posterior.subarray(t * K, (t + 1) * K);
      return shares.findIndex((share) => share >= Math.max(...shares) - 1e-12);
    });
    expect(vote.filter((k, t) => k === data.gold[t]).length / vote.length).toBeCloseTo(0.9314, 4);
    expect(vote.filter((k, t) => k !== path[t])).toHaveLength(85);
  });
});
