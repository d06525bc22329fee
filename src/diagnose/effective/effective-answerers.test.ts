import { describe, expect, it } from "vitest";
import { fromRows, type ValueRow } from "../../data/from-rows.ts";
import { normal, shuffle } from "../../math/distributions.ts";
import { createRandom } from "../../math/random.ts";
import { effectiveAnswerers } from "./effective-answerers.ts";

/** Workers with noise and offsets of their own; the first few give the same numbers, but for a little. */
function copies(
  seed: number,
  same: number,
  others: number,
  {
    tasks = 200,
    answers = same + others,
    little = 0,
    outputs = [""],
    hard = 0,
    noise = [] as readonly number[],
  } = {},
) {
  const random = createRandom(seed).split("copied numbers");
  const W = same + others;
  // `noise` is that of the last workers.
  const size = Array.from({ length: W }, (_, w) => noise[W - 1 - w] ?? 0.5 + random.next());
  const shift = size.map(() => 0.5 * normal(random));
  const rows: ValueRow[] = [];
  for (let t = 0; t < tasks; t++) {
    const who = size.map((_, w) => w);
    shuffle(random, who);
    for (const output of outputs) {
      const truth = 2 * normal(random);
      const factor = hard > 0 ? Math.exp(hard * normal(random)) : 1;
      const copied = truth + factor * normal(random);
      for (const w of who.slice(0, answers).sort((a, b) => a - b)) {
        const own = size[w] * factor * normal(random);
        const value = w < same ? copied + little * normal(random) : truth + shift[w] + own;
        rows.push({ task: `t${t}`, worker: `w${w}`, value, ...(output && { output }) });
      }
    }
  }
  return fromRows(rows, { kind: "numeric" });
}

describe("effective answerers", () => {
  it("three copies and seven others are worth eight, ten of ten times", () => {
    for (let seed = 0; seed < 10; seed++) {
      const { crowd, workers, correlations } = effectiveAnswerers(copies(seed, 3, 7));
      expect([workers, crowd]).toEqual([10, expect.closeTo(8, 2)]);
      const dependent = correlations.filter((each) => each.dependent);
      expect(dependent.map(({ workers: pair }) => pair.join()).sort()).toEqual([
        "0,1",
        "0,2",
        "1,2",
      ]);
    }
  });

  it("no copies are found among independent workers, even of tasks with three answers", () => {
    for (let seed = 0; seed < 10; seed++) {
      expect(effectiveAnswerers(copies(seed, 0, 10))).toMatchObject({ crowd: 10, workers: 10 });
      const few = effectiveAnswerers(copies(seed, 0, 12, { tasks: 800, answers: 3 }));
      expect(few).toMatchObject({ crowd: 12, workers: 12 });
    }
  });

  it("nor where some tasks are harder than others, or some workers are very precise and one is far off", () => {
    for (let seed = 0; seed < 10; seed++) {
      const hard = copies(seed, 0, 15, { tasks: 300, answers: 6, hard: 0.7 });
      expect(effectiveAnswerers(hard).crowd).toBe(15);
      const precise = copies(seed, 0, 10, { noise: [0.02, 0.02, 0.02, 0.02, 6] });
      expect(effectiveAnswerers(precise).crowd).toBe(10);
    }
  });

  it("finds copies beside workers who are far off", () => {
    for (let seed = 0; seed < 10; seed++) {
      const crowd = copies(seed, 3, 13, { tasks: 300, answers: 8, little: 0.05, noise: [9, 9, 9] });
      expect(effectiveAnswerers(crowd).crowd).toBeCloseTo(14, 1);
    }
  });

  it("copies that are half of the crowd, or more", () => {
    for (let seed = 0; seed < 20; seed++) {
      expect(effectiveAnswerers(copies(seed, 5, 5)).crowd).toBeCloseTo(6, 2);
      expect(effectiveAnswerers(copies(seed, 6, 4)).crowd).toBeCloseTo(5, 2);
    }
  });

  it("tells nothing from answers that are all the same, or of two workers", () => {
    const data = copies(1, 3, 7);
    const same = effectiveAnswerers({ ...data, value: data.value.map(() => 3) });
    expect(same).toMatchObject({ crowd: 10, workers: 10 });
    expect(effectiveAnswerers(copies(1, 2, 0)).crowd).toBe(2);
  });

  it("copies with a little noise, on tasks that not all answer", () => {
    for (let seed = 0; seed < 5; seed++) {
      const crowd = copies(seed, 2, 10, { tasks: 600, answers: 6, little: 0.1 });
      const found = effectiveAnswerers(crowd);
      expect(found.crowd).toBeGreaterThan(10.9);
      expect(found.crowd).toBeLessThan(11.3);
      const [first] = found.correlations;
      expect(first.workers.map((w) => crowd.workers.at(w)).sort()).toEqual(["w0", "w1"]);
    }
  });

  it("follows the unit of the answers, and takes outputs together", () => {
    const data = copies(3, 3, 7);
    const found = effectiveAnswerers(data);
    const scaled = effectiveAnswerers({ ...data, value: data.value.map((y) => 1000 * y - 7) });
    expect(scaled.crowd).toBeCloseTo(found.crowd, 6);
    const boxes = effectiveAnswerers(copies(3, 3, 7, { tasks: 60, outputs: ["x", "y"] }));
    expect(boxes.crowd).toBeCloseTo(8, 2);
  });

  it("workers with few answers do not count", () => {
    expect(effectiveAnswerers(copies(1, 3, 3, { tasks: 10 }))).toMatchObject({
      crowd: 0,
      workers: 0,
    });
  });
});
