import { describe, expect, it } from "vitest";
import {
  fixture,
  multiLabelGates,
  multiLabelLaws,
  near,
} from "../../../test/multi-label-checks.ts";
import { fromRows } from "../../data/from-rows.ts";
import { setVote } from "./set-vote.ts";

describe("laws", () => multiLabelLaws(setVote));

it("votes on the fixture, with ties in", () => {
  const { posterior, chosen, setProbability, overlap } = setVote(fixture);
  expect([...posterior]).toEqual(near([2 / 3, 1 / 3, 1 / 3, 0, 0, 1, 1, 0, 0]));
  expect([...chosen]).toEqual([1, 0, 0, 0, 0, 1, 1, 0, 0]);
  expect([...setProbability]).toEqual(near([(2 / 3) ** 3, 1, 1]));
  // Worker 0 has both sets, worker 1 shares one of two labels on task 0, worker 2 none there.
  expect([...overlap]).toEqual(near([1, 0.75, 0.5]));
  const tied = fromRows(
    [
      { task: "a", worker: "u", label: ["x"] },
      { task: "a", worker: "v", label: ["y"] },
    ],
    { kind: "multi-label" },
  );
  expect([...setVote(tied).chosen]).toEqual([1, 1]);
});

describe("public data", () => {
  multiLabelGates(
    "vote",
    (data) => setVote(data).chosen,
    [0.7022, 0.295, 0.4155, 0.526],
    [0.6177, 0.6091, 0.5231],
  );
});
