/** What the spectral methods, which know workers up to a sign, are tested on. */
import { expect, it } from "vitest";
import type { Known } from "../src/belief/known.ts";
import type { CategoricalData } from "../src/data/categorical.ts";
import { fromRows } from "../src/data/from-rows.ts";
import { splitAccuracy } from "./datasets.ts";
import { randomCrowd } from "./random-crowd.ts";

type Method<Result> = (data: CategoricalData, options?: object, known?: Known) => Result;

type Scoring = Method<{
  readonly score: Float64Array;
  readonly posterior: Float64Array;
  readonly consensus: Int32Array;
}>;

/** What holds for every method that scores the classes of a task. */
export function spectralInvariants(method: Scoring): void {
  it("has scores of two sides, whatever the seed", () => expectSpectral(method));
  it("is turned by gold where most are wrong", () => expectTurned(method));
}

/** For one of two classes as much as against the other; the largest score wins; no seed matters. */
function expectSpectral(method: Scoring): void {
  const { score } = method(randomCrowd(1, { classes: 2 }));
  for (let at = 0; at < score.length; at += 2) expect(score[at]).toBe(-score[at + 1]);
  const data = randomCrowd(3);
  const three = method(data);
  three.consensus.forEach((k, t) => {
    expect(three.score[t * 3 + k]).toBe(Math.max(...three.score.subarray(t * 3, t * 3 + 3)));
  });
  const other = method(data, { seed: 5 });
  expect([...other.score]).toEqual(Array.from(three.score, (s) => expect.closeTo(s, 5)));
}

/** A crowd that is mostly wrong: mirrored without gold, turned by it. */
export function expectTurned(method: Method<{ readonly posterior: Float64Array }>): void {
  const data = randomCrowd(5, { classes: 2, skill: [0.1, 0.3] });
  const gold = data.gold.map((k, t) => (t < 10 ? k : -1));
  const rest = { ...data, gold: data.gold.map((k, t) => (t < 10 ? -1 : k)) };
  const accuracy = (known: Known) => splitAccuracy(rest, method(data, {}, known).posterior);
  expect(accuracy({})).toBeLessThan(0.3);
  expect(accuracy({ gold })).toBeGreaterThan(0.7);
}

/** A small part of the crowd that shares no task with a large one is answered all the same. */
export function expectIsland(method: Scoring): void {
  const large = randomCrowd(1, { tasks: 60, workers: 10, classes: 2, skill: [0.9, 0.9], rate: 1 });
  const rows = Array.from(large.label, (l, i) => ({
    task: large.tasks.at(large.task[i]),
    worker: large.workers.at(large.worker[i]),
    label: large.classes.at(l),
  }));
  const island = ["p", "q", "r"].flatMap((task) =>
    ["x", "y", "z"].map((worker) => ({ task, worker, label: task === "p" ? "c0" : "c1" })),
  );
  const data = fromRows([...rows, ...island]);
  const { consensus } = method(data);
  const of = (task: string) => data.classes.at(consensus[data.tasks.indexOf(task)]);
  expect(["p", "q", "r"].map(of)).toEqual(["c0", "c1", "c1"]);
}

/** Workers with a label each tell nothing of each other: what is left is the vote. */
export function expectVote(method: Scoring): void {
  const says = { a: "xxy", b: "yyx", c: "x", d: "yyyxx" };
  const rows = Object.entries(says).flatMap(([task, labels]) =>
    [...labels].map((label, w) => ({ task, worker: `${task}${w}`, label })),
  );
  const { consensus } = method(fromRows(rows));
  expect([...consensus]).toEqual([0, 1, 0, 1]);
}
