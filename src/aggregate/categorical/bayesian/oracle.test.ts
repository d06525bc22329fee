import { describe, expect, it } from "vitest";
import { enumerate } from "../../../../test/enumerate.ts";
import { drawCrowd, randomCrowd } from "../../../../test/random-crowd.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { createRandom } from "../../../math/random.ts";
import { majorityVote } from "../votes/majority-vote.ts";
import { oracle } from "./oracle.ts";

describe("brute force", () => {
  it("is Bayes' rule", () => {
    const { data, confusion } = drawCrowd(3, {
      tasks: 6,
      workers: 3,
      classes: 3,
      rate: 0.6,
      skill: [0.4, 0.9],
    });
    const prior = Float64Array.of(0.5, 0.3, 0.2);
    const fit = oracle(data, {}, { confusion, prior });
    const exact = enumerate(data, prior, confusion);
    expect(fit.trace[0]).toBeCloseTo(exact.logLikelihood, 9);
    expect([...fit.posterior]).toEqual(exact.posterior.map((p) => expect.closeTo(p, 10)));
  });
});

describe("published numbers", () => {
  // Alike workers of accuracy .7 and equal priors: the oracle is the majority, and its error binomial.
  const exact = { 5: 0.16308, 11: 0.0782248, 21: 0.0263899 };
  it.each(Object.entries(exact))("errs with %s workers as the binomial says", (workers, error) => {
    const W = Number(workers);
    const tasks = 20_000;
    const random = createRandom(W).split("coin");
    const rows = Array.from({ length: tasks * W }, (_, i) => ({
      task: String(Math.floor(i / W)),
      worker: String(i % W),
      label: random.next() < 0.7 ? "a" : "b",
    }));
    // By symmetry every task may be of class a.
    const data = fromRows(rows);
    const confusion = new Float64Array(W * 4).map((_, at) =>
      at % 4 === 0 || at % 4 === 3 ? 0.7 : 0.3,
    );
    const { consensus } = oracle(data, {}, { confusion });
    const wrong = consensus.filter((k) => k !== 0).length / tasks;
    const deviation = Math.sqrt((error * (1 - error)) / tasks);
    expect(Math.abs(wrong - error)).toBeLessThan(3 * deviation);
  });
});

describe("invariants", () => {
  it("is never worse than the vote by more than chance", () => {
    const { data, confusion } = drawCrowd(5, {
      tasks: 3000,
      workers: 9,
      classes: 3,
      rate: 0.5,
      skill: [0.3, 0.9],
    });
    const right = (consensus: Int32Array) => consensus.filter((k, t) => k === data.gold[t]).length;
    expect(right(oracle(data, {}, { confusion }).consensus)).toBeGreaterThan(
      right(majorityVote(data).consensus),
    );
  });
});

describe("limits", () => {
  it("says what it needs", () => {
    expect(() => oracle(randomCrowd(1))).toThrow("oracle needs known.confusion");
  });
});
