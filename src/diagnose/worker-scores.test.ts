import { describe, expect, it } from "vitest";
import { crowdOf } from "../../test/exact-copies-crowd.ts";
import { randomCrowd, reversedLabels } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { groupDawidSkene } from "../aggregate/categorical/em/group-dawid-skene.ts";
import { oneCoin } from "../aggregate/categorical/em/one-coin.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { auto } from "../auto/auto.ts";
import { informativeness } from "../belief/informativeness.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import { colludersCrowd } from "../simulate/colluders.ts";
import { confusionCrowd } from "../simulate/confusion.ts";
import { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
import { mixedCrowd } from "../simulate/mixed.ts";
import { oneCoinCrowd } from "../simulate/one-coin.ts";
import type { Simulation } from "../simulate/scenario.ts";
import type { WorkerFlag } from "./judgement.ts";
import { scoreIntervals } from "./score-intervals.ts";
import { skillIntervals } from "./skill-intervals.ts";
import { scoreWorkers, type WorkerScore } from "./worker-scores.ts";

/** The scores of all workers of six simulated crowds, with what each of them is. */
function scored(simulate: (seed: number) => Simulation) {
  return Array.from({ length: 6 }, (_, seed) => {
    const { data, roles, confusion } = simulate(seed);
    const K = data.classes.length;
    return scoreWorkers(data, dawidSkene(data)).map((score, w) => ({
      ...score,
      role: roles[w],
      // How many of the answers the worker knows, where the rest are even guesses.
      known: confusion ? (confusion[w * K * K] - 1 / K) / (1 - 1 / K) : 0,
    }));
  }).flat();
}

function rate(scores: readonly WorkerScore[], flag: WorkerFlag): number {
  return scores.filter(({ flags }) => flags.includes(flag)).length / Math.max(1, scores.length);
}

/** Three standard errors of a rate of one in twenty. */
const room = (n: number) => 3 * Math.sqrt((0.05 * 0.95) / n);

describe("invariants", () => {
  it("gives the same twice, whatever the order of the labels", () => {
    const data = randomCrowd(1);
    const reversed = reversedLabels(data);
    const result = dawidSkene(data);
    expect(scoreWorkers(data, result)).toEqual(scoreWorkers(data, result));
    const options = { mostPerWorker: 0 };
    scoreWorkers(reversed, result, options).forEach((score, w) => {
      const first = scoreWorkers(data, result, options)[w];
      expect(score.p).toBeCloseTo(first.p, 9);
      expect(score.informativenessCorrected).toBeCloseTo(first.informativenessCorrected, 9);
      expect(score.flags).toEqual(first.flags);
    });
  });

  it("draws for each worker by name, whoever else there is", () => {
    const data = randomCrowd(6);
    const turned = {
      ...data,
      workers: namesOf([...data.workers].reverse()),
      worker: data.worker.map((w) => 7 - w),
    };
    const p = (d: CategoricalData) =>
      scoreWorkers(d, dawidSkene(d))
        .toSorted((a, b) => (a.worker < b.worker ? -1 : 1))
        .map((score) => score.p);
    expect(p(turned)).toEqual(p(data));
  });

  it("keeps scores within their bounds, with and without confusions", () => {
    for (const method of [dawidSkene, majorityVote, oneCoin]) {
      for (let seed = 0; seed < 5; seed++) {
        const data = randomCrowd(seed);
        for (const score of scoreWorkers(data, method(data))) {
          expect(score.informativeness).toBeLessThanOrEqual(1 + 1e-12);
          expect(score.informativenessCorrected).toBeLessThanOrEqual(score.informativeness);
          expect(score.information).toBeLessThanOrEqual(score.capacity + 1e-6);
          expect(score.capacityBits).toBeLessThanOrEqual(Math.log2(3) + 1e-9);
          expect(score.p).toBeGreaterThan(0);
          expect(score.p).toBeLessThanOrEqual(1);
        }
      }
    }
  });

  it("judges on a part of many labels, to about the same", () => {
    const { data } = confusionCrowd({ tasks: 2000, workers: 10 });
    const result = dawidSkene(data);
    const [all, some] = [undefined, 300].map((mostTested) =>
      scoreWorkers(data, result, { mostTested, mostPerWorker: 0 }),
    );
    all.forEach((score, w) => {
      expect(score.informativenessCorrected).toBeCloseTo(some[w].informativenessCorrected, 2);
      expect(score.labels).toBe(some[w].labels);
    });
  });
});

describe("brute force", () => {
  it("takes off the mean score over all orders of a worker's labels", () => {
    const data = randomCrowd(4, { tasks: 6, workers: 3, rate: 1 });
    const result = majorityVote(data);
    const [worker] = scoreWorkers(data, result);
    const own = [...data.label.keys()].filter((i) => data.worker[i] === 0);
    let [sum, count] = [0, 0];
    const visit = (left: number[], taken: number[]): void => {
      if (left.length > 0) {
        left.forEach((l, at) => {
          visit(left.toSpliced(at, 1), [...taken, l]);
        });
        return;
      }
      const counts = new Float64Array(9);
      const rows = new Float64Array(3);
      taken.forEach((l, at) => {
        for (let k = 0; k < 3; k++) {
          const belief = result.posterior[data.task[own[at]] * 3 + k];
          counts[k * 3 + l] += belief;
          rows[k] += belief;
        }
      });
      sum += informativeness(
        counts.map((x, at) => x / rows[Math.floor(at / 3)]),
        3,
        3,
      );
      count++;
    };
    visit(
      own.map((i) => data.label[i]),
      [],
    );
    expect(worker.informativeness - sum / count).toBeGreaterThan(0);
    expect(worker.informativenessCorrected).toBeCloseTo(worker.informativeness - sum / count, 10);
  });
});

describe("published numbers", () => {
  it("hammers and spammers: precision above .95, recall what the level of the test leaves", () => {
    const scores = scored((seed) => hammerSpammerCrowd({ seed }));
    const flagged = scores.filter(({ flags }) => flags.includes("spammer"));
    const spammers = scores.filter(({ role }) => role === "spammer");
    const useless = flagged.filter(
      ({ role, known }) => role === "spammer" || Math.abs(known) < 0.25,
    );
    expect(rate(spammers, "spammer")).toBeGreaterThan(0.9 - room(spammers.length));
    expect(useless.length / flagged.length).toBeGreaterThan(0.95);
    const hammers = scores.filter(({ role }) => role === "hammer");
    expect(rate(hammers, "spammer") + rate(hammers, "adversary")).toBe(0);
    const liars = scores.filter(({ role, known }) => role === "adversary" && known < -0.3);
    expect(rate(liars, "adversary")).toBeGreaterThan(0.9);
  });

  it("a crowd as one meets them: no good worker flagged, spammers found where labels suffice", () => {
    const scores = scored((seed) => mixedCrowd({ seed, workers: 100, tasks: 4000 }));
    const of = (role: string) => scores.filter((score) => score.role === role);
    expect(rate(of("good"), "spammer")).toBe(0);
    expect(rate(of("mediocre"), "spammer")).toBeLessThan(0.05);
    expect(rate(of("spammer"), "spammer")).toBeGreaterThan(0.7);
    expect(rate(of("one class"), "one-class")).toBe(1);
    expect(rate(of("good"), "one-class") + rate(of("spammer"), "one-class")).toBe(0);
  });

  it.each([
    ["two classes", (seed: number) => oneCoinCrowd({ seed, a: 16, b: 4 })],
    ["four classes", (seed: number) => oneCoinCrowd({ seed, a: 8, b: 3, classes: 4 })],
    ["confusions", (seed: number) => confusionCrowd({ seed })],
    ["unequal classes", (seed: number) => confusionCrowd({ seed, classCount: 1 })],
    ["few labels", (seed: number) => oneCoinCrowd({ seed, a: 16, b: 4, workers: 200 })],
  ] as const)("a clean crowd is flagged one time in twenty at most (%s)", (_name, simulate) => {
    const scores = scored(simulate);
    expect(rate(scores, "spammer")).toBeLessThanOrEqual(0.05);
    expect(rate(scores, "one-class")).toBe(0);
    expect(rate(scores, "adversary")).toBeLessThan(0.01);
  });

  it("of workers with any skill, those who know half or more are flagged one time in twenty at most", () => {
    const scores = scored((seed) => oneCoinCrowd({ seed, a: 8, b: 3 }));
    const knowing = scores.filter(({ known }) => known >= 0.5);
    expect(rate(knowing, "spammer")).toBeLessThanOrEqual(0.05);
  });

  it("guessers lose much of their score to the correction", () => {
    const { data, roles } = hammerSpammerCrowd({ seed: 1, tasks: 200, labelsPerTask: 10 });
    const scores = scoreWorkers(data, dawidSkene(data));
    const spammers = scores.filter((_, w) => roles[w] === "spammer");
    const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    const raw = mean(spammers.map((score) => score.informativeness));
    const corrected = mean(spammers.map((score) => score.informativenessCorrected));
    expect(raw).toBeGreaterThan(0.02);
    expect(corrected).toBeLessThan(0.65 * raw);
  });
});

describe("limits", () => {
  it("knows liars where gold shows that most lie", () => {
    // Six of ten workers always say the other class; gold tells which side is right.
    const rows = Array.from({ length: 200 }, (_, t) =>
      Array.from({ length: 10 }, (_, w) => ({
        task: `t${t}`,
        worker: `w${w}`,
        label: `${w < 6 ? 1 - (t % 2) : t % 2}`,
      })),
    ).flat();
    const data = fromRows(rows);
    const gold = Int32Array.from(data.tasks, (_, t) => (t < 20 ? t % 2 : -1));
    const flags = scoreWorkers(data, dawidSkene(data, {}, { gold })).map((score) => score.flags);
    expect(flags.slice(0, 6)).toEqual(Array(6).fill(["adversary"]));
    expect(flags.slice(6)).toEqual(Array(4).fill([]));
  });

  it("says little of those who said little", () => {
    const data = fromRows([
      { task: "a", worker: "v", label: "x" },
      { task: "a", worker: "w", label: "y" },
    ]);
    for (const score of scoreWorkers(data, dawidSkene(data))) {
      expect(score).toMatchObject({ labels: 1, p: 1, flags: ["few-labels"] });
    }
    const none = fromRows([]);
    expect(scoreWorkers(none, dawidSkene(none))).toEqual([]);
  });

  it("accuses nobody of fewer than ten labels, however wrong", () => {
    const wrong = (shared: number) => {
      const rows = Array.from({ length: 30 }, (_, t) =>
        ["a", "b", "c", ...(t < shared ? ["liar"] : [])].map((worker) => ({
          task: `t${t}`,
          worker,
          label: `${worker === "liar" ? 1 - (t % 2) : t % 2}`,
        })),
      ).flat();
      const data = fromRows(rows);
      return scoreWorkers(data, dawidSkene(data)).find(({ worker }) => worker === "liar")?.flags;
    };
    expect(wrong(9)).toEqual([]);
    expect(wrong(12)).toEqual(["adversary"]);
  });

  it("copes with one class, abstentions, and a worker nobody overlaps", () => {
    const one = fromRows(
      Array.from({ length: 20 }, (_, i) => ({
        task: `t${i >> 1}`,
        worker: `w${i & 1}`,
        label: "x",
      })),
    );
    expect(scoreWorkers(one, dawidSkene(one))[0]).toMatchObject({ informativeness: 0, flags: [] });
    const crowd = randomCrowd(2);
    const silent = { ...crowd, label: crowd.label.map((l, i) => (i % 5 === 0 ? 3 : l)) };
    for (const abstentions of ["drop", "model"] as const) {
      const result = dawidSkene(silent, { abstentions });
      const scores = scoreWorkers(silent, result);
      const labels = scores.reduce((sum, score) => sum + score.labels, 0);
      const spoken = silent.label.filter((l) => l < 3).length;
      expect(labels).toBe(abstentions === "drop" ? spoken : silent.label.length);
      for (const { information, capacity } of scores)
        expect(information).toBeLessThan(capacity + 1e-6);
    }
    const alone = fromRows(
      Array.from({ length: 30 }, (_, i) => ({
        task: `t${i}`,
        worker: i < 15 ? "u" : "v",
        label: `${i % 3}`,
      })),
    );
    expect(scoreWorkers(alone, dawidSkene(alone))[0]).toMatchObject({ p: 1, flags: [] });
  });
});

describe("workers who err together", () => {
  it("do not make the others look worse than guessing if the result found them", () => {
    const { data: exact } = colludersCrowd({ tasks: 500, share: 0.3, seed: 3 });
    const honest = Math.round(0.7 * exact.workers.length);
    // Each of them slips now and then, so that they are no exact copies.
    const random = createRandom(1);
    const slips = (i: number) => exact.worker[i] >= honest && random.next() < 0.05;
    const label = exact.label.map((l, i) => (slips(i) ? (l + 1) % exact.classes.length : l));
    const data = { ...exact, label };
    const low = (scores: readonly WorkerScore[]) =>
      scores.slice(0, honest).filter(({ standing }) => standing !== "better").length;
    // Dawid–Skene follows the colluders, and holds the others against them.
    const misled = dawidSkene(data);
    expect(low(scoreWorkers(data, misled))).toBeGreaterThan(honest / 2);
    const groups = Int32Array.from(data.workers, (_, w) => Math.min(w, honest));
    const grouped = { ...groupDawidSkene(data, {}, { groups }), groups };
    const scores = scoreWorkers(data, grouped);
    expect(low(scores)).toBe(0);
    expect(scores.slice(honest).every(({ standing }) => standing === "worse")).toBe(true);
  });
});

describe("copies", () => {
  const data = crowdOf({ skills: [0.8, 0.8, 0.8, 0.8, 0.25], copied: [4, 5], seed: 1 });

  it.each([
    ["a result that found them", auto(data)],
    ["one that follows them", dawidSkene(data)],
  ])("judge the others as one, with %s", (_, result) => {
    const scores = scoreWorkers(data, result);
    const standing = scores.map((score) => score.standing);
    expect(standing.slice(0, 4)).toEqual(["better", "better", "better", "better"]);
    expect(standing.slice(4)).not.toContain("better");
    expect(scores.slice(0, 4).flatMap(({ flags }) => flags)).toEqual([]);
    for (const { flags, reasons } of scores.slice(4)) {
      const at = flags.indexOf("copy");
      expect(reasons[at]).toMatch(/^Never disagrees with 5 other workers, and errs too often/);
    }
  });

  it("have the intervals of the one that speaks for them, if the result has merged them", () => {
    const result = auto(data);
    const skills = skillIntervals(data, result);
    const scores = scoreIntervals(data, result);
    if (!skills?.centre || !scores) throw new Error("There are no intervals.");
    for (const w of [5, 6, 7, 8, 9]) {
      expect([skills.low[w], skills.high[w]]).toEqual([skills.low[4], skills.high[4]]);
      expect(scores.capacityBits.high[w]).toBe(scores.capacityBits.high[4]);
    }
    for (const w of [0, 1, 2, 3]) {
      expect(skills.low[w]).toBeGreaterThan(0.7);
      expect(scores.informativeness.low[w]).toBeGreaterThan(scores.informativeness.high[4]);
    }
    expect(skills.high[4]).toBeLessThan(0.4);
  });
});
