import { describe, expect, it } from "vitest";
import { betaQuantile } from "../../math/incomplete.ts";
import { createRandom } from "../../math/random.ts";
import { judgedAnswers, rightness } from "./judged-answers.ts";
import { skillWindows, windowSkill } from "./windows.ts";

/** Answers of a worker of some skill, judged by others who are right with a known probability. */
function softAnswers(seed: number, n: number, skill: number, belief: number) {
  const random = createRandom(seed).split("soft answers");
  const right = Float64Array.from({ length: n }, () => {
    const [others, own] = [random.next() < belief, random.next() < skill];
    return others === own ? belief : 1 - belief;
  });
  return { right, wrong: right.map((g) => 1 - g) };
}

describe("brute force", () => {
  it.each([
    [0, 1],
    [1, 1],
    [7, 50],
    [43, 50],
    [50, 50],
    [900, 1000],
  ])("known answers: %i of %i right give the Beta distribution", (hits, n) => {
    const answers = judgedAnswers(Array.from({ length: n }, (_, j) => (j < hits ? 1 : 0)));
    const { skill, low, high } = windowSkill(answers, 0, n);
    const [a, b] = [hits + 0.5, n - hits + 0.5];
    expect(skill).toBeCloseTo(a / (a + b), 3);
    expect(low).toBeCloseTo(betaQuantile(0.025, a, b), 3);
    expect(high).toBeCloseTo(betaQuantile(0.975, a, b), 3);
  });

  it("uncertain answers: the posterior by a fine sum over skills", () => {
    const { right, wrong } = softAnswers(1, 30, 0.8, 0.85);
    let [total, mean] = [0, 0];
    for (let i = 0; i < 20_000; i++) {
      const p = Math.sin(((i + 0.5) / 20_000) * (Math.PI / 2)) ** 2;
      const likelihood = right.reduce((all, g, j) => all * (p * g + (1 - p) * wrong[j]), 1);
      total += likelihood;
      mean += likelihood * p;
    }
    expect(windowSkill({ right, wrong }, 0, 30).skill).toBeCloseTo(mean / total, 5);
  });
});

describe("coverage", () => {
  it.each([0.7, 0.8, 0.9])("holds when others are right with probability %f", (belief) => {
    let [covered, counted, mean] = [0, 0, 0];
    for (let seed = 0; seed < 300; seed++) {
      const answers = softAnswers(seed, 50, 0.85, belief);
      const { skill, low, high } = windowSkill(answers, 0, 50);
      if (low <= 0.85 && 0.85 <= high) covered++;
      mean += skill / 300;
      // Counting h with the skill itself, three rounds, and a discount: what the interval would be without the likelihood.
      let h = answers.right;
      for (let round = 0; round < 3; round++) {
        const p = (0.5 + h.reduce((sum, each) => sum + each, 0)) / 51;
        h = h.map((_, j) => rightness(answers, j, p));
      }
      const hits = h.reduce((sum, each) => sum + each, 0);
      const [a, b] = [0.5 + belief * hits, 0.5 + belief * (50 - hits)];
      if (betaQuantile(0.025, a, b) <= 0.85 && 0.85 <= betaQuantile(0.975, a, b)) counted++;
    }
    expect(covered / 300).toBeGreaterThan(0.93);
    expect(mean).toBeGreaterThan(0.8);
    if (belief < 0.85) expect(counted / 300).toBeLessThan(0.8);
  });
});

describe("windows", () => {
  it("are at every tenth answer, and the last one ends with the last answer", () => {
    const ends = (n: number) =>
      skillWindows(judgedAnswers(new Float64Array(n))).map(({ from, to }) => [from, to]);
    expect(ends(0)).toEqual([]);
    expect(ends(1)).toEqual([[0, 1]]);
    expect(ends(70)).toEqual([
      [0, 50],
      [10, 60],
      [20, 70],
    ]);
    expect(ends(53)).toEqual([
      [0, 50],
      [3, 53],
    ]);
  });
});
