import { expect, it } from "vitest";
import { createRandom } from "../math/random.ts";
import {
  addSkillDensity,
  clipSkill,
  coinPast,
  estimateSkill,
  liveCoin,
  oddsRatio,
} from "./one-coin.ts";

const K = 3;
const nothing = { right: new Float64Array(0), all: new Float64Array(0) };

it("counts the right labels of a past, and leaves abstentions out", () => {
  // Two workers, three classes, four things to say: 1 to 12 and 13 to 24.
  const history = Float64Array.from({ length: 24 }, (_, at) => at + 1);
  const { right, all } = coinPast(history, 2, K, 4);
  expect([...right]).toEqual([1 + 6 + 11, 13 + 18 + 23]);
  expect([...all]).toEqual([78 - 4 - 8 - 12, 222 - 16 - 20 - 24]);
});

it("divides right labels by all labels, pseudo-labels and past included", () => {
  const past = { right: Float64Array.of(1), all: Float64Array.of(2) };
  const hits = Float64Array.of(9, 0.5, 1.5, 2);
  const prior = { right: 2, wrong: 1 };
  expect(estimateSkill(hits, 1, 4, 6, 0, prior, past, K)).toBe((4 + 2 + 1) / (6 + 3 + 2));
  // A worker who came after the past has none.
  expect(estimateSkill(hits, 1, 4, 6, 1, prior, past, K)).toBe((4 + 2) / (6 + 3));
});

it("takes a worker without labels for a guess, and never quite for perfect", () => {
  const none = { right: 0, wrong: 0 };
  expect(estimateSkill(new Float64Array(1), 0, 1, 0, 0, none, nothing, K)).toBe(1 / K);
  expect(estimateSkill(Float64Array.of(5), 0, 1, 5, 0, none, nothing, K)).toBe(1 - 1e-10);
  expect(clipSkill(0)).toBe(1e-10);
});

it("multiplies the odds by P(label | its class) over P(label | another)", () => {
  for (const skill of [0.2, 0.5, 0.9]) {
    expect(oddsRatio(skill, K)).toBeCloseTo(skill / ((1 - skill) / (K - 1)), 12);
  }
  expect(oddsRatio(0.9, 1)).toBe(1);
});

it("maximises the expected log-likelihood and log density", () => {
  const past = { right: Float64Array.of(1.5), all: Float64Array.of(2) };
  const prior = { right: 2, wrong: 1 };
  const [hits, labels] = [3.7, 6];
  const value = (skill: number) =>
    hits * Math.log(oddsRatio(skill, K)) + addSkillDensity(0, skill, labels, 0, prior, past, K);
  const best = estimateSkill(Float64Array.of(hits), 0, 1, labels, 0, prior, past, K);
  for (const change of [-0.1, -0.001, 0.001, 0.1]) {
    expect(value(best + change)).toBeLessThan(value(best));
  }
  // From the definition: right labels, wrong labels, and pseudo-labels of both kinds.
  const wrong = Math.log((1 - best) / (K - 1));
  const expected = (hits + 2 + 1.5) * Math.log(best) + (labels - hits + 1 + 0.5) * wrong;
  expect(value(best)).toBeCloseTo(expected, 12);
});

it("hears a label as the log of its odds ratio, and an abstention not at all", () => {
  const options = { right: 1, wrong: 1, prior: "uniform" } as const;
  const model = liveCoin(options, { K, L: 4, room: 4, known: {} });
  const random = createRandom(1);
  const statistics = Float64Array.from({ length: 8 }, (_, at) => (at % 2) * 5 + random.next());
  const scores = new Float64Array(K);
  model.hear(statistics, 2, 1, 0.5, scores);
  const skill = (statistics[4] + 1) / (statistics[5] + 2);
  expect([...scores]).toEqual([
    0,
    expect.closeTo(0.5 * Math.log((2 * skill) / (1 - skill)), 12),
    0,
  ]);
  model.hear(statistics, 2, 3, 1, scores);
  expect(scores[1]).toBeCloseTo(0.5 * Math.log((2 * skill) / (1 - skill)), 12);
  expect([model.mass(1, 0.5), model.mass(3, 0.5)]).toEqual([0.5, 0]);
});
