import { describe, expect, it } from "vitest";
import type { CategoricalData } from "../../data/categorical.ts";
import { fromRows } from "../../data/from-rows.ts";
import { namesOf } from "../../data/names.ts";
import { createRandom } from "../../math/random.ts";
import { type RelativeGap, workerFairness } from "./worker-fairness.ts";

const relative = (each: { readonly relative: { readonly estimated: boolean } }): RelativeGap => {
  if (!each.relative.estimated) throw new Error("not estimated");
  return each.relative as RelativeGap;
};

/** Ten workers, right with .8, on tasks that are mostly "yes" in group b; the first says "yes" more often in group a. */
function crowd(seed: number, bias: number, tasks = 300) {
  const random = createRandom(seed).split("workers");
  const rows: { task: string; worker: string; label: string }[] = [];
  const groups: string[] = [];
  const gold: [string, string][] = [];
  for (let t = 0; t < tasks; t++) {
    const group = t % 2 ? "b" : "a";
    groups.push(group);
    const truth = random.next() < (group === "b" ? 0.7 : 0.3);
    gold.push([`t${t}`, truth ? "yes" : "no"]);
    for (let w = 0; w < 10; w++) {
      const right = random.next() < 0.8;
      const pushed = random.next() < bias && w === 0 && group === "a";
      if (random.next() < 0.5 && w < 9) continue;
      rows.push({
        ...{ task: `t${t}`, worker: `w${w}` },
        label: pushed || (right ? truth : !truth) ? "yes" : "no",
      });
    }
  }
  return { data: fromRows(rows, { classes: ["no", "yes"], gold }), groups };
}

describe("without gold", () => {
  it("is the mean of paired differences, by hand", () => {
    const label = (task: number, worker: string, yes: boolean) => ({
      ...{ task: `t${task}`, worker, label: yes ? "yes" : "no" },
    });
    // Group a: u says yes alone on 3 of 4 tasks; group b: u agrees with v.
    const rows = Array.from({ length: 8 }, (_, t) => [
      label(t, "u", t < 3 || t === 5),
      label(t, "v", t === 5),
    ]).flat();
    const data = fromRows(rows, { classes: ["no", "yes"] });
    const groups = Array.from({ length: 8 }, (_, t) => (t < 4 ? "a" : "b"));
    const [u, v] = workerFairness(data, groups, { leastTasks: 2 });
    expect(relative(u)).toMatchObject({ value: 0.75, groups: ["a", "b"], means: [0.75, 0] });
    expect(relative(v)).toMatchObject({ value: 0.75, groups: ["b", "a"], means: [0, -0.75] });
    expect(u).not.toHaveProperty("gold");
    // Welch with variance .25/4 and 0, three degrees of freedom: t = 3.182.
    expect(relative(u).high - 0.75).toBeCloseTo(3.1824 * 0.25, 3);
  });

  it("covers the true difference in .93 to .97 of cases, and rarely flags anybody", () => {
    let [covered, all, flagged] = [0, 0, 0];
    for (let seed = 0; seed < 200; seed++) {
      const { data, groups } = crowd(seed, 0);
      for (const each of workerFairness(data, groups)) {
        const { low, high, corrected } = relative(each);
        if (low <= 0 && 0 <= high) covered++;
        if (corrected < 0.05) flagged++;
        all++;
      }
    }
    expect(covered / all).toBeGreaterThanOrEqual(0.93);
    expect(covered / all).toBeLessThanOrEqual(0.97);
    expect(flagged / 200).toBeLessThan(0.1);
  });

  it("finds the one who is biased, though base rates of groups differ", () => {
    let found = 0;
    for (let seed = 0; seed < 20; seed++) {
      const { data, groups } = crowd(seed, 0.5, 800);
      const all = workerFairness(data, groups);
      const flagged = all.filter((each) => relative(each).corrected < 0.01);
      const biased = flagged.find(({ name }) => name === "w0");
      if (biased && relative(biased).groups[0] === "a") found++;
      // Beside a colleague who is biased, others seem a little biased the other way.
      expect(flagged.length).toBeLessThan(4);
    }
    expect(found).toBeGreaterThanOrEqual(19);
  });
});

describe("with gold", () => {
  it("has the rates of each worker's labels", () => {
    const { data, groups } = crowd(1, 0.5, 600);
    const all = workerFairness(data, groups);
    const [first, second] = ["w0", "w1"].map(
      (wanted) => all.find(({ name }) => name === wanted)?.gold?.equalisedOdds,
    );
    expect(first).toMatchObject({ estimated: true, rate: "false-positive", groups: ["a", "b"] });
    if (first?.estimated && second?.estimated) {
      expect(first.value).toBeGreaterThan(0.2);
      expect(first.low).toBeGreaterThan(0);
      expect(second.value).toBeLessThan(first.value);
    }
  });
});

describe("invariants and limits", () => {
  it("names and order of workers, tasks and classes change nothing but names", () => {
    const { data, groups } = crowd(2, 0.5);
    const here = workerFairness(data, groups);
    const flip = (names: Iterable<string>) => namesOf([...names].map((name) => `z${name}`));
    const turned: CategoricalData = {
      ...data,
      tasks: flip(data.tasks),
      workers: flip(data.workers),
      task: data.task.toReversed(),
      worker: data.worker.toReversed(),
      label: data.label.toReversed(),
    };
    const there = workerFairness(
      turned,
      groups.map((name) => `q${name}`),
    );
    here.forEach((each, w) => {
      expect(relative(there[w]).value).toBeCloseTo(relative(each).value, 12);
      expect(relative(there[w]).corrected).toBeCloseTo(relative(each).corrected, 9);
    });
  });

  it("says who has too few tasks", () => {
    const { data, groups } = crowd(3, 0, 30);
    const [first] = workerFairness(data, groups);
    expect(first.relative).toEqual({
      estimated: false,
      reason: "Not estimated: fewer than two groups have 20 tasks that others labelled too.",
    });
    expect(() =>
      workerFairness(
        data,
        groups.map(() => "a"),
      ),
    ).toThrow('found only "a"');
  });
});
