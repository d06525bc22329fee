import { describe, expect, it } from "vitest";
import { gate, splitAccuracy } from "../../../../test/datasets.ts";
import { enumerate } from "../../../../test/enumerate.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { spammerCrowd, spammerKinds } from "../../../reproduce/spammer-crowd.ts";
import { load, save } from "../save.ts";
import { dawidSkene } from "./dawid-skene.ts";
import { spem } from "./spem.ts";

const crowd = (K: number, spammers: number, kind: (typeof spammerKinds)[number], seed: number) =>
  spammerCrowd({
    ...{ tasks: 500, workers: 20, labelsPerTask: 0, prior: Array(K).fill(1 / K) },
    ...{ spammers, kind, low: 1 / K + 0.2, high: 0.9, seed },
  });

describe("invariants", () => {
  it("never lowers its objective while the same workers count", () => {
    for (const classes of [2, 3]) {
      for (let seed = 0; seed < 10; seed++) {
        const { trace } = spem(randomCrowd(seed, { classes }), {
          ...{ threshold: 0, fewest: 1e9, tolerance: 0, maxIterations: 60 },
        });
        trace.forEach((objective, i) => {
          if (i > 0) expect(objective).toBeGreaterThanOrEqual(trace[i - 1] - 1e-8);
        });
      }
    }
  });

  it("gives eliminated workers equal rows, and their labels no say", () => {
    const { data } = crowd(3, 0.5, "uniform", 1);
    const { eliminated, confusion, posterior } = spem(data);
    const rest = { ...data, label: data.label.slice() };
    data.worker.forEach((w, i) => {
      if (eliminated[w]) rest.label[i] = (data.label[i] + 1) % 3;
    });
    eliminated.forEach((flag, w) => {
      if (!flag) return;
      for (let l = 0; l < 3; l++) {
        expect(confusion[(w * 3 + 1) * 3 + l]).toBeCloseTo(confusion[w * 9 + l], 12);
      }
    });
    expect(eliminated.reduce((a, b) => a + b)).toBe(10);
    expect(spem(rest).posterior.every((p, at) => Math.abs(p - posterior[at]) < 0.02)).toBe(true);
  });

  it("keeps who was eliminated through save and load", () => {
    const fitted = spem(crowd(2, 0.5, "uniform", 1).data);
    expect(fitted.eliminated.includes(1)).toBe(true);
    expect(load(save(fitted))).toEqual(fitted);
    const broken = { ...fitted, eliminated: fitted.eliminated.map((flag) => flag + 1) };
    expect(() => load(save(broken))).toThrow(/"eliminated" holds 2/);
    const short = { ...fitted, penalty: new Float64Array(3) };
    expect(() => load(save(short))).toThrow(/"penalty"/);
  });
});

describe("brute force", () => {
  it("matches a sum over every possible truth", () => {
    for (const classes of [2, 3]) {
      const data = randomCrowd(3, { tasks: 6, workers: 3, classes });
      const { prior, confusion, posterior } = spem(data);
      const exact = enumerate(data, prior, confusion);
      expect([...posterior]).toEqual(exact.posterior.map((p) => expect.closeTo(p, 9)));
    }
  });

  it("its strengths are the free directions over the scores", () => {
    const { data } = crowd(3, 0.3, "uniform", 2);
    const { penalty, informativeness, eliminated } = spem(data);
    penalty.forEach((strength, w) => {
      if (!eliminated[w]) expect(strength * informativeness[w]).toBeCloseTo(4, 9);
    });
  });
});

describe("published claims", () => {
  it.each([2, 3, 4])("ranks spammers last and eliminates them, %i classes", (K) => {
    for (const kind of spammerKinds) {
      for (let seed = 0; seed < 3; seed++) {
        const { data, roles } = crowd(K, 0.5, kind, seed);
        const { informativeness, eliminated } = spem(data);
        const of = (role: string) => [...informativeness].filter((_, w) => roles[w] === role);
        expect(Math.max(...of("spammer"))).toBeLessThan(Math.min(...of("honest")));
        expect([...eliminated]).toEqual(roles.map((role) => (role === "spammer" ? 1 : 0)));
      }
    }
  });

  it.each([2, 4])("80 % spammers: right at least as often as Dawid–Skene, %i classes", (K) => {
    let [ours, theirs] = [0, 0];
    for (let seed = 0; seed < 10; seed++) {
      const { data } = crowd(K, 0.8, "uniform", seed);
      ours += splitAccuracy(data, spem(data).posterior) / 10;
      theirs += splitAccuracy(data, dawidSkene(data).posterior) / 10;
    }
    expect(ours).toBeGreaterThanOrEqual(theirs);
  });

  const measured = [
    ["bluebird", 0.9074, 17],
    ["rte", 0.9288, 23],
    ["web", 0.8843, 97],
    ["possent", 0.96, 15],
  ] as const;
  for (const [name, right, out] of measured) {
    gate(name, `right ${right}, ${out} workers eliminated`, (data) => {
      const { posterior, eliminated } = spem(data);
      expect(splitAccuracy(data, posterior)).toBeCloseTo(right, 3);
      expect(eliminated.reduce((sum, flag) => sum + flag, 0)).toBe(out);
    });
  }
});

describe("limits", () => {
  it("eliminates nobody if all look like guesses, and says so", () => {
    const { data } = crowd(2, 1, "uniform", 3);
    const { eliminated, notes } = spem(data, { threshold: 1 });
    expect(eliminated.includes(1)).toBe(false);
    expect(notes.join(" ")).toContain("All remaining workers look like guesses");
  });

  it("never eliminates workers with few labels", () => {
    const { data } = crowd(2, 0.5, "uniform", 1);
    expect(spem(data, { fewest: 501 }).eliminated.includes(1)).toBe(false);
  });

  it("leaves perfect workers alone, and copes with one class", () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({
      ...{ task: `t${i % 20}`, worker: `w${Math.floor(i / 20)}`, label: `${i % 2}` },
    }));
    const { eliminated, informativeness } = spem(fromRows(rows));
    expect([...eliminated]).toEqual([0, 0, 0]);
    expect(Math.min(...informativeness)).toBeGreaterThan(0.9);
    const one = spem(fromRows(rows.map((row) => ({ ...row, label: "x" }))));
    expect([...one.eliminated]).toEqual([0, 0, 0]);
  });
});
