import { describe, expect, it } from "vitest";
import { logBeta } from "../../math/gamma.ts";
import { createRandom } from "../../math/random.ts";
import { changePoint } from "./change-point.ts";
import { judgedAnswers } from "./judged-answers.ts";

const found = (answers: ArrayLike<number>) => {
  const point = changePoint(judgedAnswers(answers));
  if (!point) throw new Error("no change point");
  return point;
};

function randomAnswers(seed: number, n: number, skill: (j: number) => number): number[] {
  const random = createRandom(seed).split("change");
  return Array.from({ length: n }, (_, j) => (random.next() < skill(j) ? 1 : 0));
}

/** Bayes factor and posterior of the place from counts of right and wrong answers. */
function byCounts(answers: readonly number[]) {
  const n = answers.length;
  const evidence = (part: readonly number[]) => {
    const right = part.reduce((sum, x) => sum + x, 0);
    return logBeta(1 + right, 1 + part.length - right);
  };
  const terms = Array.from({ length: n - 1 }, (_, t) =>
    Math.exp(
      evidence(answers.slice(0, t + 1)) + evidence(answers.slice(t + 1)) - evidence(answers),
    ),
  );
  const sum = terms.reduce((total, x) => total + x, 0);
  return { logBayes: Math.log(sum / (n - 1)), places: terms.map((x) => x / sum) };
}

describe("brute force", () => {
  it.each([2, 3, 10, 60, 127, 400, 2000])(
    "%i known answers: the formula with Beta functions",
    (n) => {
      const answers = randomAnswers(n, n, (j) => (j < n / 3 ? 0.9 : 0.7));
      const { logBayes, places } = found(answers);
      const exact = byCounts(answers);
      expect(Math.abs(logBayes - exact.logBayes)).toBeLessThan(1e-10);
      places.forEach((p, t) => {
        expect(Math.abs(p - exact.places[t])).toBeLessThan(1e-10);
      });
    },
  );

  it("uncertain answers: the sum over everything that may be right", () => {
    const right = Float64Array.of(0.9, 0.8, 0.65, 0.95, 0.1, 0.3, 0.85, 0.05, 0.2);
    const wrong = right.map((g) => (1 - g) / 2);
    const n = right.length;
    const evidence = (from: number, to: number) => {
      let sum = 0;
      for (let code = 0; code < 2 ** (to - from); code++) {
        let [weight, hits] = [1, 0];
        for (let j = from; j < to; j++) {
          const hit = (code >> (j - from)) & 1;
          weight *= hit ? right[j] : wrong[j];
          hits += hit;
        }
        sum += weight * Math.exp(logBeta(1 + hits, 1 + to - from - hits));
      }
      return sum;
    };
    let mean = 0;
    for (let t = 1; t < n; t++) mean += (evidence(0, t) * evidence(t, n)) / (n - 1);
    const point = changePoint({ right, wrong });
    expect(point?.logBayes).toBeCloseTo(Math.log(mean / evidence(0, n)), 10);
    const fourth = (evidence(0, 4) * evidence(4, n)) / (mean * (n - 1));
    expect(point?.places[3]).toBeCloseTo(fourth, 10);
  });
});

describe("limits", () => {
  it("one answer cannot change", () => {
    expect(changePoint(judgedAnswers([1]))).toBeUndefined();
    expect(changePoint(judgedAnswers([]))).toBeUndefined();
  });

  it.each([0, 1])("answers that are all %i speak against a change", (each) => {
    const { logBayes, places } = found(new Float64Array(500).fill(each));
    expect(logBayes).toBeLessThan(-1);
    expect(places.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 10);
  });

  it("a clear change is placed where it is", () => {
    const { logBayes, at, low, high } = found([...new Array(60).fill(1), ...new Array(60).fill(0)]);
    expect(at).toBe(60);
    expect([low, high]).toEqual([60, 60]);
    expect(logBayes).toBeGreaterThan(60);
  });

  it("answers that say nothing leave the Bayes factor at 1", () => {
    const nothing = new Float64Array(50).fill(0.5);
    expect(changePoint({ right: nothing, wrong: nothing })?.logBayes).toBeCloseTo(0, 10);
  });
});

describe("error rates, 200 runs of 300 answers", () => {
  const flagged = (skill: (j: number) => number) => {
    let count = 0;
    for (let run = 0; run < 200; run++)
      if (found(randomAnswers(run, 300, skill)).logBayes > 3) count++;
    return count / 200;
  };

  it("constant skill: .005 are flagged", () => {
    expect(flagged(() => 0.85)).toBeLessThanOrEqual(0.02);
  });

  it("log-odds 2, then .3: .995 are flagged", () => {
    expect(flagged((j) => 1 / (1 + Math.exp(j < 150 ? -2 : -0.3)))).toBeGreaterThanOrEqual(0.975);
  });

  it("the mean of the Bayes factor is 1 if the skill is constant, drawn from the prior", () => {
    let sum = 0;
    for (let run = 0; run < 4000; run++) {
      const skill = createRandom(run).split("skill").next();
      sum += Math.exp(found(randomAnswers(run, 12, () => skill)).logBayes);
    }
    expect(sum / 4000).toBeCloseTo(1, 1);
  });

  it("intervals of the place hold it, and the median is near", () => {
    let [held, near] = [0, 0];
    for (let run = 0; run < 200; run++) {
      const { at, low, high } = found(randomAnswers(run, 120, (j) => (j < 60 ? 0.9 : 0.4)));
      if (low <= 60 && 60 <= high) held++;
      if (Math.abs(at - 60) <= 10) near++;
    }
    expect(held / 200).toBeGreaterThan(0.93);
    expect(near / 200).toBeGreaterThan(0.9);
  });
});
