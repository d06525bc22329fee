import { describe, expect, it } from "vitest";
import { accuracyGates, gate, splitAccuracy } from "../../../../test/datasets.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { blind } from "../../../belief/blind.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { namesOf } from "../../../data/names.ts";
import { normal, shuffle } from "../../../math/distributions.ts";
import { createRandom } from "../../../math/random.ts";
import { majorityVote } from "../votes/majority-vote.ts";
import { kos } from "./kos.ts";

describe("invariants", () => {
  it("speaks against one of two classes as it speaks for the other", () => {
    const { score } = kos(randomCrowd(1, { classes: 2 }));
    for (let at = 0; at < score.length; at += 2) expect(score[at]).toBe(-score[at + 1]);
  });

  it("asks two classes as it asks more: adding one that nobody used changes no answer", () => {
    const data = randomCrowd(2, { classes: 2 });
    const wider = { ...data, classes: namesOf([...data.classes, "c9"]) };
    expect(kos(wider).consensus).toEqual(kos(data).consensus);
    const [two, three] = [kos(data).score, kos(wider).score];
    for (let t = 0; t < data.tasks.length; t++) {
      for (let k = 0; k < 2; k++) expect(three[t * 3 + k]).toBeCloseTo(two[t * 2 + k], 9);
    }
  });

  it("answers with the largest score", () => {
    const data = randomCrowd(3);
    const { score, consensus } = kos(data);
    consensus.forEach((k, t) => {
      expect(score[t * 3 + k]).toBe(Math.max(...score.subarray(t * 3, t * 3 + 3)));
    });
  });

  it("does not depend on the draw once it has settled", () => {
    const data = randomCrowd(4, { tasks: 100 });
    const far = { sweeps: 200 };
    const [one, two] = [kos(data, far), kos(data, { ...far, seed: 1 })];
    expect([...two.score]).toEqual([...one.score].map((s) => expect.closeTo(s, 6)));
    expect(kos(data, { sweeps: 1, seed: 1 }).score).not.toEqual(kos(data, { sweeps: 1 }).score);
  });

  it("lets gold speak for its class", () => {
    const data = randomCrowd(5, { classes: 2, skill: [0.1, 0.3] });
    const gold = data.gold.map((k, t) => (t < 30 ? k : -1));
    const rest = { ...data, gold: data.gold.map((k, t) => (t < 30 ? -1 : k)) };
    const accuracy = (known: object) => splitAccuracy(rest, kos(data, {}, known).posterior);
    expect(accuracy({})).toBeLessThan(0.3);
    expect(accuracy({ gold })).toBeGreaterThan(0.7);
  });
});

describe("brute force", () => {
  it.each([2, 3])("passes every message along every pair of labels (K = %i)", (classes) => {
    const data = randomCrowd(6, { tasks: 15, workers: 6, classes });
    const { score } = kos(data, { sweeps: 4, seed: 9 });
    const plain = naive(blind(data, {}).data, 4, 9);
    expect([...score]).toEqual(plain.map((s) => expect.closeTo(s, 9)));
  });
});

describe("published numbers", () => {
  accuracyGates({ bluebird: 0.7222, web: 0.8847, rte: 0.4975 }, 0.003, (data) =>
    kos(data, { sweeps: 100 }),
  );

  gate("rte", "a warning that one worker dominates", (data) => {
    expect(kos(data).notes.join()).toMatch(/Worker ".*" holds 26 % of the squared numbers/);
  });

  gate("web", "no such warning", (data) => {
    expect(kos(data).notes.join()).not.toContain("squared numbers");
  });

  it("errs less than the vote where half of the workers guess and all do as much", () => {
    let [votes, messages] = [0, 0];
    for (let seed = 0; seed < 3; seed++) {
      const data = hammersAndSpammers(seed, 1000, 15);
      votes += 1 - splitAccuracy(data, majorityVote(data).posterior);
      messages += 1 - splitAccuracy(data, kos(data).posterior);
    }
    expect(messages).toBeLessThan(votes / 2);
  });
});

describe("limits", () => {
  it("knows nothing of workers with one label each", () => {
    const rows = ["a1x", "a2x", "b3y"].map(([task, worker, label]) => ({ task, worker, label }));
    const { posterior, trace } = kos(fromRows(rows));
    expect([...posterior]).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect([...trace]).toEqual(new Array<number>(10).fill(0));
  });

  it("does not overflow, however often messages go round", () => {
    const { score, posterior } = kos(randomCrowd(1, { tasks: 100 }), { sweeps: 2000 });
    expect(score.every(Number.isFinite)).toBe(true);
    expect(posterior.every(Number.isFinite)).toBe(true);
  });

  it("decides a part of the crowd that the messages hardly reach", () => {
    // A small island beside a large one: its messages shrink to nothing in comparison.
    const large = randomCrowd(1, {
      tasks: 60,
      workers: 10,
      classes: 2,
      skill: [0.9, 0.9],
      rate: 1,
    });
    const rows = Array.from(large.label, (l, i) => ({
      task: large.tasks.at(large.task[i]),
      worker: large.workers.at(large.worker[i]),
      label: large.classes.at(l),
    }));
    const island = ["p", "q"].flatMap((task) =>
      ["x", "y", "z"].map((worker) => ({ task, worker, label: task === "p" ? "c0" : "c1" })),
    );
    const { consensus, classes, tasks, score } = kos(fromRows([...rows, ...island]), {
      sweeps: 100,
    });
    expect(Math.abs(score[2 * tasks.indexOf("p")])).toBeLessThan(1e-12);
    expect(classes.at(consensus[tasks.indexOf("p")])).toBe("c0");
    expect(classes.at(consensus[tasks.indexOf("q")])).toBe("c1");
  });
});

/** O(N²): every label sums over every other label of its task, then of its worker. */
function naive(data: CategoricalData, sweeps: number, seed: number): number[] {
  const K = data.classes.length;
  const labels = [...data.label.keys()];
  const noise = createRandom(seed).split("noise");
  const score = new Array<number>(data.tasks.length * K).fill(0);
  for (let k = 0; k < K; k++) {
    const s = labels.map((i) => (data.label[i] === k ? 1 : -1));
    let y = labels.map(
      (i) =>
        1 + normal(noise.split(data.tasks.at(data.task[i])).split(data.workers.at(data.worker[i]))),
    );
    for (let sweep = 0; sweep < sweeps; sweep++) {
      const heard = (from: number[], key: Int32Array) =>
        labels.map((i) =>
          labels
            .filter((j) => j !== i && key[j] === key[i])
            .reduce((sum, j) => sum + s[j] * from[j], 0),
        );
      y = heard(heard(y, data.task), data.worker);
      const size = Math.sqrt(y.reduce((sum, m) => sum + m * m, 0) / y.length);
      y = y.map((m) => m / size);
    }
    for (const i of labels) score[data.task[i] * K + k] += s[i] * y[i];
  }
  return score;
}

/** Each task to `each` workers and each worker to as many tasks, at random; half of the workers guess. */
function hammersAndSpammers(seed: number, T: number, each: number): CategoricalData {
  const random = createRandom(seed);
  const slots = Int32Array.from({ length: T * each }, (_, i) => Math.floor(i / each));
  shuffle(random, slots);
  const rows = Array.from(slots, (w, i) => {
    const t = Math.floor(i / each);
    const right = w % 2 === 0 || random.next() < 0.5;
    return { task: `t${t}`, worker: `w${w}`, label: right === (t % 3 === 0) ? "yes" : "no" };
  });
  const gold = Array.from({ length: T }, (_, t) => [`t${t}`, t % 3 === 0 ? "yes" : "no"] as const);
  return fromRows(rows, { gold });
}
