import { describe, expect, it } from "vitest";
import { randomComparisons, randomNumbers } from "../test/random-answers.ts";
import { randomCrowd } from "../test/random-crowd.ts";
import { dawidSkene } from "./aggregate/categorical/em/dawid-skene.ts";
import { auto } from "./auto/auto.ts";
import { type ComparisonRow, fromRows, type LabelRow } from "./data/from-rows.ts";
import { CrowdError } from "./error.ts";
import { aggregate, answers, methods, workers } from "./library.ts";

describe("aggregate", () => {
  const data = randomCrowd(1);

  it("runs auto, or the method that is named, with its options and what is known", () => {
    expect(aggregate(data)).toEqual(auto(data));
    const gold = data.gold.map((k, t) => (t < 5 ? k : -1));
    expect(
      aggregate(data, { method: "dawid-skene", options: { smoothing: 0.1 }, known: { gold } }),
    ).toEqual(dawidSkene(data, { smoothing: 0.1 }, { gold }));
  });

  it("knows the method of each kind", () => {
    expect(aggregate(randomNumbers(1)).method).toBe("auto");
    expect(aggregate(randomNumbers(1), { method: "median" }).method).toBe("median");
    expect(aggregate(randomComparisons(1)).method).toBe("auto");
  });

  it("refuses rows, nothing, and methods of other kinds, in words", () => {
    const rows = [{ task: "a", worker: "b", label: "c" }];
    expect(() => aggregate(rows as never)).toThrow(
      "aggregate takes data, but got a list. Make data of rows first: aggregate(fromRows(rows)).",
    );
    expect(() => aggregate(undefined as never)).toThrow("aggregate takes data");
    expect(() => aggregate({ rows } as never)).toThrow("an object with the keys rows");
    expect(() => aggregate(data, { method: "mean" as never })).toThrow(
      'mean takes numeric answers, but these are categorical. If they are numeric, use kind: "numeric".',
    );
    expect(() => aggregate(data, { method: "david-skene" as never })).toThrow(
      "Did you mean dawid-skene?",
    );
  });
});

describe("answers and workers", () => {
  it("are rows by name", () => {
    const data = randomCrowd(2);
    const result = aggregate(data, { method: "dawid-skene" });
    const K = data.classes.length;
    const rows = [...answers(data, result)];
    expect(rows.map(({ task }) => task)).toEqual([...data.tasks]);
    rows.forEach(({ label, confidence }, t) => {
      expect(label).toBe(data.classes.at(result.consensus[t]));
      expect(confidence).toBeCloseTo(result.posterior[t * K + result.consensus[t]], 6);
    });
    const all = [...workers(data, result)];
    expect(all.map(({ worker }) => worker)).toEqual([...data.workers]);
    for (const { skill, low, high } of all) {
      if (low !== null && high !== null) expect(low <= skill && skill <= high).toBe(true);
    }
  });

  it("of numbers and comparisons too", () => {
    const numbers = randomNumbers(1);
    const [first] = answers(numbers, aggregate(numbers));
    expect(first).toMatchObject({ task: "t0", value: expect.any(Number), low: expect.any(Number) });
    expect([...workers(numbers, aggregate(numbers))][0]).toMatchObject({ answers: 20 });
    const pairs = randomComparisons(1);
    const ranked = [...answers(pairs, aggregate(pairs))];
    expect(ranked.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6]);
    expect([...workers(pairs, aggregate(pairs))]).toHaveLength(5);
  });

  it("refuse a result of other data", () => {
    const [a, b] = [randomCrowd(1), randomCrowd(1, { workers: 3 })];
    expect(() => answers(b, aggregate(a, { method: "majority-vote" }))).toThrow(CrowdError);
  });
});

it("methods are there by id", () => {
  for (const [id, method] of Object.entries(methods)) expect(method.id).toBe(id);
  expect(methods["dawid-skene"]).toBe(dawidSkene);
});

describe("fromRows", () => {
  it("takes numbers and booleans for names", () => {
    const data = fromRows([
      { task: 1, worker: 7, label: true },
      { task: 2, worker: 7, label: false },
    ]);
    expect([data.tasks, data.workers, data.classes].map((names) => [...names])).toEqual([
      ["1", "2"],
      ["7"],
      ["false", "true"],
    ]);
  });

  it.each([
    [[{ task: "a", worker: "b" }], 'Row 1: "label" is missing. Its keys: task, worker.'],
    [
      [{ task: "a", worker: "b", label: "c", wieght: 2 }],
      'Row 1: the key "wieght" is not known. Its keys: task, worker, label, wieght.',
    ],
    [[["a", "b", "c"]], "Row 1 is a list. A row has the keys task, worker, label"],
    [[{ task: "a", worker: {}, label: "c" }], 'Row 1: "worker" should be text or a number'],
    [
      [{ task: "a", worker: "b", label: "c", weight: "2" }],
      'Row 1: "weight" should be a finite number, but is "2".',
    ],
    [{ task: ["a"] }, "fromRows takes a list of rows, but got an object."],
    [undefined, "fromRows takes a list of rows, but got undefined."],
  ])("refuses %j", (rows, message) => {
    expect(() => fromRows(rows as unknown as LabelRow[])).toThrow(message);
  });

  it("says which row and field of other kinds is wrong", () => {
    expect(() =>
      fromRows([{ task: "a", worker: "b", value: Number.NaN }], { kind: "numeric" }),
    ).toThrow('Row 1: "value" should be a finite number, but is NaN.');
    expect(() =>
      fromRows([{ worker: "b", left: "x", right: "y" } as unknown as ComparisonRow], {
        kind: "pairwise",
      }),
    ).toThrow('Row 1: "label" is missing. Its keys: worker, left, right.');
  });
});
