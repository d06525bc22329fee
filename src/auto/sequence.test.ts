import { expect, it } from "vitest";
import { loadSequences, withSet } from "../../test/datasets.ts";
import { randomTags } from "../../test/random-answers.ts";
import { sequenceLaws } from "../../test/sequence-checks.ts";
import { bscSeq } from "../aggregate/sequence/bsc-seq.ts";
import { hmmCrowd } from "../aggregate/sequence/hmm-crowd.ts";
import type { SequenceData } from "../data/sequence.ts";
import { evaluateTags } from "../evaluate/sequence.ts";
import { scenarios } from "../public/simulate.ts";
import { sequenceAuto } from "./sequence.ts";

sequenceLaws(sequenceAuto);

it("hides all that a worker said of a task together", () => {
  const { portfolio, notes } = sequenceAuto(randomTags(2, { tasks: 20 }));
  expect(portfolio.map(({ method }) => method)).toEqual(["token-vote", "hmm-crowd", "bsc-seq"]);
  expect(notes[0]).toMatch(/^Chosen: /);
});

/** Mean confidence, share right, and minus the mean log of the probability of gold. */
function calibration(
  { path, confidence, posterior }: ReturnType<typeof sequenceAuto>,
  { gold, classes }: SequenceData,
) {
  const scored = [...gold.keys()].filter((t) => gold[t] >= 0);
  const mean = (of: (t: number) => number) =>
    scored.reduce((sum, t) => sum + of(t), 0) / scored.length;
  return {
    said: mean((t) => confidence[t]),
    right: mean((t) => Number(path[t] === gold[t])),
    loss: mean((t) => -Math.log(Math.max(1e-10, posterior[t * classes.length + gold[t]]))),
  };
}

it("is nearly calibrated where workers err in whole spans, and keeps the answers", () => {
  for (const seed of [1, 2, 3, 4]) {
    const { data } = scenarios.taggers({ seed });
    const result = sequenceAuto(data);
    const chosen = result.portfolio.find(({ weight }) => weight === 1)?.method;
    const plain = chosen === "bsc-seq" ? bscSeq(data) : hmmCrowd(data);
    expect(result.path).toEqual(plain.path);
    const [own, without] = [
      calibration(result, data),
      calibration({ ...plain, portfolio: [] }, data),
    ];
    expect(without.said - without.right).toBeGreaterThan(0.02);
    expect(Math.abs(own.said - own.right)).toBeLessThan(0.025);
    expect(own.loss).toBeLessThan(0.9 * without.loss);
    expect(result.notes.join()).toContain("Probabilities are at a temperature of");
  }
});

withSet("seq_conll", "takes BSC-seq, less sure of it", () => {
  const { data } = loadSequences("seq_conll");
  const result = sequenceAuto(data);
  expect(evaluateTags({ ...result, gold: data.gold }).f1.value).toBeGreaterThan(0.74);
  expect(calibration(result, data).loss).toBeLessThan(0.36);
});
