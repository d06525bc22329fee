import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { auto } from "../auto/auto.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { createRandom } from "../math/random.ts";
import { confidences } from "./confidence.ts";

/** Tasks with this many labels each by workers who are all right equally often, errors at random. */
function plainCrowd(
  seed: number,
  { labels, skill, classes }: { labels: (t: number) => number; skill: number; classes: number },
): CategoricalData {
  const random = createRandom(seed);
  const rows: { task: string; worker: string; label: string }[] = [];
  const gold: [string, string][] = [];
  for (let t = 0; t < 2000; t++) {
    const truth = t % classes;
    gold.push([`t${t}`, `c${truth}`]);
    for (let j = 0; j < labels(t); j++) {
      const wrong = Math.floor(random.next() * (classes - 1));
      const k = random.next() < skill ? truth : wrong + (wrong >= truth ? 1 : 0);
      rows.push({ task: `t${t}`, worker: `w${t}-${j}`, label: `c${k}` });
    }
  }
  return fromRows(rows, { gold, classes: Array.from({ length: classes }, (_, k) => `c${k}`) });
}

const mean = (values: ArrayLike<number>) =>
  Array.from(values).reduce((sum, x) => sum + x, 0) / values.length;

describe("a lone label of a worker with no other", () => {
  for (const [classes, skill] of [
    [2, 0.6],
    [2, 0.85],
    [4, 0.5],
    [4, 0.9],
  ]) {
    it(`is worth the crowd's accuracy (${classes} classes, ${skill})`, () => {
      const data = plainCrowd(1, { labels: (t) => (t % 2 ? 1 : 3), skill, classes });
      for (const method of [majorityVote, dawidSkene, auto]) {
        const { confidence, support } = method(data);
        const lone = confidence.filter((_, t) => support[t] === 1);
        for (const p of lone) expect(p).toBeLessThan(skill + 0.04);
        if (method === majorityVote) expect(mean(lone)).toBeCloseTo(skill, 1);
      }
    });
  }

  it("is worth half way between guessing and certainty if nobody can be compared", () => {
    const data = plainCrowd(2, { labels: () => 1, skill: 0.8, classes: 4 });
    for (const p of majorityVote(data).confidence) expect(p).toBeCloseTo(5 / 8, 12);
    for (const p of dawidSkene(data).confidence) expect(p).toBeLessThanOrEqual(5 / 8 + 1e-12);
  });
});

describe("what auto believes of a lone label", () => {
  it("is no more than it says", () => {
    const data = plainCrowd(3, { labels: (t) => (t % 2 ? 1 : 3), skill: 0.7, classes: 3 });
    const { posterior, confidence, consensus } = auto(data);
    confidence.forEach((p, t) => {
      expect(p).toBeCloseTo(posterior[3 * t + consensus[t]], 12);
      const row = posterior.subarray(3 * t, 3 * t + 3);
      expect(row[0] + row[1] + row[2]).toBeCloseTo(1, 12);
    });
  });
});

describe("votes", () => {
  it("are worth what their share is, shrunk by the number of labels", () => {
    const data = plainCrowd(4, { labels: (t) => 1 + (t % 5), skill: 0.75, classes: 2 });
    const { confidence, posterior, consensus, support } = majorityVote(data);
    const a = confidence[support.indexOf(1)];
    const shrinkage = (1 - a) / (a - 0.5);
    confidence.forEach((p, t) => {
      const votes = posterior[2 * t + consensus[t]] * support[t];
      expect(p).toBeCloseTo((votes + shrinkage / 2) / (support[t] + shrinkage), 12);
    });
    // More labels that all agree are worth more, and never all.
    const unanimous = [1, 2, 3, 4, 5].map(
      (n) =>
        confidence[support.findIndex((s, t) => s === n && posterior[2 * t + consensus[t]] === 1)],
    );
    unanimous.forEach((p, at) => {
      expect(p).toBeLessThan(1);
      if (at > 0) expect(p).toBeGreaterThan(unanimous[at - 1]);
    });
  });

  it("count a label of weight 2 as the same label twice, and no pairs within a worker", () => {
    const rows = [
      { task: "a", worker: "x", label: "yes" },
      { task: "a", worker: "y", label: "no" },
      { task: "b", worker: "x", label: "yes" },
    ];
    const twice = fromRows([rows[0], ...rows], { repeats: "all" });
    const weighted = { ...fromRows(rows), weight: Float64Array.of(2, 1, 1) };
    const [one, other] = [twice, weighted].map((data) => majorityVote(data).confidence);
    expect([...one]).toEqual([...other].map((p) => expect.closeTo(p, 12)));
  });
});

describe("what is known", () => {
  it("of a task is not doubted", () => {
    const data = plainCrowd(5, { labels: () => 1, skill: 0.8, classes: 2 });
    const gold = data.gold.map((k, t) => (t < 10 ? k : -1));
    for (const method of [majorityVote, dawidSkene]) {
      const { confidence } = method(data, {}, { gold });
      for (let t = 0; t < 10; t++) expect(confidence[t]).toBe(1);
    }
  });

  it("of one task says nothing of the others", () => {
    const data = plainCrowd(8, { labels: () => 1, skill: 0.8, classes: 2 });
    const evidence = new Float64Array(2 * data.tasks.length).fill(1);
    evidence.set([9, 1], 0);
    const { confidence, posterior, consensus } = dawidSkene(data, {}, { evidence });
    expect(confidence[0]).toBe(posterior[consensus[0]]);
    for (const p of confidence.subarray(1)) expect(p).toBeLessThanOrEqual(0.75 + 1e-12);
  });

  it("of a worker lets the label count for more", () => {
    const data = randomCrowd(6, { tasks: 200, workers: 6, classes: 2, rate: 1, skill: [0.95, 1] });
    const keep = [...data.task.keys()].filter((i) => data.task[i] > 0 || data.worker[i] === 0);
    const pick = (column: Int32Array) => Int32Array.from(keep, (i) => column[i]);
    const one = {
      ...data,
      task: pick(data.task),
      worker: pick(data.worker),
      label: pick(data.label),
    };
    const { confidence, posterior, consensus, support } = dawidSkene(one);
    expect(support[0]).toBe(1);
    expect(confidence[0]).toBeGreaterThan(0.95);
    expect(confidence[0]).toBe(posterior[consensus[0]]);
  });

  it("is read from labels alone, in whatever order they come", () => {
    const data = randomCrowd(7, { tasks: 30 });
    const { posterior, consensus, confidence } = dawidSkene(data);
    const order = [...data.task.keys()].reverse();
    const turn = (column: Int32Array) => Int32Array.from(order, (i) => column[i]);
    const turned = { task: turn(data.task), worker: turn(data.worker), label: turn(data.label) };
    const believed = { posterior, consensus, K: 3, W: data.workers.length, probabilistic: true };
    expect([...confidences(turned, believed)]).toEqual([...confidence]);
  });
});
