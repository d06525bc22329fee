import { describe, expect, it } from "vitest";
import { asNumbers, expectConfusions } from "../../test/simulations.ts";
import { type Features, fromMatrix } from "../data/features.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import { gaussFeatures } from "./features.ts";
import { labelScenarios } from "./index.ts";
import { maxMigCrowd } from "./max-mig.ts";
import { oneCoinCrowd } from "./one-coin.ts";
import { regularCrowd } from "./regular.ts";
import { readAll } from "./rows.ts";
import { twoCoinCrowd } from "./two-coin.ts";

describe.each(labelScenarios.map((scenario) => [scenario.id, scenario] as const))(
  "%s",
  (id, scenario) => {
    it("labels tasks to test on by the same workers, and the others as before", () => {
      const alone = scenario({ tasks: 80, seed: 2 });
      const both = scenario({ tasks: 80, testTasks: 45, seed: 2 });
      const { test, parameters: _, ...train } = both;
      const { parameters: __, ...same } = alone;
      expect(asNumbers(train)).toEqual(asNumbers(same));
      expect([...(test?.data.tasks ?? [])].slice(0, 2)).toEqual(["test0", "test1"]);
      expect(test?.data.tasks.length).toBe(45);
      expect([...(test?.data.workers ?? [])]).toEqual([...alone.data.workers]);
      expect(test?.data.gold.every((k) => k >= 0)).toBe(true);
      expect(test?.data.label.length).toBeGreaterThan(0);
      expect(Math.max(...(test?.data.task ?? []))).toBeLessThan(45);
      expect([...(test?.features?.tasks ?? [])]).toEqual([
        ...((alone.features && test?.data.tasks) ?? []),
      ]);
    });

    it("labels tasks that are given", () => {
      const K = scenario({ tasks: 60 }).data.classes.length;
      const classes = Array.from({ length: K }, (_, k) => `class ${k}`);
      const truth = Int32Array.from({ length: 3000 }, (_, t) => (t % 7) % K);
      const features = gaussFeatures(truth, K, { dimensions: 12 }, createRandom(1));
      const test = { truth: truth.slice(0, 40), features: head(features, 40) };
      const crowd = scenario({ seed: 5 }, { truth, classes, features, test });
      expect(crowd.data.gold).toEqual(truth);
      expect([...crowd.data.classes]).toEqual(classes);
      expect([...crowd.data.tasks]).toEqual([...features.tasks]);
      expect(crowd.prior[0]).toBeCloseTo(truth.filter((k) => k === 0).length / 3000, 12);
      expect(crowd.parameters).toMatchObject({ tasks: 3000, testTasks: 40 });
      expect(crowd.features && readAll(crowd.features)).toEqual(readAll(features));
      expect(crowd.test?.data.gold).toEqual(test.truth);
      expect(crowd.test?.features && readAll(crowd.test.features)).toEqual(readAll(test.features));
      if (crowd.confusion) expectConfusions(crowd);
      expect(crowd.data.label.every((l) => l < K)).toBe(true);
    });

    it("refuses given tasks of more classes than it knows", () => {
      const classes = Array.from({ length: 11 }, (_, k) => `class ${k}`);
      const truth = Int32Array.from({ length: 60 }, (_, t) => t % 11);
      if ("classes" in scenario.options) {
        expect([...scenario({}, { truth, classes }).data.classes]).toEqual(classes);
        expect(() => scenario({ classes: 5 }, { truth, classes })).toThrow(
          `${id}: classes is 11 with the given tasks, not 5. Leave the option out.`,
        );
      } else {
        expect(() => scenario({}, { truth, classes })).toThrow(
          /the given tasks have 11 classes, but this crowd needs (2|4)\.$/,
        );
      }
    });
  },
);

describe("given tasks", () => {
  const truth = Int32Array.of(0, 1, 1, 0, 1, 1, 0, 0);

  it("give the same labels as a crowd's own tasks of the same classes", () => {
    const own = oneCoinCrowd({ tasks: 200, seed: 4 });
    const { data } = oneCoinCrowd({ seed: 4 }, { truth: own.data.gold });
    expect(data).toEqual(own.data);
  });

  it("let the max-mig crowd label ten classes of any name", () => {
    const digits = Int32Array.from({ length: 500 }, (_, t) => t % 10);
    const classes = Array.from({ length: 10 }, (_, k) => String(k));
    const options = { table: "cifar10", juniors: "naive-majority" } as const;
    const { data, roles } = maxMigCrowd(options, { truth: digits, classes });
    expect([...data.classes]).toEqual(classes);
    expect(roles.at(-1)).toBe("always 0");
    expect(() => maxMigCrowd({}, { truth: digits, classes })).toThrow(
      "max-mig: the given tasks have 10 classes, but this crowd needs 2.",
    );
  });

  it("need not have all classes, where the classes are not named", () => {
    expect(twoCoinCrowd({}, { truth: new Int32Array(40) }).prior).toEqual(Float64Array.of(1, 0));
    const two = { truth: new Int32Array(40), classes: ["a"] };
    expect(() => twoCoinCrowd({}, two)).toThrow(/have 1 class, but this crowd needs 2/);
    expect(oneCoinCrowd({ classes: 4 }, { truth }).data.classes.length).toBe(4);
  });

  it("keep a regular crowd regular; those to test on need not be", () => {
    const { data, test } = regularCrowd({ tasks: 400, testTasks: 7, spammers: 1 });
    const counts = new Int32Array(data.workers.length);
    for (const w of data.worker) counts[w]++;
    expect(new Set(counts.slice(0, 300))).toEqual(new Set([4]));
    expect(counts[300]).toBe(400);
    expect(test?.data.label.length).toBe(7 * 4);
    const even = regularCrowd({ tasks: 400, testTasks: 400 }).test;
    const tested = new Int32Array(300);
    for (const w of even?.data.worker ?? []) tested[w]++;
    expect(new Set(tested)).toEqual(new Set([4]));
  });

  it("are refused where their parts do not belong together", () => {
    const label = (given: Parameters<typeof oneCoinCrowd>[1]) => () => oneCoinCrowd({}, given);
    const row = (n: number, d = 1) =>
      fromMatrix(Array.from({ length: n }, String), [d], new Float32Array(n * d));
    expect(label({ truth: new Int32Array() })).toThrow("one-coin: there are no tasks among");
    expect(label({ truth: Int32Array.of(0, -1) })).toThrow("the given task 1 is of class -1");
    expect(label({ truth, classes: ["a"] })).toThrow("the given task 1 is of class 1");
    expect(label({ truth, tasks: ["a"] })).toThrow("there are 8 given tasks, but 1 names");
    expect(label({ truth, features: row(9) })).toThrow("8 given tasks, but 9 rows of features");
    expect(label({ truth, test: { truth }, features: row(8) })).toThrow(/of a part of the tasks/);
    expect(label({ truth, features: row(8), test: { truth, features: row(8, 2) } })).toThrow(
      "a task has 1 features, but one to test on has 2.",
    );
    expect(() => oneCoinCrowd({ tasks: 9 }, { truth })).toThrow(
      "one-coin: tasks is 8 with the given tasks, not 9. Leave the option out.",
    );
  });
});

function head(features: Features, n: number): Features {
  return { ...features, tasks: namesOf([...features.tasks].slice(0, n)) };
}
