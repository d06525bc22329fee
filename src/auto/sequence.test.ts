import { expect, it } from "vitest";
import { loadSequences, withSet } from "../../test/datasets.ts";
import { randomTags } from "../../test/random-answers.ts";
import { sequenceLaws } from "../../test/sequence-checks.ts";
import { evaluateTags } from "../evaluate/sequence.ts";
import { sequenceAuto } from "./sequence.ts";

sequenceLaws(sequenceAuto);

it("hides all that a worker said of a task together", () => {
  const { portfolio, notes } = sequenceAuto(randomTags(2, { tasks: 20 }));
  expect(portfolio.map(({ method }) => method)).toEqual(["token-vote", "hmm-crowd", "bsc-seq"]);
  expect(notes[0]).toMatch(/^Chosen: /);
});

withSet("seq_conll", "takes BSC-seq", () => {
  const { data } = loadSequences("seq_conll");
  const result = sequenceAuto(data);
  expect(evaluateTags({ ...result, gold: data.gold }).f1.value).toBeGreaterThan(0.74);
});
