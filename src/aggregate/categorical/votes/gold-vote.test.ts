import { describe, expect, it } from "vitest";
import { gate, splitAccuracy } from "../../../../test/datasets.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { namesOf } from "../../../data/names.ts";
import { createRandom } from "../../../math/random.ts";
import { goldVote } from "./gold-vote.ts";
import { majorityVote } from "./majority-vote.ts";
import { oneCoinWeight, weightedVote } from "./weighted-vote.ts";

describe("invariants", () => {
  it("keeps the class of tasks with gold", () => {
    const data = randomCrowd(0, { skill: [0, 0.2] });
    const gold = data.gold.map((k, t) => (t % 3 === 0 ? k : -1));
    const { consensus, posterior } = goldVote(data, {}, { gold });
    for (let t = 0; t < gold.length; t += 3) {
      expect(consensus[t]).toBe(gold[t]);
      expect(posterior[t * 3 + gold[t]]).toBe(1);
    }
  });

  it("is the majority vote while nobody met gold", () => {
    const data = randomCrowd(1);
    const gold = new Int32Array(data.tasks.length).fill(-1);
    const { posterior, skill, notes } = goldVote(data, {}, { gold });
    const votes = [...majorityVote(data).posterior].map((p) => expect.closeTo(p, 12));
    expect([...posterior]).toEqual(votes);
    for (const s of skill) expect(s).toBeCloseTo(1 / 3, 12);
    expect(notes.join()).toContain("8 of 8 workers labelled no gold task");
  });

  it("reads only the gold it is given, not the gold that scores", () => {
    const data = randomCrowd(2);
    const gold = data.gold.map((k, t) => (t < 10 ? k : -1));
    const blind = { ...data, gold: new Int32Array(data.tasks.length).fill(-1) };
    expect(goldVote(blind, {}, { gold }).posterior).toEqual(goldVote(data, {}, { gold }).posterior);
  });
});

describe("brute force", () => {
  it("counts right labels on gold, and pools those who met none", () => {
    const crowd = randomCrowd(3);
    const data = {
      ...crowd,
      workers: namesOf([...crowd.workers, "new"]),
      worker: crowd.worker.map((w, i) => (crowd.task[i] === 39 ? 8 : w)),
    };
    const gold = data.gold.map((k, t) => (t < 20 ? k : -1));
    const { skill, asked, posterior } = goldVote(data, {}, { gold });
    const onGold = (w: number) =>
      [...data.label.keys()].filter((i) => data.worker[i] === w && data.task[i] < 20);
    const right = (w: number) =>
      onGold(w).filter((i) => data.label[i] === gold[data.task[i]]).length;
    let allRight = 0;
    let all = 0;
    for (let w = 0; w < 8; w++) {
      expect(asked[w]).toBe(onGold(w).length);
      expect(skill[w]).toBeCloseTo((right(w) + 1) / (onGold(w).length + 3), 12);
      allRight += right(w);
      all += onGold(w).length;
    }
    expect(skill[8]).toBeCloseTo((allRight + 1) / (all + 3), 12);
    const weight = (t: number, k: number) =>
      [...data.label.keys()]
        .filter((i) => data.task[i] === t && data.label[i] === k)
        .reduce((sum, i) => sum + skill[data.worker[i]], 0);
    for (let t = 20; t < 40; t++) {
      const total = weight(t, 0) + weight(t, 1) + weight(t, 2);
      for (let k = 0; k < 3; k++) {
        expect(posterior[t * 3 + k]).toBeCloseTo(weight(t, k) / total, 12);
      }
    }
  });
});

describe("published numbers", () => {
  // None are published for this weight: an independent script counted these, with the gold of every
  // fifth task, scored on the others.
  const counted = { rte: [0.893, 0.9203], web: [0.7304, 0.8664], possent: [0.9338, 0.95] } as const;
  for (const [name, [vote, expected]] of Object.entries(counted)) {
    gate(name, `${expected} where the majority vote has ${vote}`, (data) => {
      const gold = data.gold.map((k, t) => (t % 5 === 0 ? k : -1));
      const rest = { ...data, gold: data.gold.map((k, t) => (t % 5 === 0 ? -1 : k)) };
      const { posterior } = goldVote(data, {}, { gold });
      expect(splitAccuracy(rest, posterior)).toBeCloseTo(expected, 3);
      expect(splitAccuracy(rest, majorityVote(data).posterior)).toBeCloseTo(vote, 3);
    });
  }
});

describe("limits", () => {
  it("is better than the vote where most workers lie, and its skills are better still", () => {
    const data = liars(2000, 10, 6);
    const gold = data.gold.map((k, t) => (t < 100 ? k : -1));
    const { posterior, skill } = goldVote(data, {}, { gold });
    const weights = skill.map((p) => oneCoinWeight(p, 2));
    expect(splitAccuracy(data, majorityVote(data).posterior)).toBeLessThan(0.4);
    expect(splitAccuracy(data, posterior)).toBeGreaterThan(0.7);
    expect(splitAccuracy(data, weightedVote(data, {}, { weights }).posterior)).toBeGreaterThan(0.9);
  });

  it("asks for gold", () => {
    expect(() => goldVote(randomCrowd(0))).toThrow("gold-vote needs known.gold");
  });
});

/** Two classes, all workers on all tasks, right with probability .75, the first `flipped` reversed. */
function liars(T: number, W: number, flipped: number): CategoricalData {
  const random = createRandom(1);
  const gold = Int32Array.from({ length: T }, () => (random.next() < 0.5 ? 0 : 1));
  const each = <X>(make: (t: number, w: number) => X) =>
    Array.from({ length: T * W }, (_, i) => make(Math.floor(i / W), i % W));
  return {
    kind: "categorical",
    tasks: namesOf(Array.from({ length: T }, (_, t) => `t${t}`)),
    workers: namesOf(Array.from({ length: W }, (_, w) => `w${w}`)),
    classes: namesOf(["no", "yes"]),
    task: Int32Array.from(each((t) => t)),
    worker: Int32Array.from(each((_, w) => w)),
    label: Int32Array.from(
      each((t, w) => {
        const right = random.next() < 0.75;
        return right === w >= flipped ? gold[t] : 1 - gold[t];
      }),
    ),
    gold,
    notes: [],
  };
}
