import { describe, expect, it } from "vitest";
import { createRandom } from "../../math/random.ts";
import { onlineChange } from "./online-change.ts";

describe("brute force", () => {
  it("four right and four wrong answers, hazard .1", () => {
    const detector = onlineChange({ hazard: 0.1 });
    for (const answer of [1, 1, 1, 1, 0, 0, 0, 0]) detector.push(answer);
    const expected = [
      0.1, 0.068335, 0.073116, 0.119725, 0.399601, 0.078997, 0.028243, 0.014665, 0.117318,
    ];
    const runs = detector.runLengths();
    expect(runs.size).toBe(9);
    expected.forEach((p, l) => {
      expect(runs.get(l)).toBeCloseTo(p, 6);
    });
  });

  it("is the sum over all sets of changes", () => {
    const answers = [1, 0, 1, 1, 0, 1, 0];
    const n = answers.length;
    const hazard = 0.2;
    const exact = new Array<number>(n + 1).fill(0);
    for (let code = 0; code < 2 ** n; code++) {
      let [p, hits, length] = [1, 0, 0];
      for (let j = 0; j < n; j++) {
        const hit = (1 + hits) / (2 + length);
        p *= answers[j] === 1 ? hit : 1 - hit;
        [hits, length] = [hits + answers[j], length + 1];
        const changes = (code >> j) & 1;
        p *= changes ? hazard : 1 - hazard;
        if (changes) [hits, length] = [0, 0];
      }
      exact[length] += p;
    }
    const total = exact.reduce((sum, p) => sum + p, 0);
    const detector = onlineChange({ hazard });
    for (const answer of answers) detector.push(answer);
    const runs = detector.runLengths();
    exact.forEach((p, l) => {
      expect(runs.get(l)).toBeCloseTo(p / total, 10);
    });
  });
});

describe("error rates, 400 answers", () => {
  /** The first alarm of each of 200 workers. */
  const alarms = (skill: (j: number) => number) =>
    Array.from({ length: 200 }, (_, run) => {
      const random = createRandom(run).split("online");
      const detector = onlineChange();
      for (let j = 0; j < 400; j++) {
        if (detector.push(random.next() < skill(j) ? 1 : 0).alarm) return j;
      }
      return -1;
    });

  it("constant skill .85: an alarm in .03 of all", () => {
    const rate = alarms(() => 0.85).filter((at) => at >= 0).length / 200;
    expect(Math.abs(rate - 0.03)).toBeLessThan(0.036);
  });

  it("from .85 to .60 after 200: found in .97", () => {
    const rate = alarms((j) => (j < 200 ? 0.85 : 0.6)).filter((at) => at >= 200).length / 200;
    expect(Math.abs(rate - 0.97)).toBeLessThan(0.036);
  });
});

describe("limits", () => {
  it("no alarm before twenty answers, nor for answers that are all alike", () => {
    const early = onlineChange();
    for (let j = 0; j < 19; j++) expect(early.push(j < 10 ? 1 : 0).alarm).toBe(false);
    for (const answer of [0, 1]) {
      const detector = onlineChange();
      for (let j = 0; j < 600; j++) expect(detector.push(answer).alarm).toBe(false);
    }
  });

  it("follows the skill and the run length after a clear change", () => {
    const detector = onlineChange();
    let state = detector.push(1);
    for (let j = 1; j < 100; j++) state = detector.push(1);
    expect(state).toMatchObject({ alarm: false, runLength: 100, answers: 100 });
    for (let j = 0; j < 30; j++) state = detector.push(0);
    expect(state).toMatchObject({ alarm: true, runLength: 30, answers: 130 });
    expect(state.skill).toBeLessThan(0.05);
  });

  it("takes probabilities, and refuses what is none", () => {
    const detector = onlineChange();
    const { skill } = detector.push(0.5);
    expect(skill).toBeCloseTo(0.5, 10);
    expect(() => detector.push(Number.NaN)).toThrow("an answer is 1 (right), 0 (wrong)");
    expect(() => detector.push(2)).toThrow("not 2");
    expect(() => onlineChange({ hazard: 0 })).toThrow("onlineChange: hazard must be at least");
  });
});
