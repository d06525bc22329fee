import { describe, expect, it } from "vitest";
import { crowdOf } from "../../test/exact-copies-crowd.ts";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { auto } from "../auto/auto.ts";
import { fromRows } from "../data/from-rows.ts";
import { toPlain } from "../data/plain.ts";
import { agreement } from "./agreement.ts";
import { explain } from "./explain.ts";
import { diagnose, diagnoseSteps } from "./index.ts";
import { skillIntervals } from "./skill-intervals.ts";
import { scoreWorkers } from "./worker-scores.ts";

const data = randomCrowd(1);
const result = dawidSkene(data);

describe("diagnose", () => {
  it("gathers what its parts find", () => {
    const found = diagnose(data, result, { seed: 3 });
    expect(found.method).toBe("dawid-skene");
    expect(found.agreement).toEqual(agreement(data, { seed: 3 }));
    expect(found.workers).toEqual(scoreWorkers(data, result, { seed: 3 }));
    expect(found.identifiability.checks.length).toBe(8);
    expect(found.boxPlots.labels.workers).toBe(8);
    expect("skillIntervals" in found || "explanations" in found).toBe(false);
  });

  it("passes on intervals, and explains the tasks asked for", () => {
    const intervals = skillIntervals(data, result);
    const found = diagnose(data, result, { skillIntervals: intervals, explain: [2, 0] });
    expect(found.skillIntervals).toBe(intervals);
    expect(found.explanations).toEqual([explain(data, result, 2), explain(data, result, 0)]);
  });

  it("is plain data, says what it is doing, and leaves its input alone", () => {
    const before = structuredClone(toPlain(data));
    const stages = [...diagnoseSteps(data, result)].map(({ stage }) => stage);
    expect(stages).not.toContain(undefined);
    expect([...new Set(stages)]).toEqual([
      "measuring shared errors",
      "comparing pairs of workers",
      "looking for groups",
      "counting independent workers",
      "measuring agreement",
      "scoring workers",
      "checking identifiability",
      "judging how sure the scores are",
    ]);
    const found = diagnose(data, result);
    expect(structuredClone(found)).toEqual(found);
    expect(JSON.stringify(found)).not.toContain("null");
    expect(toPlain(data)).toEqual(before);
  });

  it.each([
    ["use with care", auto],
    ["do not trust yet", dawidSkene],
  ])("finds copies, and suspects nobody else: %s", (level, method) => {
    const crowd = crowdOf({ skills: [0.8, 0.8, 0.8, 0.8, 0.25], copied: [4, 5] });
    const { copies, excess, effective, verdict } = diagnose(crowd, method(crowd));
    expect(copies).toEqual([{ workers: [4, 5, 6, 7, 8, 9] }]);
    expect(excess.groups).toEqual([]);
    expect(effective.workers).toBe(5);
    expect(effective.crowd).toBeGreaterThan(3.5);
    expect(verdict.level).toBe(level);
    const reason = "6 workers with 60 % of the labels are copies of one another, in 1 group";
    expect(verdict.reasons.filter((each) => each.startsWith(reason))).toHaveLength(1);
  });

  it("copes with no labels", () => {
    const none = fromRows([]);
    expect(diagnose(none, dawidSkene(none)).workers).toEqual([]);
  });
});
