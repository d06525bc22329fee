import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import {
  confusionCsv,
  posteriorCsv,
  reviewCsv,
  reviewTasks,
  truthCsv,
  workersCsv,
} from "./csv-files.ts";

const data = randomCrowd(1);
const result = dawidSkene(data);
const table = (pieces: Iterable<string | Uint8Array>) =>
  Array.from(pieces, (piece) =>
    typeof piece === "string" ? piece : new TextDecoder().decode(piece),
  )
    .join("")
    .trimEnd()
    .split("\n")
    .map((row) => row.split(","));

describe("answers", () => {
  it("are one row per task, with the probability of the answer", () => {
    const [header, ...rows] = table(truthCsv(result));
    expect(header).toEqual(["task", "label", "confidence"]);
    expect(rows).toHaveLength(40);
    rows.forEach(([task, label, confidence], t) => {
      expect(task).toBe(data.tasks.at(t));
      expect(label).toBe(data.classes.at(result.consensus[t]));
      expect(Number(confidence)).toBeCloseTo(result.posterior[t * 3 + result.consensus[t]], 6);
    });
  });

  it("are empty where ties have no winner, with the probability of the tied", () => {
    const tied = fromRows(["x", "y"].map((label) => ({ task: "t", worker: label, label })));
    expect(table(truthCsv(majorityVote(tied, { ties: "abstain" })))[1]).toEqual(["t", "", "0.5"]);
  });

  it("come with all probabilities, small ones too", () => {
    const tiny = {
      ...result,
      posterior: result.posterior.map((p, at) => (at === 0 ? 1.23456e-7 : p)),
    };
    const [header, first] = table(posteriorCsv(tiny));
    expect(header).toEqual(["task", "c0", "c1", "c2"]);
    expect(Number(first[1])).toBeCloseTo(1.23456e-7, 9);
    expect(Number(first[2])).toBeCloseTo(result.posterior[1], 6);
  });
});

describe("probabilities as bytes", () => {
  it("read back as what they were, to seven decimals, ten for small ones", () => {
    const values = [
      0, 1, 0.5, 0.1234567891, 0.9999999999, 0.001, 0.00099999, 1e-7, 1.5e-10, 4e-11, 0.3, 0.0625,
    ];
    const many = {
      ...result,
      tasks: namesOf(values.map((_, t) => `ä${t}`)),
      classes: namesOf(["p"]),
      posterior: Float64Array.from(values),
    };
    const [, ...rows] = table(posteriorCsv(many));
    rows.forEach(([task, text], t) => {
      expect(task).toBe(`ä${t}`);
      expect(Math.abs(Number(text) - values[t])).toBeLessThanOrEqual(
        values[t] >= 1e-3 ? 5.1e-8 : 5.1e-11,
      );
    });
    expect(rows.map(([, text]) => text).slice(0, 3)).toEqual(["0", "1", "0.5"]);
  });

  it("come whole through any number of pieces", () => {
    const tasks = Array.from({ length: 20_000 }, (_, t) => `task number ${t}`);
    const long = {
      ...result,
      tasks: namesOf(tasks),
      posterior: new Float64Array(60_000).map((_, i) => (i % 1000) / 1000),
    };
    const [, ...rows] = table(posteriorCsv(long));
    expect(rows).toHaveLength(20_000);
    expect(rows[12_345]).toEqual(["task number 12345", "0.035", "0.036", "0.037"]);
  });
});

describe("tasks worth another look", () => {
  it("are those below .9, least certain first", () => {
    const tasks = reviewTasks(result);
    const sure = (t: number) => Math.max(...result.posterior.subarray(t * 3, t * 3 + 3));
    const expected = [...[...data.tasks].keys()]
      .filter((t) => sure(t) < 0.9)
      .sort((a, b) => sure(a) - sure(b));
    expect(tasks).toEqual(expected);
    expect(reviewTasks(result, 2)).toEqual(expected.slice(0, 2));
    const [header, ...rows] = table(reviewCsv(data, result, tasks.slice(0, 3)));
    expect(header.slice(0, 4)).toEqual(["task", "label", "confidence", "runner_up"]);
    expect(rows.map(([task]) => task)).toEqual(expected.slice(0, 3).map((t) => data.tasks.at(t)));
  });
});

describe("workers", () => {
  it("have their skill, interval and flags, under other names where wanted", () => {
    const intervals = {
      low: result.skill.map((s) => s / 2),
      high: result.skill.map(() => 1),
      deviation: result.skill,
    };
    const [header, first] = table(
      workersCsv(
        result,
        intervals,
        [{ informativenessCorrected: 0.25, flags: ["spammer", "one-class"] }],
        namesOf(["anonymous"]),
      ),
    );
    expect(header.join()).toBe(
      "worker,labels,skill,skill_low,skill_high,informativeness,standing,flags",
    );
    expect(first[0]).toBe("anonymous");
    expect(Number(first[2])).toBeCloseTo(result.skill[0], 6);
    expect(first.slice(4)).toEqual(["1", "0.25", "guessing", "spammer one-class"]);
    expect(table(workersCsv(result, undefined, []))[1].slice(3)).toEqual(["", "", "", "", ""]);
  });

  it("come worst first: flagged for cause, then by the upper end of the interval", () => {
    const high = result.skill.map((_, w) => 1 - w / 20);
    const flags = ["adversary", "few-labels", "spammer"];
    const scores = Array.from(result.skill, (_, w) => ({ flags: w < 3 ? [flags[w]] : [] }));
    const [, ...rows] = table(workersCsv(result, { low: high, high, deviation: high }, scores));
    expect(rows.map(([name]) => name)).toEqual(["w0", "w2", "w7", "w6", "w5", "w4", "w3", "w1"]);
  });

  it("have their confusions row by row", () => {
    const rows = table(confusionCsv(result));
    expect(rows).toHaveLength(1 + 8 * 9);
    expect(rows[2].slice(0, 3)).toEqual(["w0", "c0", "c1"]);
    expect(Number(rows[2][3])).toBeCloseTo(result.confusion[1], 6);
    expect(table(confusionCsv(majorityVote(data)))).toHaveLength(1);
  });
});
