import { describe, expect, it } from "vitest";
import { namesOf } from "../../data/names.ts";
import { LEFT, type PairwiseData, RIGHT, selectComparisons } from "../../data/pairwise.ts";
import { integer, normal } from "../../math/distributions.ts";
import { createRandom } from "../../math/random.ts";
import { withCorrection } from "./fairness.ts";
import { judgeGroups } from "./judge-groups.ts";

const [ITEMS, JUDGES] = [6, 30];

/** Two groups of 15 judges with tastes of their own; the first likes item 0 more by `liking`, or guesses in a share of answers. */
function twoGroups(
  seed: number,
  { liking = 0, guesses = 0, tastes = 0.3 } = {},
): PairwiseData & { readonly score: Float64Array } {
  const random = createRandom(seed);
  const score = Float64Array.from({ length: ITEMS }, () => normal(random));
  const [worker, left, right, label]: number[][] = [[], [], [], []];
  for (let w = 0; w < JUDGES; w++) {
    const first = w < JUDGES / 2;
    const own = score.map((s, i) => s + tastes * normal(random) + (first && i === 0 ? liking : 0));
    for (let j = 0; j < 50; j++) {
      const a = integer(random, ITEMS);
      const b = (a + 1 + integer(random, ITEMS - 1)) % ITEMS;
      const lead = first && random.next() < guesses ? 0 : own[a] - own[b];
      worker.push(w);
      left.push(a);
      right.push(b);
      label.push(random.next() < 1 / (1 + Math.exp(-lead)) ? LEFT : RIGHT);
    }
  }
  const named = (letter: string, n: number) =>
    namesOf(Array.from({ length: n }, (_, i) => `${letter}${i}`));
  return {
    kind: "pairwise",
    tasks: named("q", 1),
    workers: named("w", JUDGES),
    items: named("i", ITEMS),
    task: new Int32Array(label.length),
    worker: Int32Array.from(worker),
    left: Int32Array.from(left),
    right: Int32Array.from(right),
    label: Int32Array.from(label),
    gold: score,
    score,
    workerAttributes: new Map([
      ["team", Array.from({ length: JUDGES }, (_, w) => (w < JUDGES / 2 ? "a" : "b"))],
    ]),
    notes: [],
  };
}

const compared = (data: PairwiseData) => withCorrection([], judgeGroups(data, []), []).workers;

describe("judgeGroups", () => {
  it("finds the item that one group likes more", () => {
    for (const seed of [1, 2, 3]) {
      const [, scores] = compared(twoGroups(seed, { liking: 1.5 }));
      const clear = scores.gaps.filter(({ corrected }) => corrected < 0.05);
      expect(clear.map(({ class: item }) => item)).toContain("i0");
      expect(scores.gaps.find(({ class: item }) => item === "i0")?.value).toBeGreaterThan(0.5);
    }
  });

  it("finds a group that guesses", () => {
    for (const seed of [1, 2, 3]) {
      const [agreement] = compared(twoGroups(seed, { guesses: 0.8 }));
      expect(agreement.gaps[0].value).toBeLessThan(0);
      expect(agreement.gaps[0].corrected).toBeLessThan(0.05);
    }
  });

  // Of 400 crowds .957 and .949.
  it("has intervals that hold no difference in about 95 of 100 cases", () => {
    let [agreement, scores] = [0, 0];
    const crowds = 60;
    for (let seed = 100; seed < 100 + crowds; seed++) {
      const [one, other] = compared(twoGroups(seed));
      agreement += Number(one.gaps[0].low <= 0 && one.gaps[0].high >= 0);
      scores += other.gaps.filter(({ low, high }) => low <= 0 && high >= 0).length / ITEMS;
    }
    expect(agreement / crowds).toBeGreaterThan(0.88);
    expect(scores / crowds).toBeGreaterThan(0.9);
    expect(scores / crowds).toBeLessThan(0.99);
  });

  it("depends neither on names nor on the order of rows", () => {
    const data = twoGroups(5, { liking: 1 });
    const rows = Int32Array.from(data.label.keys()).reverse();
    const renamed = { ...data, workers: namesOf(Array.from(data.workers, (name) => `x${name}`)) };
    const values = (list: ReturnType<typeof compared>) =>
      list.flatMap(({ gaps }) => gaps.flatMap(({ value, low }) => [value, low]));
    const plain = values(compared(data));
    for (const [at, x] of values(compared(renamed)).entries()) expect(x).toBeCloseTo(plain[at], 8);
    for (const [at, x] of values(compared(selectComparisons(data, rows))).entries()) {
      expect(x).toBeCloseTo(plain[at], 6);
    }
  });

  it("does not estimate small groups, or items that the groups do not share", () => {
    const data = twoGroups(1);
    const workerAttributes = new Map([
      ["team", Array.from({ length: JUDGES }, (_, w) => (w < 5 ? "a" : "b"))],
    ]);
    for (const { gaps } of compared({ ...data, workerAttributes })) expect(gaps).toEqual([]);
    const apart = Int32Array.from(data.label.keys()).filter((i) =>
      data.worker[i] < JUDGES / 2
        ? data.left[i] < 3 && data.right[i] < 3
        : data.left[i] >= 3 && data.right[i] >= 3,
    );
    expect(compared(selectComparisons(data, apart))[1].gaps).toEqual([]);
  });
});
